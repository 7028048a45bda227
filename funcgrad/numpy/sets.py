"""Arrays as sets: unique, union, intersection, difference, membership.

How many elements a result has depends on their values, so these functions need them and raise under make_tape, unless
`size=` says how many there shall be. The values that they give are picked by index, and so are differentiable.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Bool, Shaped
from funcgrad.numpy.constructors import full
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, wrap
from funcgrad.numpy.indexing import concrete, index, take
from funcgrad.numpy.shapes import moveaxis, ravel, reshape
from funcgrad.numpy.sized import filled, true_places
from funcgrad.numpy.sorting import argsort, lexsort, searchsorted, sort
from funcgrad.ops import index as index_ops
from funcgrad.ops import sort as ops
from funcgrad.ops import structural

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """What `unique_all` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` gives."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` gives."""

    values: Array
    inverse_indices: Array


def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Any:
    """The different elements of an array, ascending.

    The gradient of each goes to where it occurs first.

    Arguments:
        ar: an array.
        return_index: also give where each occurs first.
        return_inverse: also give, for each element of ar, its number among the different ones.
        return_counts: also give how often each occurs.
        axis: compare the subarrays along this axis; by default ar is flattened.
        equal_nan: whether NaNs count as equal.
        sorted: the result is sorted in any case.
        size: how many values to give, which are then not needed to find a shape. Of more values the first are given;
            numbers in the inverse go on counting.
        fill_value: what follows if there are fewer values than `size`: an element, or with an axis a subarray; by
            default the first value. Indices end with that of the first value, counts with 0.

    Returns:
        The values, or a tuple of them and what else was asked for.

    Raises:
        NoValueError: under make_tape, without size.
        ValueError: the array is empty, and size is given without fill_value.

    Example:
        >>> fnp.unique(fnp.array([2.0, 1.0, 2.0]), return_counts=True)
        (Array([1., 2.], dtype=float64), Array([1, 2], dtype=int64))
    """
    x = asarray(ar)
    if size is not None:
        parts = _unique_sized(x, axis, equal_nan, size, fill_value)
        asked = (True, return_index, return_inverse, return_counts)
        chosen = tuple([p for p, ask in zip(parts, asked, strict=True) if ask])
        return chosen if len(chosen) > 1 else chosen[0]
    raw = np.asarray(x._concrete("unique(x)"))
    if not isinstance(x, Tracer) and not (return_index or return_inverse or return_counts):
        return wrap(np.unique(raw, axis=axis, equal_nan=equal_nan))
    _, first, inverse, counts = np.unique(raw, True, True, True, axis, equal_nan=equal_nan)
    values = take(x, first, axis)
    wanted = ((return_index, first), (return_inverse, inverse), (return_counts, counts))
    rest = tuple([wrap(a) for want, a in wanted if want])
    return (values, *rest) if rest else values


def _unique_sized(
    x: Array, axis: int | None, equal_nan: bool, size: int, fill_value: ArrayLike | None
) -> tuple[Array, Any, Any, Any]:
    """The first `size` different elements, where each occurs first, the inverse, and how often each occurs."""
    shape = x.shape
    x = ravel(x) if axis is None else x
    axis = normalize_axis_index(0 if axis is None else axis, x.ndim)
    n = x.shape[axis]
    if not n:
        if size and fill_value is None:
            raise ValueError("unique of an empty array with size= needs a fill_value")
        zeros = full((size,), 0, int)
        values = full((*shape[:axis], size, *shape[axis + 1 :]), 0 if fill_value is None else fill_value, x.dtype)
        return values, zeros, full(shape if x.ndim == len(shape) == 1 else (n,), 0, int), zeros
    order, new = _runs(x, axis, equal_nan)
    starts, valid = true_places(new, size + 1)  # one more, to count the last of them
    first = index(order, index_ops.where(valid[:-1], starts[:-1], 0))
    counts = wrap(np.subtract(starts[1:], starts[:-1]))
    ranks = np.cumsum(new) - 1
    inverse = index(ranks, argsort(order))
    values = take(x, first, axis)
    fill = index(values, (slice(None),) * axis + (0,)) if fill_value is None and size else fill_value
    values = filled(values, valid[:-1], 0 if fill is None else fill, axis)
    return values, first, reshape(inverse, shape) if len(shape) != x.ndim or x.ndim == 1 else inverse, counts


def _runs(x: Array, axis: int, equal_nan: bool) -> tuple[Array, Any]:
    """The indices that sort an array along an axis, and where in that order an element differs from the one before."""
    n = x.shape[axis]
    rows = reshape(moveaxis(x, axis, 0), (n, -1)) if x.size else reshape(x, (n, 0))
    if x.ndim == 1:
        order = argsort(x, stable=True)
    else:
        order = lexsort(rows.T[::-1]) if rows.size else asarray(np.arange(n))
    rows = take(rows, order, 0)
    before, after = rows[:-1], rows[1:]
    differ = np.not_equal(after, before)
    if equal_nan and x.ndim == 1 and x.dtype.kind in "fc":
        differ = np.logical_and(differ, np.logical_not(np.logical_and(np.isnan(after), np.isnan(before))))
    return order, structural.concatenate(np.ones(1, bool), np.any(differ, axis=1), axis=0)


def _ordered(x: Array) -> tuple[Array, Any]:
    """A vector in ascending order, and where an element differs from the one before; NaNs are equal."""
    if not x.size:
        return x, np.zeros(0, bool)
    order, new = _runs(x, 0, True)
    return index(x, order), new


def _picked(x: Array, mask: Any, size: int, fill_value: ArrayLike | None) -> tuple[Array, Any, Any]:
    """The first `size` elements of a vector under a mask, where they are, and which are none; the first fills up."""
    places, valid = true_places(mask, size)
    if not x.shape[0]:
        return full((size,), 0 if fill_value is None else fill_value, x.dtype), places, valid
    places = index_ops.where(valid, places, 0)
    values = index(x, places)
    if fill_value is None:
        fill_value = index_ops.where(valid[0], values[0], 0) if size else 0
    return filled(values, valid, fill_value), places, valid


def unique_all(x: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None) -> UniqueAllResult:
    """The different elements with indices, inverse indices and counts; NaNs differ from each other.

    Arguments:
        x: an array.
        size, fill_value: as for `unique`.

    Example:
        >>> fnp.unique_all(fnp.array([5, 5])).counts
        Array([2], dtype=int64)
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value))


def unique_counts(x: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None) -> UniqueCountsResult:
    """The different elements and how often each occurs; NaNs differ from each other.

    Arguments:
        x: an array.
        size, fill_value: as for `unique`.

    Example:
        >>> fnp.unique_counts(fnp.array([2, 1, 2])).counts
        Array([1, 2], dtype=int64)
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value))


def unique_inverse(
    x: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverseResult:
    """The different elements, and for each element of x its number among them; NaNs differ from each other.

    Arguments:
        x: an array.
        size, fill_value: as for `unique`.

    Example:
        >>> fnp.unique_inverse(fnp.array([7, 3, 7])).inverse_indices
        Array([1, 0, 1], dtype=int64)
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value))


def unique_values(x: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Shaped[Array, " n"]:
    """The different elements; NaNs differ from each other.

    Arguments:
        x: an array.
        size, fill_value: as for `unique`.

    Example:
        >>> fnp.unique_values(fnp.array([2, 1, 2]))
        Array([1, 2], dtype=int64)
    """
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)


def _joined(ar1: ArrayLike, ar2: ArrayLike) -> Array:
    return wrap(structural.concatenate(ravel(ar1), ravel(ar2), axis=0))


def union1d(
    ar1: ArrayLike, ar2: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Shaped[Array, " n"]:
    """The different elements of two arrays together, ascending.

    Arguments:
        ar1, ar2: arrays, which are flattened.
        size, fill_value: as for `unique`.

    Example:
        >>> fnp.union1d([1, 3], [2, 3])
        Array([1, 2, 3], dtype=int64)
    """
    return unique(_joined(ar1, ar2), size=size, fill_value=fill_value)


def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Any:
    """The different elements that two arrays have in common, ascending. Their gradient goes to ar1.

    Arguments:
        ar1, ar2: arrays, which are flattened.
        assume_unique: whether neither has an element twice.
        return_indices: also give where each element occurs first in ar1 and in ar2.
        size, fill_value: as for `unique`; the indices end with the sizes of ar1 and ar2.

    Example:
        >>> fnp.intersect1d([1, 3, 5], [5, 4, 3])
        Array([3, 5], dtype=int64)
    """
    x, y = ravel(ar1), ravel(ar2)
    if size is not None:
        return _intersect_sized(x, y, return_indices, size, fill_value)
    _, i, j = np.intersect1d(
        concrete(x, "intersect1d(x, y)"), concrete(y, "intersect1d(x, y)"), assume_unique, return_indices=True
    )
    common = index(x, i).astype(np.result_type(x.dtype, y.dtype))
    return (common, wrap(i), wrap(j)) if return_indices else common


def _intersect_sized(x: Array, y: Array, return_indices: bool, size: int, fill_value: ArrayLike | None) -> Any:
    dtype = np.result_type(x.dtype, y.dtype)
    if not x.size or not y.size:
        common = full((size,), 0 if fill_value is None else fill_value, dtype)
        return (common, full((size,), x.size, int), full((size,), y.size, int)) if return_indices else common
    order, new = _runs(x, 0, False)
    ordered = index(x, order)
    common, places, valid = _picked(ordered, np.logical_and(new, isin(ordered, y)), size, fill_value)
    common = common.astype(dtype)
    if not return_indices:
        return common
    order_y = argsort(y, stable=True)
    j = np.minimum(searchsorted(index(y, order_y), index(ordered, places)), y.size - 1)
    return common, filled(index(order, places), valid, x.size), filled(index(order_y, j), valid, y.size)


def setdiff1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Shaped[Array, " n"]:
    """The different elements of ar1 that are not in ar2: ascending, or in their order if they are assumed unique.

    Arguments:
        ar1, ar2: arrays, which are flattened.
        assume_unique: whether neither has an element twice.
        size: as for `unique`.
        fill_value: likewise, but 0 by default.

    Example:
        >>> fnp.setdiff1d([1, 3, 5], [3])
        Array([1, 5], dtype=int64)
    """
    if size is not None:
        x, new = (ravel(ar1), True) if assume_unique else _ordered(ravel(ar1))
        mask = np.logical_and(isin(x, ar2, invert=True), new)
        return _picked(x, mask, size, 0 if fill_value is None else fill_value)[0]
    x = ravel(ar1) if assume_unique else unique(ar1)
    return index(x, isin(x, ar2, invert=True))


def setxor1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Shaped[Array, " n"]:
    """The different elements that are in just one of two arrays, ascending.

    Arguments:
        ar1, ar2: arrays, which are flattened.
        assume_unique: whether neither has an element twice.
        size, fill_value: as for `unique`.

    Example:
        >>> fnp.setxor1d([1, 3], [2, 3])
        Array([1, 2], dtype=int64)
    """
    if size is not None:
        both, new = _ordered(_joined(ar1, ar2))
        shared = np.logical_and(isin(both, ar1), isin(both, ar2))
        return _picked(both, np.logical_and(new, np.logical_not(shared)), size, fill_value)[0]
    both = sort(_joined(ar1, ar2) if assume_unique else _joined(unique(ar1), unique(ar2)))
    raw = both._concrete("setxor1d(x, y)")
    edges = np.concatenate([[True], raw[1:] != raw[:-1], [True]]) if raw.size else np.ones(1, bool)
    return index(both, edges[1:] & edges[:-1])


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
    method: str = "auto",
) -> Bool[Array, "..."]:
    """Elementwise whether a value occurs in another array.

    Arguments:
        element: the values.
        test_elements: where to look for them.
        invert: give the contrary.
        assume_unique, kind, method: hints for speed, without effect.

    Example:
        >>> fnp.isin([1, 2], [2, 3])
        Array([False,  True], dtype=bool)
    """
    return wrap(ops.isin(operand(element), operand(test_elements), invert=bool(invert)))
