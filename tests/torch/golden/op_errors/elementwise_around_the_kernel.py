import warnings

import torch

torch.set_warn_always(True)


def show(what, f):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = f()
            found = (found.dtype, tuple(found.shape), found.stride(), found._version, found.tolist())
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    print(what, found, [str(w.message).partition(" (Triggered")[0][:50] for w in told])


x, k, b = torch.tensor([[1.5, -2.0]]), torch.tensor([3, 2]), torch.tensor([True, False])
c = torch.tensor([1 + 1j, 2 - 1j])
for f in (torch.add, torch.eq, torch.bitwise_and):
    show((f.__name__, "resized"), lambda: f(k, k, out=torch.zeros(1, 1)))
    show((f.__name__, "resized, same dtype"), lambda: f(k, k, out=torch.zeros(1, 1, dtype=torch.int64)))
    show((f.__name__, "into an operand"), lambda: f(k, torch.ones(2, 1, dtype=torch.int64), out=k))
show("shapes first", lambda: b & torch.rand(3))
show("then what is written to", lambda: k.clone().bitwise_and_(torch.rand(2)))
show("then the kernel", lambda: x.clone().bitwise_and_(x))
show("complex into real", lambda: torch.eq(c, c, out=torch.zeros(2)))
show("no order", lambda: c.clone().lt_(c))
show("a leaf and logic", lambda: torch.ones(2, requires_grad=True).logical_and_(b).detach())
show("a leaf and a comparison", lambda: torch.eq(k, k, out=torch.ones(2, requires_grad=True)).detach())
show("own dtype", lambda: torch.neg(k, out=torch.zeros(2)))
show("truth only", lambda: torch.isposinf(x, out=torch.zeros(2)))
show("square", lambda: torch.square(torch.ones(2, requires_grad=True), out=torch.zeros(2)))
show("negative zeros", lambda: torch.tensor([-0.0, -0.0, 1.0]).cumsum(0))
show("a number and a tensor", lambda: torch.clamp(x, 1, torch.tensor(2)))
show("half and bfloat16", lambda: torch.tensor([1.5], dtype=torch.bfloat16).clamp_max(torch.tensor(False)))
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    v = w[:1]
with torch.no_grad():
    w.mul_(2)
show("a comparison with a view that is no longer valid", lambda: v > 1)
pair = x.max(0)
try:
    pair[0] += 1
except TypeError as error:
    print(error, type(pair).__name__)
print(torch.where(k > 2, torch.ones(2, requires_grad=True), 2j).grad_fn.next_functions[0][0].name())
