import torch
from torch.autograd.functional import jacobian


def f(x):
    return torch.stack([x[0] * x[1], x[0] ** 2, x[1] * 3])


x = torch.tensor([2.0, 5.0])
j = jacobian(f, x)
print(j, j.shape, j.requires_grad)
print(jacobian(f, x, create_graph=True).requires_grad, jacobian(f, x, vectorize=True))
print(jacobian(lambda a, b: a * b, (x, x + 1)))
print(jacobian(lambda x: (x.sum(), x * 2), x))
print(jacobian(lambda x: x.sum(), torch.ones(2, 2)))
for g in (lambda x: 3.0, lambda x: x.detach()):
    try:
        print(jacobian(g, x))
    except (TypeError, RuntimeError) as e:
        print(type(e).__name__, e)
try:
    jacobian(lambda x: x.detach(), x, strict=True)
except RuntimeError as e:
    print(type(e).__name__, e)
