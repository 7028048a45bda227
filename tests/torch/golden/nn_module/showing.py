"""The repr of modules, and of what stands in containers."""

import torch
from torch import nn


class Lines(nn.Module):
    def extra_repr(self):
        return "a=1\nb=2"


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lines = Lines()
        self.list = nn.ModuleList([nn.Linear(1, 1), nn.Linear(1, 1), nn.Identity(), nn.ModuleList([Lines(), Lines()])])
        self.dict = nn.ModuleDict({"a": nn.Bilinear(1, 2, 3), "b": nn.Linear(1, 2, bias=False)})
        self.nothing = nn.Sequential()

    def extra_repr(self):
        return "one"


print(nn.Module())
print(Lines())
print(Outer())
print(nn.ModuleList(), nn.ModuleDict(), nn.ParameterList(), nn.ParameterDict())
print(nn.ParameterList([torch.ones(2, 3), nn.Parameter(torch.ones(())), 3, "x"]))
print(nn.ParameterDict({"b": torch.ones(2, 3), "a": 4}))
print(nn.Linear, nn.modules.linear.Linear is nn.Linear, nn.Linear.__module__, nn.ModuleList.__module__)
print(nn.Module.__module__, nn.Sequential.__mro__[-2:], nn.Linear.__constants__)
print(torch.typename(nn.Linear(1, 1)), nn.Linear(2, 3).extra_repr(), nn.LazyLinear(3))
