import torch

x = torch.ones(3)
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print(x, x.is_leaf, x.requires_grad, x._version)
x.mul_(w)
print(x, x.is_leaf, x.requires_grad, x._version)
x.add_(1)
print(x, x.is_leaf)
x.sum().backward()
print(w.grad)
z = torch.zeros(3)
z[1] = w[2] * 2
print(z, z.is_leaf, z.requires_grad)
z.sum().backward()
print(w.grad)
v = torch.zeros(3)
v.copy_(w)
print(v, v.is_leaf)
