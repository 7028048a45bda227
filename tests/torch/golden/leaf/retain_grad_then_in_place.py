import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
y.retain_grad()
y.mul_(2)
print(y, y.retains_grad)
y.sum().backward()
print(y.grad, x.grad)
x.grad = None
y = x * 3
y.mul_(2)
y.retain_grad()
(y * 5).sum().backward()
print(y.grad, x.grad)
y = x * 3
v = y[0]
v.retain_grad()
y.retain_grad()
((y * y).sum() + v * 10).backward()
print(v.grad)
print(y.grad)
