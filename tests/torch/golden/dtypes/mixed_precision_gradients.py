import torch

x = torch.ones(2, dtype=torch.float32, requires_grad=True)
y = torch.ones(2, dtype=torch.float64, requires_grad=True)
z = x * y
print(z)
z.sum().backward()
print(x.grad, y.grad)
s = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
w = x * s
print(w, w.dtype)
w.sum().backward()
print(s.grad, s.grad.dtype, x.grad)
try:
    torch.ones(2, 2) @ torch.ones(2, 2).double()
except RuntimeError as e:
    print(e)
try:
    x.grad = torch.ones(2, dtype=torch.float64)
except RuntimeError as e:
    print(e)
print(torch.dot(x.double(), y))
