"""What a state dict holds, and what is said when it does not fit."""

from collections import OrderedDict

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class Net(nn.Module):
    _version = 3

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.scale = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("cache", torch.zeros(1), persistent=False)
        self.register_parameter("none", None)

    def _load_from_state_dict(self, state, prefix, local_metadata, *rest):
        print("version", local_metadata.get("version"))
        super()._load_from_state_dict(state, prefix, local_metadata, *rest)


class Extra(nn.Module):
    def get_extra_state(self):
        return {"n": 3}

    def set_extra_state(self, state):
        print("extra", state)


net = Net()
state = net.state_dict()
print(type(state), list(state), dict(state._metadata))
print(state["scale"].requires_grad, net.state_dict(keep_vars=True)["scale"] is net.scale)
print(list(net.state_dict(prefix="net.")))
mine = {}
print(list(net.state_dict(mine, "a.", True)), net.state_dict(destination=mine) is mine)
print(net.load_state_dict(state))
print(Net().load_state_dict(dict(state)))
missing = {k: v for k, v in state.items() if k != "scale"}
show(lambda: Net().load_state_dict(missing))
print(Net().load_state_dict({**missing, "more": 1, "layer.x": 2, "other.y.z": 3}, strict=False))
show(lambda: Net().load_state_dict({**missing, "more": 1, "layer.x": 2, "other.y.z": 3}))
show(lambda: Net().load_state_dict({**state, "layer.weight": torch.ones(3, 3), "seen": 4}))
show(lambda: Net().load_state_dict({**state, "layer.weight": torch.ones(1, 2, dtype=torch.complex64)}))
show(lambda: Net().load_state_dict([1]))
n = Net()
n.load_state_dict({**state, "scale": torch.tensor([5.0]), "seen": torch.ones(1, dtype=torch.int64)})
print(n.scale, n.seen)

n = Net()
held = n.layer.weight
given = OrderedDict((k, v.double()) for k, v in state.items())
n.load_state_dict(given, assign=True)
print(n.layer.weight.dtype, n.layer.weight is held, n.layer.weight.requires_grad, type(n.layer.weight).__name__)
n.scale.requires_grad_(False)
n.load_state_dict({**given, "scale": nn.Parameter(torch.tensor(1.0))}, assign=True)
print(n.scale)

e = nn.Sequential(Extra(), nn.Identity())
print(e.state_dict())
e.load_state_dict(e.state_dict())
show(lambda: e.load_state_dict({}))
print(e.load_state_dict({}, strict=False))
show(lambda: nn.Identity().load_state_dict({"_extra_state": 1}))
show(lambda: nn.Identity().get_extra_state())
show(lambda: nn.Identity().set_extra_state(1))
