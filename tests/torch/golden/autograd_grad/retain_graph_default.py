import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
torch.autograd.grad(y, x, create_graph=True)
print(torch.autograd.grad(y, x, create_graph=True, retain_graph=True))
print(torch.autograd.grad(y, x, create_graph=True, retain_graph=False))
try:
    torch.autograd.grad(y, x)
except RuntimeError as e:
    print(e)
y = x**2
torch.autograd.grad(y, x, retain_graph=True)
y.backward()
print(x.grad)
