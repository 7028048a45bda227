"""The logarithm of the gamma function, and digamma.

From 7 on both are Stirling's formula, with a polynomial in 1/x². From 1 to 3 they are polynomials times their zeros;
from 3 to 7, and below 1, the functional equation leads there. The polynomials are minimax, with errors of 2e-17 at
most. For negative arguments they are reflected, and errors count in ulp of the larger term.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from funcgrad.compile.native.math.logarithm import log
from funcgrad.compile.native.math.power import logarithm
from funcgrad.compile.native.math.terms import Term, estrin, fma, quick_sum, two_product, two_sum, where
from funcgrad.compile.native.math.trigonometric import sin, tan

_LARGE = 7.0
_HALF_LOG_2PI = (0.9189385332046728, -3.8782941580672414e-17)
_ROOT = (1.4616321449683622, 9.549995429965697e-17)  # the zero of digamma
_LGAMMA = [
    0.42278433509846713,
    -0.10031730167435422,
    0.032965000621158126,
    -0.012384192193334368,
    0.004998641164559093,
    -0.0021081308352686534,
    0.0009153769255361688,
    -0.0004057073758103239,
    0.00018255259827729356,
    -8.309532782153759e-05,
    3.816919304660773e-05,
    -1.766051310817321e-05,
    8.22072611064216e-06,
    -3.851745951054708e-06,
    1.8128770950397202e-06,
    -8.415306550042719e-07,
    3.929204786130476e-07,
    -2.119817395595312e-07,
    1.0828648653776622e-07,
    -1.8781500824135346e-08,
    2.128270772104568e-09,
    -2.992540695565772e-08,
    1.845434660398713e-08,
    7.633064213390767e-09,
    -5.098717585437039e-09,
    -3.0588936211079828e-09,
    1.6956377150694923e-09,
]
"""log Γ(x) over (x - 1)(x - 2), in x - 2; the constant comes first."""
_STIRLING = [
    0.08333333333333333,
    -0.0027777777777611315,
    0.000793650780383423,
    -0.0005952341164685757,
    0.0008411784697559343,
    -0.0018745802095947524,
    0.004745710766364544,
]
"""What follows in Stirling's formula, times x, in 1/x²."""
_DIGAMMA = [
    0.7853075386041053,
    -0.26073895468300085,
    0.1089999170176238,
    -0.049551032917750384,
    0.023447309597884696,
    -0.011338432550112505,
    0.005552254167249595,
    -0.0027395729457218836,
    0.0013581422451706417,
    -0.0006753126820192444,
    0.0003364319375946592,
    -0.00016781993729690417,
    8.378193850139683e-05,
    -4.182431373302931e-05,
    2.0883713372350575e-05,
    -1.0511173286186808e-05,
    5.2883135575331435e-06,
    -2.475107121033147e-06,
    1.1781640336206681e-06,
    -8.620475255567228e-07,
    5.026840367644399e-07,
    6.17657614023889e-08,
    -9.046305529312725e-08,
    -2.030595677316242e-07,
    1.3390891938222363e-07,
    6.253217957283959e-08,
    -4.1627522238543987e-08,
    -1.913502742701425e-08,
    1.1047711400308505e-08,
]
"""ψ(x) over x less its zero, in x - 2."""
_REST = [
    0.08333333333333333,
    -0.008333333333324327,
    0.003968253958804525,
    -0.0041666628783330025,
    0.007575007057317421,
    -0.021011064607127653,
    0.07827488381088876,
    -0.2694125002143042,
]
"""log(x) - 1 / (2 x) - ψ(x), times x², in 1/x²."""


def _sum(t: Term, coefficients: Sequence[float]) -> tuple[Term, Term]:
    """A polynomial as the sum of two floats."""
    return quick_sum(coefficients[0], t * estrin(t, coefficients[1:]))


def _large(x: Term) -> tuple[Term, Term, Term]:
    """x where Stirling's formula holds, else a number of these; its square's inverse, and whether it holds."""
    large = x >= _LARGE
    y = where(large, x, _LARGE)
    inverse = 1.0 / y
    return large, y, inverse


def _lgamma(x: Term) -> Term:
    """log Γ(x) of a positive number."""
    large, y, inverse = _large(x)
    below = x < 1.0
    near, product, lost = where(large | below, 2.0, x), x.constant(1.0), x.constant(0.0)
    for _ in range(4):
        above = near >= 3.0
        near = where(above, near - 1.0, near)
        factor = where(above, near, 1.0)
        product, less = two_product(product, factor)
        lost = fma(lost, factor, less)
    high, low = logarithm(where(large | below, where(x < 2.0**1022, x, 2.0**1022), product))
    low = low + lost / product

    half = y - 0.5
    whole, rest = two_product(half, high)
    rest = fma(half, low, rest)
    total, more = two_sum(whole, -y)
    total, last = two_sum(total, x.constant(_HALF_LOG_2PI[0]))
    z = inverse * inverse
    far = total + (last + (more + (rest + fma(inverse, estrin(z, _STIRLING), _HALF_LOG_2PI[1]))))

    t = where(below, x - 1.0, near - 2.0)  # of x + 1 below 1
    other = where(below, x, near - 1.0)
    p, p_low = _sum(t, _LGAMMA)
    zeros, zeros_low = two_product(t, other)
    base, base_low = two_product(zeros, p)
    base_low = base_low + fma(zeros, p_low, zeros_low * p)
    high, low = where(below, -high, high), where(below, -low, low)
    total, more = two_sum(base, high)
    found = where(large, far, total + (more + (base_low + low)))
    found = where(x > 2.556348e305, math.inf, found)
    return where(x.equals(0.0), math.inf, found)


def _digamma(x: Term) -> Term:
    """The derivative of log Γ(x) of a positive number."""
    large, y, inverse = _large(x)
    below = x < 1.0
    near, above, under = where(large | below, 2.0, x), x.constant(0.0), x.constant(1.0)
    for _ in range(4):  # a sum of 1/k as one fraction
        more = near >= 3.0
        near = where(more, near - 1.0, near)
        factor = where(more, near, 1.0)
        above = fma(above, factor, where(more, under, 0.0))
        under = under * factor
    above, under = where(below, x.constant(-1.0), above), where(below, x, under)
    q = above / under
    left = fma(-q, under, above) / under

    high, low = logarithm(y)
    z = inverse * inverse
    far, rest = quick_sum(high, -0.5 * inverse)
    far = far + (rest + fma(-z, estrin(z, _REST), low))

    t = where(below, x - 1.0, near - 2.0)
    d, d_low = two_sum(where(below, x, near), where(below, x.constant(1.0 - _ROOT[0]), -_ROOT[0]))
    d_low = d_low - _ROOT[1]
    p, p_low = _sum(t, _DIGAMMA)
    base, base_low = two_product(d, p)
    base_low = base_low + fma(d, p_low, d_low * p)
    total, more = two_sum(base, q)
    found = where(large, far, total + (more + (base_low + left)))
    return where(x.equals(math.inf), x, where(q.equals(-math.inf), q, found))


def _reflected(
    name: str, function: Callable[[Term], Term], other: Callable[[Term, Term], Term]
) -> Callable[[Term], Term]:
    def complete(x: Term) -> Term:
        negative = x.bits < 0
        found = function(where(negative, 1.0 - x, x))
        usual = where(x.is_nan, x, found)
        whole = x.f.unless(negative.value, usual.value, lambda: where(negative, other(x, usual), usual).value)
        return Term(x.f, whole)

    complete.__name__ = name
    return complete


def _fraction(x: Term) -> Term:
    """The turn of pi x: exact, and zero at integers."""
    return x - x.intrinsic("rint")


def _other_lgamma(x: Term, found: Term) -> Term:
    """log(pi / |sin(pi x)|) - log Γ(1 - x)."""
    r = _fraction(x)
    reflected = log(math.pi / abs(sin(math.pi * r))) - found
    return where(r.equals(0.0) | x.equals(-math.inf), math.inf, reflected)


def _other_digamma(x: Term, found: Term) -> Term:
    """ψ(1 - x) - pi / tan(pi x)."""
    r = _fraction(x)
    reflected = found - math.pi / tan(math.pi * r)
    return where(x.equals(0.0), math.inf, where(r.equals(0.0) | x.equals(-math.inf), math.nan, reflected))


lgamma = _reflected("lgamma", _lgamma, _other_lgamma)
digamma = _reflected("digamma", _digamma, _other_digamma)
