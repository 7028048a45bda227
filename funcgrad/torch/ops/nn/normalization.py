"""Batch, layer, group and instance normalization, and that by the root mean square.

All but the last are `primitives.normalization.normalize` of an operand that is looked at in another shape.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.dtypes import FLOATING, finfo, float32
from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.checks import check_kinds, not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.gradients import check_constants
from funcgrad.torch.ops.nn.layout import with_channels_of
from funcgrad.torch.ops.recorded_gradients import plus
from funcgrad.torch.primitives import normalization as primitives
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.formulas import formula
from funcgrad.torch.tensor.levels import batch_sizes, is_symbol
from funcgrad.torch.tensor.operation import Operation, link, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import FAST, new, raw, requires, wrapped
from funcgrad.torch.texts import normalization as texts
from funcgrad.torch.texts import products as products_texts

_OPERANDS = ("input", "weight", "bias", "running_mean", "running_var")


def _kind(node: str, again: bool = False) -> Operation:
    return Operation(primitives.normalize, node, operands=_OPERANDS, edges=3, again=again)


BATCH_NORM = _kind("NativeBatchNormBackward0")
LAYER_NORM = _kind("NativeLayerNormBackward0", again=True)
GROUP_NORM = _kind("NativeGroupNormBackward0")
BATCH_NORM_EVAL = Operation(
    primitives.normalize_by, "NativeBatchNormBackward0", operands=_OPERANDS, edges=3, again=True
)


# What all have in common.


def _check_floating(kernel: str, input: Tensor) -> None:
    check_kinds(kernel, input.dtype, "biuc")


def _check_dtypes(input: Tensor, *parameters: Any) -> None:
    """Raise torch's error if parameters are neither of the input's dtype nor in single precision for a short one."""
    given = [p.dtype for p in parameters if p is not None]
    if all(d is input.dtype for d in given):
        return
    if given[0] is input.dtype:
        other = next(d for d in given if d is not input.dtype)
        raise RuntimeError(products_texts.SCALAR_TYPES.format(expected=input.dtype.title, found=other.title))
    if any(d is not float32 for d in given):
        raise RuntimeError(texts.EXPECT_FLOAT)
    if input.dtype.numpy.itemsize != 2:
        raise RuntimeError(texts.SHARE_DTYPE)


def _normalized(
    operation: Operation,
    input: Tensor,
    weight: Any,
    bias: Any,
    view: tuple[int, ...],
    axes: tuple[int, ...],
    at: tuple[int, ...],
    eps: float,
    saved: dict[str, Any],
) -> tuple[Tensor, Any]:
    """The result, and the mean and the variance where they are arrays, which then are computed once; else None."""
    args: tuple[Any, ...] = (input, 1.0 if weight is None else weight, 0.0 if bias is None else bias)
    values = [raw(a) for a in args]
    params = {"view": view, "axes": axes, "at": at, "eps": eps, "known": None}
    if state.slow or input._inference or not all(type(a) is float or (type(a) in FAST and a._plain) for a in args):
        if type(values[0]) is ndarray and not state.transforms:
            params["known"] = quiet.run(primitives.moments, values[0], view, axes)
        return _recorded(operation, args, values, params, saved), params["known"]
    # `record` written out, for tensors that nothing looks at but autograd
    x, w, b = values
    out, known = quiet.run(primitives.normalized, x, w, b, view, axes, at, eps)
    t = new(Tensor)
    t._value = out
    mask = (requires(input), requires(weight), requires(bias)) if state.grad else (False,) * 3
    if any(mask):
        params["known"] = known
        recording: Any = operation.recordings[mask]
        link(operation, recording, args, values, params, out, None, t).params = saved
    elif state.inference:
        t._inference = True
    return t, known


def _recorded(operation: Operation, args: tuple, values: list, params: dict, saved: dict) -> Tensor:
    t = record(operation, args, values, params)
    if t._node is not None:
        t._node.params = saved
    return t


# The gradients, where they are differentiated again, are one operation, too.


def _gradients(g: Any, x: Any, weight: Any, *, params: dict[str, Any], by: Any = None) -> tuple:
    """Those of x, weight and bias; `by` are running statistics."""
    if by is None:
        found = primitives.gradients(g, x, weight, known=None, **params)
    else:
        linked = (*params["linked"], False, False)
        found = primitives.gradients_by(g, x, weight, mean=by[0], var=by[1], **params | {"linked": linked})
    return tuple([f for f in found if f is not None])


def _layer_gradients(g: Any, x: Any, mean: Any, rstd: Any, weight: Any, *, params: dict[str, Any]) -> tuple:
    """The same; PyTorch shows the statistics, which go through x here, as operands."""
    return _gradients(g, x, weight, params=params)


BATCH_NORM_GRADIENTS, LAYER_NORM_GRADIENTS = (
    Operation(Composite(f, multiple=True), node, operands=operands, edges=edges, again=False)
    for f, node, operands, edges in (
        (_gradients, "NativeBatchNormBackwardBackward0", ("grad_out", "input", "weight"), 5),
        (_layer_gradients, "NativeLayerNormBackwardBackward0", ("grad_out", "input", "mean", "rstd", "weight"), 6),
    )
)


def _shared(k: int, g: Any, s: Any, compute: Any) -> Any:
    """The gradient of operand k, of those that are computed once for all."""
    linked = (True, not isinstance(s.y, (int, float)), s["bias_shape"] != ())
    if s.shared is None:
        params = {n: s[n] for n in ("view", "at", "eps", "bias_shape", "bias_dtype")}
        s.shared = compute(params | {"linked": linked})
    return s.shared[sum(linked[:k])]


@formula("NativeLayerNormBackward0")
def _of_layer_norm(k: int, g: Any, s: Any) -> Any:
    def compute(params: dict) -> Any:
        return LAYER_NORM_GRADIENTS(g, s.x, 0.0, 0.0, s.y, params=params | {"axes": s["axes"]})

    return _shared(k, g, s, compute)


@formula("NativeBatchNormBackward0")
def _of_batch_norm(k: int, g: Any, s: Any) -> Any:
    def compute(params: dict) -> Any:
        if s.get("axes", None) is None:
            return BATCH_NORM_GRADIENTS(g, s.x, s.y, params=params, by=(s["mean"], s["var"]))
        return BATCH_NORM_GRADIENTS(g, s.x, s.y, params=params | {"axes": s["axes"]})

    return _shared(k, g, s, compute)


# Batch normalization.


def _check_statistics(
    input: Tensor, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: bool
) -> None:
    """Raise torch's errors about statistics and parameters that are missing, of a wrong size, or differentiated."""
    shape = input._value.shape
    channels = shape[1] if len(shape) > 1 else 0
    if not training:
        for name, statistic in (("running_mean", running_mean), ("running_var", running_var)):
            if statistic is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, p in given.items():
        if p is not None and p.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {p.numel()}")
    if training and (running_mean is None) is not (running_var is None):
        raise ValueError(texts.ONE_OF_STATISTICS)
    check_constants("native_batch_norm", running_mean=running_mean, running_var=running_var)
    for statistic in (running_mean, running_var):
        if statistic is not None and statistic._tangent is not None and input._tangent is not None:
            raise RuntimeError(texts.NO_FORWARD_OF_STATISTICS)


def _batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Any]:
    """The result, and the mean and the variance of the batch where they are arrays."""
    _check_statistics(input, weight, bias, running_mean, running_var, training)
    shape = input._value.shape
    channels = shape[1]
    _check_floating("batch_norm", input)
    _check_dtypes(input, weight, bias, running_mean, running_var)
    places = math.prod(shape[2:])
    view, axes, at = (
        ((shape[0], channels), (-2,), (channels,))
        if places == 1
        else ((shape[0], channels, places), (-3, -1), (channels, 1))
    )
    saved = {"training": training, "eps": eps}
    if not training:
        args = (input, 1.0 if weight is None else weight, 0.0 if bias is None else bias, running_mean, running_var)
        params = {"view": view, "at": at, "eps": eps}
        out, known = _recorded(BATCH_NORM_EVAL, args, [raw(a) for a in args], params, saved), None
    else:
        if running_mean is not None and batch_sizes((input,)) and not batch_sizes((running_mean, running_var)):
            raise RuntimeError(texts.BATCHED)
        out, known = _normalized(BATCH_NORM, input, weight, bias, view, axes, at, eps, saved)
        if running_mean is not None and input._value.size:
            statistics = running_mean._value
            if known is None and type(statistics) is ndarray and not state.batches and not is_symbol(input._value):
                known = quiet.run(primitives.moments, input._concrete(), view, axes)
            _follow(running_mean, running_var, input, known, momentum)
    return with_channels_of(out, input), known


def _follow(running_mean: Tensor, running_var: Tensor, input: Tensor, known: Any, momentum: float) -> None:
    """Move running statistics towards those of a batch."""
    shape = input._value.shape
    n = math.prod(shape) // shape[1]
    if known is None:
        with no_grad():
            over = [d for d in range(len(shape)) if d != 1]
            mean, var = input.detach().mean(over), input.detach().var(over)
            running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
            running_var.mul_(1 - momentum).add_(var, alpha=momentum)
        return
    with np.errstate(all="ignore"):
        unbiased = known[1] * np.float64(n / (n - 1)) if n > 1 else known[1] * np.nan
        for statistic, now in ((running_mean, known[0]), (running_var, unbiased)):
            value = statistic._value
            now = now.reshape(value.shape)
            inplace.store(statistic, (momentum * now + (1 - momentum) * value).astype(value.dtype), recorded=False)
            inplace.bump(statistic)


_STATISTICS = "Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var"


@op(
    "batch_norm",
    f"(Tensor input, {_STATISTICS}, bool training, float momentum, float eps, bool cudnn_enabled)",
    method=False,
    records=(BATCH_NORM, BATCH_NORM_EVAL),
)
def batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Each channel brought to mean 0 and variance 1, then scaled and shifted.

    Arguments:
        input: "batch channels ...".
        weight, bias: the scale and the shift of each channel, or None.
        running_mean, running_var: those of the channels, which training moves towards the batch's; or None.
        training: whether the mean and the variance are those of the batch.
        momentum: how far the running ones are moved.
        eps: is added to variances.
        cudnn_enabled: has no effect.
    """
    if not input._value.size:
        _check_statistics(input, weight, bias, running_mean, running_var, training)
        out = input.clone()
        out = out if weight is None else out * weight[0]
        return out if bias is None else out + bias[0]
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@op(
    "native_batch_norm",
    f"(Tensor input, {_STATISTICS}, bool training, float momentum, float eps, *, tuple of Tensors out = None)",
    method=False,
    records=(BATCH_NORM, BATCH_NORM_EVAL),
)
def native_batch_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """As `batch_norm`, with the mean and 1 / sqrt(variance + eps) of each channel of the batch in training."""
    out, known = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    if not training:
        return out, input.new_empty(0), input.new_empty(0)
    d = next((p for p in (weight, bias, running_mean) if p is not None), input).dtype
    with no_grad():
        if known is None:
            over = [i for i in range(input.ndim) if i != 1]
            mean, var = input.detach().mean(over), input.detach().var(over, correction=0)
        else:
            mean, var = (wrapped(a.reshape(-1)) for a in known)
        return out, mean.to(d), (var + eps).rsqrt().to(d)


@op(
    "batch_norm_update_stats",
    "(Tensor input, Tensor? running_mean, Tensor? running_var, float momentum)",
    method=False,
)
def batch_norm_update_stats(
    input: Tensor, running_mean: Any, running_var: Any, momentum: float
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of each channel of a batch, towards which running statistics are moved."""
    shape = input._value.shape
    if not input._value.size:
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(shape)}")
    _check_statistics(input, None, None, running_mean, running_var, True)
    with no_grad():
        x = input.detach()
        over = [d for d in range(len(shape)) if d != 1]
        mean, var = x.mean(over), x.var(over, correction=0)
        if running_mean is not None:
            _follow(running_mean, running_var, x, (raw(mean), raw(var)), momentum)
    return mean, var


# Layer normalization.


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
    _check_floating("LayerNormKernelImpl", input)
    _check_dtypes(input, weight, bias)
    n = math.prod(normalized)
    view = (math.prod(input._value.shape[: -len(normalized)]), n)
    saved = {"normalized_shape": normalized}
    return _normalized(LAYER_NORM, input, weight, bias, view, (-1,), (n,), eps, saved)


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
    with no_grad():
        if known is None:
            over = tuple(range(-k, 0))
            mean, var = input.detach().mean(over, True), input.detach().var(over, correction=0, keepdim=True)
        else:
            mean, var = (wrapped(a.reshape(shape)) for a in known)
        d = input.dtype if weight is None else weight.dtype
        return out, mean.to(d), (var + eps).rsqrt().to(d)


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
    _check_floating("GroupNormKernelImpl", input)
    _check_dtypes(input, weight, bias)
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
    out, known = _normalized(GROUP_NORM, input, weight, bias, view, axes, at, eps, saved)
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
    with no_grad():
        if known is None:
            rows = input.detach().reshape(N, group, -1)
            mean, var = rows.mean(-1), rows.var(-1, correction=0)
        else:
            mean, var = (wrapped(a.reshape(N, group)) for a in known)
        d = input.dtype if weight is None else weight.dtype
        return out, mean.to(d), (var + eps).rsqrt().to(d)


# Instance normalization, which PyTorch computes as that of a batch with as many channels as there are instances.


@op(
    "instance_norm",
    f"(Tensor input, {_STATISTICS}, bool use_input_stats, float momentum, float eps, bool cudnn_enabled)",
    method=False,
)
def instance_norm(
    input: Tensor,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Each channel of each example brought to mean 0 and variance 1, then scaled and shifted; see `batch_norm`."""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError(texts.NO_STATISTICS)
    n, channels = input.size(0), input.size(1)

    def repeated(t: Any) -> Any:
        return None if t is None else t.repeat(n)

    mean, var = repeated(running_mean), repeated(running_var)
    rows = input.contiguous().view(1, n * channels, *input.shape[2:])
    out = batch_norm(rows, repeated(weight), repeated(bias), mean, var, use_input_stats, momentum, eps, cudnn_enabled)
    if use_input_stats:
        with no_grad():
            for running, found in ((running_mean, mean), (running_var, var)):
                if running is not None:
                    running.copy_(found.view(n, channels).mean(0))
    return out.view(input.shape)


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
