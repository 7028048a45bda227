import torch

x = torch.arange(4.0, requires_grad=True)
y = torch.zeros(2, 3)
y[0, :2] = x[:2]
print(y)
y[1] = x[3]
print(y)
y[:, 2] += x[2] ** 2
print(y)
y[y > 5] = 0
print(y)
y.sum().backward()
print(x.grad)

z = x.detach().clone()
z[[0, 0, 1]] = torch.tensor([1.0, 2.0, 3.0])
print(z, z._version)
z[torch.tensor([True, False, True, False])] *= -1
print(z)
