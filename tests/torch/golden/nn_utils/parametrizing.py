"""Parametrizations: what registering checks, assigning, removing, and the classes that come of it."""

import copy
import pickle

import torch
from torch import nn
from torch.nn.utils import parametrize as P


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class Double(nn.Module):
    def forward(self, x):
        return 2 * x

    def right_inverse(self, y):
        return y / 2


class Plain(nn.Module):
    def forward(self, x):
        return x + 1


class Split(nn.Module):
    def forward(self, a, b):
        return a + b

    def right_inverse(self, x):
        return x - 1, torch.ones_like(x)


class Does(nn.Module):
    def __init__(self, forward=None, inverse=None):
        super().__init__()
        self.f, self.g = forward, inverse

    def forward(self, *x):
        return self.f(*x) if self.f else x[0]

    def right_inverse(self, y):
        if self.g is None:
            raise NotImplementedError
        return self.g(y)


def make():
    m = nn.Linear(2, 1)
    nn.init.constant_(m.weight, 4.0)
    nn.init.zeros_(m.bias)
    return m


m = make()
w = m.weight
print(P.register_parametrization(m, "weight", Double()) is m, m.weight, m.parametrizations.weight.original)
print(
    m,
    type(m),
    type(m).__mro__[1],
    P.is_parametrized(m),
    P.is_parametrized(m, "bias"),
    P.type_before_parametrizations(m),
)
print([n for n, _ in m.named_parameters()], m.parametrizations.weight.original is w)
m(torch.ones(1, 2)).sum().backward()
print(w.grad)
m.weight = torch.full((1, 2), 10.0)
print(w, m.weight)
P.register_parametrization(m, "weight", Plain())
print(m.weight, len(m.parametrizations.weight))
show(lambda: setattr(m, "weight", torch.ones(1, 2)))
with P.cached():
    print(m.weight is m.weight)
print(m.weight is m.weight)
twin = copy.deepcopy(m)
print(type(twin).__name__, torch.equal(twin.weight, m.weight), twin.parametrizations.weight.original is w)
show(lambda: pickle.dumps(m))
P.remove_parametrizations(m, "weight")
print(m, type(m), m.weight, m.weight is w)
P.register_parametrization(m, "weight", Double())
P.remove_parametrizations(m, "weight", leave_parametrized=False)
print(m.weight, [n for n, _ in m.named_parameters()])
show(lambda: P.remove_parametrizations(m, "weight"))

m = make()
P.register_parametrization(m, "weight", Split())
print(m.parametrizations, m.weight, [n for n, _ in m.named_parameters()])
m.weight = torch.zeros(1, 2)
print(m.weight)
show(lambda: P.remove_parametrizations(m, "weight", leave_parametrized=False))
to = P.transfer_parametrizations_and_params(m, make())
print(to, to.weight is m.weight, to.parametrizations.weight.original0 is m.parametrizations.weight.original0)
P.remove_parametrizations(m, "weight")
print(m.weight)
m = make()
m.register_buffer("buf", torch.ones(1))
P.register_parametrization(m, "buf", Double())
print(m.buf, [n for n, _ in m.named_buffers()])
show(lambda: P.transfer_parametrizations_and_params(m, make(), "buf").buf)
print(P.transfer_parametrizations_and_params(make(), make()))

show(lambda: P.register_parametrization(make(), "nothing", Double()))
show(lambda: P.ParametrizationList([], torch.ones(1)))
half = torch.float16
for kw in (
    {"forward": lambda x: 3},
    {"forward": lambda x: x.double()},
    {"forward": lambda x: x[0]},
    {"inverse": lambda x: 3},
    {"inverse": lambda x: x.double()},
    {"inverse": lambda x: [x, 3]},
    {"forward": lambda x, y: x + y, "inverse": lambda x: [x, x]},
):
    show(lambda kw=kw: P.register_parametrization(make(), "weight", Does(**kw)).weight)
    m = P.register_parametrization(make(), "weight", Double())
    show(lambda kw=kw, m=m: P.register_parametrization(m, "weight", Does(**kw)).weight)
show(lambda: P.register_parametrization(make(), "weight", Does(lambda x: x[0]), unsafe=True).weight)
m = P.register_parametrization(make(), "weight", Double())
show(lambda: P.register_parametrization(m, "weight", Does(inverse=lambda x: x[0])).weight)
m = make()
inverse = Does(inverse=lambda x: x)
P.register_parametrization(m, "weight", inverse)
for bad in (lambda x: 3, lambda x: x.double()):
    inverse.g = bad
    show(lambda: setattr(m, "weight", torch.ones(1, 2)))
m = make()
inverse = Does(lambda x, y: x + y, lambda x: (x, x))
P.register_parametrization(m, "weight", inverse)
for bad in (lambda x: 3, lambda x: (x,), lambda x: (x, 3), lambda x: (x, x.double())):
    inverse.g = bad
    show(lambda: setattr(m, "weight", torch.ones(1, 2)))
torch.__future__.set_swap_module_params_on_conversion(True)
m = P.register_parametrization(make(), "weight", Double())
m.weight = torch.full((1, 2), 6.0)
print(m.parametrizations.weight.original)
torch.__future__.set_swap_module_params_on_conversion(False)
