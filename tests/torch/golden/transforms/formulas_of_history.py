"""What the gradients that transforms take are computed by, where their arguments have a history; and their strides."""

import torch
from torch.func import grad, vjp, vmap


def title(fn):
    return type(fn).__name__


def show(name, f, x):
    for which, take in {
        "grad": lambda: grad(f)(x),
        "vmap": lambda: vmap(grad(f))(x),
        "vjp": lambda: vjp(f, x)[1](torch.ones(()))[0],
        "grad of grad": lambda: grad(lambda x: (grad(f)(x) * x).sum())(x),
    }.items():
        g = take()
        nodes = (title(g.grad_fn), [title(n) for n, _ in g.grad_fn.next_functions]) if g.requires_grad else None
        print(name, which, (g * 64).round().tolist(), g.stride(), nodes)


x = torch.tensor([[0.5, 1.5, -2.0], [1.0, 2.0, 3.5]])
for tensor in (x, x.double().requires_grad_()):
    show("cumsum", lambda x: x.cumsum(0).sin().sum(), tensor)
    show("mean", lambda x: (x - x.mean(0)).sin().sum(), tensor)
    show("mean of all", lambda x: x.sin().mean(), tensor)
    show("mean along the last", lambda x: x.mean(-1).sin().sum(), tensor)
    show("softmax", lambda x: x.softmax(-1).sin().sum(), tensor)
    show("log_softmax", lambda x: x.log_softmax(0).sin().sum(), tensor)
show("log_softmax of a product", lambda x: (x @ x.mT).log_softmax(0).sum() if x.ndim > 1 else x.sin().sum(), x)

y = x.clone().requires_grad_()
g = vjp(lambda x: x.cumprod(0), y)[1](torch.ones(2, 3))[0]
print(g.tolist(), title(g.grad_fn), [title(n) for n, _ in g.grad_fn.next_functions])
g = grad(lambda x: x.var())(y)
print((g * 64).round().tolist(), title(g.grad_fn), [title(n) for n, _ in g.grad_fn.next_functions])
g = vmap(grad(lambda x: (x * x).var()))(y)
print((g * 64).round().tolist(), title(g.grad_fn), [title(n) for n, _ in g.grad_fn.next_functions])

y = torch.tensor([2.0, 3.0, 5.0], requires_grad=True)
print(grad(lambda x: (grad(torch.prod)(x) * x).sum())(y).tolist())
print(torch.autograd.grad((grad(torch.prod)(y) * y).sum(), y, create_graph=True)[0].tolist())
print(torch.autograd.grad((grad(lambda x: x.cumprod(0)[-1])(y) * y).sum(), y, create_graph=True)[0].tolist())

z = torch.tensor([[-0.0, -0.0]])
print(vmap(lambda x: x.cumsum(0))(z), torch.func.jvp(lambda x: x.cumsum(1), (z,), (z,))[1])
print(torch.func.jacrev(lambda x: -x.cumsum(0))(torch.ones(2)))
print(torch.func.hessian(lambda x: x.sin().cumsum(0).sum())(torch.tensor([0.5, 1.0])).signbit())
