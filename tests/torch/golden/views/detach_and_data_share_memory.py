import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
d = x.detach()
print(d, d.requires_grad, d.is_leaf, d._is_view())
d[0] = 10
print(x, x._version, d._version)

p = x.data
p[1] = 20
print(x, x._version, p._version)

y = x * x
d.zero_()
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
z = x * x
x.data.fill_(3)
z.sum().backward()
print(x.grad)
