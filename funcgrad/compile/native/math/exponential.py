"""exp, exp2, expm1 and the logistic function.

x = k log 2 + r with |r| <= log(2) / 2, so that e^x = 2^k e^r, and Taylor's polynomial of degree 13 for e^r - 1. The
reduction is that of Cody and Waite, "Software Manual for the Elementary Functions", 1980.
"""

from __future__ import annotations

import math

from funcgrad.compile.native.math.terms import Term, estrin, fma, quick_sum, two_sum, where

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_MAGIC = 1.5 * 2.0**52  # adding it rounds to an integer, which stands in the last bits then
_MAGIC_BITS = 0x4338000000000000
_TAYLOR = [1 / math.factorial(k) for k in range(2, 14)]
_LARGEST = 709.782712893384
_TINY = 2.0**-54


def nearest(x: Term, factor: float) -> tuple[Term, Term]:
    """The integer next to x * factor, as an integer and as a float."""
    shifted = fma(x, factor, _MAGIC)
    return shifted.bits - _MAGIC_BITS, shifted - _MAGIC


def power_of_two(k: Term) -> Term:
    """2^k for -1023 < k < 1024."""
    return ((k + 1023) << 52).float


def reduced(x: Term) -> tuple[Term, Term, Term]:
    """k, r and what r has lost by rounding."""
    k, n = nearest(x, 1 / math.log(2))
    high = fma(n, -LN2_HIGH, x)
    r = fma(n, -LN2_LOW, high)
    return k, r, fma(n, -LN2_LOW, high - r)


def beyond_linear(r: Term) -> Term:
    """e^r - 1 - r."""
    return (r * r) * estrin(r, _TAYLOR)


def scaled(y: Term, k: Term) -> Term:
    """y 2^k in two steps, so that the largest and the subnormal results come out."""
    half = k >> 1
    return (y * power_of_two(half)) * power_of_two(k - half)


def _in_range(y: Term, x: Term, low: float, high: float) -> Term:
    return where(x > high, math.inf, where(x < low, 0.0, y))


def exp(x: Term) -> Term:
    """e^x."""
    k, r, _ = reduced(x)
    y = 1.0 + fma(r * r, estrin(r, _TAYLOR), r)
    return _in_range(scaled(y, k), x, -745.2, _LARGEST)


def exp2(x: Term) -> Term:
    """2^x."""
    k, n = nearest(x, 1.0)
    rest = x - n
    high = rest * math.log(2)
    low = fma(rest, math.log(2), -high) + rest * 2.3190468138462996e-17
    y = 1.0 + (high + (low + beyond_linear(high)))
    return where(x >= 1024.0, math.inf, where(x < -1075.0, 0.0, scaled(y, k)))


def half_expm1(x: Term) -> tuple[Term, Term]:
    """(e^x - 1) / 2 as the sum of two floats, for -700 < x < 710."""
    k, r, lost = reduced(x)
    s = power_of_two(k - 1)
    whole = s - 0.5
    high = fma(s, r, whole)
    return high, fma(s, lost + beyond_linear(r), fma(s, r, whole - high))


def expm1(x: Term) -> Term:
    """e^x - 1."""
    high, low = half_expm1(where(x < -50.0, -50.0, x))
    y = 2.0 * (high + low)
    return where(x > _LARGEST, math.inf, where(abs(x) < _TINY, x, y))


def sigmoid(x: Term) -> Term:
    """1 / (1 + e^-x), by 1/2 over (1 + e^-x) / 2 as the sum of two floats."""
    z = -x
    k, r, lost = reduced(where(z < -50.0, -50.0, z))
    s = power_of_two(k - 1)
    e, low = quick_sum(1.0, r)
    e, low = quick_sum(e, low + (lost + beyond_linear(r)))
    below, rest = two_sum(0.5, s * e)
    rest = fma(s, low, rest)
    q = 0.5 / below
    y = fma(fma(-q, below, 0.5) - q * rest, 2.0 * q, q)
    return where(z > _LARGEST, 0.0, y)
