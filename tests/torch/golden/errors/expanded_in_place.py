import torch

e = torch.ones(1).expand(3)
try:
    e.add_(1)
except RuntimeError as error:
    print(type(error).__name__, error)
try:
    e[0] = 5
    print(e)
except RuntimeError as error:
    print(type(error).__name__, error)
x = torch.tensor([1.0], requires_grad=True)
y = (x * 1).expand(3)
try:
    y.mul_(2)
except RuntimeError as error:
    print(type(error).__name__, error)
a = torch.arange(4.0)
try:
    a[1:].copy_(a[:-1])
except RuntimeError as error:
    print(type(error).__name__, error)
print(a)
try:
    torch.add(a[1:], 1, out=a[:-1])
except RuntimeError as error:
    print(type(error).__name__, error)
