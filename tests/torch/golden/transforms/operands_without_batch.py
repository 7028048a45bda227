"""Operands that differ between examples beside operands that do not: sizes in errors, strides of what is joined."""

import torch
from torch.func import vmap


def show(name, f, *args, **named):
    try:
        out = vmap(f, **named)(*args)
        print(name, (out * 64).round().tolist(), out.shape, out.stride())
    except RuntimeError as e:
        print(name, e)


def t(*shape):
    return torch.ones(shape).cumsum(0)


joining = {
    "stack": lambda a, b: torch.stack([a, b]),
    "stack reversed": lambda a, b: torch.stack([b, a]),
    "cat": lambda a, b: torch.cat([a.reshape(-1), b.reshape(-1)]),
    "dot": lambda a, b: torch.dot(a.reshape(-1), b.reshape(-1)),
}
writing = {
    "mul_": lambda a, b: a.mul_(b),
    "add_": lambda a, b: a.add_(b),
    "sub_": lambda a, b: a.sub_(b),
    "div_": lambda a, b: a.div_(b),
    "atan2_": lambda a, b: a.atan2_(b),
}
for shapes in [((2,), (2,)), ((2,), (1,)), ((2, 3), (2, 3)), ((3, 2), (2,)), ((2, 2), (2, 1, 2))]:
    print(*shapes)
    for name, f in joining.items():
        for dims in [(0, None), (None, 0), (0, 0)]:
            if dims != (0, 0) or shapes[0][0] == shapes[1][0]:
                show(f"{name} {dims}", f, t(*shapes[0]), t(*shapes[1]), in_dims=dims)
    for name, f in writing.items():
        show(f"{name} (0, None)", f, t(*shapes[0]), t(*shapes[1]), in_dims=(0, None))

x = t(3, 3)
for name in ("mul_", "add_", "div_"):
    show(f"{name} of its own memory", writing[name], x, x, in_dims=(0, None))
    show(f"{name} of itself", writing[name], t(2, 2), t(2, 2))

show("add_ of other sizes", writing["add_"], t(2), t(2, 3), in_dims=(None, 0))

x = t(2, 4)
show("stacked along others", lambda a: torch.stack([a.roll(1, 0), a]), x, in_dims=1, out_dims=1)
nested = vmap(vmap(lambda a, b: torch.stack([a, b]), in_dims=(0, None)), in_dims=(0, None))
try:
    nested(t(2, 3, 1), t(1, 2))
except RuntimeError as e:
    print(e)

print(torch.func.jacrev(lambda a: torch.stack([a * 2, a]))(torch.tensor([])))
