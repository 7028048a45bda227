import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x)
print(x * 2)
print((x * 2).sum())
print((x.double() / 3).requires_grad)
print(x.double())
print(x.detach(), x.data)
print(torch.tensor([1.0], dtype=torch.float64, requires_grad=True))
print(torch.tensor(1.0, requires_grad=True), x[0], x[:1])
print(torch.zeros(0, 3, requires_grad=True), torch.zeros(0, 3, requires_grad=True) * 2)
print((torch.linspace(0, 1, 14, requires_grad=True) * 3.3).view(2, 7).t())
y = x * 1
y[0] = 5
print(y)
print(torch.linspace(0, 1, 10, dtype=torch.float64, requires_grad=True).exp())
print(x.half() * 2, x.bfloat16())
