import torch
from torch.autograd.functional import hvp, vhp


def f(x):
    return x[0] ** 2 * x[1] + x[1] ** 3


x = torch.tensor([1.0, 2.0])
v = torch.tensor([1.0, -1.0])
print(hvp(f, x, v))
print(vhp(f, x, v))
print(vhp(lambda a, b: (a * b).sum(), (x, x), (v, v)))
print(hvp(lambda x: x.sum(), x, v))
print(hvp(f, x, v, create_graph=True)[1].requires_grad)
for g in (lambda: hvp(lambda x: x * 2, x, v), lambda: vhp(f, x), lambda: vhp(f, x, torch.ones(1, 2))):
    try:
        g()
    except RuntimeError as e:
        print(type(e).__name__, e)
