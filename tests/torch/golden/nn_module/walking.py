"""How parameters, buffers and submodules are found."""

import torch
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(1, 2)
        self.again = self.first
        self.block = nn.Sequential(nn.Linear(2, 2), nn.Identity(), self.first)
        self.scale = nn.Parameter(torch.ones(1))
        self.same = self.scale
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("nothing", None)
        self.none = None


net = Net()
print([n for n, _ in net.named_parameters()])
print([n for n, _ in net.named_parameters(remove_duplicate=False)])
print([n for n, _ in net.named_parameters("net", recurse=False)])
print([n for n, _ in net.named_buffers("net")], len(list(net.buffers())), len(list(net.parameters())))
print([n for n, _ in net.named_modules()])
print([n for n, _ in net.named_modules(prefix="net", remove_duplicate=False)])
print([n for n, _ in net.named_children()], len(list(net.children())), len(list(net.modules())))
print(len(list(net.modules(remove_duplicate=False))))
for path in ("", "block", "block.0", "block.9", "scale", "missing.x"):
    show(lambda path=path: net.get_submodule(path)._get_name())
for path in ("scale", "block.0.bias", "mean", "block.0.none", "x.y"):
    show(lambda path=path: tuple(net.get_parameter(path).shape))
    show(lambda path=path: tuple(net.get_buffer(path).shape))
net.set_submodule("block.1", nn.Linear(2, 5))
net.set_submodule("block.new", nn.Identity())
net.set_submodule("top", nn.Identity())
print(net)
show(lambda: net.set_submodule("", nn.Identity()))
show(lambda: net.set_submodule("block.1", 3))
show(lambda: net.set_submodule("scale", nn.Identity()))
show(lambda: net.set_submodule("block.other", nn.Identity(), strict=True))
show(lambda: net.set_submodule("absent.other", nn.Identity()))

names = []
net.apply(lambda m: names.append(type(m).__name__))
print(names)
net.eval()
print({m.training for m in net.modules()}, net.train().training, net.block[0].training)
show(lambda: net.train(1))
print({p.requires_grad for p in net.requires_grad_(False).parameters()})
net.requires_grad_()
(net.scale * 2).sum().backward(create_graph=True)
print(net.scale.grad)
net.zero_grad(set_to_none=False)
print(net.scale.grad)
net.zero_grad()
print(net.scale.grad)
replica = net._replicate_for_data_parallel()
replica.zero_grad()
print(replica._parameters, len(replica._modules))
