import torch

base = torch.arange(4.0, requires_grad=True)
with torch.no_grad():
    v = base[:2]
print(v, v.requires_grad, v.is_leaf, v.grad_fn, v._is_view())
try:
    v.add_(1)
except RuntimeError as e:
    print(type(e).__name__, e)
print(base)
y = base * 1
with torch.no_grad():
    w = y.view(2, 2)
print(w, w.requires_grad)
try:
    w.mul_(2)
    print(w, y)
except RuntimeError as e:
    print(type(e).__name__, e)
with torch.no_grad():
    w.mul_(2)
print(y, y._version)
