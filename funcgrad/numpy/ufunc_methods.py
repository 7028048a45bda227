"""The methods of ufuncs on Arrays and tracers: `np.add.reduce(x)`, `np.multiply.accumulate(x)`, ….

A reduction of a ufunc is often a function of funcgrad.numpy under another name: `np.add.reduce` is `sum`. What is
written here is the correspondence, and the defaults, which differ: ufunc methods go along axis 0. A ufunc that has no
such function is applied step by step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.numpy import reductions
from funcgrad.numpy.convert import asarray, normalize_axis_index, reject
from funcgrad.ops.cumulative import cummax_indices, cummin_indices
from funcgrad.ops.reduce import reduce_sum

__all__ = ["accumulate", "outer", "reduce", "reduceat"]

_NONE: Any = getattr(np, "_NoValue", None)


def reduce(
    ufunc: np.ufunc,
    x: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = _NONE,
    where: Any = True,
) -> Array:
    """`ufunc.reduce(x, ...)`: the ufunc applied to all elements along axes."""
    if ufunc is np.add and dtype is None and initial is _NONE and where is True and out is None:
        # Derivative rules come this way.
        x = x if isinstance(x, Array) else asarray(x)
        axes = reductions.axes(axis, x.ndim)
        return reduce_sum(x, axis=axes, keepdims=True) if keepdims else reduce_sum(x, axis=axes)
    reject(f"{ufunc.__name__}.reduce", out=out)
    where = True if where is None else where
    given, initial = initial, None if initial is _NONE else initial
    if ufunc in _ARITHMETIC:
        return _ARITHMETIC[ufunc](x, axis, dtype, None, keepdims, initial, where)
    if ufunc in _EXTREMUM:
        x = asarray(x, dtype)
        return _EXTREMUM[ufunc](x, axis, None, keepdims, initial, where)
    if ufunc in _LOGICAL:
        y = _LOGICAL[ufunc](x, axis, None, keepdims, where=where)
        return y if initial is None else ufunc(y, initial)
    if ufunc is np.logaddexp:
        x = asarray(x, dtype)
        y = reductions.logsumexp(x if where is True else np.where(where, x, -np.inf), axis, keepdims=keepdims)
        return y if initial is None else np.logaddexp(y, initial)
    return _folded(ufunc, x, axis, dtype, keepdims, given, where)


_ARITHMETIC: dict[np.ufunc, Callable] = {np.add: reductions.sum, np.multiply: reductions.prod}
_EXTREMUM: dict[np.ufunc, Callable] = {np.maximum: reductions.max, np.minimum: reductions.min}
_LOGICAL: dict[np.ufunc, Callable] = {np.logical_and: reductions.all, np.logical_or: reductions.any}


def accumulate(ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
    """`ufunc.accumulate(x, ...)`: the reductions of the first 1, 2, 3, … elements along an axis."""
    reject(f"{ufunc.__name__}.accumulate", out=out)
    if ufunc is np.add or ufunc is np.multiply:
        x = asarray(x)
        axis = normalize_axis_index(axis, x.ndim)
        return (reductions.cumsum if ufunc is np.add else reductions.cumprod)(x, axis, dtype)
    if ufunc is np.maximum or ufunc is np.minimum:
        x = asarray(x, dtype)
        axis = normalize_axis_index(axis, x.ndim)
        indices = cummax_indices if ufunc is np.maximum else cummin_indices
        return wrap(np.take_along_axis(x, indices(x, axis=axis), axis))
    x = asarray(x, dtype)
    if not isinstance(x, Tracer):
        return wrap(ufunc.accumulate(x._value, axis, dtype))
    expected = ufunc.accumulate(np.ones(x.shape, x.dtype), axis, dtype)  # NumPy checks the arguments
    steps = list(itertools.accumulate(np.moveaxis(x, axis, 0), ufunc))
    result = np.stack(steps, axis) if steps else x
    return wrap(result.astype(expected.dtype))


def outer(ufunc: Callable, x: Any, y: Any, **options: Any) -> Any:
    """`ufunc.outer(x, y)`: the ufunc applied to all pairs of an element of x and one of y."""
    x, y = asarray(x), asarray(y)
    return ufunc(x.reshape(x.shape + (1,) * y.ndim), y, **options)


def reduceat(ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
    """`ufunc.reduceat(x, indices)`: the reductions of slices, from each index to the next.

    Raises:
        IndexError: an index is out of bounds.
    """
    reject(f"{ufunc.__name__}.reduceat", out=out)
    x, indices = asarray(x, dtype), asarray(indices)
    if isinstance(indices, Tracer):
        expected = ufunc.reduceat(np.ones(1, x.dtype), [0], 0, dtype).dtype  # NumPy checks, and widens integers
        return reduceat_by_steps(ufunc, x.astype(expected), indices, axis)
    if not isinstance(x, Tracer):
        return wrap(ufunc.reduceat(x._value, indices._value, axis, dtype))
    axis = normalize_axis_index(axis, x.ndim)
    starts = indices._value.tolist()
    n = x.shape[axis]
    for i in starts:
        if not 0 <= i < n:
            raise IndexError(f"index {i} out-of-bounds in {ufunc.__name__}.reduceat [0, {n})")
    before = (slice(None),) * axis
    slices = [x[(*before, slice(i, max(i + 1, j)))] for i, j in zip(starts, [*starts[1:], n], strict=True)]
    parts = [reduce(ufunc, s, axis, dtype, keepdims=True) if s.shape[axis] > 1 else s for s in slices]
    return wrap(np.concatenate(parts, axis))


def reduceat_by_steps(function: Callable, x: Array, indices: Array, axis: int) -> Array:
    """`reduceat` of any function, with indices that need no values: each element is taken in where a slice has it."""
    if not x.ndim or indices.ndim != 1:
        raise ValueError(f"reduceat takes an array with axes and a vector of indices, got {x.shape}, {indices.shape}")
    x = np.moveaxis(x, normalize_axis_index(axis, x.ndim), 0)
    n = x.shape[0]
    total = x[indices]
    ends = np.concatenate([indices[1:], np.full(min(1, indices.size), n)])
    for i in range(1, n):
        inside = np.logical_and(np.less(indices, i), np.less(i, ends))
        new = function(total, np.broadcast_to(x[i], total.shape))
        total = np.where(inside.reshape(inside.shape + (1,) * (x.ndim - 1)), new, total).astype(total.dtype)
    return wrap(np.moveaxis(asarray(total), 0, axis))


def _folded(ufunc: np.ufunc, x: Any, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any) -> Array:
    """A reduction without a primitive of its own: of a tracer one application of the ufunc after the other."""
    x = asarray(x, dtype)
    options = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    traced = isinstance(x, Tracer) or isinstance(initial, Tracer)
    if where is not True:
        options["where"] = np.ones(np.shape(where), bool) if traced else asarray(where)._concrete("where=x")
    if initial is not _NONE:
        options["initial"] = 1 if isinstance(initial, Tracer) else initial
    expected = ufunc.reduce(np.ones(x.shape, x.dtype) if traced else x._value, **options)
    if not traced:
        return wrap(expected)
    # From here on NumPy has checked the arguments and said what shape and dtype result.
    axes = reductions.axes(axis, x.ndim)
    rest = tuple([n for i, n in enumerate(x.shape) if i not in axes])
    order = (*axes, *[i for i in range(x.ndim) if i not in axes])
    shape = (math.prod([x.shape[i] for i in axes]), *rest)
    rows, counts = [np.transpose(a, order).reshape(shape) for a in (x, np.broadcast_to(where, x.shape))]
    first = ufunc.identity if initial is _NONE else initial
    parts = list(zip(rows, counts, strict=True))
    total: Any = parts.pop(0)[0] if first is None else np.broadcast_to(asarray(first).astype(x.dtype), rest)
    for row, counted in parts:
        total = ufunc(total, row) if where is True else np.where(counted, ufunc(total, row), total)
    return wrap(total.astype(expected.dtype).reshape(expected.shape))
