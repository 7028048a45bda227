import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    a = x.view(2)
b = x.detach().view(2)
for t in (a, b):
    print(t, t.requires_grad, t.is_leaf, t.data_ptr() == x.data_ptr(), t._is_view())
b.add_(1)
print(x, x._version, a._version, b._version)
with torch.no_grad():
    a.add_(1)
print(x, x._version)
a.requires_grad_()
print(a, a.is_leaf)
try:
    a.add_(1)
except RuntimeError as e:
    print(type(e).__name__, e)
