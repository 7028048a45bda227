import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**2 + 2 * x + 1
print(y)
print(y.backward())
print(x.grad, x.grad.shape)
y = x**2
y.backward(torch.tensor(10.0))
print(x.grad)
x.grad = None
(x * 1).backward()
print(x.grad)
x.grad = None
x.backward()
print(x.grad)
x.backward(torch.tensor(0.5))
print(x.grad)
