"""Distributions that are a formula of one or two uniform numbers: exponential, Gumbel, Laplace, Cauchy, Pareto, …"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError
from funcgrad.numpy.selecting import where
from funcgrad.numpy.ufuncs import absolute, exp, log, log1p, power, sign, sqrt, tan
from funcgrad.ops.random_bits import random_bits
from funcgrad.random.arguments import common_shape, floating, lengths, one_key, parameter
from funcgrad.random.normals import draw_normal
from funcgrad.random.uniforms import child, draw_between, draw_unit

__all__ = [
    "cauchy",
    "exponential",
    "gumbel",
    "laplace",
    "logistic",
    "pareto",
    "rayleigh",
    "triangular",
    "wald",
    "weibull_min",
]


def exponential(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of the exponential distribution with mean 1.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.exponential(fg.random.key(0), (3,))
        Array([0.54207056, 0.24372319, 3.36163426], dtype=float64)
    """
    words, kind = one_key("exponential", key), floating("exponential", dtype)
    return _draw_exponential(words, lengths("exponential", shape), kind)


def _draw_exponential(key: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    return -log1p(-draw_unit(key, shape, dtype))


def gumbel(
    key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None, mode: str | None = None
) -> Float[Array, "..."]:
    """Numbers of the Gumbel distribution: the largest of logits + gumbel has the probabilities softmax(logits).

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.
        mode: "low", the default, makes a number of one draw of bits; "high" and "highest" of two, so that the rare
            large numbers are right too.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or the mode is unknown.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.gumbel(fg.random.key(0), (3,))
        Array([ 0.13790566, -0.42599294,  3.34403911], dtype=float64)
    """
    words, kind = one_key("gumbel", key), floating("gumbel", dtype)
    return draw_gumbel("gumbel", words, lengths("gumbel", shape), kind, mode)


def draw_gumbel(name: str, key: Array, shape: tuple[int, ...], dtype: np.dtype, mode: str | None) -> Array:
    """Gumbel numbers from checked arguments, the mode excepted."""
    if mode not in (None, "low", "high", "highest"):
        raise ArgumentError(f'{name}: mode must be "low", "high" or "highest", got {mode!r}')
    info = np.finfo(dtype)
    if mode in (None, "low"):
        return -log(-log(draw_between(key, shape, dtype, info.tiny, dtype.type(1))))
    if mode == "highest" and dtype == np.float32:
        pair = random_bits(key, (2, *shape), 32).astype(np.uint64)
        wide = (pair[0] << np.uint64(32)) | pair[1]
        low_half = wide >> np.uint64(63) == 0
        x = _fraction(where(low_half, wide, -wide))
        return where(low_half, -log(-log1p(-x)), -log(-log(x)))
    pair = draw_unit(key, (2, *shape), dtype)
    upper, lower = pair[0], pair[1]
    x = where(upper >= 0.5, upper, upper + dtype.type(2.0**-info.nmant) * lower + info.tiny)
    return -log(-log1p(-x))


def _fraction(bits: Array) -> Array:
    """bits / 2**64 in single precision, rounded towards zero."""
    ones = bits
    for k in (1, 2, 4, 8, 16, 32):
        ones = ones | (ones >> np.uint64(k))  # from the first one of the number on, all ones
    return (bits & ~(ones >> np.uint64(24))).astype(np.float32) * np.float32(2.0**-64)


def laplace(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of the Laplace distribution, with density e^-|x| / 2.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.laplace(fg.random.key(0), (3,))
        Array([ 0.17803369,  0.83796278, -2.66848708], dtype=float64)
    """
    words, kind = one_key("laplace", key), floating("laplace", dtype)
    lowest = kind.type(-1.0 + np.finfo(kind).epsneg)
    u = draw_between(words, lengths("laplace", shape), kind, lowest, kind.type(1))
    return sign(u) * log1p(-absolute(u))


def logistic(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of the logistic distribution: log(u / (1 - u)) for a uniform u.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.logistic(fg.random.key(0), (3,))
        Array([-0.32911032, -1.28738678,  3.32634015], dtype=float64)
    """
    words, kind = one_key("logistic", key), floating("logistic", dtype)
    u = draw_between(words, lengths("logistic", shape), kind, np.finfo(kind).tiny, kind.type(1))
    return log(u) - log1p(-u)


def cauchy(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of the Cauchy distribution, with density 1 / (π (1 + x²)).

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.cauchy(fg.random.key(0), (3,))
        Array([-0.26192951, -1.23784602,  9.14252843], dtype=float64)
    """
    words, kind = one_key("cauchy", key), floating("cauchy", dtype)
    u = draw_between(words, lengths("cauchy", shape), kind, np.finfo(kind).eps, kind.type(1))
    return tan((u - kind.type(0.5)) * kind.type(math.pi))


def pareto(key: ArrayLike, b: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of the Pareto distribution, with density b / x^(b+1) from 1 on.

    Arguments:
        key: a key.
        b: a positive number, or an array that broadcasts to shape. The result is differentiable in it.
        shape: of the result; by default that of b.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or b does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.pareto(fg.random.key(0), 2.0, (3,))
        Array([1.31132133, 1.12959775, 5.36994212], dtype=float64)
    """
    words, kind = one_key("pareto", key), floating("pareto", dtype)
    exponent = parameter("pareto", "b", b, kind)
    return exp(_draw_exponential(words, common_shape("pareto", shape, b=exponent), kind) / exponent)


def rayleigh(
    key: ArrayLike, scale: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of the Rayleigh distribution: the length of a vector of two normal numbers, times a scale.

    Arguments:
        key: a key.
        scale: a positive number, or an array that broadcasts to shape. The result is differentiable in it.
        shape: of the result; by default that of scale.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or scale does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.rayleigh(fg.random.key(0), 2.0, (3,))
        Array([2.63997102, 3.49983995, 0.53136889], dtype=float64)
    """
    words, kind = one_key("rayleigh", key), floating("rayleigh", dtype)
    size = parameter("rayleigh", "scale", scale, kind)
    u = draw_unit(words, common_shape("rayleigh", shape, scale=size), kind)
    return size * where(u == 0, kind.type(math.inf), sqrt(log(where(u == 0, 1, u)) * kind.type(-2)))


def weibull_min(
    key: ArrayLike, scale: ArrayLike, concentration: ArrayLike, shape: Sequence[int] = (), dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of the Weibull distribution: a power of exponential numbers, times a scale.

    Arguments:
        key: a key.
        scale, concentration: positive numbers, or arrays that broadcast to shape. The result is differentiable in them.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or the parameters do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.weibull_min(fg.random.key(0), 1.0, 2.0, (3,))
        Array([0.73625441, 0.49368328, 1.833476  ], dtype=float64)
    """
    name = "weibull_min"
    words, kind = one_key(name, key), floating(name, dtype)
    size, exponent = parameter(name, "scale", scale, kind), parameter(name, "concentration", concentration, kind)
    wanted = common_shape(name, lengths(name, shape), scale=size, concentration=exponent)
    return power(_draw_exponential(words, wanted, kind), 1 / exponent) * size


def triangular(
    key: ArrayLike,
    left: ArrayLike,
    mode: ArrayLike,
    right: ArrayLike,
    shape: Sequence[int] | None = None,
    dtype: Any = None,
) -> Float[Array, "..."]:
    """Numbers between left and right, with a density that rises linearly up to mode and falls from there.

    Arguments:
        key: a key.
        left, mode, right: numbers, or arrays that broadcast to shape. The result is differentiable in them.
        shape: of the result; by default that to which they broadcast.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or the parameters do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.triangular(fg.random.key(0), 0.0, 1.0, 4.0, (3,))
        Array([1.35831216, 0.9301515 , 3.35490895], dtype=float64)
    """
    name = "triangular"
    words, kind = one_key(name, key), floating(name, dtype)
    a, b, c = (parameter(name, w, v, kind) for w, v in (("left", left), ("mode", mode), ("right", right)))
    u = draw_unit(words, common_shape(name, shape, left=a, mode=b, right=c), kind)
    rising = u < (b - a) / (c - a)
    part = where(rising, u * (b - a), (1 - u) * (c - b))  # chosen before the root, which has no derivative at 0
    root = sqrt(part * (c - a))
    return where(rising, a + root, c - root)


def wald(key: ArrayLike, mean: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of Wald's distribution, the inverse Gaussian one, with scale 1.

    Arguments:
        key: a key.
        mean: a positive number, or an array that broadcasts to shape. The result is differentiable in it.
        shape: of the result; by default that of mean.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or mean does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.wald(fg.random.key(0), 2.0, (3,))
        Array([0.22327945, 3.90085525, 3.56995724], dtype=float64)
    """
    words, kind = one_key("wald", key), floating("wald", dtype)
    centre = parameter("wald", "mean", mean, kind)
    wanted = common_shape("wald", shape, mean=centre)
    y = draw_normal(child(words, 0), wanted, kind) ** 2
    u = draw_unit(child(words, 1), wanted, kind)
    smaller = centre + centre**2 * y / 2 - centre / 2 * sqrt(4 * centre * y + centre**2 * y**2)
    return where(u <= centre / (centre + smaller), smaller, centre**2 / smaller)
