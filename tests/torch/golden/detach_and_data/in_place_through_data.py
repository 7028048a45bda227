import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
x.data.mul_(10)
print(x, x._version)
y.sum().backward()
print(x.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.tanh()
y.data.fill_(0.5)
y.sum().backward()
print(y, x.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.data[0] = 100
x.data += 1
print(x, x._version)
