"""tanh, sinh and cosh."""

from __future__ import annotations

import math

from funcgrad.compile.native.math.exponential import half_expm1, power_of_two, reduced
from funcgrad.compile.native.math.formats import format_of
from funcgrad.compile.native.math.terms import Term, estrin, fma, quick_sum, two_sum, where

_TINY = 2.0**-28


def tanh(x: Term) -> Term:
    """h / (h + 1) with h = (e^2x - 1) / 2 as the sum of two floats."""
    size = abs(x)
    size = where(size > 20.0, 20.0, size)  # 1 from there on
    high, low = quick_sum(*half_expm1(size + size))
    below, rest = two_sum(1.0, high)
    inverse = 1.0 / below
    q = high * inverse
    y = fma(fma(-q, below, high) + (low - q * (rest + low)), inverse, q)
    return where(abs(x) < 2.0 ** -(format_of(x).digits // 2 + 2), x, y).intrinsic("copysign", x)


def _halves(x: Term) -> tuple[Term, ...]:
    """Half the sinh and cosh of k log 2, and r, sinh(r) - r and cosh(r) - 1."""
    size = where(x > 800.0, 800.0, x)
    k, _, r, lost = reduced(size)
    up = power_of_two(k - 2)
    down = where(k < 500, power_of_two(where(k < 500, -2 - k, 0)), 0.0)
    z = r * r
    sine = (r * z) * estrin(z, [1 / math.factorial(n) for n in range(3, 17, 2)])
    cosine = z * estrin(z, [1 / math.factorial(n) for n in range(2, 18, 2)])
    return up - down, up + down, r, fma(lost, 1.0 + cosine, sine), fma(lost, r, cosine)


def _combined(whole: Term, other: Term, r: Term, sine: Term, cosine: Term) -> Term:
    """whole * cosh(r) + other * sinh(r)."""
    product = other * r
    total, lost = two_sum(whole, product)
    lost = lost + fma(other, r, -product)
    return 2.0 * (total + (lost + fma(whole, cosine, other * sine)))


def sinh(x: Term) -> Term:
    """(e^x - e^-x) / 2."""
    difference, total, r, sine, cosine = _halves(abs(x))
    y = _combined(difference, total, r, sine, cosine)
    y = where(abs(x) > 710.4758600739439, math.inf, y)
    return where(abs(x) < _TINY, x, y).intrinsic("copysign", x)


def cosh(x: Term) -> Term:
    """(e^x + e^-x) / 2."""
    difference, total, r, sine, cosine = _halves(abs(x))
    return where(abs(x) > 710.4758600739439, math.inf, _combined(total, difference, r, sine, cosine))
