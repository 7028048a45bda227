"""Batch normalization, with its running statistics, and that of instances, which is one of a batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.gradients import check_constants
from funcgrad.torch.ops.nn.layout import with_channels_of
from funcgrad.torch.ops.nn.normalizing import (
    BATCH_NORM,
    BATCH_NORM_EVAL,
    check_dtypes,
    check_floating,
    normalize,
    recorded,
    with_statistics,
)
from funcgrad.torch.primitives import normalization as primitives
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.levels import batch_sizes, is_symbol
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import normalization as texts


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
    check_floating("batch_norm", input)
    check_dtypes(input, weight, bias, running_mean, running_var)
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
        out, known = recorded(BATCH_NORM_EVAL, args, [raw(a) for a in args], params, saved), None
    else:
        if running_mean is not None and batch_sizes((input,)) and not batch_sizes((running_mean, running_var)):
            raise RuntimeError(texts.BATCHED)
        out, known = normalize(BATCH_NORM, input, weight, bias, view, axes, at, eps, saved)
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
    of = next((p for p in (weight, bias, running_mean) if p is not None), input)
    over = [d for d in range(input.ndim) if d != 1]
    return with_statistics(out, input, of.dtype, known, eps, (input.shape[1],), over)


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
