"""Layers of pooling, of columns and of shuffles: what they show, and that they do what the functions do."""

import torch
import torch.nn.functional as F
from torch import nn

x = (torch.arange(2 * 4 * 6 * 6) * 7 % 13).float().reshape(2, 4, 6, 6)
layers = [
    nn.MaxPool2d(2), nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), dilation=1, return_indices=True),
    nn.MaxPool1d(3, 2),
    nn.MaxPool3d(2, ceil_mode=True), nn.AvgPool1d(2), nn.AvgPool2d(3, 2, 1, count_include_pad=False), nn.AvgPool3d(2),
    nn.MaxUnpool1d(2), nn.MaxUnpool2d(2, (2, 1)), nn.MaxUnpool3d(2), nn.LPPool1d(2, 3),
    nn.LPPool2d(1.5, (2, 3), stride=1),
    nn.LPPool3d(2, 2), nn.AdaptiveMaxPool1d(3), nn.AdaptiveMaxPool2d((3, None)), nn.AdaptiveMaxPool3d(2),
    nn.AdaptiveAvgPool1d(3), nn.AdaptiveAvgPool2d((None, 2)), nn.AdaptiveAvgPool3d(1),
    nn.FractionalMaxPool2d(2, output_size=3),
    nn.FractionalMaxPool3d(2, output_ratio=0.5), nn.Fold((6, 6), 2), nn.Unfold((2, 3), stride=2, padding=1),
    nn.PixelShuffle(2),
    nn.PixelUnshuffle(3), nn.ChannelShuffle(2),
]  # fmt: skip
for layer in layers:
    print(layer, type(layer).__module__, getattr(layer, "__constants__", None))


def shape(y):
    return [tuple(t.shape) for t in y] if isinstance(y, tuple) else tuple(y.shape)


for i in (0, 1, 2, 4, 5, 10, 11, 13, 14, 16, 17, 19, 22, 23, 24, 25):
    y = layers[i](x if i not in (2, 4, 10, 13, 16) else x[0])
    first = y[0] if isinstance(y, tuple) else y
    print(type(layers[i]).__name__, shape(y), round(first.sum().item(), 3))
for i in (3, 6, 12, 15, 18, 20):
    print(type(layers[i]).__name__, shape(layers[i](x)))
columns = F.unfold(x, 2)
print(torch.equal(layers[21](columns), F.fold(columns, (6, 6), 2)), layers[21](columns)[0, 0])
print(torch.equal(layers[24](nn.PixelShuffle(3)(x.repeat(1, 9, 1, 1))), x.repeat(1, 9, 1, 1)))
values, places = F.max_pool2d(x, 2, return_indices=True)
print(nn.MaxUnpool2d(2)(values, places)[0, 0])
for n in (1, 2):
    a, b = (x, layers[0](x)) if n == 2 else (x[0], F.max_pool1d(x[0], 2))
    print(torch.equal(getattr(nn, f"MaxPool{n}d")(2)(a), b))
for make in (
    lambda: nn.FractionalMaxPool2d(2), lambda: nn.FractionalMaxPool3d(2, 2, 0.5),
    lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5),
    lambda: nn.FractionalMaxPool3d(0, 2),
):  # fmt: skip
    try:
        make()
    except ValueError as e:
        print(e)
w, g = torch.ones(2, 4, 3, 3), torch.ones(2, 2, 4, 4)
print(nn.grad.conv2d_input(x.shape, w, g).sum().item(), nn.grad.conv2d_weight(x, w.shape, g).sum().item())
for f in (F.unfold, F.pixel_shuffle, F.pixel_unshuffle, F.channel_shuffle, torch.native_channel_shuffle):
    print(type(f(x.clone().requires_grad_(), 2).grad_fn).__name__)
print(type(F.fold(columns.requires_grad_(), (6, 6), 2).grad_fn).__name__)
print(F.channel_shuffle(x[:1, :, :1, :1], 2).flatten().tolist(), F.pixel_shuffle(x[:1, :, :1, :1], 2).tolist())
