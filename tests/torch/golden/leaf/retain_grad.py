import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.retains_grad)
x.retain_grad()
print(x.retains_grad)
try:
    torch.ones(2).retain_grad()
except RuntimeError as e:
    print(type(e).__name__, e)
y = x * 3
y.retain_grad()
y.retain_grad()
z = y * y
z.retain_grad()
z.sum().backward(retain_graph=True)
print(x.grad, y.grad, z.grad)
z.sum().backward()
print(x.grad, y.grad, z.grad)
print(y.retains_grad, z.retains_grad)
