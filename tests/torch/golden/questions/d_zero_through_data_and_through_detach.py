import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.sigmoid()
c = y.data
print(c, c.requires_grad, c._version, y._version)
c.zero_()
print(y, y._version, c._version)
y.sum().backward()
print(x.grad)

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.sigmoid()
c = y.detach()
print(c, c.requires_grad, c._version, y._version)
c.zero_()
print(y, y._version, c._version)
try:
    y.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)
print(x.grad)
