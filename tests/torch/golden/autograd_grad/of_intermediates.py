import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
z = y * y
w = z + x
print(torch.autograd.grad(w, [x, y, z], retain_graph=True))
print(torch.autograd.grad(w, w, retain_graph=True))
print(torch.autograd.grad(x, x))
print(torch.autograd.grad(z, y, retain_graph=True), x.grad, y.is_leaf)
a = x * 1
b = a * 2
try:
    torch.autograd.grad(a, b)
except RuntimeError as e:
    print(type(e).__name__, e)
print(torch.autograd.grad([w, z], [y]))
