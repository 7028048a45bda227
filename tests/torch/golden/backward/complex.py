import torch

z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = (z * z.conj()).real.sum()
print(y)
y.backward()
print(z.grad)
z.grad = None
z.abs().pow(2).sum().backward()
print(z.grad)
z.grad = None
z.real.sum().backward()
print(z.grad)
z.grad = None
(z.imag * 2).sum().backward()
print(z.grad)
z.grad = None
w = (z**2).sum()
try:
    w.backward()
except RuntimeError as e:
    print(type(e).__name__, e)
w.backward(torch.tensor(1 + 0j))
print(z.grad)
x = torch.tensor(2.0, requires_grad=True)
(x * (1 + 1j)).abs().pow(2).backward()
print(round(x.grad.item(), 4))
