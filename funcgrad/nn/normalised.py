"""Softmax, sums and means of exponentials, standardised numbers, and integers as rows of zeros and a one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float, Num
from funcgrad.errors import ArgumentError
from funcgrad.numpy import arange, broadcast_to, exp, expand_dims, sqrt
from funcgrad.numpy import log as logarithm
from funcgrad.numpy import logsumexp as log_of_sum
from funcgrad.numpy import mean as average
from funcgrad.numpy import sum as total
from funcgrad.numpy import where as select
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, real_floats, wrap
from funcgrad.ops import reduce

__all__ = ["log_softmax", "logmeanexp", "logsumexp", "one_hot", "softmax", "standardize"]


Axis = int | tuple[int, ...] | None


def softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Float[Array, "..."]:
    """exp(x) over its sum along an axis, without overflow.

    Arguments:
        x: real numbers.
        axis: one axis or several; None for all.
        where: which elements take part; the others get 0.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.softmax([1000.0, 1000.0])
        Array([0.5, 0.5], dtype=float64)
    """
    x = real_floats(x, "softmax")
    if where is not None:
        return exp(log_softmax(x, axis, where))
    if type(axis) is int and x.ndim and x.dtype.char in "fd":
        return wrap(reduce.softmax(operand(x), axis=normalize_axis_index(axis, x.ndim)))
    return exp(log_softmax(x, axis))


def log_softmax(x: ArrayLike, axis: Axis = -1, where: ArrayLike | None = None) -> Float[Array, "..."]:
    """The logarithm of `softmax`.

    Arguments:
        x, axis: as in softmax.
        where: which elements take part; the others get -inf.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.log_softmax([0.0, 1000.0])
        Array([-1000.,     0.], dtype=float64)
    """
    x = real_floats(x, "log_softmax")
    if where is not None:
        mask = _mask(where, x)
        inside = select(mask, x, 0)  # what does not take part may be infinite or nan
        return select(mask, inside - logsumexp(x, axis, keepdims=True, where=mask), -np.inf)
    if type(axis) is int and x.ndim and x.dtype.char in "fd":
        return wrap(reduce.log_softmax(operand(x), axis=normalize_axis_index(axis, x.ndim)))
    return x - log_of_sum(x, axis=axis, keepdims=True)


def logsumexp(
    a: ArrayLike,
    axis: Axis = None,
    b: ArrayLike | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
    where: ArrayLike | None = None,
) -> Any:
    """log(sum(b * exp(a))), without overflow; as `funcgrad.numpy.logsumexp`, which explains the arguments.

    Arguments:
        a, axis, b, keepdims, return_sign: as there.
        where: which elements take part.

    Returns:
        The logarithm, or the pair of the logarithm of the absolute value and the sign.

    Example:
        >>> fg.nn.logsumexp([1000.0, 2000.0], where=[True, False])
        Array(1000., dtype=float64)
    """
    if where is not None:
        a = select(asarray(where), real_floats(a, "logsumexp"), -np.inf)
        b = None if b is None else select(asarray(where), b, 0)
    return log_of_sum(a, axis=axis, b=b, keepdims=keepdims, return_sign=return_sign)


def logmeanexp(
    x: ArrayLike, axis: Axis = None, where: ArrayLike | None = None, keepdims: bool = False
) -> Float[Array, "..."]:
    """log(mean(exp(x))), without overflow.

    Arguments:
        x: real numbers.
        axis: one axis or several; None for all.
        where: which elements take part.
        keepdims: whether the axes stay, with length one.

    Returns:
        The logarithms.

    Example:
        >>> fg.nn.logmeanexp([1000.0, 1000.0])
        Array(1000., dtype=float64)
    """
    x = real_floats(x, "logmeanexp")
    found = logsumexp(x, axis, keepdims=keepdims, where=where)
    if where is not None:
        return found - logarithm(total(_mask(where, x), axis=axis, keepdims=keepdims).astype(x.dtype))
    return found - math.log(max(x.size // max(found.size, 1), 1))


def standardize(
    x: ArrayLike,
    axis: Axis = -1,
    mean: ArrayLike | None = None,
    variance: ArrayLike | None = None,
    epsilon: ArrayLike = 1e-5,
    where: ArrayLike | None = None,
) -> Float[Array, "..."]:
    """(x - mean) / sqrt(variance + epsilon).

    Arguments:
        x: real numbers.
        axis: along which mean and variance are taken, if they are not given; None for all.
        mean, variance: to be used instead.
        epsilon: keeps the root away from 0.
        where: which elements take part in mean and variance.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.standardize([1.0, 3.0], epsilon=0.0)
        Array([-1.,  1.], dtype=float64)
    """
    x = real_floats(x, "standardize")
    center = _mean(x, axis, where) if mean is None else asarray(mean)
    if variance is None:
        variance = _mean((x - center) ** 2, axis, where)
    return (x - center) / sqrt(asarray(variance) + epsilon)


def one_hot(x: ArrayLike, num_classes: int, *, dtype: Any = None, axis: int = -1) -> Num[Array, "..."]:
    """Rows of zeros with a one where the integers say.

    Arguments:
        x: integers. One that is not from 0 to num_classes - 1 gives a row of zeros.
        num_classes: how long rows are.
        dtype: of the result, by default float64.
        axis: where the new axis shall be.

    Returns:
        An array with one axis more than x.

    Raises:
        ArgumentError: num_classes is no length.

    Example:
        >>> fg.nn.one_hot([0, 2], 3)
        Array([[1., 0., 0.],
               [0., 0., 1.]], dtype=float64)
    """
    try:
        length = int(num_classes)
    except TypeError as e:
        raise ArgumentError(f"one_hot: num_classes must be an integer that is known, got {num_classes!r}") from e
    x = asarray(x)
    place = normalize_axis_index(axis, x.ndim + 1)
    shape = [1] * (x.ndim + 1)
    shape[place] = length
    return (expand_dims(x, place) == arange(length, dtype=x.dtype).reshape(shape)).astype(dtype or np.float64)


def _mean(x: Array, axis: Axis, where: ArrayLike | None) -> Array:
    if where is None:
        return average(x, axis=axis, keepdims=True)
    mask = _mask(where, x)
    return total(select(mask, x, 0), axis=axis, keepdims=True) / total(mask, axis=axis, keepdims=True).astype(x.dtype)


def _mask(where: ArrayLike, x: Array) -> Array:
    """A truth value for each element of x."""
    return broadcast_to(asarray(where), x.shape)
