"""x to the power of y, by e^(y log x) with the logarithm as the sum of two floats, about 2^-66 exact.

log(1 + f) is 2 (s + s³/3 + s⁵/5 + ...) with s = f / (2 + f); s and the terms up to s³ / 3 are sums of two floats.
"""

from __future__ import annotations

import math

from funcgrad.compile.native.math.exponential import beyond_linear, reduced, scaled
from funcgrad.compile.native.math.logarithm import split
from funcgrad.compile.native.math.terms import Term, estrin, fma, quick_sum, two_product, two_sum, where

_LN2 = (math.log(2), 2.3190468138462996e-17)
_THIRD = (2 / 3, 3.700743415417188e-17)
_SERIES = [2 / k for k in range(5, 27, 2)]


def logarithm(x: Term) -> tuple[Term, Term]:
    """log(x) of a positive finite number as the sum of two floats."""
    _, e, m = split(x)
    below, lost = two_sum(1.0, m)
    above = m - 1.0
    inverse = 1.0 / below
    s = above * inverse
    low = (fma(-s, below, above) - s * lost) * inverse
    z, z_low = two_product(s, s)
    z_low = fma(s + s, low, z_low)
    cube, cube_low = two_product(z, s)
    cube_low = cube_low + fma(z, low, z_low * s)
    third, third_low = two_product(cube, _THIRD[0])
    third_low = third_low + fma(cube_low, _THIRD[0], cube * _THIRD[1])
    third_low = fma(cube * z, estrin(z, _SERIES), third_low)
    total, rest = quick_sum(s + s, third)
    rest = rest + (third_low + (low + low))
    whole, whole_low = two_product(e, _LN2[0])
    whole_low = fma(e, _LN2[1], whole_low)
    y, more = two_sum(whole, total)
    return quick_sum(y, more + (rest + whole_low))


def power(x: Term, y: Term) -> Term:
    """x^y."""
    size = abs(x)
    high, low = logarithm(where((size > 0.0) & (size < math.inf), size, 1.0))
    product, lost = two_product(y, high)
    rest = fma(y, low, lost)
    far = abs(product) > 800.0
    k, n, r, more = reduced(where(far, 0.0, product))
    more = more + where(far, 0.0, rest)
    curve = beyond_linear(r)
    found = scaled(1.0 + (r + fma(more, 1.0 + (r + curve), curve)), k, n)
    found = where(far, where(product > 0.0, found.constant(math.inf), 0.0), found)

    growing = (size > 1.0) ^ (y < 0.0)  # of a base beyond the numbers that have a logarithm, and of infinite powers
    ends = where(growing, x.constant(math.inf), 0.0)
    odd_end = size.equals(0.0) | size.equals(math.inf) | abs(y).equals(math.inf)
    found = where(odd_end, where(size.equals(1.0), 1.0, ends), found)

    whole = y.intrinsic("trunc").equals(y)
    half = 0.5 * y
    odd = whole & (half.intrinsic("trunc") < half) | whole & (half.intrinsic("trunc") > half)
    negative = x.bits < 0
    wrong = negative & (size > 0.0) & (size < math.inf) & (abs(y) < math.inf)
    found = where(wrong, where(whole, found, math.nan), found)
    found = where(negative & odd, -found, found)
    found = where(x.is_nan | y.is_nan, math.nan, found)
    return where(x.equals(1.0) | y.equals(0.0), 1.0, found)


def hypot(x: Term, y: Term) -> Term:
    """The root of x² + y², scaled by a power of two against overflow."""
    a, b = abs(x), abs(y)
    large, small = where(a < b, b, a), where(a < b, a, b)
    factor = where(large > 1e150, large.constant(2.0**-600), where(large < 1e-150, large.constant(2.0**600), 1.0))
    back = where(large > 1e150, large.constant(2.0**600), where(large < 1e-150, large.constant(2.0**-600), 1.0))
    p, q = large * factor, small * factor
    first, lost = two_product(p, p)
    second, more = two_product(q, q)
    total, rest = quick_sum(first, second)
    root = total.intrinsic("sqrt")
    left = fma(-root, root, total) + (rest + (lost + more))
    found = (root + left / (root + root)) * back
    found = where(large.equals(0.0), 0.0, found)
    found = where(a.is_nan | b.is_nan, math.nan, found)
    return where(a.equals(math.inf) | b.equals(math.inf), math.inf, found)
