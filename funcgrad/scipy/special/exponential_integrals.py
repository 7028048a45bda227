"""Exponential, logarithmic and trigonometric integrals, and the dilogarithm."""

from __future__ import annotations

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.numpy.convert import wrap
from funcgrad.ops import exponential_integrals as integrals
from funcgrad.scipy.special.declare import floats, public

__all__ = ["exp1", "expi", "expn", "shichi", "sici", "spence"]


expi = public(
    integrals.expi,
    "expi",
    "x",
    "The exponential integral Ei, elementwise.",
    "1.0",
    "1.89511782",
    on_complex=integrals.expi,
)
exp1 = public(
    integrals.exp1,
    "exp1",
    "z",
    "The exponential integral E1, elementwise.",
    "1.0",
    "0.21938393",
    on_complex=integrals.exp1,
)
expn = public(
    integrals.expn,
    "expn",
    "n x",
    "The generalized exponential integral of integer order, elementwise.",
    "2, 1.0",
    "0.14849551",
    takes="order and arguments; there is no derivative in the order",
)
spence = public(
    integrals.spence,
    "spence",
    "z",
    "The dilogarithm of 1 - z, elementwise.",
    "2.0",
    "-0.82246703",
    on_complex=integrals.spence,
)


def sici(x: ArrayLike) -> tuple[Inexact[Array, "..."], Inexact[Array, "..."]]:
    """The sine integral and the cosine integral, elementwise.

    Example:
        >>> from funcgrad.scipy.special import sici
        >>> sici(1.0)
        (Array(0.94608307, dtype=float64), Array(0.33740392, dtype=float64))
    """
    (x,) = floats("sici", (x,), complex_too=True)
    return wrap(integrals.si(x)), wrap(integrals.ci(x))


def shichi(x: ArrayLike) -> tuple[Inexact[Array, "..."], Inexact[Array, "..."]]:
    """The hyperbolic sine integral and cosine integral, elementwise.

    Example:
        >>> from funcgrad.scipy.special import shichi
        >>> shichi(1.0)
        (Array(1.05725088, dtype=float64), Array(0.83786694, dtype=float64))
    """
    (x,) = floats("shichi", (x,), complex_too=True)
    return wrap(integrals.shi(x)), wrap(integrals.chi(x))
