import torch

x = torch.arange(8.0, requires_grad=True)
windows = x.as_strided((6, 3), (1, 1))
print(windows)
windows.sum().backward()
print(x.grad)

base = torch.arange(5.0)
print(torch.as_strided(base, (2, 2), (2, 1), 1))
print(torch.as_strided(base, (3,), (0,), 4))
try:
    base.as_strided((3, 3), (2, 1))
except RuntimeError as e:
    print(e)
try:
    base.as_strided((2,), (-1,))
except RuntimeError as e:
    print(e)
w = base.as_strided((2, 3), (1, 1))
w[1] += 10
print(base)
