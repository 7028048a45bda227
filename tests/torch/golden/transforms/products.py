"""Gradients of products: inside of transforms torch multiplies what is left, and does not divide or look for zeros."""

import torch
from torch.func import grad, hessian, jvp, vjp, vmap


def show(what, g):
    node = g.grad_fn and (type(g.grad_fn).__name__, [n and type(n).__name__ for n, _ in g.grad_fn.next_functions])
    print(what, g.tolist(), g.stride(), g._is_view(), node)


for values in ([[1.0, 0.0], [3.0, -4.0]], [[1.0, 2.0], [3.0, -4.0], [0.5, 0.0]], [[0.0, 0.0]]):
    for requires_grad in (False, True):
        x = torch.tensor(values, requires_grad=requires_grad)
        show("prod", grad(lambda x: x.prod())(x))
        show("prod of a product", grad(lambda x: (x * 2).prod())(x))
        show("prod along", grad(lambda x: x.prod(0).sum())(x))
        show("prod along, kept", grad(lambda x: (x * 2).prod(1, True).sum())(x))
        show("cumprod", grad(lambda x: (x * 2).cumprod(0).sum())(x))
        show("batch of gradients", vmap(grad(lambda x: (x * 2).prod()))(x))
        show("gradient of a batch", grad(lambda x: vmap(torch.prod)(x).sum())(x))
    x = torch.tensor(values)
    print(hessian(lambda x: x.prod())(x).tolist(), hessian(lambda x: x.cumprod(1).sum())(x).tolist())
    print(vjp(lambda x: x.cumprod(0), x)[1](torch.ones_like(x))[0].tolist())
show("one element", grad(lambda x: x.prod())(torch.tensor([2.0], requires_grad=True)))
show("a number", grad(lambda x: x.prod())(torch.tensor(2.0, requires_grad=True)))

# Reductions of all elements along dimensions that were named.
x = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)
for f in (lambda x: x.relu().mean(-1), lambda x: x.relu().sum(0), lambda x: x.relu().sum(), lambda x: x.relu().mean()):
    show("tangent", jvp(f, (x,), (torch.ones(3),))[1])

# The gradient of a batch of norms, and of what was recorded of it.
x = torch.tensor([[3.0, 4.0, 0.0, 0.0], [0.0, 0.0, 6.0, 8.0]], requires_grad=True)
y = vmap(lambda x: (x / x.norm()).cos())(x)
print([round(e, 5) for e in torch.autograd.grad(y.sum(), x)[0].flatten().tolist()])
for f in (torch.std, torch.var, torch.amax, torch.logsumexp):
    y = vmap(lambda x: f(x, 0))(x)
    print([round(e, 5) for e in torch.autograd.grad(y.sum(), x)[0].flatten().tolist()])

for f in (torch.autograd.functional.jacobian, torch.autograd.functional.hessian):
    for g in (lambda x: (x * 2).sum(), lambda x: x * 2, lambda x: x.sin().sum()):
        try:
            print(f(g, torch.ones(0)))
        except (RuntimeError, TypeError) as error:
            print(type(error).__name__, error)
for f in (torch.cdist, lambda x, y: torch.pdist(x)):
    for dtype in (torch.bfloat16, torch.float16, torch.int64):
        try:
            print(f(torch.ones(2, 2, dtype=dtype), torch.ones(2, 2, dtype=dtype)))
        except (RuntimeError, NotImplementedError) as error:
            print(type(error).__name__, error)
