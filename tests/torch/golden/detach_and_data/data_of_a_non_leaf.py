import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
a = y.data
a[0] = 50
print(y, y.is_leaf, y._version, a.grad_fn)
z = y * y
y.data.zero_()
print(y, z)
z.sum().backward()
print(x.grad)
x.data = x.data * 3
print(x, x.grad)
