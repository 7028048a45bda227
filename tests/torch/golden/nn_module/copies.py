"""Modules that are copied and pickled."""

import copy
import io
import pickle

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.tied = self.layer
        self.register_buffer("b", torch.ones(1), persistent=False)


net = Net()
net.layer.register_forward_hook(print)
twin = copy.deepcopy(net)
print(twin.tied is twin.layer, twin.layer is net.layer, torch.equal(twin.layer.weight, net.layer.weight))
print(len(twin.layer._forward_hooks), twin._non_persistent_buffers_set, copy.copy(net).layer is net.layer)
print(type(copy.deepcopy(nn.LazyLinear(2))), copy.deepcopy(nn.LazyLinear(2))(torch.ones(1, 3)).shape)

seq = nn.Sequential(nn.Linear(2, 1), nn.ModuleList([nn.Identity()]), nn.ParameterList([torch.ones(1)]))
back = pickle.loads(pickle.dumps(seq))
print(back, torch.equal(back[0].weight, seq[0].weight), back[0].weight.requires_grad, type(back[2]))
f = io.BytesIO()
torch.save(seq, f)
f.seek(0)
again = torch.load(f, weights_only=False)
print(again, torch.equal(again[0].weight, seq[0].weight))
state = seq.__getstate__()
old = nn.Module()
old.__setstate__({k: v for k, v in state.items() if "hooks" not in k})
print(sorted(k for k in old.__dict__ if "hook" in k))
net.compile()
print("_compiled_call_impl" in net.__getstate__(), net._compiled_call_impl is None)
