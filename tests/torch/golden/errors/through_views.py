import torch

x = torch.arange(4.0, requires_grad=True)
y = x * 1
v = y[:2]
z = v * v
y[3] = 100
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
y = x * 1
z = y.exp()
y.view(2, 2)[0].zero_()
z.sum().backward()
print(x.grad is not None)
z = y.exp()
z[0] = 1
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
a, b = (x * 1).split(2)
try:
    a.add_(1)
except RuntimeError as e:
    print(e)
