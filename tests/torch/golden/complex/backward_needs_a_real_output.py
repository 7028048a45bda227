import torch

z = torch.tensor([1 + 2j], requires_grad=True)
y = z * 2
for bad in (
    lambda: y.backward(),
    lambda: y.sum().backward(),
    lambda: y.backward(torch.ones(1, dtype=torch.float64)),
    lambda: torch.autograd.grad(y, z),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
y = z * (3 - 1j)
y.backward(torch.tensor([1 + 0j]))
print(z.grad)
z.grad = None
(z * (3 - 1j)).backward(torch.tensor([1j]))
print(z.grad)
z.grad = None
try:
    (z**2).backward(torch.ones(1))
except RuntimeError as e:
    print(e)
(z**2).real.backward(torch.ones(1))
print(z.grad)
