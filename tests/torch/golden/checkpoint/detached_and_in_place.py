import torch
from torch.utils.checkpoint import checkpoint


def f(x):
    y = x * 2
    y.add_(1)
    return y.exp()


x = torch.tensor([0.0, 0.5], requires_grad=True)
for use_reentrant in (True, False):
    x.grad = None
    checkpoint(f, x, use_reentrant=use_reentrant).sum().backward()
    print(x.grad)
y = checkpoint(lambda x: x.detach() * 2, x, use_reentrant=False)
print(y)
y = checkpoint(lambda x: (x.detach(), x * 2), x, use_reentrant=True)
print(y)
