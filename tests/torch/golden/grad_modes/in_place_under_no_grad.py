import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    x.add_(1)
    x[0] = 5
    print(x, x._version, x.is_leaf, x.requires_grad)
    x.mul_(x)
print(x, x._version)
y = x * x
with torch.no_grad():
    x.zero_()
try:
    y.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)
z = x * 3
with torch.no_grad():
    z.add_(100)
print(z, z._version)
z.sum().backward()
print(x.grad)
