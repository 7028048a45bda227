import torch
from torch.utils.checkpoint import checkpoint


def inner(x):
    print("inner")
    return x * x


def outer(x):
    print("outer")
    return checkpoint(inner, x, use_reentrant=False) * x


x = torch.tensor([2.0], requires_grad=True)
y = checkpoint(outer, x, use_reentrant=False)
print(y)
y.backward()
print(x.grad)
