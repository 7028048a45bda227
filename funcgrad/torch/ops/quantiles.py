"""Order statistics: median, mode, the k-th smallest element, quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.torch.base import dtypes, return_types, selection
from funcgrad.torch.base.dtypes import sortable
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.creation import full_like
from funcgrad.torch.ops.extrema import nan_of
from funcgrad.torch.ops.reducing import UNSET, Picking, applied, is_traced, picked, recorded, simple, title
from funcgrad.torch.ops.shapes import broadcast_tensors
from funcgrad.torch.ops.sorting import sort
from funcgrad.torch.tensor.levels import by_examples
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import statistics as texts
from funcgrad.transforms.stop_gradient import stop_gradient

# The median of all elements: the smaller of the two in the middle, and elements that equal it share the gradient.


def _median_of(x: Any, *, ignore_nan: bool) -> Any:
    """The median where values are not known."""
    x = fnp.reshape(x, (-1,))
    row = fnp.sort(stop_gradient(sortable(x)))
    found = row[_middle(row, 0, ignore_nan)[0]]
    found = found if found.dtype == x.dtype else found.astype(x.dtype)
    if x.dtype.kind not in "fV":
        return found
    equal = (x == found) | ((x != x) & (found != found))
    return found + fnp.sum(fnp.where(equal, x - found, 0)) / fnp.sum(equal, dtype=x.dtype)


# Among equal elements the derivative of the median is that of an extremum, which asks for nothing but the result.
MEDIAN_ALL = Operation(core.reduce_max, "MedianBackward0", operands=("self",))
NANMEDIAN_ALL = Operation(core.reduce_max, "NanmedianBackward0", operands=("self",))
NAN_MEDIAN = Operation(nan_of, "MedianBackward0", operands=("self",), saves_out=True)
TRACED_MEDIAN = Operation(_median_of, "MedianBackward0", operands=("self",))
MEDIAN, NANMEDIAN, MODE, KTHVALUE = map(
    Picking, ("MedianBackward1", "NanmedianBackward1", "ModeBackward0", "KthvalueBackward0")
)


def _refuse(x: Any, kernel: str, kinds: str = "bc") -> None:
    if x._value.dtype.kind in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{title(x)}'")


def _dimension(name: str, x: Any, dim: Any) -> int:
    along = wrap_dim(dim, x._value.ndim)
    if x._value.ndim and not x._value.shape[along]:
        raise IndexError(f"{name}(): Expected reduction dim {along} to have non-zero size.")
    return along


def _by_row(value: Any, axis: int, find: Any) -> Any:
    """The index that `find` gives for each row along an axis, which stays with length one."""

    def found(values: np.ndarray, batches: int) -> np.ndarray:
        rows = np.moveaxis(values, axis + batches, -1)
        out = np.empty((*rows.shape[:-1], 1), np.int64)
        for i in np.ndindex(rows.shape[:-1]):
            out[i] = find(rows[i])
        return np.moveaxis(out, -1, axis + batches)

    return by_examples(value, found)


def _middle(ordered: Any, axis: int, ignore_nan: bool) -> Any:
    """Where the median of sorted elements is, along an axis that stays with length one; a nan takes precedence."""
    n = ordered.shape[axis]
    nans = np.sum(ordered != ordered, axis, keepdims=True)
    if ignore_nan:
        return np.maximum(n - nans - 1, 0) // 2
    return np.where(nans > 0, n - nans, (n - 1) // 2)


def _median_indices(value: Any, axis: int, ignore_nan: bool) -> Any:
    """Where the medians along an axis are, in the stable order."""
    order = np.argsort(sortable(value), axis, kind="stable")
    row = np.take_along_axis(value, order, axis)
    return np.take_along_axis(order, _middle(row, axis, ignore_nan), axis)


def _median_of_all(name: str, op: Operation, input: Any) -> Tensor:
    if is_traced(input) or not simple(input):
        return applied(TRACED_MEDIAN, (input,), {"ignore_nan": name == "nanmedian"}, {})
    value = input._value
    if value.size:
        row = np.sort(sortable(value), None)
        out = np.asarray(row[_middle(row, 0, name == "nanmedian")[0]]).astype(value.dtype, copy=False)
    else:
        kind = value.dtype
        if kind.kind in "iu":  # what nan becomes in 32 or 64 bits, of which short integers keep the lowest
            nothing: Any = np.iinfo(kind).min if kind.itemsize > 2 else 0
        else:
            nothing = True if kind.kind == "b" else np.nan
        out = np.asarray(nothing, kind)
    params = {"axis": tuple(range(value.ndim)), "keepdims": False}
    if value.size and out != out:
        return applied(NAN_MEDIAN, (input,), params, {})
    return recorded(op, input, value, out, params, {})


def _median(name: str, whole_op: Operation, op: Picking, fancy: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    value, ignore_nan = input._value, name == "nanmedian"
    if dim is UNSET:
        if value.size:
            _refuse(input, "median_cpu")
        return _median_of_all(name, whole_op, input)
    along = _dimension("median", input, dim)
    _refuse(input, "median_out")
    if not value.ndim:
        indices: Any = np.zeros((), np.int64)
    else:
        indices = by_examples(raw(input), lambda v, batches: _median_indices(v, along + batches, ignore_nan))
    return fancy(*picked(op, input, indices, along, keepdim, dim))


_ALL_OR_DIM = ("(Tensor input)", "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)")


@op("median", *_ALL_OR_DIM, writes=(0, 1), records=(TRACED_MEDIAN, NAN_MEDIAN, MEDIAN_ALL))
def median(input: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The median: of an even number of elements the smaller of the two in the middle, nan if there is one.

    Arguments:
        input: the tensor.
        dim: the dimension; without it the median of all elements.
        keepdim: whether the dimension stays, with size one.

    Returns:
        A 0-d tensor; with dim the named tuple (values, indices).
    """
    return _median("median", MEDIAN_ALL, MEDIAN, return_types.median, input, dim, keepdim)


@op("nanmedian", *_ALL_OR_DIM, writes=(0, 1), records=(TRACED_MEDIAN, NAN_MEDIAN, NANMEDIAN_ALL))
def nanmedian(input: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The median of the elements that are numbers; arguments and result as for `median`."""
    return _median("nanmedian", NANMEDIAN_ALL, NANMEDIAN, return_types.nanmedian, input, dim, keepdim)


@op("mode", "(Tensor input, int dim = -1, bool keepdim = False, *, tuple of Tensors out = None)", writes=2)
def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along a dimension, of several the smallest: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        dim: the dimension.
        keepdim: whether it stays, with size one.
    """
    along = _dimension("mode", input, dim)
    value = raw(input)
    if value.ndim:
        _refuse(input, "mode_cpu", "c")
    indices = _by_row(value, along, selection.mode) if value.ndim else np.zeros((), np.int64)
    return return_types.mode(*picked(MODE, input, indices, along, keepdim, dim))


def _kth_index(row: np.ndarray, k: int) -> int:
    row = sortable(row)
    value = np.partition(row, k)[k]
    places = np.flatnonzero(row == value) if value == value else np.flatnonzero(row != row)
    return int(places[0]) if places.size == 1 else selection.kth(row, k)


@op("kthvalue", "(Tensor input, int k, int dim = -1, bool keepdim = False, *, tuple of Tensors out = None)", writes=1)
def kthvalue(input: Any, k: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along a dimension: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        k: counted from one.
        dim: the dimension.
        keepdim: whether it stays, with size one.
    """
    along = wrap_dim(dim, input._value.ndim)
    _dimension("kthvalue", input, dim)
    value = input._value
    if not 1 <= k <= (value.shape[along] if value.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {along}")
    if value.ndim:
        _refuse(input, "kthvalue_cpu")
    if not value.ndim:
        indices: Any = np.zeros((), np.int64)
    else:
        indices = _by_row(raw(input), along, lambda row: _kth_index(row, k - 1))
    return return_types.kthvalue(*picked(KTHVALUE, input, indices, along, keepdim, dim))


# Quantiles: of several operations, as their nodes show.

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, input: Any, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Tensor:
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(texts.QUANTILE_INTERPOLATION.format(interpolation=interpolation))
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = wrapped(np.asarray(q, input._value.dtype))
    along = _check_quantile(input, q, dim)
    shape = list(input._value.shape)
    if dim is None or not shape:
        out_shape = [1] * len(shape) if keepdim else []
    else:
        out_shape = [*shape[:along], *([1] if keepdim else []), *shape[along + 1 :]]
    if dim is None:
        rows = input.flatten()
    elif along == len(shape) - 1 or not shape:
        rows = input
    else:
        rows = input.unsqueeze(-1).transpose(along, -1)
    ordered = sort(rows)[0]
    n = ordered._value.shape[-1] if ordered._value.ndim else 1
    ordered = ordered.view([*out_shape, n])
    ranks = _ranks(ordered, q, n, ignore_nan=name == "nanquantile")
    result = _interpolated(ordered, ranks, interpolation)
    if q._value.ndim:
        result = result.unsqueeze_(0).transpose_(0, -1)
    return result.squeeze_(-1)


def _check_quantile(input: Tensor, q: Tensor, dim: int | None) -> int:
    """Raise torch's error if the arguments are wrong; gives the dimension counted from the front."""
    if not input._value.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._value.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._value.dtype.name not in ("float32", "float64"):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q._value.dtype != input._value.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if not is_traced(q) and not ((raw(q) >= 0) & (raw(q) <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    return wrap_dim(0 if dim is None else dim, input._value.ndim)


def _ranks(ordered: Tensor, q: Tensor, n: int, *, ignore_nan: bool) -> Tensor:
    """Where in the sorted rows the quantiles are: whole numbers and what lies between."""
    if ignore_nan:
        ranks = q * (ordered.isnan().logical_not().sum(-1, True) - 1)
        return ranks.masked_fill(ranks < 0, 0)
    ranks, nans = broadcast_tensors(q * (n - 1), ordered.isnan().any(-1, True))
    return ranks.masked_fill(nans, n - 1)


def _interpolated(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    if interpolation in ("lower", "higher", "nearest"):
        ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}[interpolation]()
    below = ranks.to(dtypes.int64)
    result = ordered.gather(-1, below)
    if interpolation in ("linear", "midpoint"):
        weights = ranks - below if interpolation == "linear" else full_like(ranks, 0.5)
        result = result.lerp_(ordered.gather(-1, ranks.ceil().to(dtypes.int64)), weights)
    return result


_QUANTILE = tuple(
    f"(Tensor input, {kind} q, int dim = None, bool keepdim = False, *, "
    'str interpolation = "linear", Tensor out = None)'
    for kind in ("Tensor", "float")
)


@op("quantile", *_QUANTILE)
def quantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The quantiles of all elements or along a dimension; nan where an element is nan.

    Arguments:
        input: the tensor, float32 or float64.
        q: in [0, 1], a number or a tensor, whose dimension then comes first.
        dim: the dimension; None for all elements.
        keepdim: whether it stays, with size one.
        interpolation: between neighbours: "linear", "lower", "higher", "midpoint" or "nearest".
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@op("nanquantile", *_QUANTILE)
def nanquantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The quantiles of the elements that are numbers; arguments as for `quantile`."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)
