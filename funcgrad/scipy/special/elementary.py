"""Elementary functions: powers and exponentials near where they cancel, angles in degrees, losses, transformations."""

from __future__ import annotations

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Complex, Float
from funcgrad.errors import ArgumentError
from funcgrad.numpy import absolute, logaddexp, rint, sqrt, square, where
from funcgrad.numpy.convert import real_floats, wrap
from funcgrad.ops import elementary
from funcgrad.ops.lambertw import lambertw as lambertw_of_branch
from funcgrad.scipy.special.declare import as_complex, floats, public

__all__ = [
    "boxcox",
    "boxcox1p",
    "cosdg",
    "cosm1",
    "cotdg",
    "exp10",
    "exprel",
    "huber",
    "inv_boxcox",
    "inv_boxcox1p",
    "lambertw",
    "powm1",
    "pseudo_huber",
    "radian",
    "round",
    "sindg",
    "softplus",
    "tandg",
    "wrightomega",
]


exp10 = public(elementary.exp10, "exp10", "x", "10 to the power x, elementwise.", "2.0", "100.")
cosm1 = public(elementary.cosm1, "cosm1", "x", "cos(x) - 1, accurate for small x.", "1.0", "-0.45969769")
sindg = public(elementary.sindg, "sindg", "x", "The sine of x in degrees, elementwise.", "30.0", "0.5")
cosdg = public(elementary.cosdg, "cosdg", "x", "The cosine of x in degrees, elementwise.", "60.0", "0.5")
tandg = public(elementary.tandg, "tandg", "x", "The tangent of x in degrees, elementwise.", "45.0", "1.")
cotdg = public(elementary.cotdg, "cotdg", "x", "The cotangent of x in degrees, elementwise.", "45.0", "1.")
exprel = public(elementary.exprel, "exprel", "x", "(exp(x) - 1) / x, and 1 at 0, elementwise.", "1.0", "1.71828183")
powm1 = public(
    elementary.powm1, "powm1", "x y", "x to the power y, less 1, accurate where that is small.", "1.5, 2.0", "1.25"
)
boxcox = public(
    elementary.boxcox,
    "boxcox",
    "x lmbda",
    "Box and Cox's transformation (x^lmbda - 1) / lmbda, and log(x) for lmbda = 0, elementwise.",
    "4.0, 0.5",
    "2.",
)
boxcox1p = public(
    elementary.boxcox1p, "boxcox1p", "x lmbda", "Box and Cox's transformation of 1 + x, elementwise.", "3.0, 0.5", "2."
)
inv_boxcox = public(
    elementary.inv_boxcox, "inv_boxcox", "y lmbda", "The x with boxcox(x, lmbda) = y, elementwise.", "2.0, 0.5", "4."
)
inv_boxcox1p = public(
    elementary.inv_boxcox1p,
    "inv_boxcox1p",
    "y lmbda",
    "The x with boxcox1p(x, lmbda) = y, elementwise.",
    "2.0, 0.5",
    "3.",
)
wrightomega = public(
    elementary.wrightomega,
    "wrightomega",
    "z",
    "Wright's function, the solution of w + log(w) = z, elementwise.",
    "1.0",
    "1.",
    on_complex=elementary.wrightomega,
)


def radian(d: ArrayLike, m: ArrayLike, s: ArrayLike) -> Float[Array, "..."]:
    """An angle in degrees, minutes and seconds as radians.

    Example:
        >>> from funcgrad.scipy.special import radian
        >>> radian(180.0, 0.0, 0.0)
        Array(3.14159265, dtype=float64)
    """
    d, m, s = floats("radian", (d, m, s))
    return (d + m / 60 + s / 3600) * (np.pi / 180)


def round(x: ArrayLike) -> Float[Array, "..."]:
    """x rounded to the nearest integer, halves to even. The derivative is zero.

    Example:
        >>> from funcgrad.scipy.special import round
        >>> round(1.7)
        Array(2., dtype=float64)
    """
    return rint(real_floats(x, "round"))


def softplus(x: ArrayLike) -> Float[Array, "..."]:
    """log(1 + exp(x)), elementwise.

    Example:
        >>> from funcgrad.scipy.special import softplus
        >>> softplus(0.0)
        Array(0.69314718, dtype=float64)
    """
    return logaddexp(0, real_floats(x, "softplus"))


def huber(delta: ArrayLike, r: ArrayLike) -> Float[Array, "..."]:
    """Huber's loss: r²/2 up to |r| = delta, linear beyond; infinite for a negative delta.

    Example:
        >>> from funcgrad.scipy.special import huber
        >>> huber(1.0, [0.5, 3.0])
        Array([0.125, 2.5  ], dtype=float64)
    """
    delta, r = floats("huber", (delta, r))
    size = absolute(r)
    loss = where(size <= delta, square(r) / 2, delta * (size - delta / 2))
    return where(delta < 0, np.inf, loss)


def pseudo_huber(delta: ArrayLike, r: ArrayLike) -> Float[Array, "..."]:
    """The smooth form of Huber's loss, delta² (sqrt(1 + (r / delta)²) - 1); infinite for a negative delta.

    Example:
        >>> from funcgrad.scipy.special import pseudo_huber
        >>> pseudo_huber(1.0, 0.0)
        Array(0., dtype=float64)
    """
    delta, r = floats("pseudo_huber", (delta, r))
    inside = (delta != 0) & (r != 0)
    ratio = where(inside, r, 0.0) / where(inside, delta, 1.0)
    loss = square(r) / (sqrt(1 + square(ratio)) + 1)  # delta² cancels, and nothing else
    loss = where(absolute(r) == np.inf, np.inf + delta, loss)
    loss = where(delta == 0, 0.0, where((delta == np.inf) & (r != 0), np.nan, loss))
    return where(delta < 0, np.inf, loss)


def lambertw(z: ArrayLike, k: int = 0, tol: float = 1e-8) -> Complex[Array, "..."]:
    """Lambert's function, the solution w of w exp(w) = z, elementwise.

    Arguments:
        z: an array.
        k: which of the solutions, an int.
        tol: taken as SciPy does; the values have full precision.

    Example:
        >>> from funcgrad.scipy.special import lambertw
        >>> lambertw(1.0)
        Array(0.56714329+0.j, dtype=complex128)
    """
    if not isinstance(k, (int, np.integer)):
        raise ArgumentError(f"lambertw: the branch k must be an int, got {k!r}")
    return wrap(lambertw_of_branch(*as_complex("lambertw", z), branch=int(k)))
