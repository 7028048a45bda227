import torch

x = torch.ones(3)
d = x.detach()
a = x.data
v = x.view(3)
c = x.clone()
print([t._version for t in (x, d, a, v, c)])
x.add_(1)
print([t._version for t in (x, d, a, v, c)])
d.add_(1)
print([t._version for t in (x, d, a, v, c)])
a.add_(1)
print([t._version for t in (x, d, a, v, c)])
v.add_(1)
print([t._version for t in (x, d, a, v, c)])
x.data.add_(1)
print([t._version for t in (x, d, a, v, c)])
x[0] = 1
print([t._version for t in (x, d, a, v, c)])
print(x, d, a, v, c)
print(x.data._version, x.detach()._version, x[0]._version)
