"""Hypergeometric functions. Those of Kummer and Gauss have derivatives in their parameters too."""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.numpy.convert import wrap
from funcgrad.ops import hypergeometric
from funcgrad.scipy.special.declare import floats, public

__all__ = ["hyp0f1", "hyp1f1", "hyp2f1", "hyperu"]


hyp0f1 = public(
    hypergeometric.hyp0f1,
    "hyp0f1",
    "v z",
    "The confluent hypergeometric limit function 0F1, elementwise.",
    "2.0, 1.0",
    "1.59063685",
    on_complex=hypergeometric.hyp0f1,
    takes="parameter and argument; there is no derivative in the parameter",
)
hyperu = public(
    hypergeometric.hyperu,
    "hyperu",
    "a b x",
    "Tricomi's confluent hypergeometric function U, elementwise.",
    "1.0, 2.0, 1.0",
    "1.",
    takes="parameters and argument; there is no derivative in the parameters",
)


def hyp1f1(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Inexact[Array, "..."]:
    """Kummer's confluent hypergeometric function 1F1(a; b; x), elementwise.

    Arguments:
        a, b: parameters; there is no derivative in them where x is complex.
        x: the argument.

    Example:
        >>> from funcgrad.scipy.special import hyp1f1
        >>> hyp1f1(1.0, 2.0, 1.0)
        Array(1.71828183, dtype=float64)
    """
    xs = floats("hyp1f1", (a, b, x), complex_too=True)
    if _complex(xs):
        return wrap(hypergeometric.complex_hyp1f1(*xs))
    return wrap(hypergeometric.hyp1f1(*xs, by_a=0, by_b=0))


def hyp2f1(a: ArrayLike, b: ArrayLike, c: ArrayLike, z: ArrayLike) -> Inexact[Array, "..."]:
    """Gauss' hypergeometric function 2F1(a, b; c; z), elementwise.

    Arguments:
        a, b, c: parameters; there is no derivative in them where z is complex, and it is nan where z is 1 or more.
        z: the argument.

    Example:
        >>> from funcgrad.scipy.special import hyp2f1
        >>> hyp2f1(1.0, 1.0, 2.0, 0.5)
        Array(1.38629436, dtype=float64)
    """
    xs = floats("hyp2f1", (a, b, c, z), complex_too=True)
    if _complex(xs):
        return wrap(hypergeometric.complex_hyp2f1(*xs))
    return wrap(hypergeometric.hyp2f1(*xs, by_a=0, by_b=0, by_c=0))


def _complex(xs: list[Any]) -> bool:
    return any(x.dtype.kind == "c" for x in xs)
