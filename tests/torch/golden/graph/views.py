import torch

x = torch.arange(6.0, requires_grad=True)
y = x * 1
v = y.view(2, 3)
w = v[0]
print(v._base is y, w._base is y, y._base, v._is_view(), y._is_view())
print(v.grad_fn.name(), w.grad_fn.name())
y.mul_(2)
print(y.grad_fn.name(), v.grad_fn.name(), w.grad_fn.name())
print(w, w._version)
w.add_(1)
print(w.grad_fn.name(), v.grad_fn.name(), y.grad_fn.name())
print(y)
y.sum().backward()
print(x.grad)
leaf = torch.zeros(3)
leaf[0:2].copy_(x[:2])
print(leaf.grad_fn.name(), leaf)
