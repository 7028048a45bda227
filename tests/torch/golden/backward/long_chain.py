import torch

x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(20000):
    y = y + 1
print(y)
y.backward()
print(x.grad)
x = torch.tensor([1.0, 1.0], requires_grad=True)
y = x
for _ in range(3000):
    y = -y
y.sum().backward()
print(x.grad)
total = torch.zeros(())
v = torch.arange(100.0, requires_grad=True)
for k in range(100):
    total = total + v[k] * k
total.backward()
print(total, torch.equal(v.grad, torch.arange(100.0)))
