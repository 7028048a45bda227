import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.grad)
(x**2).sum().backward()
g = x.grad
print(g, g.requires_grad, g.is_leaf, g is x.grad, g.shape)
x.grad.zero_()
print(x.grad, g)
x.grad = torch.tensor([5.0, 6.0])
print(x.grad)
(x**2).sum().backward()
print(x.grad)
del x.grad
print(x.grad)
x.grad = None
print(x.grad)
c = torch.ones(2)
c.grad = torch.tensor([1.0, 1.0])
print(c.grad, c.requires_grad)
