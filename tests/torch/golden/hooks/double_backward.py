import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3
y.register_hook(lambda g: g * 2)
x.register_hook(lambda g: print("x", g, g.requires_grad))
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(h,) = torch.autograd.grad(g, x)
print(h)
w = torch.tensor(3.0, requires_grad=True)
y = w * w
y.register_hook(lambda g: g * w)
(g,) = torch.autograd.grad(y, w, create_graph=True)
print(g)
print(torch.autograd.grad(g, w))
