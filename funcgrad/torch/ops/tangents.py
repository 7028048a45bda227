"""PyTorch's formulas of forward derivatives, where what they record differs from what the rules of the core record.

What can be seen of a tangent is which operations made it. An operand without a tangent counts as one with a tangent of
zeros, of which PyTorch knows that they are zeros: products with them are recorded and zero, sums are the other term.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.torch.ops.arithmetic import DIV, MUL
from funcgrad.torch.ops.comparison import WHERE, where
from funcgrad.torch.ops.cumulative import CUMMAX, CUMMIN, CUMPROD
from funcgrad.torch.ops.extrema import MAX_DIM, MIN_DIM
from funcgrad.torch.ops.pairwise import CLAMP_TENSORS, MAXIMUM, MINIMUM
from funcgrad.torch.ops.quantiles import KTHVALUE, MEDIAN, MODE, NANMEDIAN
from funcgrad.torch.ops.recorded_gradients import deviation, variance, with_axes
from funcgrad.torch.ops.reductions import MEAN, SUM
from funcgrad.torch.ops.softmax import LOG_SOFTMAX, SOFTMAX
from funcgrad.torch.ops.sorting import SORT, STABLE_SORT, TOPK
from funcgrad.torch.ops.statistics import STD, STD_MEAN, VAR, VAR_MEAN
from funcgrad.torch.ops.vector_norms import VECTOR_NORM
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor

# Tangents that are known to be zero.


def _zeros(x: Any) -> Any:
    return np.zeros(x.shape, x.dtype)


def _first(x: Any, z: Any) -> Any:
    shape = np.broadcast_shapes(x.shape, z.shape)
    return fnp.array(x) if x.shape == shape else fnp.broadcast_to(x, shape)


def _second(z: Any, x: Any) -> Any:
    return _first(x, z)


ZERO_PRODUCT = Operation(_zeros, "MulBackward0", operands=("other",), zero=True)
SUM_WITH_ZERO, SUM_OF_ZERO = Operation(_first, "AddBackward0"), Operation(_second, "AddBackward0")
DIFFERENCE_WITH_ZERO = Operation(_first, "SubBackward0")


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


# Formulas: of the result, the operands and their tangents.


def _mul(out: Tensor, x: Any, y: Any, tx: Any, ty: Any) -> Tensor:
    if tx is None:
        return SUM_WITH_ZERO(ty * x, ZERO_PRODUCT(y)) if _is_tensor(y) else ty * x
    if ty is None:
        return SUM_OF_ZERO(ZERO_PRODUCT(x), tx * y)
    return ty * x + tx * y


def _div(out: Tensor, x: Any, y: Any, tx: Any, ty: Any) -> Tensor:
    if ty is None:
        return DIFFERENCE_WITH_ZERO(tx, ZERO_PRODUCT(out)) / y
    product = ty * out
    return (-product if tx is None else tx - product) / y


def _where(out: Tensor, x: Any, y: Any, condition: Any, tx: Any, ty: Any, _: Any) -> Tensor:
    return where(condition, _or_zeros(tx, ty), _or_zeros(ty, tx))


def _or_zeros(tangent: Any, like: Tensor) -> Any:
    return like.new_zeros(()) if tangent is None else tangent


def _within(out: Tensor, x: Any, low: Any, high: Any, tx: Any, tl: Any, th: Any) -> Any:
    if low is None or high is None:
        return _bounded("gt")(out, x, low, tx, tl) if high is None else _bounded("lt")(out, x, high, tx, th)
    x, low, high = (v if _is_tensor(v) else out.new_tensor(v) for v in (x, low, high))
    tx, tl, th = (out.new_zeros(()) if t is None else t for t in (tx, tl, th))
    return where(low > high, th, where(x < low, tl, where(x > high, th, tx)))


def _bounded(compare: str) -> Any:
    def formula(out: Tensor, x: Any, bound: Any, tx: Any, tb: Any) -> Tensor:
        x, bound = (v if _is_tensor(v) else out.new_tensor(v) for v in (x, bound))
        return where(getattr(x, compare)(bound), *(out.new_zeros(()) if t is None else t for t in (tx, tb)))

    return formula


def _extreme(compare: str) -> Any:
    def formula(out: Tensor, x: Any, y: Any, tx: Any, ty: Any) -> Tensor:
        x, y = (v if _is_tensor(v) else out.new_tensor(v) for v in (x, y))
        first = getattr(x, compare)(y).to(out.dtype)
        share = where(x == y, out.new_tensor(0.5), first)
        if ty is None:
            return share * tx
        if tx is None:
            return ty - share * ty
        return ty + share * (tx - ty)

    return formula


def _gathered(out: Tensor, x: Tensor, indices: Tensor, tx: Tensor, _: Any, *, axis: int, unique: bool = True) -> Tensor:
    return tx.gather(axis, indices)


def _gathered_and_gone(out: Tensor, x: Tensor, indices: Tensor, tx: Tensor, _: Any, *, axis: int) -> Tensor:
    return tx.gather(axis, indices.unsqueeze(axis)).squeeze(axis)


def _cumprod(out: Tensor, x: Tensor, tx: Tensor, *, axis: int, reverse: bool = False) -> Any:
    if reverse:
        return NotImplemented
    gradient = (tx / x).cumsum(axis) * out
    zeros = x == 0
    first = zeros.logical_and(zeros.cumsum(axis) == 1)
    new = where(first, tx, x).cumprod(axis)
    return where(first.cumsum(axis).bool(), new, gradient)


def _summed(x: Tensor, tx: Tensor, dims: Any, keepdim: bool) -> Tensor:
    """The forward derivative of logsumexp."""
    weights = (x - x.amax(dims, True)).exp() if x.numel() else x.exp()
    total = weights.sum(dims, keepdim)
    return (weights * tx).sum(dims, keepdim) / total


def _softmax(out: Tensor, x: Tensor, tx: Tensor, *, axis: int) -> Tensor:
    return out * (tx - _summed(x, tx, axis, True))


def _log_softmax(out: Tensor, x: Tensor, tx: Tensor, *, axis: int) -> Tensor:
    return tx - _summed(x, tx, axis, True)


def _vector_norm(
    out: Tensor, x: Tensor, tx: Tensor, *, ord: float, axis: tuple, keepdims: bool, dtype: Any, computed: Any
) -> Any:
    if x._value.dtype != computed or computed.type(0).real.dtype != dtype:
        return NotImplemented

    def along(direction: Any) -> Any:
        product = direction * (tx.conj() if x._value.dtype.kind == "c" else tx)
        return product.real if x._value.dtype.kind == "c" else product

    if ord == 0:
        return out.new_zeros(out.shape)
    if ord == 1:
        return along(x.sgn()).sum(axis, keepdims)
    if ord == 2:
        return along(x).sum(axis, keepdims).div_(out).masked_fill_(out == 0, 0)
    if math.isinf(ord):
        kept = out if keepdims else with_axes(out, axis, x.ndim)
        largest = (x.abs() == kept).logical_or(x.isnan().logical_and(kept.isnan())).to(out.dtype)
        return (along(x.sgn()) * largest / largest.sum(axis, True)).sum(axis, keepdims)
    if ord < 1:
        scaled = x.abs().pow(ord - 1).masked_fill(x == 0, 0) * along(x.sgn())
        return scaled.sum(axis, keepdims) * out.pow(1 - ord)
    scaled = x.abs().pow(ord - 1) * along(x.sgn()) if ord < 2 else x.abs().pow(ord - 2) * along(x)
    return (scaled.sum(axis, keepdims) / out.pow(ord - 1)).masked_fill_(out == 0, 0)


def _sum(out: Tensor, x: Tensor, tx: Tensor, *, axis: tuple, keepdims: bool = False, **params: Any) -> Any:
    return NotImplemented if params else tx.sum(axis, keepdims)


def _mean(out: Tensor, x: Tensor, tx: Tensor, *, axis: tuple, keepdims: bool = False, **params: Any) -> Any:
    return NotImplemented if params else tx.mean(axis, keepdims)


def _var(out: Tensor, x: Tensor, tx: Tensor, *, axis: tuple, ddof: float, keepdims: bool, whole: bool) -> Any:
    if not _of_floats(x):
        return NotImplemented
    return variance(tx, x, axis, ddof, whole).sum(axis, keepdims)


def _std(out: Tensor, x: Tensor, tx: Tensor, *, axis: tuple, ddof: float, keepdims: bool, whole: bool) -> Any:
    if not _of_floats(x):
        return NotImplemented
    kept = out if keepdims or whole else with_axes(out, axis, x.ndim)
    return deviation(tx, x, kept, axis, ddof, whole).sum(axis, keepdims)


def _of_floats(x: Tensor) -> bool:
    return x._value.dtype.kind == "f" and x._value.dtype.itemsize > 2


def _with_mean(formula: Any) -> Any:
    def both(out: tuple, x: Tensor, tx: Tensor, **params: Any) -> Any:
        spread = formula(out[0], x, tx, **params)
        return spread if spread is NotImplemented else (spread, tx.mean(params["axis"], params["keepdims"]))

    return both


SUM.forward, MEAN.forward = _sum, _mean
VECTOR_NORM.forward, VAR.forward, STD.forward = _vector_norm, _var, _std
VAR_MEAN.forward, STD_MEAN.forward = _with_mean(_var), _with_mean(_std)
MUL.forward, DIV.forward, WHERE.forward = _mul, _div, _where
CLAMP_TENSORS.forward = _within
MAXIMUM.forward, MINIMUM.forward = _extreme("gt"), _extreme("lt")
CUMPROD.forward, SOFTMAX.forward, LOG_SOFTMAX.forward = _cumprod, _softmax, _log_softmax
for _pick in (CUMMAX, CUMMIN, MAX_DIM, MIN_DIM, KTHVALUE, MEDIAN, MODE, NANMEDIAN, SORT, STABLE_SORT, TOPK):
    _pick.set_forward(_gathered, _gathered_and_gone)
