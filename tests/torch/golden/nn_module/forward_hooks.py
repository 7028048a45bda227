"""Hooks around forward: order, what they may replace, keyword arguments, and errors."""

import warnings

import torch
from torch import nn

warnings.simplefilter("always")


class Add(nn.Module):
    def forward(self, x, y=0):
        if y is None:
            raise ValueError("no y")
        return x + y


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


m = Add()
handles = [
    m.register_forward_pre_hook(lambda mod, args: print("pre", args)),
    m.register_forward_pre_hook(lambda mod, args: (args[0] * 2,)),
    m.register_forward_pre_hook(lambda mod, args: args[0] + 1, prepend=True),
    m.register_forward_pre_hook(lambda mod, args, kw: (args, {"y": kw["y"] + 1}), with_kwargs=True),
    m.register_forward_hook(lambda mod, args, out: print("post", args, out)),
    m.register_forward_hook(lambda mod, args, kw, out: out * kw["y"], with_kwargs=True, prepend=True),
]
print(m(torch.ones(1), y=1))
with handles[1]:
    pass
print(m(torch.ones(1), y=1))
for h in handles:
    h.remove()
    h.remove()
print(m(torch.ones(1)), len(m._forward_hooks), len(m._forward_hooks_with_kwargs), len(m._forward_pre_hooks))
h = m.register_forward_pre_hook(lambda mod, args, kw: 3, with_kwargs=True)
show(lambda: m(torch.ones(1)))
h.remove()

everywhere = [
    nn.modules.module.register_module_forward_pre_hook(lambda mod, args: print("global pre", type(mod).__name__)),
    nn.modules.module.register_module_forward_hook(lambda mod, args, out: print("global post", out)),
    nn.modules.module.register_module_forward_hook(
        lambda mod, args, kw, out: print("with", kw), with_kwargs=True, always_call=True
    ),
]
nn.Sequential(Add(), nn.Identity())(torch.ones(1))
for h in everywhere:
    h.remove()
print(len(nn.modules.module._global_forward_hooks), len(nn.modules.module._global_forward_hooks_always_called))


def failing(mod, args, out):
    raise RuntimeError("in the hook")


def counting(mod, args, out):
    print("always", out)


for h in (m.register_forward_hook(counting, always_call=True), m.register_forward_hook(failing, always_call=True)):
    show(lambda: m(torch.ones(1), y=None))
    show(lambda: m(torch.ones(1)))
everywhere = nn.modules.module.register_module_forward_hook(failing, always_call=True)
show(lambda: m(torch.ones(1), y=None))
everywhere.remove()

made = []
for register in (
    nn.modules.module.register_module_buffer_registration_hook,
    nn.modules.module.register_module_module_registration_hook,
    nn.modules.module.register_module_parameter_registration_hook,
):
    made.append(register(lambda mod, name, x: print("registered", type(mod).__name__, name)))
made.append(nn.modules.module.register_module_buffer_registration_hook(lambda mod, name, x: torch.full((1,), 7.0)))
x = nn.Sequential(nn.Linear(1, 1))
x.register_buffer("b", torch.zeros(2))
print(x.b)
for h in made:
    h.remove()
