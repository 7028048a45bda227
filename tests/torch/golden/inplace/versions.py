import torch

x = torch.zeros(3)
print(x._version)
x.add_(1)
x[0] = 5
x += 1
x *= 2
print(x, x._version)
x.fill_(1).sub_(2)
print(x._version)
x = x + 1
print(x._version)
y = x[1:]
y.zero_()
print(x._version, y._version, y.detach()._version)
x.copy_(torch.arange(3.0))
x.resize_(3)
print(x, x._version)
with torch.no_grad():
    x.add_(1)
print(x._version)
z = x.clone()
print(z._version)
torch.add(z, 1, out=z)
print(z._version)
