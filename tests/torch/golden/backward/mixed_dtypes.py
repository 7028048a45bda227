import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
d = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
y = x * d
print(y, y.dtype)
y.sum().backward()
print(x.grad, x.grad.dtype, d.grad, d.grad.dtype)
h = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
z = h * x
print(z)
z.sum().backward()
print(h.grad, x.grad)
i = torch.tensor([5, 6])
x.grad = None
(x * i).sum().backward()
print(x.grad)
x.grad = None
x.double().sum().backward()
print(x.grad)
x.grad = None
(x * True).sum().backward()
print(x.grad)
