"""Elementwise functions of NumPy that are no ufuncs: complex parts, clipping, rounding, closeness."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Bool, Inexact, Shaped
from funcgrad.numpy.convert import asarray, operand, reject, wrap
from funcgrad.numpy.ufuncs import (
    add,
    arctan2,
    equal,
    maximum,
    minimum,
    multiply,
    not_equal,
    positive,
    rad2deg,
    trunc,
)
from funcgrad.ops import elementwise as ops
from funcgrad.ops import special
from funcgrad.ops.structural import stop

__all__ = [
    "allclose",
    "angle",
    "around",
    "array_equal",
    "array_equiv",
    "clip",
    "fix",
    "i0",
    "imag",
    "isclose",
    "iscomplex",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "real",
    "real_if_close",
    "round",
    "sinc",
    "unwrap",
]


# Complex parts.


def real(val: ArrayLike) -> Shaped[Array, "..."]:
    """The real part.

    Example:
        >>> fnp.real(1 + 2j)
        Array(1., dtype=float64)
    """
    val = asarray(val)
    return wrap(ops.real(val)) if val.dtype.kind == "c" else val


def imag(val: ArrayLike) -> Shaped[Array, "..."]:
    """The imaginary part, zeros for a real array.

    Example:
        >>> fnp.imag(1 + 2j)
        Array(2., dtype=float64)
    """
    val = asarray(val)
    return wrap(ops.imag(val)) if val.dtype.kind == "c" else wrap(np.zeros(val.shape, val.dtype))


def angle(z: ArrayLike, deg: bool = False) -> Inexact[Array, "..."]:
    """The argument of a complex number, in (-π, π].

    Arguments:
        z: an array.
        deg: whether the angle is given in degrees instead of radians.

    Returns:
        An array of the shape of z. The derivative at zero is nan.

    Example:
        >>> fnp.angle(1j, deg=True)
        Array(90., dtype=float64)
    """
    z = asarray(z)
    out = arctan2(imag(z) if z.dtype.kind == "c" else 0, real(z))
    return rad2deg(out) if deg else out


def real_if_close(a: ArrayLike, tol: float | Array = 100) -> Shaped[Array, "..."]:
    """The real part of an array whose imaginary parts are all close to zero, otherwise the array itself.

    Arguments:
        a: an array.
        tol: the imaginary parts are below this many machine epsilons, or below tol itself if it is at most 1.

    Returns:
        A real or a complex array of the shape of a.

    Raises:
        NoValueError: only the shape of a complex a is known (make_tape), so that the dtype of the result is open.

    Example:
        >>> fnp.real_if_close([1 + 0j, 2 + 1e-15j])
        Array([1., 2.], dtype=float64)
    """
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    close = np.all(np.abs(a._concrete("real_if_close(x)").imag) < limit)
    return real(a) if close else a


def iscomplex(x: ArrayLike) -> Bool[Array, "..."]:
    """Whether the imaginary part is not zero, element by element.

    Example:
        >>> fnp.iscomplex([1 + 0j, 1j])
        Array([False,  True], dtype=bool)
    """
    return not_equal(imag(x), 0)


def isreal(x: ArrayLike) -> Bool[Array, "..."]:
    """Whether the imaginary part is zero, element by element.

    Example:
        >>> fnp.isreal([1 + 0j, 1j])
        Array([ True, False], dtype=bool)
    """
    return equal(imag(x), 0)


# Limiting and rounding.


def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    out: Any = None,
    *,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """`minimum(maximum(a, a_min), a_max)`: values outside an interval moved to its nearer end.

    Arguments:
        a: an array.
        a_min, a_max: the bounds, which broadcast against a; None for no bound.
        min, max: other names of the bounds.

    Returns:
        An array of the broadcast shape. Where a equals a bound, each of the two gets half of the gradient.

    Raises:
        ValueError: a bound was given under both names.
        LostTraceError: `out=` was given.

    Example:
        >>> fnp.clip([-1.0, 0.5, 3.0], 0.0, 1.0)
        Array([0. , 0.5, 1. ], dtype=float64)
    """
    reject("clip", out=out)
    if (a_min is not None and min is not None) or (a_max is not None and max is not None):
        raise ValueError("clip: give each bound once, as a_min and a_max or as min and max")
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    if low is None:
        return positive(a) if high is None else minimum(a, high)
    a = maximum(a, low)
    return a if high is None else minimum(a, high)


def round(a: ArrayLike, decimals: int = 0, out: Any = None) -> Shaped[Array, "..."]:
    """Values rounded to a number of decimals, halves to the even digit. The derivative is zero.

    Arguments:
        a: an array.
        decimals: how many digits after the point stay; negative for places before it.

    Returns:
        An array of the shape of a.

    Raises:
        LostTraceError: `out=` was given.

    Example:
        >>> fnp.round([1.26, 2.5], 1)
        Array([1.3, 2.5], dtype=float64)
    """
    reject("round", out=out)
    return wrap(ops.round(operand(a), decimals=decimals))


around = round


def fix(x: ArrayLike, out: Any = None) -> Shaped[Array, "..."]:
    """x rounded towards zero, as `trunc`. The derivative is zero.

    Example:
        >>> fnp.fix([1.7, -1.7])
        Array([ 1., -1.], dtype=float64)
    """
    reject("fix", out=out)
    return trunc(x)


def nan_to_num(
    x: ArrayLike,
    copy: bool = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """An array with numbers in the place of nan and of the infinities.

    Arguments:
        x: an array; of a complex one both parts are treated.
        copy: has no effect: the result is a new array.
        nan: what stands for nan.
        posinf, neginf: what stands for inf and -inf; by default the largest and the smallest finite number.

    Returns:
        An array of the shape of x. The derivative by x is zero where a number was put in.

    Example:
        >>> fnp.nan_to_num([1.0, fnp.nan, fnp.inf], posinf=9.0)
        Array([1., 0., 9.], dtype=float64)
    """
    x = asarray(x)
    if x.dtype.kind == "c":
        parts = [nan_to_num(part, copy, nan, posinf, neginf) for part in (real(x), imag(x))]
        return add(parts[0], multiply(1j, parts[1]))
    numbers = [float(v) if isinstance(v, (int, float, np.generic)) else None for v in (nan, posinf, neginf)]
    out = special.nan_to_num(x, nan=numbers[0] or 0.0, posinf=numbers[1], neginf=numbers[2])
    for value, number, places in zip((nan, posinf, neginf), numbers, (np.isnan, isposinf, isneginf), strict=True):
        if value is not None and number is None:  # an array, which may be differentiated
            out = np.where(places(x), asarray(value, x.dtype), out)
    return wrap(out)


# Special functions.


def sinc(x: ArrayLike) -> Inexact[Array, "..."]:
    """sin(πx) / (πx), and 1 for x = 0. Derivatives of all orders are accurate at and around zero.

    Example:
        >>> fnp.sinc([0.0, 0.5]) * fnp.pi
        Array([3.14159265, 2.        ], dtype=float64)
    """
    return wrap(special.sinc(operand(x), order=0))


def i0(x: ArrayLike) -> Inexact[Array, "..."]:
    """The modified Bessel function of the first kind of order zero, of real numbers.

    Example:
        >>> fnp.i0([0.0, 1.0])
        Array([1.        , 1.26606588], dtype=float64)
    """
    return wrap(special.bessel_i(operand(x), order=0))


def unwrap(
    p: ArrayLike, discont: ArrayLike | None = None, axis: int = -1, *, period: ArrayLike = 2 * math.pi
) -> Shaped[Array, "..."]:
    """A sequence of angles made continuous: jumps of more than half a period are undone by adding whole periods.

    Arguments:
        p: an array.
        discont: the smallest jump that is undone, by default half a period.
        axis: along which the sequence runs.
        period: of the angle.

    Returns:
        An array of the shape of p. The number of periods that are added is piecewise constant, so the derivative by p
        is the identity.

    Example:
        >>> fnp.unwrap([0.0, 3.0, 2.0, 1.0], period=4.0)
        Array([ 0., -1., -2., -3.], dtype=float64)
    """
    p = operand(p)
    jump, length = [v._concrete("unwrap(x)") if isinstance(v, Array) else v for v in (discont, period)]
    out = special.unwrap(p, discont=jump, axis=axis, period=length)
    if isinstance(period, Tracer):  # whole periods, each of which changes by as much
        out = out + np.round(stop(out - p) / length) * (period - length)
    return wrap(out)


# Questions.


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-5, atol: ArrayLike = 1e-8, equal_nan: bool = False
) -> Bool[Array, "..."]:
    """Whether |a - b| <= atol + rtol · |b|, element by element.

    Arguments:
        a, b: arrays, which broadcast against each other.
        rtol, atol: the relative and the absolute tolerance.
        equal_nan: whether nan is close to nan.

    Returns:
        A boolean array.

    Example:
        >>> fnp.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1])
        Array([ True, False], dtype=bool)
    """
    return wrap(ops.isclose(operand(a), operand(b), operand(rtol), operand(atol), equal_nan=equal_nan))


def allclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-5, atol: ArrayLike = 1e-8, equal_nan: bool = False
) -> Bool[Array, ""]:
    """Whether all elements are close, in the sense of `isclose`, whose arguments these are.

    Example:
        >>> fnp.allclose([1.0, 2.0], [1.0 + 1e-9, 2.0])
        Array(True, dtype=bool)
    """
    return wrap(ops.allclose(operand(a), operand(b), operand(rtol), operand(atol), equal_nan=equal_nan))


def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Bool[Array, ""]:
    """Whether two arrays have the same shape and the same elements.

    Arguments:
        a1, a2: arrays.
        equal_nan: whether nan equals nan.

    Returns:
        A boolean array without axes.

    Example:
        >>> fnp.array_equal([1, 2], [1, 2])
        Array(True, dtype=bool)
    """
    return wrap(ops.array_equal(operand(a1), operand(a2), equal_nan=equal_nan))


def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Bool[Array, ""]:
    """Whether two arrays have the same elements after broadcasting.

    Example:
        >>> fnp.array_equiv([1, 1], 1)
        Array(True, dtype=bool)
    """
    return wrap(ops.array_equiv(operand(a1), operand(a2)))


def isposinf(x: ArrayLike, out: Any = None) -> Bool[Array, "..."]:
    """Whether x is inf, element by element.

    Example:
        >>> fnp.isposinf([fnp.inf, -fnp.inf])
        Array([ True, False], dtype=bool)
    """
    reject("isposinf", out=out)
    return wrap(ops.isposinf(operand(x)))


def isneginf(x: ArrayLike, out: Any = None) -> Bool[Array, "..."]:
    """Whether x is -inf, element by element.

    Example:
        >>> fnp.isneginf([fnp.inf, -fnp.inf])
        Array([False,  True], dtype=bool)
    """
    reject("isneginf", out=out)
    return wrap(ops.isneginf(operand(x)))
