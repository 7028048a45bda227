"""arctan, arctan2, arcsin and arccos.

The arctangent of a quotient that is at most 1 is q + q³ P(q²); of a larger one it is pi/2 less that of the inverse. The
arcsine of at most 1/2 is x + x³ R(x²), and beyond pi/2 - 2 arcsin(sqrt((1 - x) / 2)). The polynomials are minimax, with
relative errors of 2e-17 and 4e-18. What a quotient, a root or pi/2 has lost by rounding is added.
"""

from __future__ import annotations

import math

from funcgrad.compile.native.math.terms import Term, estrin, fma, polynomial, quick_sum, where

_HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
_PI = (3.141592653589793, 1.2246467991473532e-16)
_ARCTANGENT = [
    -0.3333333333333333,
    0.19999999999998108,
    -0.14285714285452714,
    0.11111111096728053,
    -0.09090908671685727,
    0.07692300201734115,
    -0.06666577156094917,
    0.05881595380162304,
    -0.05258431314942538,
    0.04739519751238546,
    -0.042655528104098936,
    0.03761184986963717,
    -0.03147993433284188,
    0.023966610202044467,
    -0.01580850196181384,
    0.008575727101427913,
    -0.0036089977967271435,
    0.001091842668284124,
    -0.00020959471102075395,
    1.9073779038185705e-05,
]
_ARCSINE = [
    0.16666666666666669,
    0.0749999999999824,
    0.044642857146723794,
    0.030381944110927334,
    0.022372174010263982,
    0.017352368346388168,
    0.013971565448949012,
    0.01147582321153883,
    0.010344101285972265,
    0.005368297624209038,
    0.017637918820444815,
    -0.015213648137326794,
    0.028999366975966914,
]


def _of_quotient(above: Term, below: Term) -> tuple[Term, Term]:
    """The arctangent of a quotient between 0 and 1 as the sum of two floats."""
    q = above / below
    z = q * q
    lost = fma(-q, below, above) / (below * (1.0 + z))
    return q, fma(q * z, polynomial(z, _ARCTANGENT[::-1]), lost)


def _away(whole: tuple[float, float], high: Term, low: Term) -> Term:
    """A multiple of pi/2 less a smaller number; all are sums of two floats."""
    total, rest = quick_sum(whole[0], -high)
    return total + (rest + (whole[1] - low))


def arctan(x: Term) -> Term:
    """The angle whose tangent is x."""
    size = abs(x)
    steep = size > 1.0
    high, low = _of_quotient(where(steep, size.constant(1.0), size), where(steep, size, 1.0))
    low = where(size.equals(math.inf), 0.0, low)
    return where(steep, _away(_HALF_PI, high, low), high + low).intrinsic("copysign", x)


def arctan2(y: Term, x: Term) -> Term:
    """The angle between the first axis and the direction (x, y)."""
    a, b = abs(y), abs(x)
    steep = a > b
    large, small = where(steep, a, b), where(steep, b, a)
    both = small.equals(math.inf)
    large, small = where(both, 1.0, large), where(both, 1.0, small)
    factor = where(
        large > 2.0**1000, large.constant(2.0**-100), where(large < 2.0**-900, large.constant(2.0**100), 1.0)
    )
    high, low = _of_quotient(small * factor, where(large.equals(0.0), 1.0, large * factor))
    low = where(large.equals(math.inf), 0.0, low)
    left = x.bits < 0
    flat, flat_low = where(left, -high, high), where(left, -low, low)
    # pi/2 less the angle from the second axis, or pi or 0 more or less the angle from the first
    start = where(steep, x.constant(_HALF_PI[0]), where(left, x.constant(_PI[0]), 0.0))
    more = where(steep, x.constant(_HALF_PI[1]), where(left, x.constant(_PI[1]), 0.0))
    turn, turn_low = where(steep, -flat, flat), where(steep, -flat_low, flat_low)
    total, rest = quick_sum(start, turn)
    angle = total + (rest + (more + turn_low))
    return where(x.is_nan | y.is_nan, math.nan, angle).intrinsic("copysign", y)


def _arcsine_parts(x: Term) -> tuple[Term, Term, Term]:
    """Whether |x| is at most 1/2, and the arcsine of it, or of the root of (1 - |x|) / 2, as the sum of two floats."""
    size = abs(x)
    near = size <= 0.5
    z = where(near, x * x, 0.5 * (1.0 - size))
    root = z.intrinsic("sqrt")
    lost = fma(-root, root, z) / where(root.equals(0.0), 1.0, root + root)
    high = where(near, size, root)
    return near, high, fma(high * z, estrin(z, _ARCSINE), where(near, 0.0, lost))


def arcsin(x: Term) -> Term:
    """The angle whose sine is x."""
    near, high, low = _arcsine_parts(x)
    far = _away(_HALF_PI, high + high, low + low)
    return where(near, high + low, far).intrinsic("copysign", x)


def arccos(x: Term) -> Term:
    """The angle whose cosine is x."""
    near, high, low = _arcsine_parts(x)
    negative = x < 0.0
    side, side_low = where(negative, -high, high), where(negative, -low, low)
    total, rest = quick_sum(_HALF_PI[0], -side)
    middle = total + (rest + (_HALF_PI[1] - side_low))
    far = where(negative, _away(_PI, high + high, low + low), (high + low) * 2.0)
    return where(near, middle, far)
