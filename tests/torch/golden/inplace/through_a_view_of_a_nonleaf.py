import torch

x = torch.arange(6.0, requires_grad=True)
y = x * 2
v = y[1:4]
print(v)
v.mul_(10)
print(v)
print(y)
y.sum().backward()
print(x.grad)

x.grad = None
y = x.clone()
t = y.view(2, 3).t()
t[0] = torch.tensor([100.0, 200.0])
print(t)
print(y)
print(type(y.grad_fn).__name__, type(t.grad_fn).__name__)
(t * torch.arange(6.0).view(3, 2)).sum().backward()
print(x.grad)
