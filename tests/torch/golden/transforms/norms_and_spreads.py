"""Second derivatives of norms where they are zero, and derivatives of spreads without a degree of freedom."""

import warnings

import torch
from torch.func import grad, hessian, jvp, vmap

warnings.simplefilter("ignore")


def recorded(f, x):
    x = x.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x, create_graph=True, allow_unused=True)
    return torch.autograd.grad(g.sum(), x, allow_unused=True)[0] if g is not None and g.requires_grad else None


def show(what, f, x):
    for name, take in {
        "hessian": lambda: hessian(f)(x),
        "grad of grad": lambda: grad(lambda x: grad(f)(x).sum())(x),
        "tangent of tangent": lambda: jvp(
            lambda x: jvp(f, (x,), (torch.ones_like(x),))[1], (x,), (torch.ones_like(x),)
        )[1],
        "batch of gradients": lambda: vmap(grad(f))(torch.stack([x, x + 1])),
        "gradient of a batch": lambda: grad(lambda x: vmap(f)(x).sum())(torch.stack([x, x + 1])),
        "create_graph": lambda: recorded(f, x),
    }.items():
        found = take()
        print(
            what,
            x.tolist(),
            name,
            None if found is None else (found * 64 + 0.0).nan_to_num(-77, 555, -555).round().add(0.0).tolist(),
        )


nan = float("nan")
for values in ([0.0, 0.0], [0.0, 1.0], [nan, 1.0]):
    for p in (0, 0.5, 1, 1.5, 2, 3, float("inf"), -1):
        show(f"norm {p}", lambda x: x.norm(p), torch.tensor(values))
for values in ([1.5, -2.0], [2.0, 2.0], [float("inf"), 1.0]):
    for correction in (2, 3):
        for dim in (None, 0):
            for f in (torch.std, torch.var):
                show(
                    f"{f.__name__} {correction} {dim}",
                    lambda x: f(x, dim=dim, correction=correction),
                    torch.tensor(values),
                )
            for f in (torch.std_mean, torch.var_mean):
                show(
                    f"{f.__name__} {correction} {dim}",
                    lambda x: f(x, dim=dim, correction=correction)[0],
                    torch.tensor(values),
                )
                show(f"mean of {f.__name__}", lambda x: f(x, dim=dim, correction=correction)[1], torch.tensor(values))

for f in (torch.std, torch.var, lambda x, **k: sum(torch.std_mean(x, **k)), lambda x, **k: sum(torch.var_mean(x, **k))):
    for correction in (0, 1, 2, 3):
        for dim in (None, 0):
            x = torch.tensor([1.5, -2.0], dtype=torch.bfloat16, requires_grad=True)
            print(correction, dim, torch.autograd.grad(f(x, dim=dim, correction=correction), x)[0].tolist())
x = torch.tensor([float("inf"), 1.0], requires_grad=True)
print(torch.std_mean(x)[1], jvp(torch.std_mean, (x,), (x,))[0], torch.var_mean(x.bfloat16()))
