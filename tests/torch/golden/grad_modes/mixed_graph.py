import torch

x = torch.tensor(2.0, requires_grad=True)
a = x * x
with torch.no_grad():
    b = a * x
c = b * x
print(a, b, c)
c.backward()
print(x.grad)
x.grad = None
with torch.no_grad():
    total = torch.zeros(())
total = total + a
total += b
print(total)
with torch.no_grad():
    total += 10
print(total)
total.backward()
print(x.grad)
