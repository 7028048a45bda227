"""Sorting, searching in sorted arrays, and interpolating between their entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Inexact, Integer, Shaped
from funcgrad.errors import ArgumentError, NoValueError
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, reject, wrap
from funcgrad.numpy.indexing import concrete, index, take
from funcgrad.numpy.shapes import flip, ravel
from funcgrad.ops import index as index_ops
from funcgrad.ops import sort as ops
from funcgrad.ops import structural

__all__ = [
    "argpartition",
    "argsort",
    "digitize",
    "interp",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]


def _flat_if_none(a: ArrayLike, axis: int | None) -> tuple[Array, int]:
    """The array and the axis to work along."""
    x = asarray(a)
    return (ravel(x), 0) if axis is None else (x, normalize_axis_index(axis, x.ndim))


def _is_stable(function: str, kind: str | None, order: Any, stable: bool | None) -> bool:
    reject(function, order=order)
    if kind is not None and stable is not None:
        raise ValueError(f"{function}: kind and stable cannot both be given, got kind={kind!r} and stable={stable!r}")
    if kind not in (None, "quicksort", "heapsort", "mergesort", "stable"):
        raise ValueError(f"{function}: kind must be 'quicksort', 'heapsort', 'mergesort' or 'stable', got {kind!r}")
    return bool(stable) or kind in ("stable", "mergesort")


def sort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Shaped[Array, "..."]:
    """The elements in ascending order along an axis; complex numbers by real part, then imaginary part.

    Arguments:
        a: an array.
        axis: None flattens a.
        kind, stable: as for `argsort`; the result does not depend on them.
        order: must be None.
        descending: whether to give them in descending order; NaNs then come first.

    Example:
        >>> fnp.sort(fnp.array([3.0, 1.0, 2.0]))
        Array([1., 2., 3.], dtype=float64)
        >>> fg.grad(lambda x: fnp.sort(x)[0])(fnp.array([3.0, 1.0, 2.0]))
        Array([0., 1., 0.], dtype=float64)
    """
    _is_stable("sort", kind, order, stable)
    x, axis = _flat_if_none(a, axis)
    ascending = wrap(ops.sort(x, axis=axis))
    return flip(ascending, axis) if descending else ascending


def sort_complex(a: ArrayLike) -> Shaped[Array, "..."]:
    """`sort` along the last axis, with a complex result.

    Example:
        >>> fnp.sort_complex([2.0, 1.0])
        Array([1.+0.j, 2.+0.j], dtype=complex128)
    """
    x = sort(a)
    if x.dtype.kind == "c":
        return x
    return x.astype(np.complex64 if x.dtype.char in "bhBH" else np.complex128)


def argsort(
    a: ArrayLike,
    axis: int | None = -1,
    kind: str | None = None,
    order: Any = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
) -> Integer[Array, "..."]:
    """The indices that sort an array along an axis.

    Arguments:
        a: an array.
        axis: None flattens a.
        kind: "stable" or "mergesort" keeps equal elements in their order, as stable=True does.
        order: must be None.
        stable: see kind.
        descending: whether they sort in descending order. NaNs then come first, and equal elements keep their order.

    Raises:
        ValueError: kind and stable are both given, or kind is unknown.

    Example:
        >>> fnp.argsort(fnp.array([3.0, 1.0, 2.0]))
        Array([1, 2, 0], dtype=int64)
    """
    is_stable = _is_stable("argsort", kind, order, stable)
    x, axis = _flat_if_none(a, axis)
    if descending:
        backwards = ops.argsort(flip(x, axis), axis=axis, stable=True)
        return flip(wrap(np.subtract(x.shape[axis] - 1, backwards)), axis)
    return wrap(ops.argsort(x, axis=axis, stable=is_stable))


def argpartition(
    a: ArrayLike, kth: int | Sequence[int] | Array, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Integer[Array, "..."]:
    """The indices that put the kth element in its sorted place, the lesser ones before it, the greater ones after it.

    Arguments:
        a: an array.
        kth: one number, or several.
        axis: None flattens a.
        kind: "introselect".
        order: must be None.

    Example:
        >>> int(fnp.argpartition(fnp.array([3.0, 1.0, 2.0]), 0)[0])
        1
    """
    reject("argpartition", order=order)
    if kind != "introselect":
        raise ValueError(f"kind must be 'introselect', got {kind!r}")
    x, axis = _flat_if_none(a, axis)
    ks = np.asarray(concrete(kth, "partition(a, x)"))
    return wrap(ops.argpartition(x, kth=tuple(ks.tolist()) if ks.ndim else ks.item(), axis=axis))


def partition(
    a: ArrayLike, kth: int | Sequence[int] | Array, axis: int | None = -1, kind: str = "introselect", order: Any = None
) -> Shaped[Array, "..."]:
    """A copy with the kth element in its sorted place, the lesser ones before it and the greater ones after it.

    Arguments:
        a: an array.
        kth: one number, or several.
        axis: None flattens a.
        kind: "introselect".
        order: must be None.

    Example:
        >>> fnp.partition(fnp.array([3.0, 1.0, 2.0]), 1)[1]
        Array(2., dtype=float64)
    """
    x, axis = _flat_if_none(a, axis)
    places = argpartition(x, kth, axis, kind, order)
    return wrap(index_ops.take_along_axis(x, places, axis=axis, unique=True))


def lexsort(keys: ArrayLike | Sequence[ArrayLike], axis: int = -1) -> Integer[Array, "..."]:
    """The indices that sort by several keys, of which the last is the most important.

    Arguments:
        keys: arrays of one shape, or one array whose rows they are.
        axis: along which to sort.

    Raises:
        ValueError: the keys have different shapes.
        TypeError: there is no key.

    Example:
        >>> fnp.lexsort((fnp.array([2, 1, 0]), fnp.array([5, 5, 4])))
        Array([2, 1, 0], dtype=int64)
    """
    arrays = [asarray(k) for k in (keys if isinstance(keys, (list, tuple)) else asarray(keys))]
    if not arrays:
        raise TypeError("lexsort needs a sequence of keys with one key at least")
    shapes = {k.shape for k in arrays}
    if len(shapes) > 1:
        raise ValueError(f"lexsort: all keys need to be the same shape, got {sorted(shapes)}")
    ndim = arrays[0].ndim
    return wrap(ops.lexsort(*arrays, axis=normalize_axis_index(axis, ndim) if ndim else -1))


def searchsorted(
    a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None, *, method: str = "scan"
) -> Integer[Array, "..."]:
    """Before which entries of a sorted array the values belong.

    Arguments:
        a: an array of one axis, ascending unless there is a sorter.
        v: the values.
        side: among entries equal to a value, "left" gives the place before the first, "right" that after the last.
        sorter: the indices that sort a.
        method: JAX's choice of an algorithm, without effect.

    Raises:
        ValueError: side is something else.

    Example:
        >>> fnp.searchsorted(fnp.array([1.0, 2.0, 3.0]), [2.0, 9.0])
        Array([1, 3], dtype=int64)
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}")
    entries = operand(a) if sorter is None else take(a, sorter)
    return wrap(ops.searchsorted(entries, operand(v), side=side))


def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False, *, method: str | None = None) -> Integer[Array, "..."]:
    """The number of the bin that each value falls into.

    Arguments:
        x: the values.
        bins: the edges, ascending or descending.
        right: whether a bin includes its right edge instead of its left one.
        method: as for `searchsorted`.

    Returns:
        i such that `bins[i-1] <= x < bins[i]` for ascending bins; 0 and len(bins) beyond the ends.

    Raises:
        ValueError: bins are not monotonic, or no vector. Without values (in jit) only the ends are compared.

    Example:
        >>> fnp.digitize([0.5, 1.0, 9.0], fnp.array([0.0, 1.0, 2.0]))
        Array([1, 2, 3], dtype=int64)
    """
    x, given = operand(x), asarray(bins)
    if given.ndim != 1:
        raise ValueError(f"digitize: bins must be a vector, got shape {given.shape}")
    side = "left" if right else "right"
    try:
        edges = np.asarray(given._concrete("digitize(a, x)"))
    except NoValueError:
        if not given.size:
            return searchsorted(given, x, side)
        rising = np.greater_equal(given[-1], given[0])
        falling = given.size - searchsorted(given[::-1], x, side)
        return wrap(index_ops.where(rising, searchsorted(given, x, side), falling))
    if np.all(edges[1:] >= edges[:-1]):
        return searchsorted(edges, x, side)
    if not np.all(edges[1:] <= edges[:-1]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return len(edges) - searchsorted(edges[::-1], x, side)


def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | str | None = None,
    right: ArrayLike | str | None = None,
    period: ArrayLike | None = None,
) -> Inexact[Array, "..."]:
    """The piecewise linear function through given points.

    It is differentiable in x, xp and fp; at a point xp[i] its derivative in x is the slope on the right, at the last
    one that on the left.

    Arguments:
        x: where to evaluate.
        xp: the places of the points, ascending unless there is a period.
        fp: the values at the points, real or complex.
        left, right: the values below and above the points; by default those of the first and the last. "extrapolate"
            goes on with the slope there.
        period: of the function; left and right have no meaning then.

    Raises:
        TypeError: x or xp is complex.
        ValueError: xp and fp are not of one axis and length, or empty; the period is zero, or no number; left or right
            is another text.

    Example:
        >>> fg.value_and_grad(fnp.interp)(1.5, fnp.array([1.0, 2.0]), fnp.array([10.0, 30.0]))
        (Array(20., dtype=float64), Array(20., dtype=float64))
    """
    arguments = (operand(x), operand(xp), operand(fp), left, right, period)
    for name, given in (("left", left), ("right", right)):
        if isinstance(given, str) and given != "extrapolate":
            raise ValueError(f"interp: {name} must be a number or 'extrapolate', got {given!r}")
    if period is not None and np.ndim(period):
        raise ValueError(f"interp: the period must be a number, got an array of shape {np.shape(period)}")
    if not any(isinstance(a, (Tracer, str)) for a in arguments):
        return wrap(np.interp(*[a._value if isinstance(a, Array) else a for a in arguments]))
    x, xp, fp = asarray(x), asarray(xp), asarray(fp)
    if "c" in (x.dtype.kind, xp.dtype.kind):
        raise ArgumentError(f"interp takes real x and xp, got {x.dtype} and {xp.dtype}")
    x, xp = x.astype(float), xp.astype(float)
    fp = fp.astype(complex if fp.dtype.kind == "c" else float)
    if xp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError(f"interp: xp and fp must have one axis of one length, got shapes {xp.shape} and {fp.shape}")
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    n = xp.shape[0]
    i = np.minimum(np.maximum(searchsorted(xp, x, "right"), 1), n - 1)
    low, high = index(fp, i - 1), index(fp, i)
    start = index(xp, i - 1)
    width = index(xp, i) - start
    empty = np.equal(width, 0)
    slope = (high - low) / index_ops.where(empty, 1, width)
    y = index_ops.where(empty, high, slope * (x - start) + low)
    if left != "extrapolate":
        y = index_ops.where(np.less(x, index(xp, 0)), index(fp, 0) if left is None else asarray(left), y)
    if right != "extrapolate":
        y = index_ops.where(np.greater(x, index(xp, -1)), index(fp, -1) if right is None else asarray(right), y)
    return wrap(y)


def _periodic(x: Array, xp: Array, fp: Array, period: Any) -> tuple[Array, Array, Array]:
    """Arguments of interp on one period, with a point added at either end."""
    if concrete(period, "interp(..., period=x)") == 0:
        raise ValueError("interp: period must be a non-zero value")
    period = abs(asarray(period, np.dtype(float)))
    x, xp = np.remainder(x, period), np.remainder(xp, period)
    order = argsort(xp)
    xp, fp = index(xp, order), index(fp, order)
    first, last = slice(None, 1), slice(-1, None)
    xp = structural.concatenate(index(xp, last) - period, xp, index(xp, first) + period, axis=0)
    return x, xp, structural.concatenate(index(fp, last), fp, index(fp, first), axis=0)
