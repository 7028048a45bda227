"""Cross entropy, and the negative log likelihood that it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.torch.base.dtypes import int64, of_numpy, uint8
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.gradients import check_constants
from funcgrad.torch.ops.nn.reductions_of_losses import MEAN, NONE, reduced
from funcgrad.torch.ops.recorded_gradients import over, plus, times
from funcgrad.torch.ops.softmax import log_softmax
from funcgrad.torch.primitives import nll_loss as core
from funcgrad.torch.tensor.formulas import Saved, formula
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import losses as texts
from funcgrad.torch.texts import products as products_texts

_OPERANDS = ("self", "target", "weight")
NLL_LOSS = Operation(core.nll_loss, "NllLossBackward0", operands=_OPERANDS, edges=1, saves=(0,), again=True)
NLL_LOSS_2D = Operation(core.nll_loss, "NllLoss2DBackward0", operands=_OPERANDS, edges=1, saves=(0,))
NLL_LOSS_BACKWARD = Operation(
    core.nll_loss_backward, "NllLossBackwardBackward0", operands=("grad_output", *_OPERANDS[1:]), edges=1, again=True
)
NLL_LOSS_2D_BACKWARD = Operation(
    core.nll_loss_backward, "NllLoss2DBackwardBackward0", operands=("grad_output", *_OPERANDS[1:]), edges=1
)


@formula("NllLoss2DBackward0")
def _nll_loss2d(k: int, g: Any, s: Saved) -> Any:
    return NLL_LOSS_2D_BACKWARD(g, s.y, s.z, shape=s.shape, reduction=s["reduction"])


_REDUCTIONS = ("none", "mean", "sum")
_NLL = (
    "(Tensor input, Tensor target, Tensor? weight = None, int reduction = 1, int ignore_index = -100, *, "
    "Tensor out = None)"
)


def _picked(op: Operation, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Tensor:
    """The loss, by an operation. Targets are looked at as far as they have values.

    Raises:
        IndexError: a target is no class.
    """
    t = target._value
    check_constants("nll_loss_forward" if op is NLL_LOSS else "nll_loss2d_forward", weight=weight)
    if x._value.dtype.kind in "biuc":
        raise not_implemented("nll_loss_out_frame", of_numpy(x._value.dtype))
    some_left_out = type(t) is not ndarray
    if not some_left_out and t.size:
        classes = x._value.shape[0 if x._value.ndim == 1 else 1]
        largest = (t if t.dtype.kind == "u" else t.view(np.uint64)).max()  # above all classes if one is negative
        some_left_out = (largest >= classes or 0 <= ignore_index <= largest) and bool((t == ignore_index).any())
        if largest >= classes:
            wrong = t[(t != ignore_index) & ((t < 0) | (t >= classes))]
            if wrong.size:
                raise IndexError(f"Target {wrong[0]} is out of bounds.")
    factors: Any = 1.0
    if weight is not None:
        factors = raw(weight).reshape(-1)
    if some_left_out:
        left_out = t == ignore_index
        t = np.where(left_out, 0, t)
        factors = np.where(left_out, 0, np.ones((), x._value.dtype) if weight is None else fnp.take(factors, t))
    elif weight is not None:
        factors = fnp.take(factors, t)
    if t is not target._value:
        target = wrapped(t)
    return record(op, (x, target, factors), [raw(x), t, factors], {"reduction": _REDUCTIONS[reduction]})


def _check_weight(x: Any, weight: Any) -> None:
    if weight is not None and weight._value.dtype != x._value.dtype:
        names = [of_numpy(a._value.dtype).title for a in (x, weight)]
        raise RuntimeError(products_texts.SCALAR_TYPES.format(expected=names[0], found=names[1]))


def _check_targets(target: Any) -> None:
    d = of_numpy(target._value.dtype)
    if d is not int64 and d is not uint8:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {d.title}")


@op("_nn.nll_loss", _NLL, records=NLL_LOSS)
def nll_loss(input: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100) -> Tensor:
    """-weight[target] * input[..., target] of vectors of scores, reduced.

    Arguments:
        input: (n, classes) or (classes,).
        target: (n,) or (): the numbers of the classes.
        weight: of each class.
        reduction: 0, 1 or 2: none, the weighted mean or the sum.
        ignore_index: a target for which there is no loss.
    """
    shape, targets = input._value.shape, target._value.shape
    if not 1 <= len(shape) <= 2:
        raise RuntimeError("input tensor should be 1D or 2D")
    if len(targets) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if len(shape) == 1 and targets and targets[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {targets[0]}")
    if len(shape) == 2 and (not targets or targets[0] != shape[0]):
        raise RuntimeError(f"size mismatch (got input: {list(shape)}, target: {list(targets)})")
    if weight is not None and weight._value.shape != shape[-1:]:
        raise RuntimeError(texts.WEIGHTS_OF_CLASSES.format(classes=shape[-1], shape=list(weight._value.shape)))
    _check_targets(target)
    _check_weight(input, weight)
    if len(shape) == 1 and targets:
        target = target.reshape(())
    return _picked(NLL_LOSS, input, target, weight, reduction, ignore_index)


@op("_nn.nll_loss2d", _NLL, records=NLL_LOSS_2D)
def nll_loss2d(input: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100) -> Tensor:
    """As `nll_loss`, of images of scores, (n, classes, height, width)."""
    shape, targets = input._value.shape, target._value.shape
    if len(targets) != 3:
        raise RuntimeError(texts.SPATIAL_TARGETS.format(ndim=len(targets)))
    if len(shape) != 4:
        raise RuntimeError(texts.SPATIAL_INPUTS.format(ndim=len(shape)))
    if weight is not None and weight._value.size != shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if (shape[0], *shape[2:]) != targets:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(targets)}")
    _check_targets(target)
    _check_weight(input, weight)
    return _picked(NLL_LOSS_2D, input, target, weight, reduction, ignore_index)


@op(
    "_nn.nll_loss_nd",
    "(Tensor input, Tensor target, Tensor? weight = None, int reduction = 1, int ignore_index = -100)",
)
def nll_loss_nd(input: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100) -> Tensor:
    """As `nll_loss`, of scores with any number of dimensions behind the classes."""
    shape, targets = input._value.shape, target._value.shape
    if not shape:
        raise ValueError(f"Expected 1 or more dimensions (got {len(shape)})")
    if len(shape) > 1 and (not targets or shape[0] != targets[0]):
        found = targets[0] if targets else 1
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({found}).")
    if len(shape) <= 2:
        return nll_loss(input, target, weight, reduction, ignore_index)
    if len(shape) == 4:
        return nll_loss2d(input, target, weight, reduction, ignore_index)
    expected = (shape[0], *shape[2:])
    if targets != expected:
        raise RuntimeError(f"Expected target size {list(expected)}, got {list(targets)}")
    inner = (0, 0) if 0 in expected else (1, -1)
    scores = input.contiguous().view(shape[0], shape[1], *inner)
    found = nll_loss2d(scores, target.contiguous().view(shape[0], *inner), weight, reduction, ignore_index)
    return found.view(expected) if reduction == NONE else found


_CROSS_ENTROPY = (
    "(Tensor input, Tensor target, Tensor? weight = None, int reduction = 1, int ignore_index = -100, "
    "float label_smoothing = 0.0)"
)


@op("_nn.cross_entropy_loss", _CROSS_ENTROPY)
def cross_entropy_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of softmax(input) and a target: the numbers of classes, or their probabilities.

    Arguments:
        input: (n, classes, ...) or (classes,): scores of any size.
        target: numbers of classes of shape (n, ...), or probabilities of input's shape.
        weight: of each class.
        reduction: 0, 1 or 2: none, the mean or the sum.
        ignore_index: a class for which there is no loss.
        label_smoothing: the part of the target that is spread over all classes.
    """
    shape = input._value.shape
    if shape == target._value.shape:
        if target._value.dtype.kind not in "fV":
            raise RuntimeError(texts.PROBABILITIES.format(dtype=of_numpy(target._value.dtype).title))
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _of_probabilities(input, target, weight, reduction, label_smoothing)
    along = 0 if len(shape) == 1 else 1
    if label_smoothing > 0:
        if label_smoothing > 1:
            raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
        return _smoothed(input, target, weight, reduction, ignore_index, label_smoothing)
    scores = log_softmax(input, along, input.dtype)
    return nll_loss_nd(scores, target, weight, reduction, ignore_index)


def _shaped_weight(weight: Any, shape: tuple[int, ...]) -> Any:
    return weight.view([n if d == (0 if len(shape) == 1 else 1) else 1 for d, n in enumerate(shape)])


def _of_probabilities(input: Any, target: Any, weight: Any, reduction: int, label_smoothing: float) -> Tensor:
    shape = input._value.shape
    along = 0 if len(shape) == 1 else 1
    scores = log_softmax(input, along, input.dtype)
    classes = shape[along]
    if label_smoothing > 0:
        if label_smoothing > 1:
            raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
        target = plus(times(target, 1 - label_smoothing), label_smoothing / classes)
    _check_classes(weight, classes)
    products = scores * target
    if weight is not None:
        products = products * _shaped_weight(weight, shape)
    if reduction == NONE:
        return -products.sum(along)
    if reduction == MEAN:
        return over(-products.sum(), products.numel() // classes if products.numel() else 0)
    return -products.sum()


def _check_classes(weight: Any, classes: int) -> None:
    if weight is not None and (weight._value.ndim != 1 or weight._value.size != classes):
        raise RuntimeError(texts.CROSS_ENTROPY_WEIGHTS.format(classes=classes, shape=list(weight._value.shape)))


def _smoothed(
    input: Any, target: Any, weight: Any, reduction: int, ignore_index: int, label_smoothing: float
) -> Tensor:
    shape = input._value.shape
    along = 0 if len(shape) == 1 else 1
    classes = shape[along]
    scores = log_softmax(input, along, input.dtype)
    exact = nll_loss_nd(scores, target, weight, reduction, ignore_index)
    if weight is not None:
        smooth = -(scores * _shaped_weight(weight, shape)).sum(along)
    else:
        smooth = -scores.sum(along)
    left_out = target == ignore_index
    smooth = smooth.masked_fill(left_out, 0.0)
    if reduction == MEAN:
        if weight is not None:
            # the same divisor as of the exact part: the weights of the targets that count
            weights = weight.gather(0, target.masked_fill(left_out, 0).flatten())
            smooth = smooth.sum() / weights.masked_fill(left_out.flatten(), 0).sum()
        else:
            smooth = smooth.sum() / (~left_out).sum()
    else:
        smooth = reduced(smooth, reduction)
    return times(exact, 1 - label_smoothing) + times(smooth, label_smoothing / classes)
