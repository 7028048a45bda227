import torch
from torch.autograd.functional import jvp, vjp


def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2])


x = torch.tensor([2.0, 5.0])
v = torch.tensor([1.0, -1.0])
print(vjp(f, x, v))
print(jvp(f, x, v))
print(vjp(lambda x: x.prod(), x))
print(vjp(lambda a, b: a * b, (x, x), v))
print(jvp(lambda a, b: a * b, (x, x), (v, v)))
print(vjp(f, x, v, create_graph=True))
for g in (lambda: vjp(f, x), lambda: jvp(f, x), lambda: vjp(f, x, torch.ones(3)), lambda: jvp(f, x, torch.ones(3))):
    try:
        g()
    except RuntimeError as e:
        print(type(e).__name__, e)
