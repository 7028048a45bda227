import torch
from torch.utils.checkpoint import checkpoint


def f(x):
    print(torch.is_grad_enabled(), x.requires_grad, x.is_leaf)
    with torch.no_grad():
        k = x * 10
    return x * k


x = torch.tensor([1.0, 2.0], requires_grad=True)
for use_reentrant in (True, False):
    x.grad = None
    checkpoint(f, x, use_reentrant=use_reentrant).sum().backward()
    print(x.grad)
    print(checkpoint(f, x.detach(), use_reentrant=use_reentrant))
    with torch.no_grad():
        print(checkpoint(f, x, use_reentrant=use_reentrant).requires_grad)
