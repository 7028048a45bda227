import torch

with torch.no_grad():
    x = torch.ones(2)
    x.requires_grad = True
    y = x + 1
    x2 = y.requires_grad_()
    print(x, y, y.is_leaf)
    z = x * y
    print(z, z.is_leaf)
w = x * y
print(w, w.is_leaf)
w.sum().backward()
print(x.grad, y.grad)
with torch.no_grad():
    print(x.clone().requires_grad, x.detach().requires_grad, x.float() is x, x.double().requires_grad)
    print(torch.ones(1, requires_grad=True))
