import torch

x = torch.tensor([2.0], requires_grad=True)
y = x**3
with torch.no_grad():
    y.backward()
    print(x.grad)
y = x**3
with torch.no_grad():
    print(torch.autograd.grad(y, x))
with torch.no_grad():
    z = x**2
    try:
        z.backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
y = x**3
with torch.no_grad():
    (g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
x.grad = None
y = (x.detach() ** 2).requires_grad_()
y.backward()
print(x.grad, y.grad)
