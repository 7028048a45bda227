"""Sums, products, extrema, means, variances and their cumulative forms, under NumPy's names.

`where=` puts the neutral element in the place of what is left out, so it differentiates like `np.where`; `initial=` is
one more operand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array, native, wrap
from funcgrad.core.types import ArrayLike, Bool, Integer, Shaped
from funcgrad.numpy.convert import asarray, normalize_axes, normalize_axis_index, operand, reject
from funcgrad.ops.cumulative import cumprod as _cumprod
from funcgrad.ops.cumulative import cumsum as _cumsum
from funcgrad.ops.reduce import argmax as _argmax
from funcgrad.ops.reduce import argmin as _argmin
from funcgrad.ops.reduce import logsumexp as _logsumexp
from funcgrad.ops.reduce import (
    reduce_and,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_or,
    reduce_prod,
    reduce_sum,
    reduce_var,
    reduced_shape,
)
from funcgrad.ops.structural import stop

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "logsumexp",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]


_FIRST = tuple([tuple(range(n)) for n in range(65)])  # all axes, for each number of axes that NumPy allows


def shaped(a: ArrayLike) -> Any:
    """a as an operand that has a shape: Python numbers become ndarrays."""
    if isinstance(a, Array):
        return a
    a = operand(a)
    return a if hasattr(a, "ndim") else np.asarray(a)


def axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """`axis` as a tuple of non-negative axes, fast for None and for single axes.

    As in NumPy's sum a number may be reduced along axis 0 or -1, which leaves it as it is; here in all reductions.
    """
    if axis is None:
        return _FIRST[ndim]
    if type(axis) is int and -ndim <= axis < ndim:
        return (axis % ndim,)
    if ndim == 0 and not isinstance(axis, (tuple, list)) and axis in (0, -1):
        return ()
    return normalize_axes(axis, ndim)


def reduction(x: Any, axis: Any, keepdims: bool) -> dict[str, Any]:
    """The parameters of a reduction of x."""
    params: dict[str, Any] = {"axis": axes(axis, x.ndim)}
    if keepdims:
        params["keepdims"] = True
    return params


def _in_dtype(x: Any, dtype: Any, params: dict[str, Any]) -> Any:
    """x as it is for a reduction in a dtype; integer results keep it as a parameter, for NumPy would widen them."""
    dtype = native(dtype)
    if dtype.kind in "biu":
        params["dtype"] = dtype
    return x if x.dtype == dtype else x.astype(dtype)


def _select(where: Any, x: Any, neutral: Any) -> Any:
    """x where it counts, else the neutral element; `where=None` is JAX's way to say that all count."""
    if where is True or where is None:
        return x
    where = shaped(where)
    if where.dtype.kind != "b":
        raise TypeError(f"where= takes booleans, got dtype {where.dtype}")
    return np.where(where, x, neutral)


def sum(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
    promote_integers: bool = True,
) -> Shaped[Array, "..."]:
    """Sum of the elements along axes.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        dtype: of the sum; by default that of a, and at least the platform's integer.
        out: only None.
        keepdims: whether the axes stay, with length one.
        initial: a number to add, which is cast to the dtype of the sum.
        where: booleans that say which elements count.
        promote_integers: whether integers of less than 64 bits, and booleans, are widened as in NumPy.

    Returns:
        The sum.

    Example:
        >>> fnp.sum(fnp.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
        Array([4., 6.], dtype=float64)
    """
    if out is not None:
        reject("sum", out=out)
    x = shaped(a)
    params = reduction(x, axis, keepdims)
    if dtype is None and where is True and initial is None and promote_integers:
        return wrap(reduce_sum(x, **params))
    if dtype is None and not promote_integers:
        dtype = x.dtype
    if dtype is not None:
        x = _in_dtype(x, dtype, params)
    total = reduce_sum(_select(where, x, 0), **params)
    return wrap(total if initial is None else total + _start("sum", initial, total.dtype))


def prod(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
    promote_integers: bool = True,
) -> Shaped[Array, "..."]:
    """Product of the elements along axes. Its derivatives are right where elements are zero, too.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        dtype: of the product.
        out: only None.
        keepdims: whether the axes stay, with length one.
        initial: a number to multiply by, which is cast to the dtype of the product.
        where: booleans that say which elements count.
        promote_integers: whether integers of less than 64 bits, and booleans, are widened as in NumPy.

    Returns:
        The product.

    Example:
        >>> fg.grad(fnp.prod)(fnp.array([0.0, 2.0, 3.0]))
        Array([6., 0., 0.], dtype=float64)
    """
    if out is not None:
        reject("prod", out=out)
    x = shaped(a)
    params = reduction(x, axis, keepdims)
    if dtype is None and not promote_integers:
        dtype = x.dtype
    if dtype is not None:
        x = _in_dtype(x, dtype, params)
    total = reduce_prod(_select(where, x, 1), **params)
    return wrap(total if initial is None else total * _start("prod", initial, total.dtype))


def max(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Largest element along axes; elements that share it share the derivative evenly.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        out: only None.
        keepdims: whether the axes stay, with length one.
        initial: a further candidate, cast to the dtype of a; needed with `where` and for empty arrays.
        where: booleans that say which elements count.

    Returns:
        The maximum.

    Raises:
        ValueError: there is no element, or `where` comes without `initial`.

    Example:
        >>> fg.grad(fnp.max)(fnp.array([1.0, 3.0, 3.0]))
        Array([0. , 0.5, 0.5], dtype=float64)

    Source: numpy.max (https://numpy.org/doc/stable/reference/generated/numpy.max.html); ties as in `jax.numpy.max`.
    """
    if out is not None:
        reject("max", out=out)
    return _extremum(np.maximum, reduce_max, a, axis, keepdims, initial, where)


def min(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    out: Any = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Smallest element along axes; elements that share it share the derivative evenly.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        out: only None.
        keepdims: whether the axes stay, with length one.
        initial: a further candidate, cast to the dtype of a; needed with `where` and for empty arrays.
        where: booleans that say which elements count.

    Returns:
        The minimum.

    Raises:
        ValueError: there is no element, or `where` comes without `initial`.

    Example:
        >>> fnp.min(fnp.array([[1.0, 2.0], [3.0, 0.0]]), axis=1)
        Array([1., 0.], dtype=float64)

    Source: numpy.min (https://numpy.org/doc/stable/reference/generated/numpy.min.html); ties as in `jax.numpy.min`.
    """
    if out is not None:
        reject("min", out=out)
    return _extremum(np.minimum, reduce_min, a, axis, keepdims, initial, where)


amax, amin = max, min


def lowest(ufunc: np.ufunc, dtype: np.dtype) -> Any:
    """The neutral element of np.maximum or np.minimum in a dtype."""
    low = ufunc is np.maximum
    if dtype.kind == "b":
        return not low
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if low else np.iinfo(dtype).max
    return -math.inf if low else math.inf


def _extremum(ufunc: np.ufunc, primitive: Any, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any) -> Array:
    x = shaped(a)
    params = reduction(x, axis, keepdims)
    if where is True and initial is None:
        return wrap(primitive(x, **params))
    if where is not True and where is not None:
        if initial is None:
            raise ValueError(
                f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has to "
                f"specify 'initial'"
            )
        x = _select(where, x, lowest(ufunc, x.dtype))
    if initial is None:
        return wrap(primitive(x, **params))
    initial = _start(ufunc.__name__, initial, x.dtype)
    if not x.size:
        shape = reduced_shape(x.shape, **params)
        return wrap(np.broadcast_to(ufunc(initial, np.full(shape, lowest(ufunc, x.dtype), x.dtype)), shape))
    return wrap(ufunc(primitive(x, **params), initial))


def _start(name: str, initial: Any, dtype: Any) -> Array:
    """The operand `initial=` of a reduction, which is one number for all results."""
    start = asarray(initial, dtype)
    if start.ndim:
        raise ValueError(f"{name}: initial must be a number, got an array of shape {start.shape}")
    return start


def mean(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
) -> Shaped[Array, "..."]:
    """Arithmetic mean along axes.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        dtype: in which to compute; by default that of a, and float64 for integers.
        out: only None.
        keepdims: whether the axes stay, with length one.
        where: booleans that say which elements count.

    Returns:
        The mean.

    Example:
        >>> fnp.mean(fnp.array([1.0, 2.0, 6.0]))
        Array(3., dtype=float64)
    """
    if out is not None:
        reject("mean", out=out)
    x = shaped(a)
    if dtype is not None:
        dtype = native(dtype)
        x = x if x.dtype == dtype else x.astype(dtype)
    params = reduction(x, axis, keepdims)
    if where is True or where is None:
        result = reduce_mean(x, **params)
    else:
        x = x.astype(np.float64) if x.dtype.kind in "biu" else x
        result = reduce_sum(_select(where, x, 0), **params) / _number_where(where, x.shape, params).astype(x.dtype)
    return wrap(result if dtype is None or result.dtype == dtype else result.astype(dtype))


def _number_where(where: Any, shape: tuple[int, ...], params: dict[str, Any]) -> Any:
    """How many elements count, in the shape of the result."""
    return reduce_sum(np.broadcast_to(where, shape), **params)


def var(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    ddof: ArrayLike = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
    mean: ArrayLike | None = None,
    correction: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Variance along axes: the mean squared distance from the mean.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        dtype: in which to compute; by default that of a, and float64 for integers.
        out: only None.
        ddof: the sum of squares is divided by the number of elements minus this.
        keepdims: whether the axes stay, with length one.
        where: booleans that say which elements count.
        mean: the mean if it is known, with the axes kept; it is differentiated like any argument.
        correction: another name for ddof, that of the array API standard.

    Returns:
        The variance; of complex numbers too it is real.

    Raises:
        ValueError: both ddof and correction are given.

    Example:
        >>> fnp.var(fnp.array([1.0, 3.0]))
        Array(1., dtype=float64)
    """
    if out is not None:
        reject("var", out=out)
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    x = shaped(a)
    if dtype is not None:
        dtype = native(dtype)
        x = x if x.dtype == dtype else x.astype(dtype)
    params = reduction(x, axis, keepdims)
    where = True if where is None else where
    if where is True and mean is None:
        result = reduce_var(x, ddof=ddof, **params)
    else:
        m = _mean(x, axis, keepdims=True, where=where) if mean is None else shaped(mean)
        d = _select(where, x - m, 0)
        squares = (d * np.conj(d)).real if d.dtype.kind == "c" else d * d
        freedom = np.maximum(_number_where(where, x.shape, params) - ddof, 0).astype(squares.dtype)
        result = reduce_sum(squares, **params) / freedom
    return wrap(result if dtype is None or result.dtype == dtype else result.astype(dtype))


_mean = mean


def std(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    out: Any = None,
    ddof: ArrayLike = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
    mean: ArrayLike | None = None,
    correction: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Standard deviation along axes: the square root of `var`, whose arguments it takes.

    Arguments:
        a, axis, dtype, out, ddof, keepdims, where, mean, correction: as for `var`.

    Returns:
        The standard deviation. Where it is zero it has no derivative, which is nan there.

    Example:
        >>> fnp.std(fnp.array([1.0, 3.0, 5.0, 7.0]), ddof=-1)
        Array(2., dtype=float64)
    """
    if out is not None:
        reject("std", out=out)
    return wrap(np.sqrt(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)))


def ptp(
    a: ArrayLike, axis: int | tuple[int, ...] | None = None, out: Any = None, keepdims: bool = False
) -> Shaped[Array, "..."]:
    """Range along axes: the largest element minus the smallest.

    Example:
        >>> fnp.ptp(fnp.array([4.0, 1.0, 2.0]))
        Array(3., dtype=float64)
    """
    if out is not None:
        reject("ptp", out=out)
    x = shaped(a)
    params = reduction(x, axis, keepdims)
    return wrap(reduce_max(x, **params) - reduce_min(x, **params))


# Integers and booleans.


def all(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
) -> Bool[Array, "..."]:
    """Whether all elements along axes are true (not zero).

    Example:
        >>> fnp.all(fnp.array([[1, 0], [2, 3]]), axis=1)
        Array([False,  True], dtype=bool)
    """
    if out is not None:
        reject("all", out=out)
    x = shaped(a)
    return wrap(reduce_and(_select(where, x, True), **reduction(x, axis, keepdims)))


def any(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = True,
) -> Bool[Array, "..."]:
    """Whether any element along axes is true (not zero).

    Example:
        >>> fnp.any(fnp.array([[1, 0], [0, 0]]), axis=1)
        Array([ True, False], dtype=bool)
    """
    if out is not None:
        reject("any", out=out)
    x = shaped(a)
    return wrap(reduce_or(_select(where, x, False), **reduction(x, axis, keepdims)))


def argmax(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Integer[Array, "..."]:
    """Index of the largest element along an axis, or in the flattened array; the first of several.

    Example:
        >>> fnp.argmax(fnp.array([1.0, 5.0, 5.0]))
        Array(1, dtype=int64)
    """
    if out is not None:
        reject("argmax", out=out)
    x = shaped(a)
    return wrap(_argmax(x, **_arg_params(x, axis, keepdims)))


def argmin(a: ArrayLike, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Integer[Array, "..."]:
    """Index of the smallest element along an axis, or in the flattened array; the first of several.

    Example:
        >>> fnp.argmin(fnp.array([[1.0, 5.0], [3.0, 2.0]]), axis=1)
        Array([0, 1], dtype=int64)
    """
    if out is not None:
        reject("argmin", out=out)
    x = shaped(a)
    return wrap(_argmin(x, **_arg_params(x, axis, keepdims)))


def _arg_params(x: Any, axis: int | None, keepdims: bool) -> dict[str, Any]:
    params: dict[str, Any] = {"axis": None if axis is None else normalize_axis_index(axis, x.ndim or 1)}
    if not x.ndim:
        params["axis"] = None
    if keepdims:
        params["keepdims"] = True
    return params


def count_nonzero(
    a: ArrayLike, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False
) -> Integer[Array, "..."]:
    """Number of elements along axes that are not zero.

    Example:
        >>> fnp.count_nonzero(fnp.array([1.0, 0.0, 2.0]))
        Array(2, dtype=int64)
    """
    x = shaped(a)
    return wrap(reduce_sum(np.not_equal(x, 0), **reduction(x, axis, keepdims)))


# Cumulative ones.


def cumsum(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: Any = None) -> Shaped[Array, "..."]:
    """Sums of the first 1, 2, 3, … elements along an axis, or of the flattened array.

    Example:
        >>> fnp.cumsum(fnp.array([1.0, 2.0, 3.0]))
        Array([1., 3., 6.], dtype=float64)
    """
    if out is not None:
        reject("cumsum", out=out)
    return _cumulate(_cumsum, a, axis, dtype)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: Any = None, out: Any = None) -> Shaped[Array, "..."]:
    """Products of the first 1, 2, 3, … elements along an axis, or of the flattened array.

    Example:
        >>> fnp.cumprod(fnp.array([1.0, 2.0, 3.0]))
        Array([1., 2., 6.], dtype=float64)
    """
    if out is not None:
        reject("cumprod", out=out)
    return _cumulate(_cumprod, a, axis, dtype)


def _cumulate(primitive: Any, a: Any, axis: int | None, dtype: Any) -> Array:
    x = shaped(a)
    params: dict[str, Any] = {}
    if dtype is not None:
        x = _in_dtype(x, dtype, params)
    if axis is None or x.ndim == 0:
        axis = 0 if axis is None else normalize_axis_index(axis, 1)
        x = x if x.ndim == 1 else x.reshape(-1)
    return wrap(primitive(x, axis=normalize_axis_index(axis, x.ndim), reverse=False, **params))


def cumulative_sum(
    x: ArrayLike, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Shaped[Array, "..."]:
    """Cumulative sums along an axis; with `include_initial` they begin with zero.

    Raises:
        ValueError: x has several axes and none is named.

    Example:
        >>> fnp.cumulative_sum(fnp.array([1.0, 2.0]), include_initial=True)
        Array([0., 1., 3.], dtype=float64)
    """
    return _cumulative("cumulative_sum", _cumsum, 0, x, axis, dtype, out, include_initial)


def cumulative_prod(
    x: ArrayLike, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Shaped[Array, "..."]:
    """Cumulative products along an axis; with `include_initial` they begin with one.

    Raises:
        ValueError: x has several axes and none is named.

    Example:
        >>> fnp.cumulative_prod(fnp.array([2.0, 3.0]), include_initial=True)
        Array([1., 2., 6.], dtype=float64)
    """
    return _cumulative("cumulative_prod", _cumprod, 1, x, axis, dtype, out, include_initial)


def _cumulative(
    name: str, primitive: Any, initial: int, a: Any, axis: int | None, dtype: Any, out: Any, include_initial: bool
) -> Array:
    reject(name, out=out)
    x = shaped(a)
    if axis is None and x.ndim > 1:
        raise ValueError(f"{name}: for arrays which have more than one dimension ``axis`` argument is required.")
    y = _cumulate(primitive, x, axis, dtype)
    if not include_initial:
        return y
    axis = normalize_axis_index(0 if axis is None else axis, y.ndim)
    first = np.full([1 if i == axis else n for i, n in enumerate(y.shape)], initial, y.dtype)
    return wrap(np.concatenate((first, y), axis))


def logsumexp(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """Logarithm of the sum of exponentials, without overflow: `log(sum(b * exp(a)))`.

    Arguments:
        a: the exponents, real.
        axis: one axis or several; None for all.
        b: real factors, which broadcast against a; differentiated as well.
        keepdims: whether the axes stay, with length one.
        return_sign: whether to return the pair (logarithm of the absolute value, sign) of the sum.

    Returns:
        The logarithm, or the pair. The logarithm of a negative sum is nan.

    Example:
        >>> fnp.logsumexp(fnp.array([1000.0, -float("inf")]))
        Array(1000., dtype=float64)

    Source: scipy.special.logsumexp (https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.logsumexp.html).
    """
    x = shaped(a)
    x = x.astype(np.float64) if x.dtype.kind in "biu" else x
    if x.dtype.kind == "c":
        raise TypeError(f"logsumexp takes real exponents, got {x.dtype}")
    if b is None:
        result = wrap(_logsumexp(x, **reduction(x, axis, keepdims)))
        return (result, np.sign(np.exp(result))) if return_sign else result
    factors = shaped(b)
    x = np.broadcast_to(x, np.broadcast_shapes(x.shape, factors.shape))
    params = reduction(x, axis, keepdims)
    # The largest exponent that counts goes out of the sum. One that does not count and would overflow is left out.
    top = stop(np.max(np.where(factors == 0, -math.inf, x), params["axis"], keepdims=True, initial=-math.inf))
    top = np.where(np.isfinite(top), top, 0)
    huge = (factors == 0) & (x - top > math.log(np.finfo(x.dtype).max))
    total = reduce_sum(factors * np.exp(np.where(huge, -math.inf, x - top)), **params)
    top = top if keepdims else top.reshape(total.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        if return_sign:
            return wrap(np.log(np.abs(total)) + top), wrap(np.sign(total))
        return wrap(np.log(total) + top)
