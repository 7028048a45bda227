"""Layers of convolutions: what they show, their first weights, and lazy ones."""

import copy
import pickle

import torch
from torch import nn

torch.manual_seed(3)
layers = [
    nn.Conv1d(2, 4, 3),
    nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 2), dilation=2, groups=2, bias=False),
    nn.Conv3d(1, 2, 2, padding="same"),
    nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect"),
    nn.Conv1d(2, 3, 4, padding="same", padding_mode="circular"),
    nn.ConvTranspose1d(4, 2, 3, output_padding=1, stride=2),
    nn.ConvTranspose2d(4, 2, 3, groups=2),
    nn.ConvTranspose3d(2, 1, 2, dilation=2, bias=False),
]
for layer in layers:
    print(layer, list(layer.state_dict()), [round(p.sum().item(), 4) for p in layer.parameters()])
    print(type(layer).__module__, layer._reversed_padding_repeated_twice)
print(layers[0](torch.ones(5, 2, 8)).shape, layers[3](torch.ones(2, 5, 5)).shape, layers[4](torch.ones(2, 6)).shape)
print(layers[5](torch.ones(1, 4, 5), output_size=[11]).shape, layers[6](torch.ones(1, 4, 3, 3)).shape)
again = pickle.loads(pickle.dumps(layers[1]))
print(torch.equal(again.weight, layers[1].weight), copy.deepcopy(layers[7]))

for make in (
    lambda: nn.Conv2d(3, 4, 1, groups=2),
    lambda: nn.Conv2d(4, 3, 1, groups=2),
    lambda: nn.Conv2d(4, 3, 1, groups=0),
    lambda: nn.Conv2d(4, 4, 2, padding="same", stride=2),
    lambda: nn.ConvTranspose2d(4, 4, 2, padding_mode="circular"),
    lambda: layers[5](torch.ones(1, 4, 5), output_size=[20]),
    lambda: layers[5](torch.ones(1, 4, 5), output_size=[2, 3, 4, 5]),
    lambda: nn.LazyConv2d(4, 2)(torch.ones(3, 3)),
    lambda: nn.LazyConv2d(4, 2, groups=2)(torch.ones(3, 3, 3)),
):
    try:
        print(make())
    except (ValueError, RuntimeError) as e:
        print(type(e).__name__, e)
for name, call in (("padding", "foo"), ("padding_mode", "foo")):
    try:
        nn.Conv1d(1, 1, 1, **{name: call})
    except ValueError as e:
        print(str(e).partition(" of {")[0])

torch.manual_seed(1)
lazy = nn.LazyConv2d(4, 3, padding=1)
print(lazy, repr(lazy.weight), repr(lazy.bias))
print(lazy(torch.ones(2, 3, 5, 5)).shape, lazy, round(lazy.weight.sum().item(), 4))
up = nn.LazyConvTranspose1d(4, 3, bias=False)
print(up(torch.ones(2, 5)).shape, up)
volume = nn.Conv2d(2, 2, 2).to(memory_format=torch.channels_last)
torch.manual_seed(0)
volume.reset_parameters()
print([round(v, 4) for v in volume.weight.flatten().tolist()], volume.weight.stride())
