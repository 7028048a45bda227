"""Activation functions, elementwise but for `glu`. At their kinks they have the derivatives that JAX gives them.

Most are a formula over functions of funcgrad.numpy, written so that no branch that is not taken overflows.
"""

from __future__ import annotations

import math

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Num, Shaped
from funcgrad.errors import ShapeError
from funcgrad.numpy import abs as absolute
from funcgrad.numpy import clip, exp, expm1, log, log1p, logaddexp, maximum, minimum, split, sqrt, where
from funcgrad.numpy import tanh as tanh
from funcgrad.numpy.convert import asarray, inexact
from funcgrad.scipy.special import erfc, expit

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log1mexp",
    "log_sigmoid",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softplus",
    "sparse_plus",
    "sparse_sigmoid",
    "squareplus",
    "swish",
    "tanh",
]


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def identity(x: ArrayLike) -> Num[Array, "..."]:
    """x as it is.

    Arguments:
        x: an array.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.identity(1.5)
        Array(1.5, dtype=float64)
    """
    return asarray(x)


def relu(x: ArrayLike) -> Num[Array, "..."]:
    """The positive part, max(x, 0), whose derivative at 0 is 0.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.relu([-1.0, 2.0])
        Array([0., 2.], dtype=float64)
    """
    x = asarray(x)
    return where(x <= 0, 0, x)  # nan stays nan


def relu6(x: ArrayLike) -> Num[Array, "..."]:
    """min(max(x, 0), 6), whose derivative at 0 and 6 is 0.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.relu6([-1.0, 7.0])
        Array([0., 6.], dtype=float64)
    """
    x = asarray(x)
    return where(x <= 0, 0.0, where(x >= 6, 6.0, x))


def sigmoid(x: ArrayLike) -> Num[Array, "..."]:
    """The logistic function 1 / (1 + exp(-x)).

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.sigmoid(0.0)
        Array(0.5, dtype=float64)
    """
    return expit(x)


def log_sigmoid(x: ArrayLike) -> Num[Array, "..."]:
    """The logarithm of the logistic function.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.log_sigmoid(-1000.0)
        Array(-1000., dtype=float64)
    """
    return -softplus(-inexact(x))


def softplus(x: ArrayLike) -> Num[Array, "..."]:
    """log(1 + exp(x)), a smooth positive part.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.softplus(1000.0)
        Array(1000., dtype=float64)
    """
    return logaddexp(inexact(x), 0)


def squareplus(x: ArrayLike, b: ArrayLike = 4) -> Num[Array, "..."]:
    """(x + sqrt(x² + b)) / 2, a smooth positive part without exponentials.

    Arguments:
        x: real numbers.
        b: how smooth.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.squareplus(0.0)
        Array(1., dtype=float64)
    """
    x = inexact(x)
    return (x + sqrt(x * x + b)) / 2


def soft_sign(x: ArrayLike) -> Num[Array, "..."]:
    """x / (1 + |x|).

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.soft_sign(1.0)
        Array(0.5, dtype=float64)
    """
    x = inexact(x)
    return x / (absolute(x) + 1)


def silu(x: ArrayLike) -> Num[Array, "..."]:
    """x times its logistic function; also called `swish`.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.silu(0.0)
        Array(0., dtype=float64)
    """
    x = inexact(x)
    return x * expit(x)


def mish(x: ArrayLike) -> Num[Array, "..."]:
    """x tanh(softplus(x)).

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.mish(0.0)
        Array(0., dtype=float64)
    """
    x = inexact(x)
    return x * tanh(softplus(x))


def elu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Num[Array, "..."]:
    """x where it is positive, alpha (exp(x) - 1) elsewhere.

    Arguments:
        x: real numbers.
        alpha: what is approached, with a minus, to the left.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.elu([-1000.0, 2.0])
        Array([-1.,  2.], dtype=float64)
    """
    x = inexact(x)
    return where(x > 0, x, alpha * expm1(where(x > 0, 0.0, x)))


def celu(x: ArrayLike, alpha: ArrayLike = 1.0) -> Num[Array, "..."]:
    """x where it is positive, alpha (exp(x / alpha) - 1) elsewhere, smooth for every alpha.

    Arguments:
        x: real numbers.
        alpha: what is approached, with a minus, to the left.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.celu([-1000.0, 2.0], 0.5)
        Array([-0.5,  2. ], dtype=float64)
    """
    x = inexact(x)
    return maximum(x, 0.0) + alpha * expm1(minimum(x, 0.0) / alpha)


def selu(x: ArrayLike) -> Num[Array, "..."]:
    """`elu` with the alpha and the factor with which layers keep mean 0 and variance 1.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.selu(1.0)
        Array(1.05070099, dtype=float64)
    """
    return _SELU_SCALE * elu(x, _SELU_ALPHA)


def gelu(x: ArrayLike, approximate: bool = True) -> Num[Array, "..."]:
    """x times the probability that a normal number is less than x.

    Arguments:
        x: real numbers.
        approximate: whether the probability is computed by tanh, as is usual, or by erfc.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.gelu([0.0, 100.0])
        Array([  0., 100.], dtype=float64)
    """
    x = inexact(x)
    if not approximate:
        return 0.5 * x * erfc(-x / math.sqrt(2))
    return x * (0.5 * (1.0 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x)))))


def leaky_relu(x: ArrayLike, negative_slope: ArrayLike = 0.01) -> Num[Array, "..."]:
    """x where it is not negative, a small multiple of x elsewhere.

    Arguments:
        x: real numbers.
        negative_slope: the factor.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.leaky_relu([-1.0, 2.0])
        Array([-0.01,  2.  ], dtype=float64)
    """
    x = inexact(x)
    return where(x >= 0, x, negative_slope * x)


def hard_tanh(x: ArrayLike) -> Num[Array, "..."]:
    """x, cut off at -1 and 1.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.hard_tanh([-3.0, 0.5])
        Array([-1. ,  0.5], dtype=float64)
    """
    x = asarray(x)
    return where(x > 1, 1, where(x < -1, -1, x))


def hard_sigmoid(x: ArrayLike) -> Num[Array, "..."]:
    """x / 6 + 1/2, cut off at 0 and 1.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.hard_sigmoid([-3.0, 0.0])
        Array([0. , 0.5], dtype=float64)
    """
    return relu6(inexact(x) + 3.0) / 6.0


def hard_silu(x: ArrayLike) -> Num[Array, "..."]:
    """x times its `hard_sigmoid`; also called `hard_swish`.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.hard_silu([-3.0, 3.0])
        Array([-0.,  3.], dtype=float64)
    """
    x = inexact(x)
    return x * hard_sigmoid(x)


def sparse_plus(x: ArrayLike) -> Num[Array, "..."]:
    """0 up to -1, x from 1, and (x + 1)² / 4 between them.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.sparse_plus([-2.0, 0.0, 2.0])
        Array([0.  , 0.25, 2.  ], dtype=float64)
    """
    x = inexact(x)
    return where(x <= -1, 0.0, where(x >= 1, x, (x + 1.0) ** 2 / 4))


def sparse_sigmoid(x: ArrayLike) -> Num[Array, "..."]:
    """(x + 1) / 2, cut off at 0 and 1.

    Arguments:
        x: real numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.sparse_sigmoid([-2.0, 0.0])
        Array([0. , 0.5], dtype=float64)
    """
    return 0.5 * clip(inexact(x) + 1.0, 0.0, 2.0)


def log1mexp(x: ArrayLike) -> Num[Array, "..."]:
    """log(1 - exp(-x)), accurate for small x and for large.

    Arguments:
        x: positive numbers.

    Returns:
        An array of the shape of x.

    Example:
        >>> fg.nn.log1mexp(1e-20)
        Array(-46.05170186, dtype=float64)
    """
    x = inexact(x)
    small = x <= math.log(2)
    return where(small, log(-expm1(-where(small, x, 1.0))), log1p(-exp(-where(small, 1.0, x))))


def glu(x: ArrayLike, axis: int = -1) -> Shaped[Array, "..."]:
    """One half of an array times the logistic function of the other.

    Arguments:
        x: real numbers.
        axis: the one that is halved.

    Returns:
        An array with half as many elements.

    Raises:
        ShapeError: the axis has an odd length.

    Example:
        >>> fg.nn.glu([2.0, 0.0])
        Array([1.], dtype=float64)
    """
    x = inexact(x)
    if x.shape[axis] % 2:
        raise ShapeError(f"glu halves an axis, and axis {axis} of {x.dtype}{list(x.shape)} has an odd length")
    first, second = split(x, 2, axis)
    return first * expit(second)


swish, hard_swish = silu, hard_silu
