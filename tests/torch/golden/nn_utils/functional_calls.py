"""Modules that are called with other parameters."""

import warnings

import torch
from torch import nn
from torch.func import functional_call, stack_module_state

warnings.simplefilter("always")


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)
        self.tied = self.layer
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x, times=1):
        self.seen = self.seen + 1
        return self.tied(x) * times


net = Net()
w = net.layer.weight
given = {"layer.weight": torch.full((1, 1), 2.0), "layer.bias": torch.ones(1), "seen": torch.zeros(1)}
print(functional_call(net, given, torch.ones(1, 1)), net.layer.weight is w, net.seen, given["seen"])
print(functional_call(net, (given, {}), (torch.ones(1, 1),), {"times": 3}))
print(
    functional_call(net, given, torch.ones(1, 1), tie_weights=False).shape,
    functional_call(net, given, torch.ones(1, 1), strict=False).shape,
)
show(lambda: functional_call(net, given, torch.ones(1, 1), strict=True))
show(lambda: functional_call(net, {"layer.weight": given["seen"]}, torch.ones(1, 1), strict=True, tie_weights=False))
show(lambda: functional_call(net, {"other.x": torch.ones(1)}, torch.ones(1, 1)))
show(lambda: functional_call(net, {**given, "tied.bias": torch.zeros(1)}, torch.ones(1, 1)))
show(lambda: functional_call(net, {"layer.weight": 3}, torch.ones(1, 1)))
show(lambda: functional_call(net, 3, torch.ones(1, 1)))
print(net.layer.weight is w)
print(nn.utils.stateless.functional_call(net, given, torch.ones(1, 1)))
loss = lambda p, x: functional_call(net, p, x).sum()
params = {k: v.detach() for k, v in net.named_parameters()}
print({k: tuple(v.shape) for k, v in torch.func.grad(loss)(params, torch.ones(3, 1)).items()})
nets = [nn.Linear(2, 1) for _ in range(3)]
ps, bs = stack_module_state(nets)
print({k: (tuple(v.shape), v.requires_grad, v.is_leaf) for k, v in ps.items()}, bs)
run = lambda p, x: functional_call(nets[0], p, x)
out = torch.vmap(run, (0, None))(ps, torch.ones(4, 2))
print(out.shape, torch.allclose(out[1], nets[1](torch.ones(4, 2))))
show(lambda: stack_module_state([]))
show(lambda: stack_module_state([nn.Linear(1, 1), nn.Identity()]))
show(lambda: stack_module_state([nn.Linear(1, 1), nn.Linear(1, 1).eval()]))
