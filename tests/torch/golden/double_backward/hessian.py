import torch
from torch.autograd.functional import hessian

x = torch.tensor([1.0, 2.0])
h = hessian(lambda x: x[0] ** 2 * x[1] + x[1] ** 3, x)
print(h, h.requires_grad)
print(hessian(lambda a, b: (a * b * b).sum(), (x, x + 1)))
print(hessian(lambda x: x.sum(), x))
print(hessian(lambda x: (x**3).sum(), torch.ones(2, 2)).shape)
print(hessian(lambda x: (x**3).sum(), x, vectorize=True), hessian(lambda x: (x**3).sum(), x, create_graph=True))
for f in (lambda x: x * 2, lambda x: (x.sum(), x.sum()), lambda x: 1.0):
    try:
        hessian(f, x)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
