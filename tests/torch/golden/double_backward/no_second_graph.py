import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((x**2).sum(), x)
try:
    torch.autograd.grad(g.sum(), x)
except RuntimeError as e:
    print(type(e).__name__, e)
(g,) = torch.autograd.grad((3 * x).sum(), x, create_graph=True)
print(g, g.requires_grad)
try:
    torch.autograd.grad(g.sum(), x)
except RuntimeError as e:
    print(type(e).__name__, e)
(g,) = torch.autograd.grad(x.abs().sum(), x, create_graph=True)
print(g, g.requires_grad)
print(torch.autograd.grad(g.sum(), x, allow_unused=True))
