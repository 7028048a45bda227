import torch
from torch.utils.checkpoint import checkpoint

x = torch.tensor(2.0, requires_grad=True)
y = checkpoint(lambda x: x**3, x, use_reentrant=False)
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
print(torch.autograd.grad(g, x))
y = checkpoint(lambda x: x**3, x, use_reentrant=True)
try:
    torch.autograd.grad(y, x)
except RuntimeError as e:
    print(type(e).__name__, e)
