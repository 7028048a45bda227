"""The cube root.

x = 2^(3n) m with 0.35 < m < 2.83; two steps of Newton's for m^(-1/3), the cube root as m times the square of that, and
one step of Newton's for it, with its residual in two floats.
"""

from __future__ import annotations

import math

from funcgrad.compile.native.math.exponential import nearest, power_of_two
from funcgrad.compile.native.math.logarithm import split
from funcgrad.compile.native.math.terms import Term, estrin, fma, two_product, where

_START = [
    2.1251760391769657,
    -3.0535057759425306,
    3.792847493043085,
    -2.8193127173797046,
    1.1995420626960296,
    -0.26906578050765145,
    0.024620755689077733,
]


def cbrt(x: Term) -> Term:
    """The real cube root."""
    size = abs(x)
    usual = (size > 0.0) & (size < math.inf)
    _, e, m = split(where(usual, size, 1.0))
    third, n = nearest(e, 1 / 3)
    m = m * power_of_two(nearest(fma(n, -3.0, e), 1.0)[0])
    y = estrin(m, _START)
    for _ in range(2):
        y = fma(y * (1 / 3), fma(-m * y, y * y, 1.0), y)
    root = m * (y * y)
    square, lost = two_product(root, root)
    cube, cube_low = two_product(square, root)
    left = (m - cube) - fma(lost, root, cube_low)
    root = fma(left * (1 / 3), y * y, root)
    return where(usual, (root * power_of_two(third)).intrinsic("copysign", x), x + x)
