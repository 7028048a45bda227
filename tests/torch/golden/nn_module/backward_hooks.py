"""Hooks that see the gradients of a module."""

import warnings

import torch
from torch import nn

warnings.simplefilter("always")


class Two(nn.Module):
    def forward(self, x, y, flag=None):
        return x * 2, y * 3


class Nested(nn.Module):
    def forward(self, x):
        return {"a": x * 2}


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def told(name):
    return lambda mod, gin, gout: print(name, gin, gout)


m = Two()
x, y = torch.ones(2, requires_grad=True), torch.ones(2)
m.register_full_backward_hook(told("full"))
m.register_full_backward_hook(told("first"), prepend=True)
m.register_full_backward_pre_hook(lambda mod, gout: print("pre", gout))
a, b = m(x, y, flag=1)
print(a.grad_fn, a.grad_fn.next_functions[0][0], b.requires_grad, m(x, 3)[0].grad_fn.name())
a.sum().backward()
print(x.grad)
with torch.no_grad():
    print(m(x, y)[0].grad_fn)
show(lambda: m.register_backward_hook(told("old")))

m = nn.Linear(2, 1)
nn.init.ones_(m.weight)
m.register_full_backward_hook(lambda mod, gin, gout: (gin[0] * 10,))
m.register_full_backward_pre_hook(lambda mod, gout: (gout[0] * 3,))
m(x).sum().backward()
print(x.grad, m.weight.grad)
h = m.register_full_backward_hook(lambda mod, gin, gout: (None, None))
show(lambda: m(x).sum().backward())
h.remove()
h = m.register_full_backward_pre_hook(lambda mod, gout: (gout[0], None))
show(lambda: m(x).sum().backward())
h.remove()

m = nn.Linear(2, 1)
m.register_full_backward_hook(told("without inputs"))
m(y).sum().backward()
m.register_full_backward_hook(lambda mod, gin, gout: (torch.ones(2),))
show(lambda: m(y).sum().backward())

m = Nested()
m.register_full_backward_hook(told("nested"))
m(x)["a"].sum().backward()


class Old(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


for f, args in (
    (lambda x: x * 2, (x,)),
    (lambda x: (x * 2).sum(), (x,)),
    (lambda x: (x * 2, x * 3), (x,)),
    (lambda x: [x * 2], (x,)),
    (lambda x: {"k": x * 2}, (x,)),
    (lambda x, k: x * k, (x, 2)),
    (lambda x: x.detach(), (x,)),
):
    m = Old(f)
    m.register_backward_hook(told("old"))
    out = m(*args)
    while not isinstance(out, torch.Tensor):
        out = out["k"] if isinstance(out, dict) else out[0]
    if out.requires_grad:
        out.sum().backward()
show(lambda: m.register_full_backward_hook(told("full")))

g = nn.modules.module
handles = [
    g.register_module_full_backward_hook(told("global")),
    g.register_module_full_backward_pre_hook(lambda m, o: None),
]
nn.Identity()(x).sum().backward()
show(lambda: g.register_module_backward_hook(told("global old")))
for h in handles:
    h.remove()
