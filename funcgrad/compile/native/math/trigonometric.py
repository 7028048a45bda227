"""sin, cos and tan.

x = n pi/2 + r, with pi/2 in three parts, such that x less n times the first is exact; r is the sum of two floats. Where
an argument is too large for that, libm's function is called, for single precision too that of doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from funcgrad.compile.native.math.exponential import nearest
from funcgrad.compile.native.math.formats import format_of
from funcgrad.compile.native.math.terms import Term, fma, polynomial, quick_sum, two_sum, where


def _parts(x: Term) -> tuple[Term, tuple[Term, Term], tuple[Term, Term]]:
    """n, and the sine and the cosine of r, both as sums of two floats."""
    k, n = nearest(x, 2 / math.pi)
    form = format_of(x)
    first, second, third = form.half_pi
    product = n * second
    high, lost = two_sum(fma(n, -first, x), -product)
    lost = lost - fma(n, second, -product) - n * third
    r, low = quick_sum(high, lost)
    z = r * r
    half = 0.5 * z
    sine = fma(z * r, polynomial(z, form.sine), fma(-low, half, low))
    whole, rest = quick_sum(1.0, -half)
    return k, (r, sine), (whole, rest + fma(z * z, polynomial(z, form.cosine), -(r * low)))


def _by_libm(name: str, function: Callable[[Term], Term], library: Callable[[Term], Term]) -> Callable[[Term], Term]:
    def complete(x: Term) -> Term:
        def far() -> Term:
            return where(abs(x) > limit, x.in_double(library), usual)

        usual, limit = function(x), format_of(x).far
        found = x.f.unless((abs(x) > limit).value, usual.value, lambda: far().value)
        return Term(x.f, found)

    complete.__name__ = name
    return complete


def _turned(x: Term, quarter: int) -> Term:
    k, sine, cosine = _parts(x)
    k = k + quarter
    odd = (k & 1).equals(1)
    y = where(odd, cosine[0] + cosine[1], sine[0] + sine[1])
    return (y.bits ^ ((k & 2) << format_of(x).width - 2)).float  # the sign


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
