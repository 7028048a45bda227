"""Reductions that pass over NaN.

Each is the plain reduction with `where=` or with a neutral element in place of NaN, so the derivative by an element
that is NaN is zero.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Integer, Shaped
from funcgrad.numpy import reductions
from funcgrad.numpy.convert import reject
from funcgrad.numpy.reductions import lowest, shaped

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]

Axis = int | tuple[int, ...] | None


def _filled(x: Any, value: Any) -> Any:
    """x with a value in place of NaN."""
    return np.where(np.isnan(x), value, x) if x.dtype.kind in "fc" else x


def _counted(x: Any, where: Any) -> Any:
    """The `where=` that leaves out NaN as well."""
    if x.dtype.kind not in "fc":
        return where
    numbers = np.logical_not(np.isnan(x))
    return numbers if where is True or where is None else np.logical_and(numbers, where)


def nansum(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Sum along axes, NaN counting as zero; the arguments are those of `sum`.

    Example:
        >>> fnp.nansum(fnp.array([1.0, fnp.nan, 2.0]))
        Array(3., dtype=float64)
    """
    return reductions.sum(_filled(shaped(a), 0), axis, dtype, out, keepdims, initial, where)


def nanprod(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Product along axes, NaN counting as one; the arguments are those of `prod`.

    Example:
        >>> fnp.nanprod(fnp.array([3.0, fnp.nan, 2.0]))
        Array(6., dtype=float64)
    """
    return reductions.prod(_filled(shaped(a), 1), axis, dtype, out, keepdims, initial, where)


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: Any = None) -> Shaped[Array, "..."]:
    """Cumulative sums along an axis, NaN counting as zero.

    Example:
        >>> fnp.nancumsum(fnp.array([1.0, fnp.nan, 2.0]))
        Array([1., 1., 3.], dtype=float64)
    """
    return reductions.cumsum(_filled(shaped(a), 0), axis, dtype, out)


def nancumprod(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: Any = None) -> Shaped[Array, "..."]:
    """Cumulative products along an axis, NaN counting as one.

    Example:
        >>> fnp.nancumprod(fnp.array([3.0, fnp.nan, 2.0]))
        Array([3., 3., 6.], dtype=float64)
    """
    return reductions.cumprod(_filled(shaped(a), 1), axis, dtype, out)


def nanmax(
    a: ArrayLike,
    axis: Axis = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Largest element along axes that is a number; NaN where there is none. The arguments are those of `max`.

    Example:
        >>> fnp.nanmax(fnp.array([1.0, fnp.nan, 2.0]))
        Array(2., dtype=float64)
    """
    return _extremum(np.maximum, reductions.max, a, axis, out, keepdims, initial, where)


def nanmin(
    a: ArrayLike,
    axis: Axis = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Smallest element along axes that is a number; NaN where there is none. The arguments are those of `min`.

    Example:
        >>> fnp.nanmin(fnp.array([1.0, fnp.nan, 2.0]))
        Array(1., dtype=float64)
    """
    return _extremum(np.minimum, reductions.min, a, axis, out, keepdims, initial, where)


def _extremum(
    ufunc: np.ufunc, reduce: Any, a: Any, axis: Any, out: Any, keepdims: bool, initial: Any, where: Any
) -> Array:
    x = shaped(a)
    result = reduce(_filled(x, lowest(ufunc, x.dtype)), axis, out, keepdims, initial, where)
    if x.dtype.kind not in "fc" or initial is not None:
        return result
    empty = reductions.all(np.isnan(x), axis, keepdims=keepdims)
    warn_if_any(empty, "All-NaN slice encountered")
    return wrap(np.where(empty, np.nan, result))


def warn_if_any(empty: Any, message: str, stacklevel: int = 4) -> None:
    """NumPy's warning about slices without a number, if the values are known."""
    value = _known(empty)
    if value is not None and np.any(value):
        warnings.warn(message, RuntimeWarning, stacklevel=stacklevel)


def _known(x: Any) -> Any:
    """The numbers of an integer or boolean result, or None while only shapes are known."""
    return None if isinstance(x, Tracer) else x._value if isinstance(x, Array) else x


def nanargmax(
    a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Integer[Array, "..."]:
    """Index of the largest number along an axis, or in the flattened array.

    Raises:
        ValueError: there is no number.

    Example:
        >>> fnp.nanargmax(fnp.array([1.0, fnp.nan, 2.0]))
        Array(2, dtype=int64)
    """
    return _arg(np.maximum, reductions.argmax, a, axis, out, keepdims)


def nanargmin(
    a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Integer[Array, "..."]:
    """Index of the smallest number along an axis, or in the flattened array.

    Raises:
        ValueError: there is no number.

    Example:
        >>> fnp.nanargmin(fnp.array([1.0, fnp.nan, 2.0]))
        Array(0, dtype=int64)
    """
    return _arg(np.minimum, reductions.argmin, a, axis, out, keepdims)


def _arg(ufunc: np.ufunc, arg: Any, a: Any, axis: int | None, out: Any, keepdims: bool) -> Array:
    x = shaped(a)
    if x.dtype.kind in "fc":
        empty = _known(reductions.all(np.isnan(x), axis))
        if empty is not None and empty.any():
            raise ValueError("All-NaN slice encountered")
    return arg(_filled(x, lowest(ufunc, x.dtype)), axis, out, keepdims=keepdims)


def _checked(a: Any, dtype: Any) -> Any:
    """a as an operand of a mean, if the dtype can hold its NaN."""
    x = shaped(a)
    if dtype is not None and x.dtype.kind in "fc" and np.dtype(dtype).kind not in "fc":
        raise TypeError("If a is inexact, then dtype must be inexact")
    return x


def nanmean(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Mean along axes of the elements that are numbers; the arguments are those of `mean`.

    Example:
        >>> fnp.nanmean(fnp.array([1.0, fnp.nan, 2.0]))
        Array(1.5, dtype=float64)
    """
    x = _checked(a, dtype)
    counted = _counted(x, where)
    if counted is not True:
        empty = np.logical_not(reductions.any(np.broadcast_to(counted, x.shape), axis))
        warn_if_any(empty, "Mean of empty slice", stacklevel=3)
    with np.errstate(invalid="ignore"):
        return reductions.mean(x, axis, dtype, out, keepdims, where=counted)


def nanvar(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: ArrayLike = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
    mean: ArrayLike | None = None,
    correction: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Variance along axes of the elements that are numbers; the arguments are those of `var`.

    Example:
        >>> fnp.nanvar(fnp.array([1.0, fnp.nan, 3.0]))
        Array(1., dtype=float64)
    """
    return _variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _variance(
    a: Any, axis: Axis, dtype: Any, out: Any, ddof: ArrayLike, keepdims: bool, where: Any, mean: Any, correction: Any
) -> Array:
    x = _checked(a, dtype)
    counted = _counted(x, where)
    with np.errstate(invalid="ignore", divide="ignore"):
        result = reductions.var(x, axis, dtype, out, ddof, keepdims, where=counted, mean=mean, correction=correction)
    if counted is True:
        return result
    numbers = reductions.sum(np.broadcast_to(counted, x.shape), axis, keepdims=keepdims)
    few = numbers <= (ddof if correction is None else correction)
    warn_if_any(few, "Degrees of freedom <= 0 for slice.")
    return wrap(np.where(few, np.nan, result))


def nanstd(
    a: ArrayLike,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: ArrayLike = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
    mean: ArrayLike | None = None,
    correction: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Standard deviation along axes of the elements that are numbers; the arguments are those of `std`.

    Example:
        >>> fnp.nanstd(fnp.array([1.0, fnp.nan, 3.0]))
        Array(1., dtype=float64)
    """
    if out is not None:
        reject("nanstd", out=out)
    return wrap(np.sqrt(_variance(a, axis, dtype, None, ddof, keepdims, where, mean, correction)))
