import torch

x = torch.tensor([-2.0, 0.0, 3.0])
print(
    x**2,
    x**0,
    x**-1,
    x**0.5,
    2**x,
    x**x,
    x.pow(3),
    torch.pow(2, torch.tensor([1, 2])),
    x.square(),
    torch.float_power(torch.tensor([2]), 3),
)
print(
    torch.tensor([2, 3]) ** 2,
    torch.tensor([2, 3]) ** torch.tensor([3, 2]),
    torch.tensor([2, 3]) ** 0.5,
    torch.tensor([2]) ** 2.0,
    torch.tensor([0.0]) ** -1,
)
for p in (0, 0.5, 1, 2, 3, -1):
    z = torch.tensor([0.0, 4.0], requires_grad=True)
    y = z**p
    y.sum().backward()
    print(p, y.tolist(), z.grad.tolist(), y.grad_fn.name())
base, e = torch.tensor([0.0, 2.0, -2.0], requires_grad=True), torch.tensor([0.0, 3.0, 2.0], requires_grad=True)
(base**e).sum().backward()
print(base.grad, e.grad)
e.grad = None
(2**e + 0**e).sum().backward()
print(e.grad)
for bad in (
    lambda: torch.tensor([2]) ** -1,
    lambda: torch.tensor([2]) ** torch.tensor([-1]),
    lambda: torch.tensor([True]) ** 2,
):
    try:
        print(bad())
    except RuntimeError as err:
        print(err)
