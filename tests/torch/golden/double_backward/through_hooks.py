import torch

x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.register_hook(lambda g: g * x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
print(torch.autograd.grad(g, x, retain_graph=True))
y = x * x
y.register_hook(lambda g: g.detach() * 5)
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g, torch.autograd.grad(g, x))
