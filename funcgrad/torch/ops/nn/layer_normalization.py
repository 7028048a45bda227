"""Layer and group normalization, and that by the root mean square."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.torch.base.dtypes import FLOATING, finfo
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.layout import with_channels_of
from funcgrad.torch.ops.nn.normalizing import (
    GROUP_NORM,
    LAYER_NORM,
    check_dtypes,
    check_floating,
    normalize,
    with_statistics,
)
from funcgrad.torch.ops.recorded_gradients import plus
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import normalization as texts


def _check_normalized_shape(input: Tensor, normalized_shape: Any, sep: str, **parameters: Any) -> tuple[int, ...]:
    normalized, shape = tuple(normalized_shape), input._value.shape
    if not normalized:
        raise RuntimeError(texts.NO_SHAPE.format(shape=list(normalized)))
    for name, p in parameters.items():
        if p is not None and p.shape != normalized:
            raise RuntimeError(texts.OTHER_SHAPE.format(name=name, shape=list(p.shape), normalized=list(normalized)))
    if shape[-len(normalized) :] != normalized or len(shape) < len(normalized):
        sizes = ", ".join(map(str, normalized))
        text = texts.NOT_LAST.format(normalized=list(normalized), sep=sep, sizes=sizes, size=list(shape))
        raise RuntimeError(text)
    return normalized


def _layer_norm(input: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> tuple[Tensor, Any]:
    normalized = _check_normalized_shape(input, normalized_shape, ", ", weight=weight, bias=bias)
    check_floating("LayerNormKernelImpl", input)
    check_dtypes(input, weight, bias)
    n = math.prod(normalized)
    view = (math.prod(input._value.shape[: -len(normalized)]), n)
    saved = {"normalized_shape": normalized}
    return normalize(LAYER_NORM, input, weight, bias, view, (-1,), (n,), eps, saved)


@op(
    "layer_norm",
    "(Tensor input, tuple of ints! normalized_shape, Tensor? weight = None, Tensor? bias = None, float eps = 1e-05, "
    "bool cudnn_enable = True)",
    method=False,
    records=LAYER_NORM,
)
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Tensor:
    """The last dimensions brought to mean 0 and variance 1, then scaled and shifted.

    Arguments:
        input: the tensor.
        normalized_shape: the sizes of these dimensions.
        weight, bias: of this shape, the scale and the shift of each element, or None.
        eps: is added to variances.
        cudnn_enable: has no effect.
    """
    return _layer_norm(input, normalized_shape, weight, bias, eps)[0]


@op(
    "native_layer_norm",
    "(Tensor input, tuple of ints! normalized_shape, Tensor? weight, Tensor? bias, float eps)",
    method=False,
    records=LAYER_NORM,
)
def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """As `layer_norm`, with the means and 1 / sqrt(variance + eps)."""
    out, known = _layer_norm(input, normalized_shape, weight, bias, eps)
    k = len(tuple(normalized_shape))
    shape = input.shape[:-k] + (1,) * k
    d = (input if weight is None else weight).dtype
    return with_statistics(out, input, d, known, eps, shape, tuple(range(-k, 0)))


# Group normalization.


def _group_norm(input: Tensor, groups: int, weight: Any, bias: Any, eps: float) -> tuple[Tensor, Any]:
    shape = input._value.shape
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    channels = input.size(1)
    if channels % groups:
        raise RuntimeError(texts.NOT_DIVISIBLE.format(shape=list(shape), groups=groups))
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and (p.ndim != 1 or p.numel() != channels):
            shown = p if weight is None else weight  # PyTorch shows the weight's in either case
            text = texts.NO_VECTOR.format(name=name, shape=list(shown.shape), input=list(shape))
            raise RuntimeError(text)
    check_floating("GroupNormKernelImpl", input)
    check_dtypes(input, weight, bias)
    each, places = channels // groups, math.prod(shape[2:])
    if weight is None and bias is None:
        view: tuple[int, ...] = (shape[0], groups, each * places)
        axes: tuple[int, ...] = (-1,)
        at: tuple[int, ...] = (1,)
    elif places == 1:
        view, axes, at = (shape[0], groups, each), (-1,), (groups, each)
    else:
        view, axes, at = (shape[0], groups, each, places), (-2, -1), (groups, each, 1)
    saved = {"N": shape[0], "C": channels, "HxW": places, "group": groups, "eps": eps}
    out, known = normalize(GROUP_NORM, input, weight, bias, view, axes, at, eps, saved)
    return with_channels_of(out, input), known


@op(
    "group_norm",
    "(Tensor input, int num_groups, Tensor? weight = None, Tensor? bias = None, float eps = 1e-05, "
    "bool cudnn_enabled = True)",
    method=False,
    records=GROUP_NORM,
)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Groups of channels of each example brought to mean 0 and variance 1, then scaled and shifted by channel.

    Arguments:
        input: "batch channels ...".
        num_groups: how many groups there are.
        weight, bias: the scale and the shift of each channel, or None.
        eps: is added to variances.
        cudnn_enabled: has no effect.
    """
    return _group_norm(input, num_groups, weight, bias, eps)[0]


@op(
    "native_group_norm",
    "(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps)",
    method=False,
    records=GROUP_NORM,
)
def native_group_norm(
    input: Tensor, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """As `group_norm`, with the mean and 1 / sqrt(variance + eps) of each group of each example."""
    out, known = _group_norm(input, group, weight, bias, eps)
    d = (input if weight is None else weight).dtype
    return with_statistics(out, input.reshape(N, group, -1), d, known, eps, (N, group), (-1,))


# By the root mean square.


@op(
    "rms_norm",
    "(Tensor input, tuple of ints! normalized_shape, Tensor? weight = None, float? eps = None)",
    method=False,
)
def rms_norm(input: Tensor, normalized_shape: Any, weight: Any = None, eps: float | None = None) -> Tensor:
    """The last dimensions divided by the root of the mean of their squares, then scaled.

    Arguments:
        input: the tensor.
        normalized_shape: the sizes of these dimensions.
        weight: of this shape, the scale of each element, or None.
        eps: is added to the mean; by default that of the dtype.
    """
    normalized = _check_normalized_shape(input, normalized_shape, "", weight=weight)
    d = input.dtype
    if d.category < FLOATING:
        raise not_implemented("rms_norm", d)
    over = list(range(-len(normalized), 0))
    short = d.numpy.itemsize == 2
    x = input.float() if short else input
    eps = finfo(x.dtype).eps if eps is None else eps
    out = x * plus(x.pow(2).mean(over, keepdim=True), eps).rsqrt()
    out = out if weight is None else out * weight
    return out.to(d) if out.dtype is not d else out
