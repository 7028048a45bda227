import torch
from torch.utils.checkpoint import checkpoint


def f(x):
    y = x * x
    if y.requires_grad:
        y.register_hook(lambda g: print("inside", g))
    return y.exp()


x = torch.tensor([0.0, 1.0], requires_grad=True)
x.register_hook(lambda g: print("x", g))
for use_reentrant in (True, False):
    y = checkpoint(f, x, use_reentrant=use_reentrant)
    y.register_hook(lambda g: print("y", g))
    y.retain_grad()
    y.sum().backward()
    print(y.grad, x.grad)
