"""Elliptic integrals of the first and second kind, and the arithmetic-geometric mean."""

from __future__ import annotations

import math

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy import isfinite, sign, square, where
from funcgrad.numpy.convert import wrap
from funcgrad.ops import elliptic
from funcgrad.scipy.special.declare import floats, public

__all__ = ["agm", "ellipe", "ellipeinc", "ellipk", "ellipkinc", "ellipkm1"]


ellipk = public(
    elliptic.ellipk,
    "ellipk",
    "m",
    "The complete elliptic integral of the first kind of the parameter m, elementwise.",
    "0.5",
    "1.85407468",
)
ellipkm1 = public(
    elliptic.ellipkm1,
    "ellipkm1",
    "p",
    "The complete elliptic integral of the first kind of the parameter 1 - p, elementwise.",
    "0.5",
    "1.85407468",
)
ellipe = public(
    elliptic.ellipe,
    "ellipe",
    "m",
    "The complete elliptic integral of the second kind of the parameter m, elementwise.",
    "0.5",
    "1.35064388",
)
ellipkinc = public(
    elliptic.ellipkinc,
    "ellipkinc",
    "phi m",
    "The incomplete elliptic integral of the first kind, elementwise.",
    "1.0, 0.5",
    "1.08321677",
    takes="amplitude and parameter; the derivative in a parameter of 0 is nan",
)
ellipeinc = public(
    elliptic.ellipeinc,
    "ellipeinc",
    "phi m",
    "The incomplete elliptic integral of the second kind, elementwise.",
    "1.0, 0.5",
    "0.92732988",
    takes="amplitude and parameter; the derivative in a parameter of 0 is nan",
)


def agm(a: ArrayLike, b: ArrayLike) -> Float[Array, "..."]:
    """The arithmetic-geometric mean of two numbers of the same sign, elementwise: π a / 2 K(1 - b²/a²).

    Example:
        >>> from funcgrad.scipy.special import agm
        >>> agm(1.0, 2.0)
        Array(1.45679103, dtype=float64)
    """
    a, b = floats("agm", (a, b))
    valid = (a * b > 0) & isfinite(a) & isfinite(b)
    first, second = where(valid, a, 1.0), where(valid, b, 1.0)
    mean = first * (math.pi / 2) / wrap(elliptic.ellipkm1(square(second / first)))
    return where(valid, mean, where((a * b == 0) | (a * b == math.inf), a * b * sign(a), math.nan))
