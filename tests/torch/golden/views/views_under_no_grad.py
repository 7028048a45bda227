import torch

x = torch.ones(4, requires_grad=True)
with torch.no_grad():
    v = x[:2]
print(v.requires_grad, v.grad_fn, v._is_view(), v.is_leaf)
with torch.no_grad():
    v.mul_(5)
print(x, x._version)
try:
    v.requires_grad_()
    print(v.is_leaf, v)
except RuntimeError as e:
    print(e)
y = x.clone()
with torch.no_grad():
    w = y[1:]
try:
    w.mul_(y.sum())
except RuntimeError as e:
    print(e)
