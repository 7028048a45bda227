import torch

x = torch.zeros(2, 3, requires_grad=True)
(x.t() * torch.arange(6.0).view(3, 2)).sum().backward()
print(x.grad, x.grad.stride(), x.grad.is_contiguous())
x.grad = None
x.sum().backward()
print(x.grad, x.grad.stride())
y = torch.zeros(3, 2).t().requires_grad_()
print(y.stride())
y.sum().backward()
print(y.grad.stride(), y.grad.shape)
y.grad = None
(y * 2).sum().backward()
print(y.grad.stride())
e = torch.ones(1).expand(3).requires_grad_()
(e * torch.arange(3.0)).sum().backward()
print(e.grad, e.grad.stride())
