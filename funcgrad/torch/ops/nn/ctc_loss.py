"""`torch.ctc_loss`: connectionist temporal classification."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.comparison import where
from funcgrad.torch.ops.nn.gradients import record_gradients, undifferentiable
from funcgrad.torch.ops.nn.reductions_of_losses import MEAN, reduced
from funcgrad.torch.primitives import ctc_loss as core
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import losses as texts
from funcgrad.transforms.custom_vjp import custom_vjp


def _ctc_loss(log_probs: Any, labels: Any, lengths: Any, *, blank: int, zero_infinity: bool) -> Any:
    """The loss of each sequence; lengths are those of inputs and of labels."""
    times, counts = lengths

    def loss(x: Any) -> Any:
        return core.ctc_loss(x, labels, times, counts, blank=blank)

    def gradient(x: Any, g: Any) -> tuple[Any]:
        params = {"blank": blank, "zero_infinity": zero_infinity}
        return (core.ctc_loss_gradient(g, x, labels, times, counts, **params),)

    call = custom_vjp(loss)
    call.defvjp(lambda x: (loss(x), x), gradient)
    return call(log_probs)


def _ctc_loss_backward(g: Any, log_probs: Any, labels: Any, lengths: Any, *, blank: int, zero_infinity: bool) -> Any:
    times, counts = lengths
    return core.ctc_loss_gradient(g, log_probs, labels, times, counts, blank=blank, zero_infinity=zero_infinity)


CTC_LOSS = Operation(
    _ctc_loss, "CtcLossBackward0", operands=("log_probs", "targets", "lengths"), edges=1, backward_only="_ctc_loss"
)
record_gradients(CTC_LOSS, undifferentiable(_ctc_loss_backward, "_ctc_loss_backward"))

_REST = "int blank = 0, int reduction = 1, bool zero_infinity = False"


@op(
    "ctc_loss",
    f"(Tensor log_probs, Tensor targets, tuple of ints input_lengths, tuple of ints target_lengths, {_REST})",
    f"(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, {_REST})",
    method=False,
    records=CTC_LOSS,
)
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the logarithm of the probability of labels, summed over all alignments with time.

    Arguments:
        log_probs: (time, n, classes) or (time, classes): logarithms of probabilities.
        targets: (n, length), padded; or all labels one behind the other.
        input_lengths, target_lengths: of each sequence, as a tensor or ints.
        blank: the class that stands for no label.
        reduction: 0, 1 or 2: none, the mean or the sum; for the mean each is first divided by the length of its target.
        zero_infinity: whether a loss that is infinite, and its gradient, become zero.
    """
    if not log_probs._value.size:
        raise RuntimeError("log_probs tensor must not be empty")
    single = log_probs._value.ndim == 2
    batch = log_probs.unsqueeze(1) if single else log_probs
    steps, n, classes = batch._value.shape
    times, counts = [_lengths(x, name) for x, name in ((input_lengths, "input"), (target_lengths, "target"))]
    for name, found in (("input", times), ("target", counts)):
        if len(found) != n:
            raise RuntimeError(f"{name}_lengths must be of size batch_size")
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if batch._value.dtype.kind != "f" or batch._value.dtype.itemsize == 2:
        raise not_implemented("ctc_loss_cpu", of_numpy(batch._value.dtype))
    _check_lengths(times, counts, steps)
    labels = _padded(targets._value, counts, n)
    operands = batch, wrapped(labels), wrapped(np.stack([times, counts]))
    loss = CTC_LOSS(*operands, blank=blank, zero_infinity=zero_infinity)
    if zero_infinity:
        loss = where(loss == float("inf"), loss.new_zeros(()), loss)
    if single:
        loss = loss.squeeze(0)
        counts = counts[0]
    if reduction == MEAN:
        return (loss / wrapped(np.maximum(counts, 1))).mean()
    return reduced(loss, reduction)


def _lengths(given: Any, name: str) -> ndarray:
    if isinstance(given, Tensor):
        if given._value.dtype.kind not in "iu":
            raise RuntimeError(f"{name}_lengths must be integral")
        return given._value.astype(np.int64).reshape(-1)
    return np.array(given, np.int64)


def _check_lengths(times: ndarray, counts: ndarray, steps: int) -> None:
    for t, c in zip(times.tolist(), counts.tolist(), strict=True):
        if t < 0:
            raise RuntimeError(texts.CTC_NEGATIVE.format(name="input", value=t))
        if c < 0:
            raise RuntimeError(texts.CTC_NEGATIVE.format(name="target", value=c))
        if t > steps:
            raise RuntimeError(texts.CTC_TOO_LONG.format(steps=steps, value=t))


def _padded(targets: Any, counts: ndarray, n: int) -> ndarray:
    """The labels of each sequence in a row, as far as the longest goes."""
    longest, total = int(counts.max(initial=0)), int(counts.sum())
    if targets.ndim == 1 and targets.shape[0] != total:
        raise RuntimeError(texts.CTC_SIZE.format(size=total, dim=0, found=targets.shape[0]))
    if targets.ndim == 2 and targets.shape[0] != n:
        raise RuntimeError(texts.CTC_SIZE.format(size=n, dim=0, found=targets.shape[0]))
    if targets.ndim == 2 and targets.shape[1] < longest:
        raise RuntimeError(texts.CTC_LEAST_SIZE.format(size=longest, dim=1, found=targets.shape[1]))
    if targets.ndim not in (1, 2):
        raise RuntimeError(texts.CTC_DIMENSIONS.format(ndim=targets.ndim))
    if targets.ndim == 2:
        return targets[:, :longest].astype(np.int64)
    labels = np.zeros((n, longest), np.int64)
    for row, (start, stop) in zip(labels, itertools.pairwise([0, *np.cumsum(counts).tolist()]), strict=True):
        row[: stop - start] = targets[start:stop]
    return labels
