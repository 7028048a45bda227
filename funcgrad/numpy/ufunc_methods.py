"""The methods of ufuncs on Arrays and tracers: `np.add.reduce(x)`, `np.multiply.accumulate(x)`, ….

A reduction of a ufunc is a function of funcgrad.numpy under another name: `np.add.reduce` is `sum`. What is written
here is the correspondence, and the defaults, which differ: ufunc methods go along axis 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.errors import UnsupportedError
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
    out: None = None,
    keepdims: bool = False,
    initial: Any = _NONE,
    where: Any = True,
) -> Array:
    """`ufunc.reduce(x, ...)`: the ufunc applied to all elements along axes.

    Raises:
        UnsupportedError: the ufunc has no reduction here.
    """
    if ufunc is np.add and dtype is None and initial is _NONE and where is True and out is None:
        # Derivative rules come this way.
        x = x if isinstance(x, Array) else asarray(x)
        axes = reductions.axes(axis, x.ndim)
        return reduce_sum(x, axis=axes, keepdims=True) if keepdims else reduce_sum(x, axis=axes)
    reject(f"{ufunc.__name__}.reduce", out=out)
    initial = None if initial is _NONE else initial
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
    options = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "where": where}
    if initial is not None:
        options["initial"] = initial
    return _without_rule(ufunc, "reduce", x, options)


_ARITHMETIC: dict[np.ufunc, Callable] = {np.add: reductions.sum, np.multiply: reductions.prod}
_EXTREMUM: dict[np.ufunc, Callable] = {np.maximum: reductions.max, np.minimum: reductions.min}
_LOGICAL: dict[np.ufunc, Callable] = {np.logical_and: reductions.all, np.logical_or: reductions.any}


def accumulate(ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Array:
    """`ufunc.accumulate(x, ...)`: the reductions of the first 1, 2, 3, … elements along an axis.

    Raises:
        UnsupportedError: the ufunc has no accumulation here.
    """
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
    return _without_rule(ufunc, "accumulate", x, {"axis": axis, "dtype": dtype})


def outer(ufunc: np.ufunc, x: Any, y: Any, **options: Any) -> Any:
    """`ufunc.outer(x, y)`: the ufunc applied to all pairs of an element of x and one of y."""
    x, y = asarray(x), asarray(y)
    return ufunc(x.reshape(x.shape + (1,) * y.ndim), y, **options)


def reduceat(ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None, out: None = None) -> Array:
    """`ufunc.reduceat(x, indices)`: the reductions of slices, from each index to the next.

    Raises:
        UnsupportedError: the ufunc has no reduction here.
        IndexError: an index is out of bounds.
    """
    reject(f"{ufunc.__name__}.reduceat", out=out)
    x = asarray(x)
    if not isinstance(x, Tracer):
        return _without_rule(ufunc, "reduceat", x, {"indices": indices, "axis": axis, "dtype": dtype})
    axis = normalize_axis_index(axis, x.ndim)
    starts = asarray(indices)._concrete("np.add.reduceat(x, indices)").tolist()
    n = x.shape[axis]
    for i in starts:
        if not 0 <= i < n:
            raise IndexError(f"index {i} out-of-bounds in {ufunc.__name__}.reduceat [0, {n})")
    before = (slice(None),) * axis
    parts = [
        reduce(ufunc, x[(*before, slice(i, j if i < j else i + 1))], axis, dtype, keepdims=True)
        for i, j in zip(starts, [*starts[1:], n], strict=True)
    ]
    return wrap(np.concatenate(parts, axis))


def _without_rule(ufunc: np.ufunc, method: str, x: Any, options: dict[str, Any]) -> Array:
    """NumPy's own result, where nothing is being differentiated.

    Raises:
        UnsupportedError: x is a tracer of a floating or complex dtype.
    """
    x = asarray(x)
    name = f"numpy.{ufunc.__name__}.{method}"
    if isinstance(x, Tracer) and x.dtype.kind in "fc":
        raise UnsupportedError(
            f"{name} has no derivative rule in funcgrad, so it cannot be applied to {x.describe()}. The methods of "
            f"add, multiply, maximum and minimum are there, and reduce of logaddexp, logical_and and logical_or"
        )
    return wrap(getattr(ufunc, method)(x._concrete(f"{name}(x)"), **options))
