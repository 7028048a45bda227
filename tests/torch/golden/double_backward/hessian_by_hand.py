import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x[0] ** 2 * x[1] + x[1] ** 3
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
rows = [torch.autograd.grad(gi, x, retain_graph=True)[0] for gi in g]
print(torch.stack(rows))
v = torch.tensor([1.0, -1.0])
print(torch.autograd.grad(g, x, v, retain_graph=True))
print(torch.autograd.grad((g * v).sum(), x))
