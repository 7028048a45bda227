import torch

a = torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
b = torch.tensor([[1.0, 0.0], [2.0, -1.0]], requires_grad=True)
y = (a @ b @ a).sum()
(ga,) = torch.autograd.grad(y, a, create_graph=True)
print(ga)
print(torch.autograd.grad(ga.pow(2).sum(), [a, b]))
y = (a.t() * b).sum(0).prod()
ga, gb = torch.autograd.grad(y, [a, b], create_graph=True)
print(ga, gb)
print(torch.autograd.grad(ga[0, 0] + gb[1, 1], [a, b]))
