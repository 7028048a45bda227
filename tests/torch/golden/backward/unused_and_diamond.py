import torch

x = torch.tensor(2.0, requires_grad=True)
unused = torch.tensor(1.0, requires_grad=True)
a = x * 3
b = a * a
c = a + b
d = c * x
d.backward()
print(x.grad, unused.grad)
x.grad = None
y = x
for _ in range(10):
    y = y + y
print(y)
y.backward()
print(x.grad)
x.grad = None
(x + x + x * x * x).backward()
print(x.grad)
x.grad = None
(x - x).backward()
print(x.grad)
x.grad = None
(x * 0).backward()
print(x.grad)
