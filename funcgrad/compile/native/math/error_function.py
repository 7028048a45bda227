"""erf and erfc, and the inverse of erf by which normal random numbers are made.

Below 1 erf is x + x P(x²). erfc is e^(-x²) Q(q) / (1 + 2 x) with q = (x - 4) / (x + 4), after Shepherd and Laframboise,
"Chebyshev approximation of (1 + 2x) exp(x²) erfc x in 0 <= x < infinity", Mathematics of Computation 36, 1981. Both
polynomials are minimax, with errors of 7e-18 and 5e-17.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from funcgrad.compile.native.math.exponential import beyond_linear, reduced, scaled
from funcgrad.compile.native.math.logarithm import log1p
from funcgrad.compile.native.math.terms import Term, estrin, fma, quick_sum, two_product, two_sum, where
from funcgrad.ops.erf_inv import PIECES

_NEAR = [
    0.12837916709551256,
    -0.3761263890318355,
    0.11283791670945253,
    -0.02686617064327622,
    0.005223977607423468,
    -0.0008548325989696758,
    0.00012055295320494294,
    -1.4924744663335489e-05,
    1.6447517677871873e-06,
    -1.6209175911748696e-07,
    1.3722976265924504e-08,
    -7.801188874097751e-10,
]
_FAR = [
    1.2329951186255526,
    -0.1396211168405632,
    0.015379652102606679,
    0.06809705425476366,
    -0.10103906603558732,
    0.09373283499621188,
    -0.06633036582773452,
    0.037167515565672334,
    -0.01619773388426066,
    0.005031969787399605,
    -0.000757774424294477,
    -0.00019925601498747044,
    0.00015062629655957654,
    -2.440027151426945e-05,
    -1.1233979251843045e-05,
    5.7090883943847335e-06,
    3.1324674180942396e-07,
    -8.200965518104215e-07,
    5.574270069898496e-08,
    1.0160508744984688e-07,
    -8.255211059196403e-09,
    -8.466091199137498e-09,
]
_ZERO = 27.5  # from where erfc is zero


def _beyond(size: Term) -> Term:
    """erfc of a number that is not negative."""
    t = where(size > _ZERO, _ZERO, size)
    above, below = t - 4.0, t + 4.0
    q = above / below
    q = q + fma(q, -t, fma(q + 1.0, -4.0, t)) / below
    p, p_low = quick_sum(_FAR[0], q * estrin(q, _FAR[1:]))

    square, lost = two_product(t, t)
    k, n, r, more = reduced(-square)
    curve = beyond_linear(r)
    e, e_low = quick_sum(1.0, r)
    e_low = e_low + fma(more - lost, 1.0 + (r + curve), curve)

    product, product_low = two_product(e, p)
    product_low = product_low + fma(e, p_low, e_low * p)
    below, below_low = two_sum(1.0, t + t)
    y = product / below
    return scaled(y + (fma(-y, below, product) + (product_low - y * below_low)) / below, k, n)


def erf(x: Term) -> Term:
    """The integral of 2/sqrt(pi) e^(-t²) from 0 to x."""
    size = abs(x)
    z = x * x
    near = fma(size, estrin(z, _NEAR), size)
    return where(size < 1.0, near, 1.0 - _beyond(size)).intrinsic("copysign", x)


def erfc(x: Term) -> Term:
    """1 - erf(x)."""
    size = abs(x)
    whole, rest = two_sum(1.0, -x)
    near = whole + (rest - x * estrin(x * x, _NEAR))
    found = _beyond(size)
    found = where(x < 0.0, 2.0 - found, found)
    return where(x.is_nan, x, where(size < 0.5, near, found))


def erf_inv(x: Term) -> Term:
    """The inverse of erf, by the polynomials of funcgrad/ops/erf_inv.py. Those further out are for few numbers."""
    (bound, shift, coefficients), *further = PIECES["d" if x.value.kind == "double" else "f"]
    w = -log1p(-(x * x))
    usual = estrin(w - shift, coefficients[::-1])
    far = w >= bound
    p = x.f.unless(far.value, usual.value, lambda: where(far, _further_out(w, further), usual).value)
    return where(abs(x).equals(1.0), x * math.inf, Term(x.f, p) * x)


def _further_out(w: Term, pieces: list[tuple[float, float, Sequence[float]]]) -> Term:
    """The polynomials in the root, each up to a bound."""
    root = w.intrinsic("sqrt")
    *others, (_, shift, coefficients) = pieces
    found = estrin(root - shift, coefficients[::-1])
    for bound, shift, coefficients in others:
        found = where(w < bound, estrin(root - shift, coefficients[::-1]), found)
    return found
