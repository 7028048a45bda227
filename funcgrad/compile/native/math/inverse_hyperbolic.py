"""arcsinh, arccosh and arctanh, by log(1 + u) of a u that is the sum of two floats."""

from __future__ import annotations

import math

from funcgrad.compile.native.math.logarithm import log_of_sum
from funcgrad.compile.native.math.terms import Term, fma, two_product, two_sum, where

_LARGE = 2.0**28  # from where the root of x² + 1 is x
_TINY = 2.0**-28


def _root(square: Term, lost: Term) -> tuple[Term, Term]:
    """The root of the sum of two floats as the sum of two floats."""
    root = square.intrinsic("sqrt")
    return root, (fma(-root, root, square) + lost) / where(root.equals(0.0), 1.0, root + root)


def _logarithm(large: Term, x: Term, high: Term, low: Term) -> Term:
    """log(1 + high + low), or where x is large, log(2 x)."""
    found = log_of_sum(where(large, x, high), where(large, -1.0, low))
    return where(large, found + math.log(2), found)


def arcsinh(x: Term) -> Term:
    """u is x + x² / (1 + sqrt(1 + x²))."""
    size = abs(x)
    large = size > _LARGE
    a = where(large, 1.0, size)
    square, lost = two_product(a, a)
    total, rest = two_sum(1.0, square)
    root, root_low = _root(total, rest + lost)
    below, below_low = two_sum(1.0, root)
    q = square / below
    q_low = (fma(-q, below, square) + (lost - q * (below_low + root_low))) / below
    high, low = two_sum(a, q)
    found = _logarithm(large, size, high, low + q_low)
    return where(size < _TINY, size, found).intrinsic("copysign", x)


def arccosh(x: Term) -> Term:
    """u is t + sqrt(2 t + t²) with t = x - 1."""
    large = x > _LARGE
    a = where(large, 2.0, x)
    t, t_low = two_sum(a, x.constant(-1.0))
    square, lost = two_product(t, t + 2.0)
    twice, twice_low = two_sum(t, x.constant(2.0))
    lost = lost + t * twice_low + t_low * (twice + t)
    root, root_low = _root(square, lost)
    high, low = two_sum(t, root)
    found = _logarithm(large, x, high, low + (root_low + t_low))
    return where(x < 1.0, math.nan, found)


def arctanh(x: Term) -> Term:
    """Half of log(1 + u) with u = 2 x / (1 - x)."""
    size = abs(x)
    below, lost = two_sum(1.0, -size)
    twice = size + size
    q = twice / where(below.equals(0.0), 1.0, below)
    q_low = (fma(-q, below, twice) - q * lost) / where(below.equals(0.0), 1.0, below)
    found = 0.5 * log_of_sum(q, q_low)
    found = where(size.equals(1.0), math.inf, where(size > 1.0, math.nan, found))
    return where(size < _TINY, size, found).intrinsic("copysign", x)
