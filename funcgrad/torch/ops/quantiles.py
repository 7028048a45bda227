"""Order statistics: median, mode, the k-th smallest element, quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch import return_types, selection
from funcgrad.torch.operation import Operation, raw, wrapped
from funcgrad.torch.ops.reducing import UNSET, applied, is_traced, picked, picking, title
from funcgrad.torch.ops.sorting import sort
from funcgrad.torch.signatures import declared, flag, whole
from funcgrad.torch.tensor import Tensor, wrap_dim

# The median of all elements: the smaller of the two in the middle, and elements that equal it share the gradient.


def _median_of(x: Any, *, ignore_nan: bool) -> Any:
    flat = fnp.reshape(x, (-1,))
    ordered = np.sort(stop(flat))
    nans = np.sum(ordered != ordered)
    n = ordered.shape[0]
    middle = (n - nans - 1) // 2 if ignore_nan else fnp.where(nans > 0, n - 1, (n - 1) // 2)
    out = stop(fnp.take(ordered, fnp.where(nans == n, 0, middle)))
    attained = fnp.where(out != out, flat != flat, flat == out).astype(x.dtype)
    share = stop(attained / core.reduce_sum(attained, axis=(0,)))
    # nan times 0 would be nan, so what counts nothing is left out before
    total = core.reduce_sum(fnp.where(share > 0, flat - stop(flat), 0) * share, axis=(0,))
    return out + fnp.where(out != out, 0, total) + 0 * core.reduce_sum(fnp.where(attained > 0, 0, 0 * stop(share)), axis=(0,))  # fmt: skip  # noqa: E501


MEDIAN_ALL = Operation(_median_of, "MedianBackward0", operands=("self",), saves_out=True)
NANMEDIAN_ALL = Operation(_median_of, "NanmedianBackward0", operands=("self",), saves_out=True)
MEDIAN, NANMEDIAN, MODE, KTHVALUE = map(
    picking, ("MedianBackward1", "NanmedianBackward1", "ModeBackward0", "KthvalueBackward0")
)


def _refuse(x: Any, kernel: str, kinds: str = "bc") -> None:
    if x._value.dtype.kind in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{title(x)}'")


def _dimension(name: str, x: Any, dim: Any) -> int:
    along = wrap_dim(whole(dim), x._value.ndim)
    if x._value.ndim and not x._value.shape[along]:
        raise IndexError(f"{name}(): Expected reduction dim {along} to have non-zero size.")
    return along


def _by_row(value: np.ndarray, axis: int, find: Any) -> np.ndarray:
    """The index that `find` gives for each row along an axis, which stays with length one."""
    rows = np.moveaxis(value, axis, -1)
    out = np.empty((*rows.shape[:-1], 1), np.int64)
    for i in np.ndindex(rows.shape[:-1]):
        out[i] = find(rows[i])
    return np.moveaxis(out, -1, axis)


def _median_indices(value: np.ndarray, axis: int, ignore_nan: bool) -> np.ndarray:
    """Where the medians along an axis are, which stays with length one: in the stable order; the first nan, if any."""
    order = np.argsort(value, axis, "stable")
    nans = np.sum(value != value, axis, keepdims=True)
    n = value.shape[axis]
    if ignore_nan:
        place = np.maximum(n - nans - 1, 0) // 2
    else:
        place = np.where(nans > 0, n - nans, (n - 1) // 2)
    return np.take_along_axis(order, place, axis)


def _median(name: str, whole_op: Operation, op: Operation, fancy: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    value, ignore_nan = input._value, name == "nanmedian"
    if dim is UNSET:
        _refuse(input, "median_cpu")
        if not value.size:
            if value.dtype.kind in "iu":
                return wrapped(np.asarray(np.iinfo(value.dtype).min, value.dtype))
            return wrapped(np.asarray(np.nan, value.dtype))
        return applied(whole_op, (input,), {"ignore_nan": ignore_nan}, {})
    along = _dimension("median", input, dim)
    _refuse(input, "median_out")
    if not value.ndim:
        indices: Any = np.zeros((), np.int64)
    elif is_traced(input):
        indices = _traced_rank(raw(input), along, (value.shape[along] - 1) // 2)
    else:
        indices = _median_indices(raw(input), along, ignore_nan)
    return fancy(*picked(op, input, indices, along, flag(keepdim), dim))


def _traced_rank(value: Any, along: int, k: int) -> Any:
    """The index of the k-th smallest element where values are not known."""
    return fnp.take(fnp.argsort(value, along, stable=True), np.array([k]), along)


_ALL_OR_DIM = ("(Tensor input)", "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)")


@declared(*_ALL_OR_DIM)
def median(input: Any = UNSET, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The median: of an even number of elements the smaller of the two in the middle, nan if there is one.

    Arguments:
        input: the tensor.
        dim: the dimension; without it the median of all elements.
        keepdim: whether the dimension stays, with size one.

    Returns:
        A 0-d tensor; with dim the named tuple (values, indices).
    """
    return _median("median", MEDIAN_ALL, MEDIAN, return_types.median, input, dim, keepdim)


@declared(*_ALL_OR_DIM)
def nanmedian(input: Any = UNSET, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The median of the elements that are numbers; arguments and result as for `median`."""
    return _median("nanmedian", NANMEDIAN_ALL, NANMEDIAN, return_types.nanmedian, input, dim, keepdim)


def _mode_index(row: np.ndarray) -> int:
    """Of the elements that are equal to the mode torch takes the last after a sort that is stable up to 16 elements."""
    if row.size > selection.THRESHOLD or (row != row).any():
        return _mode_by_sort(row)
    order = np.argsort(row, kind="stable")
    ordered = row[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return int(order[ends[np.argmax(np.diff(ends, prepend=-1))]])


def _mode_by_sort(row: np.ndarray) -> int:
    return selection.last_of_run(row)


@declared("(Tensor input, int dim = -1, bool keepdim = False, *, tuple of Tensors out = None)")
def mode(input: Any = UNSET, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along a dimension, of several the smallest: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        dim: the dimension.
        keepdim: whether it stays, with size one.
    """
    along = _dimension("mode", input, dim)
    _refuse(input, "mode_cpu", "c")
    value = raw(input)
    indices = _by_row(value, along, _mode_index) if value.ndim else np.zeros((), np.int64)
    return return_types.mode(*picked(MODE, input, indices, along, flag(keepdim), dim))


def _kth_index(row: np.ndarray, k: int) -> int:
    value = np.partition(row, k)[k]
    places = np.flatnonzero(row == value) if value == value else np.flatnonzero(row != row)
    return int(places[0]) if places.size == 1 else selection.kth(row, k)


@declared("(Tensor input, int k, int dim = -1, bool keepdim = False, *, tuple of Tensors out = None)")
def kthvalue(input: Any = UNSET, k: Any = UNSET, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along a dimension: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        k: counted from one.
        dim: the dimension.
        keepdim: whether it stays, with size one.
    """
    k, along = whole(k), wrap_dim(whole(dim), input._value.ndim)
    _dimension("kthvalue", input, dim)
    value = input._value
    if not 1 <= k <= (value.shape[along] if value.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {along}")
    _refuse(input, "kthvalue_cpu")
    if not value.ndim:
        indices: Any = np.zeros((), np.int64)
    elif is_traced(input):
        indices = _traced_rank(raw(input), along, k - 1)
    else:
        indices = _by_row(raw(input), along, lambda row: _kth_index(row, k - 1))
    return return_types.kthvalue(*picked(KTHVALUE, input, indices, along, flag(keepdim), dim))


# Quantiles: of several operations, as their nodes show.

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, input: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Tensor:
    if not isinstance(q, (Tensor, float, int)) or isinstance(q, bool) or not isinstance(interpolation, str):
        raise TypeError("float or Tensor expected")
    flag(keepdim)
    if dim is not None:
        whole(dim)
    ignore_nan = name == "nanquantile"
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{'quantile' if not ignore_nan else 'quantile'}() q must be in the range [0, 1] but got {q:g}")
        q = wrapped(np.asarray(q, input._value.dtype))
        checked = True
    else:
        checked = False
    if not input._value.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._value.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._value.dtype.name not in ("float32", "float64"):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q._value.dtype != input._value.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}")  # fmt: skip  # noqa: E501
    probabilities = raw(q)
    if not checked and not (is_traced(q) or bool(((probabilities >= 0) & (probabilities <= 1)).all())):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    along = wrap_dim(0 if dim is None else dim, input._value.ndim)
    shape = list(input._value.shape)
    if dim is None:
        out_shape = [1] * len(shape) if keepdim else []
        ordered = input.flatten()
    else:
        out_shape = [1 if i == along else n for i, n in enumerate(shape)] if keepdim else [n for i, n in enumerate(shape) if i != along]  # fmt: skip  # noqa: E501
        ordered = input.unsqueeze(-1).transpose(along, -1).squeeze(along) if len(shape) > 1 or keepdim else input
        if along == len(shape) - 1:
            ordered = input
        elif keepdim:
            ordered = input.unsqueeze(-1).transpose(along, -1)
    ordered = sort(ordered)[0] if ordered._value.ndim else ordered.unsqueeze(0)
    if q._value.ndim:
        out_shape = [probabilities.shape[0], *out_shape]
    in_front = q
    result = _interpolated(ordered, q, ignore_nan, interpolation, q._value.ndim)
    if q._value.ndim and result._value.ndim:
        result = result.unsqueeze(0).transpose(0, -1)
    else:
        result = result if in_front is q else result
    return _shaped(result, out_shape)


def _interpolated(ordered: Tensor, q: Tensor, ignore_nan: bool, interpolation: str, q_ndim: int) -> Tensor:
    """The quantiles of sorted rows, along a last dimension that counts them."""
    rows = raw(ordered)
    n = rows.shape[-1]
    with_nan = rows[..., -1:] != rows[..., -1:]
    if ignore_nan:
        last = np.sum(rows == rows, -1, keepdims=True) - 1
        position = raw(q).reshape(-1) * last.astype(rows.dtype)
        position = fnp.where(position < 0, 0, position) if is_traced(ordered) else np.maximum(position, 0)
    else:
        position = raw(q).reshape(-1) * rows.dtype.type(n - 1)
        shape = (*rows.shape[:-1], position.shape[0])
        position = fnp.where(with_nan, n - 1, np.broadcast_to(position, shape)).astype(rows.dtype) if rows.dtype.kind == "f" else position  # fmt: skip  # noqa: E501
    position = wrapped(position._value if hasattr(position, "_value") and not is_traced(ordered) else position)
    if interpolation == "lower":
        position = position.floor()
    elif interpolation == "higher":
        position = position.ceil()
    elif interpolation == "nearest":
        position = position.round()
    below = position.to(_LONG())
    lower = ordered.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weight = position - below if interpolation == "linear" else position * 0 + 0.5
        above = position.ceil().to(_LONG())
        return lower.lerp(ordered.gather(-1, above), weight)
    return lower


def _LONG() -> Any:  # noqa: N802
    from funcgrad.torch import dtypes

    return dtypes.int64


def _shaped(result: Tensor, shape: list[int]) -> Tensor:
    return result.squeeze(-1) if list(result._value.shape[:-1]) == shape else result.reshape(shape)


_QUANTILE = (
    '(Tensor input, Tensor q, int dim = None, bool keepdim = False, *, str interpolation = "linear", Tensor out = None)',
    '(Tensor input, float q, int dim = None, bool keepdim = False, *, str interpolation = "linear", Tensor out = None)',
)


@declared(*_QUANTILE)
def quantile(
    input: Any = UNSET, q: Any = UNSET, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The quantiles of all elements or along a dimension; nan where an element is nan.

    Arguments:
        input: the tensor, float32 or float64.
        q: in [0, 1], a number or a tensor, whose dimension then comes first.
        dim: the dimension; None for all elements.
        keepdim: whether it stays, with size one.
        interpolation: between neighbours: "linear", "lower", "higher", "midpoint" or "nearest".
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@declared(*_QUANTILE)
def nanquantile(
    input: Any = UNSET, q: Any = UNSET, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The quantiles of the elements that are numbers; arguments as for `quantile`."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)
