import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x.exp()
b = x * 10
a.add_(1)
y = (a + b).sum()
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__)
print(x.grad)
try:
    b.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)
print(x.grad)
(x * 10).sum().backward()
print(x.grad)
try:
    a.sum().backward()
except RuntimeError as e:
    print(type(e).__name__)
print(x.grad)
print(torch.is_grad_enabled())
