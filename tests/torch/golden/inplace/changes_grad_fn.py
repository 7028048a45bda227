import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
print(y)
y.mul_(3)
print(y)
y.sin_()
print(y)
y.clamp_(max=-0.5)
print(y)
y[0] = 0
print(y, y._version)
y.sum().backward()
print(x.grad)

z = torch.zeros(3)
print(z.requires_grad)
z.add_(x)
print(z, z.requires_grad, z.is_leaf)
z.sum().backward()
print(x.grad)
