import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y[0] = x[2] * 10
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
y = x.clone()
try:
    y[1:] *= y[:2]
except RuntimeError as e:
    print(type(e).__name__, e)
y[1:] *= y[:2].clone()
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad)
x.grad = None
y = x.clone()
v = y.view(3, 1)
v.mul_(5)
print(y, v)
(y * y).sum().backward()
print(x.grad)
