"""sin, cos and tan.

x = n pi/2 + r, with pi/2 in three parts of 33, 53 and 53 bits; r is the sum of two floats. Where an argument is so
large that n times the first part is not exact, libm's function is called. The polynomials are those of FreeBSD's
k_sin.c and k_cos.c (Sun Microsystems, 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from funcgrad.compile.native.math.exponential import nearest
from funcgrad.compile.native.math.terms import Term, fma, polynomial, quick_sum, two_sum, where

_FIRST, _SECOND, _THIRD = 1.5707963267341256, 6.077100506506192e-11, 3.5215598651832e-27
_LARGE = 1e6
_SINE = [
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
]
_COSINE = [
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
]


def _parts(x: Term) -> tuple[Term, tuple[Term, Term], tuple[Term, Term]]:
    """n, and the sine and the cosine of r, both as sums of two floats."""
    k, n = nearest(x, 2 / math.pi)
    product = n * _SECOND
    high, lost = two_sum(fma(n, -_FIRST, x), -product)
    lost = lost - fma(n, _SECOND, -product) - n * _THIRD
    r, low = quick_sum(high, lost)
    z = r * r
    half = 0.5 * z
    sine = fma(z * r, polynomial(z, _SINE), fma(-low, half, low))
    whole, rest = quick_sum(1.0, -half)
    return k, (r, sine), (whole, rest + fma(z * z, polynomial(z, _COSINE), -(r * low)))


def _by_libm(name: str, function: Callable[[Term], Term], library: Callable[[Term], Term]) -> Callable[[Term], Term]:
    def complete(x: Term) -> Term:
        def far() -> Term:
            return where(abs(x) > _LARGE, library(x), usual)

        usual = function(x)
        found = x.f.unless((abs(x) > _LARGE).value, usual.value, lambda: far().value)
        return Term(x.f, found)

    complete.__name__ = name
    return complete


def _turned(x: Term, quarter: int) -> Term:
    k, sine, cosine = _parts(x)
    k = k + quarter
    odd = (k & 1).equals(1)
    y = where(odd, cosine[0] + cosine[1], sine[0] + sine[1])
    return (y.bits ^ ((k & 2) << 62)).float


sin = _by_libm("sin", lambda x: where(x.equals(0.0), x, _turned(x, 0)), lambda x: x.intrinsic("sin"))
cos = _by_libm("cos", lambda x: _turned(x, 1), lambda x: x.intrinsic("cos"))


def _quotient(x: Term) -> Term:
    k, sine, cosine = _parts(x)
    odd = (k & 1).equals(1)
    sine, cosine = quick_sum(*sine), quick_sum(*cosine)
    above = [where(odd, -c, s) for s, c in zip(sine, cosine, strict=True)]
    below = [where(odd, s, c) for s, c in zip(sine, cosine, strict=True)]
    q = above[0] / below[0]
    left = fma(-q, below[0], above[0]) + (above[1] - q * below[1])
    return where(abs(x) < 2.0**-28, x, q + left / below[0])


tan = _by_libm("tan", _quotient, lambda x: x.intrinsic("sin") / x.intrinsic("cos"))
