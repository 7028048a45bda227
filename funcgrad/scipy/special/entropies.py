"""Terms of entropies: products of a number and a logarithm."""

from __future__ import annotations

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.primitive import Primitive
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy import isnan, log, where
from funcgrad.numpy.convert import real_floats, wrap
from funcgrad.ops import entropy as entropies
from funcgrad.scipy.special.declare import public

__all__ = ["entr", "kl_div", "rel_entr", "xlog1py", "xlogy"]


entr = public(entropies.entr, "entr", "x", "The term of an entropy, -x log(x), elementwise.", "0.5", "0.34657359")


def xlogy(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """x log(y), and 0 where x is 0, elementwise.

    Example:
        >>> from funcgrad.scipy.special import xlogy
        >>> xlogy(0.0, 0.0)
        Array(0., dtype=float64)
    """
    return _quietly(entropies.x_log_y, real_floats(x, "xlogy"), real_floats(y, "xlogy"))


def xlog1py(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """x log(1 + y), and 0 where x is 0, elementwise.

    Example:
        >>> from funcgrad.scipy.special import xlog1py
        >>> xlog1py(0.0, -1.0)
        Array(0., dtype=float64)
    """
    return _quietly(entropies.x_log1p_y, real_floats(x, "xlog1py"), real_floats(y, "xlog1py"))


def _quietly(primitive: Primitive, x: Array, y: Array) -> Array:
    """The product, whose logarithm may be infinite where it is not used."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return wrap(primitive(x, y))


def rel_entr(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """The term of a relative entropy: x log(x / y); 0 where x is 0 and y is not negative, otherwise infinite.

    Example:
        >>> from funcgrad.scipy.special import rel_entr
        >>> rel_entr(1.0, 2.0)
        Array(-0.69314718, dtype=float64)
    """
    x, y = real_floats(x, "rel_entr"), real_floats(y, "rel_entr")
    inside = (x > 0) & (y > 0)
    a, b = where(inside, x, 1), where(inside, y, 1)
    outside = where(isnan(x) | isnan(y), np.nan, where((x == 0) & (y >= 0), 0, np.inf))
    return where(inside, a * (log(a) - log(b)), outside.astype(a.dtype))


def kl_div(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """The term of a Kullback-Leibler divergence, x log(x / y) - x + y.

    Example:
        >>> from funcgrad.scipy.special import kl_div
        >>> kl_div(1.0, 2.0)
        Array(0.30685282, dtype=float64)
    """
    x, y = real_floats(x, "kl_div"), real_floats(y, "kl_div")
    entropy = rel_entr(x, y)
    return where(entropy == np.inf, entropy, entropy - x + where(y == -np.inf, 0, y))
