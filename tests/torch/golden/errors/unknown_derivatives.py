import torch

a, x = torch.tensor([2.5], dtype=torch.float64), torch.tensor([1.5], dtype=torch.float64)


def show(f):
    try:
        found = f()
        print(round(found.item(), 6))
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


def backward(f):
    b = x.clone().requires_grad_()
    f(b).sum().backward()
    return b.grad


def by_second(f):  # of a function that requires both, only the gradient that is known
    b, y = a.clone().requires_grad_(), x.clone().requires_grad_()
    return torch.autograd.grad(f(b, y).sum(), y, create_graph=True)[0]


for f in (torch.igamma, torch.igammac, torch.special.zeta):
    show(lambda: torch.func.grad(lambda a: f(a, x).sum())(a))
    show(lambda: torch.func.grad(lambda x: f(a, x).sum())(x))
    show(lambda: torch.func.jvp(lambda a: f(a, x), (a,), (a,))[1])
    show(lambda: torch.func.jvp(lambda x: f(a, x), (x,), (x,))[1])
    show(lambda: torch.func.jacrev(lambda a: f(a, x))(a))
    show(lambda: torch.func.hessian(lambda x: f(a, x).sum())(x))
    show(lambda: torch.func.vmap(torch.func.grad(lambda a: f(a, x).sum()))(a))
    show(lambda: backward(lambda b: f(b, x)))
    show(lambda: backward(lambda b: f(a, b)))
    show(lambda: by_second(f))

functions = {
    "heaviside": lambda x: torch.heaviside(x, a),
    "heaviside of zero": lambda x: torch.heaviside(a, x),
    "floor_divide": lambda x: torch.floor_divide(x, a),
    "number // x": lambda x: 3 // x,
    "number % x": lambda x: torch.remainder(3, x),
    "bincount": lambda x: torch.bincount(torch.tensor([1]), x),
}
for name, f in functions.items():
    print(name)
    show(lambda: backward(f))
    show(lambda: torch.func.grad(lambda x: f(x).sum())(x))
    show(lambda: torch.func.jvp(f, (x,), (x,))[1])
    if name != "bincount":
        show(lambda: torch.func.vmap(torch.func.grad(lambda x: f(x).sum()))(x[None]))
        show(lambda: torch.func.vmap(f)(x[None])[0])

weights = x.clone().requires_grad_()
print(torch.bincount(torch.tensor([1]), weights).grad_fn.name(), torch.bincount(torch.tensor([1]), weights, 3).tolist())
show(lambda: torch.func.jvp(lambda x: torch.cdist(x[None], a[None]), (x,), (x,))[1])
for f in (torch.Tensor.asinh_, torch.Tensor.acosh_, torch.Tensor.atanh_):
    show(lambda: torch.func.jvp(lambda x: f(x.clone()), (x,), (x,))[1])
    show(lambda: backward(lambda x: f(x.clone())))
