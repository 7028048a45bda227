import torch

x = torch.ones(3, requires_grad=True)
y = (x * x).sum()
print(y)
y.backward()
print(x.grad)
y.backward()
print("never")
