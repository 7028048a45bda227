"""Arrays as sets: unique, union, intersection, difference, membership.

How many elements a result has depends on their values, so these functions need them and raise under make_tape.
The values that they give are picked by index, and so are differentiable.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Bool, Shaped
from funcgrad.numpy.convert import asarray, operand, wrap
from funcgrad.numpy.indexing import concrete, index, take
from funcgrad.numpy.shapes import ravel
from funcgrad.numpy.sorting import sort
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

    Returns:
        The values, or a tuple of them and what else was asked for.

    Raises:
        NoValueError: under make_tape.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.unique(fnp.array([2.0, 1.0, 2.0]), return_counts=True)
        (Array([1., 2.], dtype=float64), Array([1, 2], dtype=int64))

    Source: numpy.unique (https://numpy.org/doc/stable/reference/generated/numpy.unique.html).
    """
    x = asarray(ar)
    raw = np.asarray(x._concrete("unique(x)"))
    if not isinstance(x, Tracer) and not (return_index or return_inverse or return_counts):
        return wrap(np.unique(raw, axis=axis, equal_nan=equal_nan))
    _, first, inverse, counts = np.unique(raw, True, True, True, axis, equal_nan=equal_nan)
    values = take(x, first, axis)
    wanted = ((return_index, first), (return_inverse, inverse), (return_counts, counts))
    rest = tuple([wrap(a) for want, a in wanted if want])
    return (values, *rest) if rest else values


def unique_all(x: ArrayLike) -> UniqueAllResult:
    """The different elements with indices, inverse indices and counts; NaNs differ from each other.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.unique_all(fnp.array([5, 5])).counts
        Array([2], dtype=int64)

    Source: numpy.unique_all (https://numpy.org/doc/stable/reference/generated/numpy.unique_all.html).
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x: ArrayLike) -> UniqueCountsResult:
    """The different elements and how often each occurs; NaNs differ from each other.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.unique_counts(fnp.array([2, 1, 2])).counts
        Array([1, 2], dtype=int64)

    Source: numpy.unique_counts (https://numpy.org/doc/stable/reference/generated/numpy.unique_counts.html).
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: ArrayLike) -> UniqueInverseResult:
    """The different elements, and for each element of x its number among them; NaNs differ from each other.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.unique_inverse(fnp.array([7, 3, 7])).inverse_indices
        Array([1, 0, 1], dtype=int64)

    Source: numpy.unique_inverse (https://numpy.org/doc/stable/reference/generated/numpy.unique_inverse.html).
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x: ArrayLike) -> Shaped[Array, " n"]:
    """The different elements; NaNs differ from each other.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.unique_values(fnp.array([2, 1, 2]))
        Array([1, 2], dtype=int64)

    Source: numpy.unique_values (https://numpy.org/doc/stable/reference/generated/numpy.unique_values.html).
    """
    return unique(x, equal_nan=False)


def _joined(ar1: ArrayLike, ar2: ArrayLike) -> Array:
    return wrap(structural.concatenate(ravel(ar1), ravel(ar2), axis=0))


def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Shaped[Array, " n"]:
    """The different elements of two arrays together, ascending.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.union1d([1, 3], [2, 3])
        Array([1, 2, 3], dtype=int64)

    Source: numpy.union1d (https://numpy.org/doc/stable/reference/generated/numpy.union1d.html).
    """
    return unique(_joined(ar1, ar2))


def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The different elements that two arrays have in common, ascending. Their gradient goes to ar1.

    Arguments:
        ar1, ar2: arrays, which are flattened.
        assume_unique: whether neither has an element twice.
        return_indices: also give where each element occurs first in ar1 and in ar2.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.intersect1d([1, 3, 5], [5, 4, 3])
        Array([3, 5], dtype=int64)

    Source: numpy.intersect1d (https://numpy.org/doc/stable/reference/generated/numpy.intersect1d.html).
    """
    x, y = ravel(ar1), ravel(ar2)
    _, i, j = np.intersect1d(
        concrete(x, "intersect1d(x, y)"), concrete(y, "intersect1d(x, y)"), assume_unique, return_indices=True
    )
    common = index(x, i).astype(np.result_type(x.dtype, y.dtype))
    return (common, wrap(i), wrap(j)) if return_indices else common


def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Shaped[Array, " n"]:
    """The different elements of ar1 that are not in ar2: ascending, or in their order if they are assumed unique.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.setdiff1d([1, 3, 5], [3])
        Array([1, 5], dtype=int64)

    Source: numpy.setdiff1d (https://numpy.org/doc/stable/reference/generated/numpy.setdiff1d.html).
    """
    x = ravel(ar1) if assume_unique else unique(ar1)
    return index(x, isin(x, ar2, invert=True))


def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Shaped[Array, " n"]:
    """The different elements that are in just one of two arrays, ascending.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.setxor1d([1, 3], [2, 3])
        Array([1, 2], dtype=int64)

    Source: numpy.setxor1d (https://numpy.org/doc/stable/reference/generated/numpy.setxor1d.html).
    """
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
) -> Bool[Array, "..."]:
    """Elementwise whether a value occurs in another array.

    Arguments:
        element: the values.
        test_elements: where to look for them.
        invert: give the contrary.
        assume_unique, kind: hints for speed, without effect.

    Example:
        >>> import funcgrad.numpy as fnp
        >>> fnp.isin([1, 2], [2, 3])
        Array([False,  True], dtype=bool)

    Source: numpy.isin (https://numpy.org/doc/stable/reference/generated/numpy.isin.html).
    """
    return wrap(ops.isin(operand(element), operand(test_elements), invert=bool(invert)))
