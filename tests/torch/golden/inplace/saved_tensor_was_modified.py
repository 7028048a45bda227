import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = a * 3
c = b * b
b.add_(1)
try:
    c.sum().backward()
except RuntimeError as e:
    print(e)

b = a.exp()
b.mul_(2)
try:
    b.sum().backward()
except RuntimeError as e:
    print(e)

b = a.sigmoid()
c = b.sin()
b[0] = 0
try:
    c.sum().backward()
except RuntimeError as e:
    print(e)

b = a * 2
c = b + 1
b.mul_(2)
c.sum().backward()
print(a.grad)
