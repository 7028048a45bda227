"""The gamma distribution and those made of it: beta, Dirichlet, chi-square, F, Student's t, generalized normal, ball.

All are differentiable in their parameters: a sample moves with the quantile that it is (see ops/random_gamma.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ShapeError
from funcgrad.numpy.reductions import max, sum
from funcgrad.numpy.ufuncs import absolute, exp, log1p, maximum, power, sqrt
from funcgrad.ops.random_bits import counters, threefry2x32
from funcgrad.ops.random_gamma import random_gamma
from funcgrad.ops.structural import broadcast_to, stop
from funcgrad.random.arguments import common_shape, floating, lengths, one_key, parameter
from funcgrad.random.normals import draw_normal
from funcgrad.random.uniforms import child, draw_signs, draw_unit

__all__ = ["ball", "beta", "chisquare", "dirichlet", "f", "gamma", "generalized_normal", "loggamma", "t"]


def draw_gamma(key: Array, a: Any, shape: tuple[int, ...], log_space: bool = False) -> Any:
    """Gamma numbers from checked arguments; each has a key of its own."""
    return random_gamma(threefry2x32(key, counters(shape)), broadcast_to(a, shape=shape), log_space=log_space)


def gamma(key: ArrayLike, a: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of the gamma distribution, with density x^(a-1) e^-x / Γ(a).

    Arguments:
        key: a key.
        a: a number that is not negative, or an array of them that broadcasts to shape. The result is differentiable in
            it.
        shape: of the result; by default that of a.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype; nan where a is negative.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or a does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.gamma(fg.random.key(0), 2.0, (3,))
        Array([1.3520308 , 1.12435945, 3.73240416], dtype=float64)
    """
    return _gamma("gamma", key, a, shape, dtype, log_space=False)


def loggamma(
    key: ArrayLike, a: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Logarithms of numbers of the gamma distribution; for small a, where the numbers themselves underflow.

    Arguments:
        key, a, shape, dtype: as for `gamma`.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: as for `gamma`.

    Example:
        >>> fg.random.loggamma(fg.random.key(0), 1e-3, (3,))
        Array([-1113.02584633, -2280.53575798,  -853.36156626], dtype=float64)
    """
    return _gamma("loggamma", key, a, shape, dtype, log_space=True)


def _gamma(name: str, key: Any, a: Any, shape: Any, dtype: Any, log_space: bool) -> Array:
    words, kind = one_key(name, key), floating(name, dtype)
    order = parameter(name, "a", a, kind)
    return draw_gamma(words, order, common_shape(name, shape, a=order), log_space)


def beta(
    key: ArrayLike, a: ArrayLike, b: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of the beta distribution, with density proportional to x^(a-1) (1 - x)^(b-1).

    Arguments:
        key: a key.
        a, b: positive numbers, or arrays that broadcast to shape. The result is differentiable in them.
        shape: of the result; by default that to which a and b broadcast.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or a and b do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.beta(fg.random.key(0), 2.0, 3.0, (3,))
        Array([0.32795607, 0.61380901, 0.76013421], dtype=float64)
    """
    words, kind = one_key("beta", key), floating("beta", dtype)
    first, second = parameter("beta", "a", a, kind), parameter("beta", "b", b, kind)
    wanted = common_shape("beta", shape, a=first, b=second)
    x = draw_gamma(child(words, 0), first, wanted, log_space=True)
    y = draw_gamma(child(words, 1), second, wanted, log_space=True)
    largest = maximum(x, y)
    x, y = exp(x - largest), exp(y - largest)
    return x / (x + y)


def dirichlet(
    key: ArrayLike, alpha: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Vectors of the Dirichlet distribution: probabilities that sum to 1.

    Arguments:
        key: a key.
        alpha: positive numbers, of shape (..., n). The result is differentiable in them.
        shape: of the array of vectors, to which the axes of alpha before the last broadcast; by default those.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of shape (*shape, n) and that dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, alpha has no axis or does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.dirichlet(fg.random.key(0), fnp.array([1.0, 2.0, 3.0]))
        Array([0.07065346, 0.16705569, 0.76229085], dtype=float64)
    """
    words, kind = one_key("dirichlet", key), floating("dirichlet", dtype)
    weights = parameter("dirichlet", "alpha", alpha, kind)
    if not weights.ndim:
        raise ShapeError("dirichlet: alpha must have an axis for the components, got a number")
    wanted = common_shape("dirichlet", shape, alpha=weights.shape[:-1])
    x = draw_gamma(words, weights, (*wanted, weights.shape[-1]), log_space=True)
    x = exp(x - stop(max(x, axis=-1, keepdims=True)))
    return x / sum(x, axis=-1, keepdims=True)


def chisquare(
    key: ArrayLike, df: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of the chi-square distribution: the sum of the squares of df normal numbers.

    Arguments:
        key: a key.
        df: degrees of freedom, positive numbers that broadcast to shape. The result is differentiable in them.
        shape: of the result; by default that of df.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or df does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.chisquare(fg.random.key(0), 4, (3,))
        Array([2.70406159, 2.2487189 , 7.46480832], dtype=float64)
    """
    words, kind = one_key("chisquare", key), floating("chisquare", dtype)
    freedom = parameter("chisquare", "df", df, kind)
    return _draw_chisquare(words, freedom, common_shape("chisquare", shape, df=freedom))


def _draw_chisquare(key: Array, df: Array, shape: tuple[int, ...]) -> Array:
    return exp(draw_gamma(key, df / 2, shape, log_space=True)) * 2


def f(
    key: ArrayLike, dfnum: ArrayLike, dfden: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of the F distribution: the quotient of two chi-square numbers, each divided by its degrees of freedom.

    Arguments:
        key: a key.
        dfnum, dfden: degrees of freedom above and below, positive numbers that broadcast to shape. The result is
            differentiable in them.
        shape: of the result; by default that to which dfnum and dfden broadcast.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or dfnum and dfden do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.f(fg.random.key(0), 4, 6, (3,))
        Array([1.47160001, 0.41216472, 0.14697014], dtype=float64)
    """
    words, kind = one_key("f", key), floating("f", dtype)
    above, below = parameter("f", "dfnum", dfnum, kind), parameter("f", "dfden", dfden, kind)
    wanted = common_shape("f", shape, dfnum=above, dfden=below)
    numerator = _draw_chisquare(child(words, 1), above, wanted) / above
    return numerator / (_draw_chisquare(child(words, 0), below, wanted) / below)


def t(key: ArrayLike, df: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of Student's t distribution.

    Arguments:
        key: a key.
        df: degrees of freedom, positive numbers that broadcast to shape. The result is differentiable in them.
        shape: of the result; by default that of df.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or df does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.t(fg.random.key(0), 4.0, (3,))
        Array([ 1.43881401, -0.57618965,  0.90480371], dtype=float64)
    """
    words, kind = one_key("t", key), floating("t", dtype)
    half = parameter("t", "df", df, kind) / 2
    wanted = common_shape("t", shape, df=half)
    return draw_normal(child(words, 0), wanted, kind) * sqrt(half / draw_gamma(child(words, 1), half, wanted))


def generalized_normal(
    key: ArrayLike, p: ArrayLike, shape: Sequence[int] = (), dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers with density proportional to exp(-|x|^p).

    Arguments:
        key: a key.
        p: a positive number, or an array that broadcasts to shape. The result is differentiable in it.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or p does not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.generalized_normal(fg.random.key(0), 3.0, (3,))
        Array([ 0.74663734, -1.07920374, -0.1386478 ], dtype=float64)
    """
    name = "generalized_normal"
    words, kind = one_key(name, key), floating(name, dtype)
    exponent = parameter(name, "p", p, kind)
    wanted = common_shape(name, lengths(name, shape), p=exponent)
    return _draw_generalized(words, exponent, wanted, kind)


def _draw_generalized(key: Array, p: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    size = draw_gamma(child(key, 0), 1 / p, shape)
    return draw_signs(child(key, 1), shape, dtype) * power(size, 1 / p)


def ball(
    key: ArrayLike, d: int, p: ArrayLike = 2, shape: Sequence[int] = (), dtype: Any = None
) -> Float[Array, "... d"]:
    """Points that are uniformly distributed in the unit ball of the p-norm.

    Arguments:
        key: a key.
        d: the number of dimensions.
        p: of the norm, a positive number. The result is differentiable in it.
        shape: of the array of points.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of shape (*shape, d) and that dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, d no number of dimensions, or p no number.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.ball(fg.random.key(0), 2, shape=(3,)).shape
        (3, 2)
    """
    words, kind = one_key("ball", key), floating("ball", dtype)
    exponent = parameter("ball", "p", p, kind)
    wanted = lengths("ball", shape)
    (dimensions,) = lengths("ball", (d,), "d")
    common_shape("ball", (), p=exponent)
    x = _draw_generalized(child(words, 0), exponent, (*wanted, dimensions), kind)
    rest = -log1p(-draw_unit(child(words, 1), wanted, kind))
    return x / power(sum(power(absolute(x), exponent), axis=-1) + rest, 1 / exponent)[..., None]
