"""Elements that move between channels and space, and between groups of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.memory_formats import in_channels_last, laid_out
from funcgrad.torch.tensor.formulas import FORMULAS
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import resampling as texts


def _shuffle(x: Any, *, factor: int) -> Any:
    *outer, channels, height, width = x.shape
    n, squares = len(outer), channels // factor**2
    split = x.reshape((*outer, squares, factor, factor, height, width))
    moved = split.transpose((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return moved.reshape((*outer, squares, height * factor, width * factor))


def _unshuffle(x: Any, *, factor: int) -> Any:
    *outer, channels, height, width = x.shape
    n = len(outer)
    split = x.reshape((*outer, channels, height // factor, factor, width // factor, factor))
    moved = split.transpose((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return moved.reshape((*outer, channels * factor**2, height // factor, width // factor))


def _interleave(x: Any, *, groups: int) -> Any:
    channels = x.shape[1]
    split = x.reshape((x.shape[0], groups, channels // groups, *x.shape[2:]))
    return np.swapaxes(split, 1, 2).reshape(x.shape)


PIXEL_SHUFFLE = Operation(_shuffle, "PixelShuffleBackward0", operands=("self",), saves=())
PIXEL_UNSHUFFLE = Operation(_unshuffle, "PixelUnshuffleBackward0", operands=("self",), saves=())
CHANNEL_SHUFFLE = Operation(_interleave, "ChannelShuffleBackward0", operands=("self",), saves=())
NATIVE_CHANNEL_SHUFFLE = Operation(
    Undifferentiable(_interleave, "aten::native_channel_shuffle"), "NotImplemented", operands=("self",), again=False
)
FORMULAS[PIXEL_SHUFFLE.name] = lambda k, g, s: PIXEL_UNSHUFFLE(g, factor=s["factor"])
FORMULAS[PIXEL_UNSHUFFLE.name] = lambda k, g, s: PIXEL_SHUFFLE(g, factor=s["factor"])
FORMULAS[CHANNEL_SHUFFLE.name] = lambda k, g, s: CHANNEL_SHUFFLE(g, groups=s.shape[1] // s["groups"])


def _moved(op: Operation, x: Any, **params: int) -> Tensor:
    """What an operation makes of a tensor, in memory as that lies."""
    found = op(x, **params)
    if type(found._value) is np.ndarray:
        found._value = laid_out(found._value, in_channels_last(x))
    return found


def _check_pixels(function: str, name: str, x: Any, factor: int) -> None:
    if x._value.ndim < 3:
        raise RuntimeError(texts.PIXEL_DIMENSIONS.format(function=function, ndim=x._value.ndim))
    if factor <= 0:
        raise RuntimeError(f"{function} expects a positive {name}, but got {factor}")


@op("pixel_shuffle", "(Tensor input, int upscale_factor)", method=False, records=PIXEL_SHUFFLE)
def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """Squares of pixels made of channels: (..., c * r**2, h, w) becomes (..., c, h * r, w * r)."""
    _check_pixels("pixel_shuffle", "upscale_factor", input, upscale_factor)
    channels, square = input._value.shape[-3], upscale_factor**2
    if channels % square:
        raise RuntimeError(texts.PIXEL_CHANNELS.format(channels=channels, square=square))
    return _moved(PIXEL_SHUFFLE, input, factor=upscale_factor)


@op("pixel_unshuffle", "(Tensor input, int downscale_factor)", method=False, records=PIXEL_UNSHUFFLE)
def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """Channels made of squares of pixels: the inverse of `pixel_shuffle`."""
    _check_pixels("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    for name, dim in (("height", -2), ("width", -1)):
        size = input._value.shape[dim]
        if size % downscale_factor:
            raise RuntimeError(texts.PIXEL_SIZES.format(name=name, dim=dim, size=size, factor=downscale_factor))
    return _moved(PIXEL_UNSHUFFLE, input, factor=downscale_factor)


def _check_groups(x: Any, groups: int) -> None:
    shape = x._value.shape
    if len(shape) <= 2:
        raise RuntimeError(texts.CHANNEL_DIMENSIONS.format(shape=list(shape)))
    if groups <= 0:
        raise RuntimeError(texts.CHANNEL_GROUPS.format(groups=groups))
    if shape[1] % groups:
        raise RuntimeError(texts.CHANNELS_IN_GROUPS.format(channels=shape[1], groups=groups))


@op("channel_shuffle", "(Tensor input, int groups)", method=False, records=CHANNEL_SHUFFLE)
def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Channels of several groups, taken from one group after the other."""
    _check_groups(input, groups)
    return _moved(CHANNEL_SHUFFLE, input, groups=groups)


@op("native_channel_shuffle", "(Tensor input, int groups)", method=False, records=NATIVE_CHANNEL_SHUFFLE)
def native_channel_shuffle(input: Any, groups: int) -> Tensor:
    """As `channel_shuffle`, without a derivative."""
    _check_groups(input, groups)
    return _moved(NATIVE_CHANNEL_SHUFFLE, input, groups=groups)
