import torch

torch.manual_seed(0)
a = torch.randn(2, 2, requires_grad=True)
b = torch.randn(2, 2, requires_grad=True) + 2
print(a.is_leaf, a.requires_grad, a.grad_fn)
print(b.is_leaf, b.requires_grad, b.grad_fn.name())
print(a)
print(b)
(b * 3).sum().backward()
print(b.grad)
(a * 3).sum().backward()
print(a.grad)
c = (torch.ones(2, 2) + 2).requires_grad_()
print(c, c.is_leaf)
(c * c).sum().backward()
print(c.grad)
