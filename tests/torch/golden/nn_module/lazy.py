"""Modules that find their sizes when they see data."""

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


torch.manual_seed(0)
m = nn.LazyLinear(2)
print(m, m.weight, m.bias, m.has_uninitialized_params(), type(m).__mro__[1].__name__, list(m.state_dict()))
show(lambda: m.weight.shape)
show(lambda: nn.Linear(3, 2).load_state_dict(m.state_dict()))
print(m.state_dict()["weight"] is m.weight, m.state_dict(keep_vars=True)["bias"] is m.bias)
show(m._replicate_for_data_parallel)
y = m(torch.ones(1, 3))
print(
    m, type(m).__name__, y, m.weight.shape, m.has_uninitialized_params if hasattr(m, "has_uninitialized_params") else ""
)
print(
    len(m._forward_pre_hooks), len(m._load_state_dict_pre_hooks), hasattr(m, "_load_hook"), "_load_hook" in m.__dict__
)

m = nn.LazyLinear(2, bias=False, dtype=torch.float64)
print(m.load_state_dict(nn.Linear(5, 2, bias=False).state_dict()), m.weight.shape, m.weight.dtype, type(m).__name__)
show(lambda: m(torch.ones(1, 3, dtype=torch.float64)))
print(m(torch.ones(1, 5, dtype=torch.float64)).shape, type(m).__name__)
m = nn.LazyLinear(2)
print(m.load_state_dict(nn.LazyLinear(2).state_dict()), m.weight)


class Lazy(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.UninitializedParameter()
        self.register_buffer("b", nn.UninitializedBuffer())

    def initialize_parameters(self, x, ready=True):
        if ready:
            self.w.materialize(x.shape)
            self.b.materialize((1,))

    def forward(self, x, ready=True):
        return x.sum()


m = Lazy()
print(m.w, m.b, list(m.state_dict()), m.double() is m)
show(lambda: m(torch.ones(2), ready=False))
print(m(torch.ones(2)), m.w.shape, type(m).__name__, m.w.dtype)


class Nothing(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def forward(self, x):
        return x


show(lambda: Nothing()(1))
net = nn.Sequential(nn.LazyLinear(3), nn.LazyLinear(1))
print(net(torch.ones(2, 4)).shape, net)
