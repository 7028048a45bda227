import torch


def show(what, f):
    try:
        found = f()
        found = found if isinstance(found, tuple) else (found,)
        print(what, *[(t.dtype, tuple(t.shape), t.stride(), t._version, t._is_view(), t.tolist()) for t in found])
    except Exception as error:
        print(what, type(error).__name__, error)


x = torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
half = x.detach().to(torch.bfloat16)
for f in (torch.cov, torch.trapezoid, lambda t: torch.renorm(t, 2, 0, 1.0), lambda t: t.logcumsumexp(0)):
    print(f(half).dtype, f(half.clone().requires_grad_()).dtype)
show("nansum as complex", lambda: x.detach().nansum(dtype=torch.complex64))
show("nansum as int", lambda: x.nansum(dtype=torch.int64))
show("nansum of ints", lambda: torch.tensor([1, 2]).nansum(dtype=torch.complex64))
for dtype in (torch.bool, torch.uint8, torch.int64, torch.complex64):
    t = torch.ones(3, dtype=dtype)
    show(("histc", dtype), lambda: torch.histc(t, 4))
    show(("histc between", dtype), lambda: torch.histc(t, 4, min=-1, max=1))
    show(("aminmax of one", dtype), lambda: torch.aminmax(t[0], dim=0))
    show(("softmax of none", dtype), lambda: t[:0].softmax(0) if dtype is not torch.complex64 else t.softmax(0))
    show(("trapezoid of none", dtype), lambda: torch.trapezoid(t[:0]))
    show(("cummax of one", dtype), lambda: t[0].cummax(0))
    show(("median of none", dtype), lambda: t[:0].median() if dtype is not torch.complex64 else torch.zeros(()))
show("complex logsumexp of none", lambda: torch.ones(0, 2, dtype=torch.complex64).logsumexp(0))
show("renorm", lambda: torch.ones(1, 3, dtype=torch.bool).renorm(2, 2, 1.0))
for q in (0.5, torch.tensor([0.25, 0.5])):
    for interpolation in ("linear", "lower"):
        found = x.quantile(q, dim=0, interpolation=interpolation)
        print(found._version, found._is_view(), found.stride(), found.grad_fn.next_functions[0][0].name())
print([node.name() for node, _ in torch.trapezoid(x).grad_fn.next_functions])
finite = torch.ones(2).cfloat().isfinite()
print(torch.isclose(x, x)._version, torch.isclose(x, x, equal_nan=True)._version, finite._version)
for dtype in (torch.uint8, torch.int64, torch.float16, torch.float64):
    t = torch.tensor([4, 0, 5, 1], dtype=dtype)
    print([f(t).dtype for f in (torch.trapezoid, torch.cumulative_trapezoid)], torch.trapezoid(t, t.float()).dtype)
y = torch.ones(2, dtype=torch.float32, requires_grad=True)
for found in (torch.where(y > 2, y, torch.ones(2).double()), torch.where(y > 2, y, 2j), y.where(y > 2, 1)):
    print(found.dtype, [node and node.name() for node, _ in found.grad_fn.next_functions])
