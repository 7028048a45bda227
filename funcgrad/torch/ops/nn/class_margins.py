"""Hinge losses of classes: of one true class, and of several. PyTorch has no second derivatives of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.gradients import check_constants, gradient_of, record_gradients, undifferentiable
from funcgrad.torch.primitives.pointwise_losses import reduced
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import losses as texts
from funcgrad.torch.texts import products as products_texts


def _rows(x: Any) -> Any:
    return x.reshape((1, *x.shape) if x.ndim == 1 else (1, 1)) if x.ndim < 2 else x


def _loss_of_rows(loss: Any, x: Any, shape: tuple[int, ...], reduction: int) -> Any:
    """The loss of each row, given those of its classes, as torch reduces it."""
    loss = np.sum(loss, axis=tuple(range(1, loss.ndim))) / max(_rows(x).shape[1], 1)
    if reduction and not loss.shape[0]:
        return np.sum(loss)
    return loss.reshape(shape) if not reduction else reduced(loss, (0,), reduction == 1)


def _multi_margin(x: Any, target: Any, w: Any, *, p: int, margin: float, reduction: int) -> Any:
    rows, places = _rows(x), target.reshape((-1, 1))
    wrong = places != np.arange(rows.shape[1])
    lack = margin - fnp.take_along_axis(rows, places, 1) + rows
    lack = np.where(wrong & (lack > 0), lack, 0)
    if p == 2:
        lack = lack * lack
    if type(w) is not float:
        lack = lack * w.reshape((-1, 1))
    return _loss_of_rows(lack, x, target.shape, reduction)


def _multilabel_margin(x: Any, target: Any, *, reduction: int) -> Any:
    rows, labels = _rows(x), _rows(target)
    true = np.cumprod(labels >= 0, axis=1) > 0  # the labels end at the first that is negative
    classes = np.arange(rows.shape[1])
    among = np.any((labels[:, :, None] == classes) & true[:, :, None], axis=1)
    lack = 1 - fnp.take_along_axis(rows, np.where(true, labels, 0), 1)[:, :, None] + rows[:, None, :]
    counts = true[:, :, None] & ~among[:, None, :]
    return _loss_of_rows(np.where(counts & (lack > 0), lack, 0), x, x.shape[:-1], reduction)


MULTI_MARGIN = Operation(
    _multi_margin,
    "MultiMarginLossBackward0",
    operands=("self", "target", "weight"),
    edges=1,
    backward_only="multi_margin_loss",
)
MULTILABEL_MARGIN = Operation(
    _multilabel_margin,
    "MultilabelMarginLossBackward0",
    operands=("self", "target"),
    edges=1,
    backward_only="multilabel_margin_loss_forward",
)


record_gradients(MULTI_MARGIN, undifferentiable(gradient_of(_multi_margin), "multi_margin_loss_backward"))
record_gradients(
    MULTILABEL_MARGIN, undifferentiable(gradient_of(_multilabel_margin), "multilabel_margin_loss_backward")
)


def _check(x: Any, target: Any, kernel: str) -> tuple[int, int]:
    """How many rows of how many classes there are."""
    shape = x._value.shape
    if len(shape) > 2 or (shape and not shape[-1]):
        raise RuntimeError(texts.NO_MATRIX.format(shape=list(shape)))
    if x._value.dtype.kind not in "fV" or x._value.dtype.itemsize == 2:
        raise not_implemented(kernel, of_numpy(x._value.dtype))
    return (shape[0] if len(shape) == 2 else 1), (shape[-1] if shape else 1)


def _check_int64(target: Any) -> None:
    if target._value.dtype != np.int64:
        found = of_numpy(target._value.dtype).title
        raise RuntimeError(products_texts.SCALAR_TYPES.format(expected="Long", found=found))


@op(
    "_nn.multi_margin_loss",
    "(Tensor input, Tensor target, Number p = 1, Number margin = 1, Tensor? weight = None, int reduction = 1, *, "
    "Tensor out = None)",
    records=MULTI_MARGIN,
)
def multi_margin_loss(
    input: Any, target: Any, p: float = 1, margin: float = 1, weight: Any = None, reduction: int = 1
) -> Tensor:
    """What the score of the true class lacks to be above all others by a margin, to the power p.

    Arguments:
        input: (n, classes) or (classes,).
        target: (n,) or (): the true class.
        p: 1 or 2.
        margin: by how much the true class shall be above the others.
        weight: of each class.
        reduction: 0, 1 or 2: none, the mean or the sum.
    """
    check_constants("multi_margin_loss", weight=weight)
    n, classes = _check(input, target, "multi_margin_loss_cpu_kernel")
    t = target._value
    if t.ndim > 1 or t.size != n:
        shapes = {"expected": n, "found": list(t.shape), "shape": list(input._value.shape)}
        raise RuntimeError(texts.MULTI_MARGIN_TARGET.format(**shapes))
    if weight is not None and weight._value.size != classes:
        found = list(weight._value.shape)
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {found}")
    _check_int64(target)
    if type(t) is ndarray and ((t < 0) | (t >= classes)).any():
        raise RuntimeError("target out of range")
    factors = 1.0 if weight is None else wrapped(fnp.take(weight._value, t))
    return MULTI_MARGIN(input, target, factors, p=int(p), margin=margin, reduction=reduction)


@op(
    "_nn.multilabel_margin_loss",
    "(Tensor input, Tensor target, int reduction = 1, *, Tensor out = None)",
    records=MULTILABEL_MARGIN,
)
def multilabel_margin_loss(input: Any, target: Any, reduction: int = 1) -> Tensor:
    """What the scores of the true classes lack to be above all others by one.

    Arguments:
        input: (n, classes) or (classes,).
        target: of the same shape: the true classes, and behind them -1.
        reduction: 0, 1 or 2: none, the mean or the sum.
    """
    _, classes = _check(input, target, "multilabel_margin_loss_forward_out_frame")
    t, shape = target._value, input._value.shape
    if t.shape != shape:
        raise RuntimeError(f"inconsistent target size: {list(t.shape)} for input of size: {list(shape)}")
    _check_int64(target)
    if type(t) is ndarray and ((t < -1) | (t >= classes)).any():
        raise RuntimeError("argument #2 'target' is out of range")
    return MULTILABEL_MARGIN(input, target, reduction=reduction)
