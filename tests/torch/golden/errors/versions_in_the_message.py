import torch

x = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
y = x.exp()
for _ in range(3):
    y.mul_(2)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = x * 1
y.add_(1)
z = y.exp() * y
y.add_(1)
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
c = torch.tensor([[2.0, 3.0]], dtype=torch.float64)
z = x * c
c.zero_()
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
