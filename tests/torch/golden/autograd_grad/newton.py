import torch


def f(x):
    return x**3 - 2 * x - 5


x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
for _ in range(4):
    y = f(x)
    (g,) = torch.autograd.grad(y, x)
    with torch.no_grad():
        x -= y / g
    print(round(x.item(), 6), round(y.item(), 6), round(g.item(), 6))
print(x.grad, x._version)
