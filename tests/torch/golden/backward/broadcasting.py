import torch

a = torch.ones(2, 3, requires_grad=True)
b = torch.arange(3.0, requires_grad=True)
c = torch.ones(2, 1, requires_grad=True)
d = torch.tensor(2.0, requires_grad=True)
y = a * b + c * d
print(y, y.shape)
y.sum().backward()
for t in (a, b, c, d):
    print(t.grad, t.grad.shape)
e = torch.ones(3, requires_grad=True)
e.expand(2, 3).sum().backward()
print(e.grad)
e.grad = None
(e + torch.zeros(4, 1, 3)).sum().backward()
print(e.grad)
