import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
before = y
y.mul_(3)
print(before is y, torch.autograd.grad(y.sum(), x))
y = x * 2
y.mul_(3)
print(torch.autograd.grad((y * y).sum(), y))
y = x**2
y.add_(1)
print(torch.autograd.grad(y.sum(), x))
y = x.exp()
y.add_(1)
try:
    torch.autograd.grad(y.sum(), x)
except RuntimeError as e:
    print(e)
y = x.exp().add_(1).log()
try:
    torch.autograd.grad(y.sum(), x)
except RuntimeError as e:
    print(e)
