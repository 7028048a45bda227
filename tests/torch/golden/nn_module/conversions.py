"""Modules in other dtypes and layouts, in place or by swapping."""

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def make():
    m = nn.Linear(2, 1)
    m.register_buffer("count", torch.tensor([3]))
    m.register_buffer("mean", torch.ones(1))
    return m


def dtypes(m):
    return [str(t.dtype) for t in (*m.parameters(), *m.buffers())]


for convert in ("double", "half", "bfloat16", "float"):
    print(convert, dtypes(getattr(make(), convert)()))
m = make()
w = m.weight
m(torch.ones(1, 2)).sum().backward()
g = w.grad
print(m.to(torch.float64) is m, m.weight is w, w.dtype, w.grad is g, g.dtype, w.requires_grad)
print(dtypes(make().to("cpu", torch.float16)), dtypes(make().to(torch.ones(1, dtype=torch.float64))))
print(
    dtypes(make().to(dtype=torch.float64, non_blocking=True)), dtypes(make().type(torch.float64)), dtypes(make().cpu())
)
print(dtypes(make().to(torch.complex64)))
show(lambda: make().to(torch.int64))
show(lambda: make().to(foo=1))
show(lambda: make().to("cpu", copy=True))
show(lambda: make().to("nowhere"))
print(make().to_empty(device="cpu").weight.shape)
four = nn.ParameterList([torch.ones(2, 3, 4, 5), torch.ones(3)]).to(memory_format=torch.channels_last)
print(four[0].stride(), four[1].stride())

f = torch.__future__
print(f.get_overwrite_module_params_on_conversion(), f.get_swap_module_params_on_conversion())
f.set_overwrite_module_params_on_conversion(True)
m = make()
w = m.weight
m(torch.ones(1, 2)).sum().backward()
m.double()
print(m.weight is w, m.weight.dtype, w.dtype, m.weight.grad.dtype)
f.set_overwrite_module_params_on_conversion(False)
f.set_swap_module_params_on_conversion(True)
m = make()
w = m.weight
m(torch.ones(1, 2)).sum().backward()
m.double()
print(m.weight is w, w.dtype, w.grad.dtype, type(w).__name__)
n = make()
print(m.load_state_dict(n.state_dict()), m.weight.dtype, m.weight is w, m.weight.requires_grad)
print(m.load_state_dict(n.state_dict(), assign=True), m.weight.dtype, m.weight is w)
f.set_swap_module_params_on_conversion(False)

a, b = torch.ones(2), torch.zeros(3, requires_grad=True)
a.name_of = "a"
torch.utils.swap_tensors(a, b)
print(a, b, hasattr(a, "name_of"), b.name_of)
