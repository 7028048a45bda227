import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = (y * y).sum()
z.backward()
print(y.grad)
print(x.grad)
print(torch.ones(2).grad)
print(y.detach().grad)
y.retain_grad()
print(y.grad)
y = x * 2
y.retain_grad()
print(y.retains_grad, y.grad)
(y * y).sum().backward()
print(y.grad, y.is_leaf)
