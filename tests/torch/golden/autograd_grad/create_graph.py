import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g, g.is_leaf)
(h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
print(h)
(t,) = torch.autograd.grad(h.sum(), x, create_graph=True)
print(t)
try:
    print(torch.autograd.grad(t.sum(), x))
except RuntimeError as e:
    print(type(e).__name__, e)
linear = (2 * x).sum()
(g,) = torch.autograd.grad(linear, x, create_graph=True)
print(g, g.requires_grad)
