import torch

x = torch.ones(4, requires_grad=True)
y = x * 1
v = y[:2]
print(v.grad_fn.name(), v._version)
y.mul_(4)
print(v)
print(v.grad_fn.name(), v._version)
w = v.view(2, 1)
y.add_(w.sum())
print(w, w.grad_fn.name())
w.sum().backward()
print(x.grad)
