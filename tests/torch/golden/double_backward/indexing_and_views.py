import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x[:2] * x[1:]
(g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))
y = x[[0, 0, 2]] ** 2
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g, x, torch.ones(3)))
z = x * 1
z[1] = x[0] * x[2]
(g,) = torch.autograd.grad((z * z).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))
