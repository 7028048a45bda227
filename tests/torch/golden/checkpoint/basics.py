import torch
from torch.utils.checkpoint import checkpoint


def f(x):
    print("f", torch.is_grad_enabled())
    return (x * x).exp()


x = torch.tensor([0.0, 1.0], requires_grad=True)
for use_reentrant in (True, False):
    x.grad = None
    y = checkpoint(f, x, use_reentrant=use_reentrant)
    print(y.requires_grad, y.grad_fn.name())
    print(y)
    y.sum().backward()
    print(x.grad)
    with torch.no_grad():
        print(checkpoint(f, x, use_reentrant=use_reentrant))
