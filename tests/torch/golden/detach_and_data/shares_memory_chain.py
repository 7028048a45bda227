import torch

x = torch.arange(4.0)
a = x.detach()
b = a.view(2, 2)
c = b.data
d = c[1]
x[3] = 30
print(a, b, c, d)
d[0] = 20
print(x, x._version, a._version, b._version, c._version, d._version)
w = x.clone().requires_grad_()
y = w.view(2, 2)
with torch.no_grad():
    y[0, 0] = -1
print(w, w._version, y._version, w.is_leaf)
y.detach()[1, 1] = -2
print(w, w._version)
