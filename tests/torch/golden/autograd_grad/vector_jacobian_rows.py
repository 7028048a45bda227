import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[0] ** 2, x[1] * 3])
print(y)
rows = [torch.autograd.grad(y, x, e, retain_graph=True)[0] for e in torch.eye(3)]
print(torch.stack(rows))
u = torch.zeros(3, requires_grad=True)
(vjp,) = torch.autograd.grad(y, x, u, create_graph=True)
print(vjp)
print(torch.autograd.grad(vjp, u, torch.tensor([1.0, 0.0]), retain_graph=True))
print(torch.autograd.grad(vjp, u, torch.tensor([0.0, 1.0])))
