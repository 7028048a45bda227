import torch
from torch.utils.checkpoint import checkpoint


def f(x, scale, y=None, *, power=1):
    return (x * scale) ** power, None if y is None else x * y


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)
a, b = checkpoint(f, x, 2.0, y, use_reentrant=True)
print(a.requires_grad, b.requires_grad)
(a.sum() + b.sum()).backward()
print(x.grad, y.grad)
a, b = checkpoint(f, x, 2.0, use_reentrant=False, power=3)
print(a, b)
a.sum().backward()
print(x.grad)
try:
    checkpoint(f, x, 2.0, use_reentrant=True, power=2)
except ValueError as e:
    print(type(e).__name__, e)
