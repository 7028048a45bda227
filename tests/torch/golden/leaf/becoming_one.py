import torch

x = torch.ones(2)
y = x * 2
print(y.is_leaf, y.requires_grad)
y.requires_grad = True
print(y.is_leaf, y.requires_grad, y)
z = y * 3
print(z.is_leaf, z)
print(z.detach().is_leaf, z.detach().requires_grad_().is_leaf)
z.detach_()
print(z.is_leaf, z.requires_grad, z)
z.requires_grad_()
print(z, z.is_leaf)
(z * 2).sum().backward()
print(z.grad, y.grad, x.grad)
