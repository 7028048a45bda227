"""What may be assigned to a module, and under which names."""

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class Bare(nn.Module):
    def __init__(self):
        pass


m = nn.Module()
show(lambda: m(1))
show(lambda: m.missing)
show(lambda: delattr(m, "missing"))
for name in ("a.b", "", 3, "training", "forward"):
    show(lambda name=name: m.register_parameter(name, None))
    show(lambda name=name: m.register_buffer(name, None))
    show(lambda name=name: m.add_module(name, None))
show(lambda: m.register_parameter("p", torch.ones(2)))
show(lambda: m.register_parameter("p", nn.Parameter(torch.ones(2)) * 2))
show(lambda: m.register_buffer("b", 3))
show(lambda: m.add_module("c", 3))
show(lambda: setattr(Bare(), "p", nn.Parameter(torch.ones(1))))
show(lambda: setattr(Bare(), "c", nn.Module()))
show(lambda: Bare().register_buffer("b", None))
show(lambda: Bare().register_parameter("b", None))
show(lambda: nn.Module(3))
show(lambda: nn.Module(x=3))

m.p = nn.Parameter(torch.ones(2))
show(lambda: setattr(m, "p", torch.ones(2)))
show(lambda: setattr(m, "p", 3))
m.p = None
print(m.p, list(m.named_parameters()), m._parameters)
m.c = nn.Identity()
show(lambda: setattr(m, "c", 3))
m.c = None
print(m.c, m)
m.register_buffer("b", torch.zeros(1), persistent=False)
show(lambda: setattr(m, "b", 3))
m.b = torch.ones(1)
print(m.b, list(m.state_dict()), m._non_persistent_buffers_set)
m.b = nn.Parameter(torch.ones(1))
print(m._buffers, list(m._parameters), m._non_persistent_buffers_set)
show(lambda: setattr(m, "b", nn.Identity()))
del m.b
m.b = nn.Identity()
print(list(m._parameters), list(m._modules))
show(lambda: setattr(m, "b", nn.Buffer(torch.ones(2))))
del m.b
m.b = nn.Buffer(torch.ones(2), persistent=False)
print(type(m.b), list(m._modules), m._non_persistent_buffers_set)
m.t = torch.ones(1)
print("t" in m.__dict__)
m.t = nn.Parameter(torch.ones(1))
print("t" in m.__dict__, "t" in dir(m), "_parameters" in dir(m), "forward" in dir(m))
for name in ("t", "c", "p"):
    delattr(m, name)
print(m._parameters, m._modules)


class Old(nn.Module):
    def register_buffer(self, name, tensor):
        super().register_buffer(name, tensor)


old = Old()
old.x = nn.Buffer(torch.ones(1))
print(old.x, old._buffers)
show(lambda: setattr(old, "y", nn.Buffer(torch.ones(1), persistent=False)))


class Cooperative:
    def __init__(self, value=0):
        self.value = value


class Both(nn.Module, Cooperative):
    call_super_init = True


print(Both(value=5).value)
