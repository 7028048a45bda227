import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.detach().mul_(0)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = x * 3
y.detach().mul_(0)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
y = x**2
x.detach().mul_(10)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
print(x)
