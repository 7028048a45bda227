import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = y * 3
print(y.detach_() is y)
print(y, y.is_leaf, y.requires_grad)
z.sum().backward()
print(x.grad)
w = y * x
w.sum().backward()
print(x.grad)
print(x.detach_(), x.requires_grad)
base = torch.ones(2, requires_grad=True) * 1
view = base[0]
try:
    view.detach_()
except RuntimeError as e:
    print(type(e).__name__, e)
print(base[0].detach())
