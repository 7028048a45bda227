import torch


def derivatives(f, *at):
    x = torch.tensor(at, requires_grad=True)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, allow_unused=True) if g.requires_grad else (None,)
    return g.detach(), h


print("norm", *derivatives(lambda x: x.norm(), 0.0, 0.0))
print("x / norm", *derivatives(lambda x: (x / x.norm()).sum(), 0.0, 0.0))
print("norm away from zero", *derivatives(lambda x: x.norm(), 3.0, 4.0))
print("square of the norm", *derivatives(lambda x: x.norm() ** 2, 0.0, 0.0))
print("std", *derivatives(lambda x: x.std(), 1.0, 1.0))
print("atan2", *derivatives(lambda x: torch.atan2(x[0], x[1]), 0.0, 0.0))
print("atan2 squared", *derivatives(lambda x: torch.atan2(x, x).square().sum(), 0.0, 1.0))
print("hypot", *derivatives(lambda x: torch.hypot(x[0], x[1]), 0.0, 0.0))
print("pow", *derivatives(lambda x: (x**2).sum(), 0.0, 1.0))
print("sinc", *derivatives(lambda x: x.sinc().sum(), 0.0))
print("prod", *derivatives(lambda x: x.prod(), 0.0, 2.0))
print("max", *derivatives(lambda x: x.max() ** 2, 1.0, 1.0))
