"""Sorting, the largest elements, unique elements, and search in sorted tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.torch.base import return_types, selection
from funcgrad.torch.base.dtypes import int32, int64, of_numpy, promote_types, sortable
from funcgrad.torch.base.storage import allocate, preserved_strides
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.signatures import Signatures
from funcgrad.torch.declare.writing import counted, counted_view, write_out
from funcgrad.torch.ops.reducing import UNSET, Picking, contiguous, is_traced, shown_one
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.levels import check_not_batched
from funcgrad.torch.tensor.operation import Operation, Recording, record
from funcgrad.torch.tensor.plans import ZeroPlan
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import elementwise as elementwise_texts
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import sorting as texts

SORT, STABLE_SORT, TOPK = Picking("SortBackward0"), Picking("SortBackward1"), Picking("TopkBackward0")


def _order(value: Any, axis: int, descending: bool) -> Any:
    """The stable order of elements along an axis; nan is the largest."""
    value = sortable(value)
    if not isinstance(value, Array):
        if not descending:
            return np.argsort(value, axis, "stable")
        order = np.argsort(np.flip(value, axis), axis, "stable")
        return value.shape[axis] - 1 - np.flip(order, axis)
    if not descending:
        return fnp.argsort(value, axis, stable=True)
    return value.shape[axis] - 1 - fnp.flip(fnp.argsort(fnp.flip(value, axis), axis, stable=True), axis)


LONGEST = 4096
"""Up to this many elements equal ones are put where torch puts them; among more of them the order is the stable one."""


def _unstable_order(value: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The order that torch finds where it need not be stable, which it is not in rows of more than 16 elements."""
    found = _order(value, axis, descending)
    if value.shape[axis] <= selection.THRESHOLD or value.size > LONGEST:
        return found
    rows, places = np.moveaxis(value, axis, -1), np.moveaxis(found, axis, -1).copy()
    ordered = np.take_along_axis(rows, places, -1)
    same = _equal(ordered[..., 1:], ordered[..., :-1]).any(-1)
    for i in np.ndindex(same.shape):
        if same[i]:
            places[i] = selection.order(rows[i], descending)
    return np.moveaxis(places, -1, axis)


def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where elements are equal, or both nan."""
    return (a == b) | ((a != a) & (b != b))


def _laid_out(indices: Any, like: Any) -> Any:
    """Indices with the strides of the tensor that they order, if that is dense."""
    if isinstance(indices, Array) or not indices.ndim:
        return indices
    out = _room_as(like, np.dtype(np.int64))
    out[...] = indices
    return out


def _room_as(value: np.ndarray, kind: np.dtype) -> np.ndarray:
    """Memory whose dimensions follow each other as in an array."""
    strides = tuple([s // value.itemsize for s in value.strides])
    return allocate(value.shape, kind, preserved_strides(value.shape, strides))


def _sorted(pick: Picking, input: Any, dim: Any, descending: bool, stable: Any) -> Any:
    value = input._value
    along = wrap_dim(dim, value.ndim)
    if value.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if not value.ndim:
        order: Any = np.zeros((), np.int64)
    elif stable or is_traced(input):
        order = _order(raw(input), along, descending)
    else:
        order = _unstable_order(raw(input), along, descending)
    at = followed("argsort", wrapped(_laid_out(order, value)), input)
    values = pick(input, at, along, {"dim": shown_one(dim), "self_sym_sizes": value.shape})
    if not is_traced(values) and values._value.ndim:
        values._value = _like(values._value, value)
    return return_types.sort(values, at)


def _like(found: np.ndarray, value: np.ndarray) -> np.ndarray:
    """A result with the strides of the operand, if that is dense."""
    out = _room_as(value, value.dtype)
    if out.strides == found.strides:
        return found
    out[...] = found
    return out


@op(
    "sort",
    "(Tensor input, *, bool? stable, int dim = -1, bool descending = False, tuple of Tensors out = None)",
    "(Tensor input, int dim = -1, bool descending = False, *, tuple of Tensors out = None)",
    writes=1,
    records=(*SORT.operations, *STABLE_SORT.operations),
)
def sort(input: Any, dim: int = -1, descending: bool = False, *, stable: Any = UNSET) -> Any:
    """The elements in order along a dimension: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        dim: the dimension.
        descending: whether the largest comes first; nan counts as the largest.
        stable: whether equal elements keep their order.
    """
    if stable is UNSET:
        return _sorted(SORT, input, dim, descending, False)
    return _sorted(STABLE_SORT, input, dim, descending, bool(stable))


@op("msort", "(Tensor input, *, Tensor out = None)", writes=1)
def msort(input: Any) -> Tensor:
    """The elements in order along the first dimension."""
    return sort(input, 0)[0]


@op(
    "argsort",
    "(Tensor input, *, bool stable, int dim = -1, bool descending = False, Tensor out = None)",
    "(Tensor input, int dim = -1, bool descending = False)",
    writes=1,
)
def argsort(input: Any, dim: int = -1, descending: bool = False, *, stable: Any = False) -> Tensor:
    """The indices that put the elements in order along a dimension; arguments as for `sort`."""
    return _sorted(SORT, input.detach() if not is_traced(input) else input, dim, descending, stable)[1]


@op(
    "topk",
    "(Tensor input, int k, int dim = -1, bool largest = True, bool sorted = True, *, tuple of Tensors out = None)",
    records=TOPK.operations,
)
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The k largest elements along a dimension: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        k: how many.
        dim: the dimension.
        largest: False for the k smallest.
        sorted: whether they come in order.
    """
    value = input._value
    along = wrap_dim(dim, value.ndim)
    if not 0 <= k <= (value.shape[along] if value.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if value.dtype.kind in "bc":
        space = " " if value.dtype.kind == "c" else ""
        raise RuntimeError(texts.TOPK_DTYPE.format(space=space, kind="bool" if not space else "complex"))
    if not value.ndim:
        indices: Any = np.zeros((), np.int64)
    elif is_traced(input):
        indices = fnp.take(_order(raw(input), along, largest), np.arange(k), along)
    else:
        indices = _top(raw(input), k, along, largest, sorted)
    at = followed("indices", wrapped(indices), input)
    saved = {"dim": shown_one(dim), "self_sym_sizes": value.shape}
    return return_types.topk(TOPK(input, at, along, saved), at)


def _top(value: np.ndarray, k: int, axis: int, largest: bool, sort: bool) -> np.ndarray:
    rows = np.moveaxis(value, axis, -1)
    order = _order(rows, -1, largest)
    found = order[..., :k].copy()
    if k:
        ordered = np.take_along_axis(rows, order[..., : k + 1], -1)
        same = _equal(ordered[..., 1:], ordered[..., :-1])
        doubtful = same.any(-1) if sort else np.ones(same.shape[:-1], bool)
        for i in np.ndindex(doubtful.shape):
            if doubtful[i]:
                found[i] = selection.top(rows[i], k, largest, sort)
    return contiguous(np.moveaxis(found, -1, axis))


# Unique elements: torch records these, and has no derivative for them.


class NoDerivative(ZeroPlan):
    """The plan of an operation that is recorded, but whose derivative is not implemented."""

    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        raise NotImplementedError(elementwise_texts.UNKNOWN_DERIVATIVE.format(self.primitive.name))


def unimplemented(f: Any, name: str, function: str, plan: type = NoDerivative) -> Operation:
    """An operation of one operand that is recorded but has no derivative; `function` is its name in the error."""
    op = Operation(f, name, operands=("self",))
    op.primitive.name = function
    recording = Recording(op, plan(op.primitive, (True,)), (True,))
    recording._conjugated = op.recordings[(True,)] = recording
    return op


def _part(x: Any, *, values: Any) -> Any:
    return values()


UNIQUE = unimplemented(_part, "Unique2Backward0", "_unique2")
UNIQUE_DIM = unimplemented(_part, "UniqueDimBackward0", "unique_dim")
UNIQUE_CONSECUTIVE = unimplemented(_part, "UniqueConsecutiveBackward0", "unique_consecutive")


def _results(op: Operation, input: Any, values: np.ndarray, inverse: Any, counts: Any) -> Any:
    """The values alone, or with what else was asked for."""
    found = record(op, (input,), [raw(input)], {"values": lambda: values.copy("K")})
    rest = [wrapped(np.asarray(a).astype(np.int64, order="C")) for a in (inverse, counts) if a is not None]
    return (found, *rest) if rest else found


def _asked(return_inverse: Any, return_counts: Any) -> dict[str, Any]:
    """What else was asked for; torch branches on it before it compares types."""
    for flag in (return_inverse, return_counts):
        bool(flag)
    return {"return_inverse": return_inverse, "return_counts": return_counts}


_ASKED = "bool return_inverse = False, bool return_counts = False"
_UNIQUE = Signatures("_unique2", (f"(Tensor input, bool sorted = True, {_ASKED})",))
_UNIQUE_DIM = Signatures("unique_dim", (f"(Tensor input, int dim, bool sorted = True, {_ASKED})",))
_UNIQUE_CONSECUTIVE = Signatures("unique_consecutive", (f"(Tensor input, {_ASKED}, int dim = None)",))


@op("unique", records=(UNIQUE, UNIQUE_DIM))
def unique(
    input: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements, or the different slices along a dimension, in order.

    Arguments:
        input: the tensor.
        sorted: of no effect: they always come in order.
        return_inverse: whether to say, too, where each element of input is in the result.
        return_counts: whether to say, too, how often each occurs.
        dim: the dimension; None for elements.

    Returns:
        The tensor, or a tuple of it, the inverse and the counts.
    """
    asked = {"sorted": sorted, **_asked(return_inverse, return_counts)}
    if dim is None:
        _UNIQUE.bind((input,), asked)
    else:
        dim = _UNIQUE_DIM.bind((input, dim), asked)["dim"]
    check_not_batched("_unique2" if dim is None else "unique_dim", input)
    _check_unique(input, dim)
    value = raw(input)
    if dim is None:
        values, inverse, counts = np.unique(sortable(value), return_inverse=True, return_counts=True, equal_nan=False)
        values = values.astype(value.dtype, copy=False)
        op, inverse = UNIQUE, inverse.reshape(value.shape)
    else:
        along = _unique_dim(value, dim)
        op = UNIQUE_DIM
        values, inverse, counts = _unique_slices(value, along)
    found = _results(op, input, values, inverse if return_inverse else None, counts if return_counts else None)
    if dim is None or not input._inference:
        return counted(found, 1, input)
    if not isinstance(found, tuple):
        return counted_view(found, 0, input)
    last = (counted_view(found[-1], 1, input),) if return_counts else found[-1:]
    return (counted_view(found[0], 0, input), *found[1:-1], *last)


def _check_unique(x: Tensor, dim: int | None) -> None:
    """Raise torch's error of complex tensors, which have no order."""
    if x._value.dtype.kind == "c":
        raise not_implemented("unique" if dim is None else "unique_dim", x.dtype)


def _unique_dim(value: np.ndarray, dim: int) -> int:
    """The dimension along which slices are compared."""
    if not value.ndim:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim))
    along = wrap_dim(dim, value.ndim)
    if not value.size and value.shape[along]:
        raise RuntimeError(texts.UNIQUE_EMPTY)
    return along


def _unique_slices(value: np.ndarray, along: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if not value.shape[along]:
        return value.copy(), np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = np.moveaxis(value, along, 0).reshape(value.shape[along], -1)
    order = np.lexsort(sortable(rows).T[::-1])
    kept, group, counts = _runs(rows[order])
    inverse = np.empty(len(order), np.int64)
    inverse[order] = group
    return _along(value, order[kept], along), inverse, counts


def _along(value: np.ndarray, kept: np.ndarray, along: int) -> np.ndarray:
    """Slices of an array, laid out one after the other in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(value, along, 0)[kept]), 0, along)


def _runs(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of rows: which begin a run of equal ones, to which run each belongs, and how long the runs are."""
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim))) if rows.ndim > 1 else rows[1:] != rows[:-1]
    kept = np.flatnonzero(new)
    return kept, np.cumsum(new) - 1, np.diff(np.append(kept, len(rows)))


@op("unique_consecutive", records=(UNIQUE_CONSECUTIVE,))
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements without those that equal the one before, or the slices along a dimension.

    Arguments:
        input: the tensor.
        return_inverse: whether to say, too, where each element of input is in the result.
        return_counts: whether to say, too, how often each occurs in a row.
        dim: the dimension; None for the flattened tensor.

    Returns:
        The tensor, or a tuple of it, the inverse and the counts.
    """
    asked = {**_asked(return_inverse, return_counts), "dim": dim}
    dim = _UNIQUE_CONSECUTIVE.bind((input,), asked)["dim"]
    _check_unique(input, dim)
    value = raw(input)
    if dim is None:
        flat = value.reshape(-1)
        kept, inverse, counts = _runs(flat) if flat.size else (np.zeros(0, np.int64),) * 3
        values, inverse = flat[kept], inverse.reshape(value.shape)
    else:
        along = _unique_dim(value, dim)
        kept, inverse, counts = _runs(np.moveaxis(value, along, 0)) if value.size else (np.zeros(0, np.int64),) * 3
        values = _along(value, kept, along)
    return _results(
        UNIQUE_CONSECUTIVE, input, values, inverse if return_inverse else None, counts if return_counts else None
    )


# Search in sorted tensors.


def _found(edges: np.ndarray, value: np.ndarray, right: bool) -> np.ndarray:
    """By bisection: how many elements of the rows of `edges`, all at once, lie before each value.

    As in torch a nan that bisection meets counts as lying before.
    """
    low = np.zeros(value.shape, np.int64)
    high = np.full(value.shape, edges.shape[-1], np.int64)
    while (open_ := low < high).any():
        middle = (low + high) // 2
        inside = np.where(open_, middle, 0)
        at = np.take_along_axis(edges, inside, -1) if edges.ndim > 1 else edges[inside]
        before = open_ & ~(at > value if right else at >= value)
        low, high = np.where(before, middle + 1, low), np.where(open_ & ~before, middle, high)
    return low


@op(
    "searchsorted",
    *(
        f"(Tensor sorted_sequence, {what}, *, bool out_int32 = False, bool right = False, str side = None, "
        "Tensor sorter = None, Tensor out = None)"
        for what in ("Tensor input", "Number self")
    ),
    method=False,
)
def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
    out: Any = None,
) -> Tensor:
    """Where elements would have to be put into sorted rows to keep these sorted.

    Arguments:
        sorted_sequence: the rows, along the last dimension; or one row.
        input: the elements, row by row, or a number.
        out_int32: whether the result is int32 instead of int64.
        right: whether to put them behind elements that are equal.
        side: "right" for right=True, "left".
        sorter: indices that sort the rows, if they are not sorted.
    """
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(texts.SEARCHSORTED_SIDE.format(side=side))
    if side == "left" and right:
        raise RuntimeError(texts.SEARCHSORTED_OPPOSITES)
    edges = raw(sorted_sequence)
    value = raw(input) if isinstance(input, Tensor) else np.asarray(input, _number_dtype(input))
    if not value.ndim and edges.ndim != 1:
        raise RuntimeError(texts.SEARCHSORTED_NUMBER.format(ndim=edges.ndim))
    if not edges.ndim:
        raise RuntimeError(texts.SEARCHSORTED_NO_DIMENSIONS)
    if edges.ndim > 1 and (value.ndim != edges.ndim or value.shape[:-1] != edges.shape[:-1]):
        raise RuntimeError(texts.SEARCHSORTED_SHAPES.format(boundaries=list(edges.shape), values=list(value.shape)))
    if sorter is not None:
        if sorter._value.shape != edges.shape:
            raise RuntimeError(
                texts.SEARCHSORTED_SORTER.format(boundaries=list(edges.shape), sorter=list(sorter._value.shape))
            )
        if sorter.dtype is not int64:
            raise RuntimeError(texts.SEARCHSORTED_SORTER_DTYPE.format(dtype=sorter.dtype.title))
        places = raw(sorter)
        if places.size and not 0 <= places.min() <= places.max() < edges.shape[-1]:
            raise RuntimeError("torch.searchsorted(): sorter index out of range")
        edges = np.take_along_axis(edges, places, -1)
    _check_places(out, out_int32)
    found = _searched(edges, value, right or side == "right", out_int32)
    return found if out is None else write_out("searchsorted", found, out, (sorted_sequence, input))


def _check_places(out: Any, out_int32: bool) -> None:
    """Raise torch's error if a tensor given as out= has not the dtype that out_int32 says."""
    if isinstance(out, Tensor) and out.dtype is not (int32 if out_int32 else int64):
        raise RuntimeError(texts.SEARCHSORTED_OUT.format(dtype=out.dtype.title, flag=out_int32))


def _number_dtype(x: Any) -> Any:
    return np.int64 if isinstance(x, int) else np.float32


def _searched(edges: Any, value: Any, right: bool, out_int32: bool) -> Tensor:
    for a, word in ((value, "input value"), (edges, "boundary")):
        if not a.flags.c_contiguous:
            warn_once(texts.SEARCHSORTED_COPIES.format(word=word), stacklevel=4)
    kind = promote_types(of_numpy(edges.dtype), of_numpy(value.dtype))
    if kind.numpy.kind in "bc":
        raise NotImplementedError(f"\"searchsorted_out_cpu\" not implemented for '{kind.title}'")
    if edges.dtype != value.dtype:
        edges, value = edges.astype(kind.numpy), value.astype(kind.numpy)
    found = _found(edges, value, right) if edges.shape[-1] else np.zeros(value.shape, np.int64)
    return wrapped(np.ascontiguousarray(found).reshape(value.shape).astype(np.int32 if out_int32 else np.int64))


@op(
    "bucketize",
    "(Tensor input, Tensor boundaries, *, bool out_int32 = False, bool right = False, Tensor out = None)",
    "(Number self, Tensor boundaries, *, bool out_int32 = False, bool right = False)",
    method=False,
)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False, out: Any = None) -> Tensor:
    """The bucket, between two boundaries, that each element lies in.

    Arguments:
        input: the elements, or a number.
        boundaries: a sorted tensor of one dimension.
        out_int32: whether the result is int32 instead of int64.
        right: whether buckets contain their lower boundary instead of the upper.
    """
    if boundaries._value.ndim != 1:
        raise RuntimeError(texts.BUCKETIZE_DIMENSIONS.format(ndim=boundaries._value.ndim))
    value = raw(input) if isinstance(input, Tensor) else np.asarray(input, _number_dtype(input))
    _check_places(out, out_int32)
    found = followed("bucketize", _searched(raw(boundaries), value, right, out_int32), input, boundaries)
    return found if out is None else write_out("bucketize", found, out, (input, boundaries))
