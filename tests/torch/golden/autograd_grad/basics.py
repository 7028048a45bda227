import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
print(torch.autograd.grad(y, x, retain_graph=True))
print(torch.autograd.grad([y], [x], retain_graph=True))
print(torch.autograd.grad((y,), (x, x), retain_graph=True))
g = torch.autograd.grad(y, x)
print(type(g).__name__, len(g), g[0].requires_grad, x.grad)
try:
    torch.autograd.grad(y, x)
except RuntimeError as e:
    print(type(e).__name__, e)
