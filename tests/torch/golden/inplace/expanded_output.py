import torch

x = torch.ones(3, requires_grad=True)
y = (x * 1).expand(2, 3)
try:
    y.add_(1)
except RuntimeError as e:
    print(e)
try:
    y[0, 0] = 5
    print(y)
except RuntimeError as e:
    print(e)
try:
    y[0] = torch.tensor([1.0, 2.0, 3.0])
    print(y)
except RuntimeError as e:
    print(e)
z = torch.zeros(1).expand(3)
z[1] = 4
print(z)
try:
    z.copy_(torch.arange(3.0))
except RuntimeError as e:
    print(e)
print(z.clone().stride(), z.contiguous().stride())
