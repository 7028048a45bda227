"""Special functions that NumPy has not, for arrays of double precision: values only.

Each is expanded in Chebyshev polynomials where it is smooth, after what is not smooth or has a large range was divided
out; elsewhere asymptotic series, continued fractions and functional equations lead there. Every function takes arrays
of float64 and gives float64; gamma.py and error_functions.py declare them with their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops import expansions as table

SQRT_PI = np.sqrt(np.pi)


def chebyshev(t: Any, coefficients: Sequence[float]) -> Any:
    """The sum of c_k T_k(t) for t between -1 and 1, by Clenshaw's recurrence."""
    twice = 2 * t
    b, before = 0 * t + coefficients[-1], 0 * t
    for c in coefficients[-2:0:-1]:
        b, before = twice * b - before + c, b
    return t * b - before + coefficients[0]


def pieces(x: ndarray, *cases: tuple[Any, Callable]) -> ndarray:
    """On the elements where the first condition holds the first function, on those left over the second, and so on."""
    x = np.asarray(x, np.float64)
    out = np.full_like(x, np.nan)
    left = np.ones(x.shape, bool)
    for condition, f in cases:
        here = left & condition
        if here.any():
            out[here] = f(x[here])
            left &= ~here
    return out


# The error function.


def erf(x: Any) -> Any:
    return pieces(
        x,
        (np.abs(x) <= 1, lambda x: x * chebyshev(2 * x * x - 1, table.ERF)),
        (np.abs(x) > 1, lambda x: np.copysign(1 - _erfc_of_positive(np.abs(x)), x)),
    )


def erfc(x: Any) -> Any:
    return pieces(
        x,
        (np.abs(x) <= 0.5, lambda x: 1 - x * chebyshev(2 * x * x - 1, table.ERF)),
        (x > 0, _erfc_of_positive),
        (x < 0, lambda x: 2 - _erfc_of_positive(-x)),
    )


def erfcx(x: Any) -> Any:
    """exp(x²) erfc(x)."""
    return pieces(
        x,
        (x >= 0, _erfcx_of_positive),
        (x < -30, lambda x: np.full(x.shape, np.inf)),
        (x < 0, lambda x: 2 * _exp_square(x) - _erfcx_of_positive(-x)),
    )


def _erfcx_of_positive(x: Any) -> Any:
    """(1 + 2x) erfcx(x), with x = 3.75 (1 + t) / (1 - t)."""
    t = np.where(np.isinf(x), 1.0, (x - 3.75) / (np.where(np.isinf(x), 1, x) + 3.75))
    return chebyshev(t, table.ERFCX) / (1 + 2 * x)


def _erfc_of_positive(x: Any) -> Any:
    x = np.minimum(x, 40)
    return _erfcx_of_positive(x) * _exp_square(x, -1)


def _exp_square(x: Any, sign: int = 1) -> Any:
    """exp(± x²), with x² worked out to more than double precision: an error of it is a relative error of the result."""
    head = np.round(x * 65536) / 65536
    return np.exp(sign * head * head) * np.exp(sign * (x - head) * (x + head))


def ndtr(x: Any) -> Any:
    """The normal distribution function, erfc(-x / √2) / 2."""
    return erfc(-x / np.sqrt(2)) / 2


def log_ndtr(x: Any) -> Any:
    """The logarithm of the normal distribution function."""
    return pieces(
        x,
        (x < -1, lambda x: np.log(_erfcx_of_positive(-x / np.sqrt(2)) / 2) - x * x / 2),
        (x < 1, lambda x: np.log1p(-ndtr(-x))),
        (x >= 1, lambda x: np.log1p(-_erfcx_of_positive(x / np.sqrt(2)) / 2 * np.exp(-x * x / 2))),
    )


def erfcinv(q: Any) -> Any:
    """The x >= 0 with erfc(x) = q, for q up to 1, by Newton's method for log erfc(x) = log q."""
    q = np.asarray(q, np.float64)
    x = pieces(
        q,
        (q > 0.5, lambda q: (1 - q) * SQRT_PI / 2 * (1 + np.pi / 12 * (1 - q) ** 2)),
        (q > 0, lambda q: _tail_start(q)),
        (q == 0, lambda q: np.full(q.shape, np.inf)),
    )
    inside = (q > 0) & (q < 1)
    at, target = x[inside], np.log(q[inside])
    for _ in range(6):
        scaled = _erfcx_of_positive(at)
        at = np.maximum(at + (np.log(scaled) - at * at - target) * (scaled * SQRT_PI / 2), 0)
    x[inside] = at
    return x


def _tail_start(q: Any) -> Any:
    w = -np.log(q * SQRT_PI)
    x = np.sqrt(np.maximum(w, 0.25))
    for _ in range(2):
        x = np.sqrt(np.maximum(w - np.log(np.maximum(x, 0.5)), 0.1))
    return x


def erfinv(y: Any) -> Any:
    size = np.abs(y)
    return pieces(
        y,
        (size < 0.25, _erfinv_near_zero),
        (size <= 1, lambda y: np.copysign(erfcinv(1 - np.abs(y)), y)),
    )


def _erfinv_near_zero(y: Any) -> Any:
    x = y * SQRT_PI / 2
    for _ in range(4):
        x = x - (erf(x) - y) * (SQRT_PI / 2) * np.exp(x * x)
    return x


def ndtri(p: Any) -> Any:
    """The inverse of the normal distribution function."""
    return pieces(
        p,
        ((p > 0.375) & (p < 0.625), lambda p: np.sqrt(2) * _erfinv_near_zero(2 * (p - 0.5))),
        ((p >= 0) & (p < 0.5), lambda p: -np.sqrt(2) * erfcinv(2 * p)),
        ((p >= 0.5) & (p <= 1), lambda p: np.sqrt(2) * erfcinv(2 * (1 - p))),
    )


# The logarithm of the gamma function, and its derivatives.

BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330, 854513 / 138,
    -236364091 / 2730,
)  # fmt: skip  # in rows


def lgamma(x: Any) -> Any:
    """log |Γ(x)|."""
    return pieces(
        x,
        (np.isinf(x), np.abs),
        (x >= 10, _stirling),
        (x > 0, _lgamma_of_small),
        ((x == np.floor(x)), lambda x: np.full(x.shape, np.inf)),
        (x < 0, lambda x: np.log(np.pi / np.abs(sinpi(x))) - lgamma(1 - x)),
    )


def _stirling(x: Any) -> Any:
    return (x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi) + stirling_rest(x)


def stirling_rest(x: Any) -> Any:
    """What Stirling's formula for log Γ(x) lacks, for x from 10 on."""
    total, power = 0 * x, 1 / x
    for k, b in enumerate(BERNOULLI[:9], 1):
        total = total + b / (2 * k * (2 * k - 1)) * power
        power = power / (x * x)
    return total


def digamma_rest(x: Any) -> Any:
    """ψ(x) - log(x), for x from 10 on."""
    total, power = -0.5 / x, 1 / (x * x)
    for k, b in enumerate(BERNOULLI[:9], 1):
        total = total - b / (2 * k) * power
        power = power / (x * x)
    return total


def _lgamma_of_small(x: Any) -> Any:
    """Γ(x + 1) = x Γ(x) leads to the interval from 1 to 3, where log Γ(x) / ((x - 1)(x - 2)) is smooth."""
    below = x < 1
    factor, start = np.ones_like(x), x
    for _ in range(7):
        above = x >= 3
        x = np.where(above, x - 1, x)
        factor = np.where(above, factor * x, factor)
    near = np.where(below, x - 1, x - 2)  # to 2: x + 1 would be rounded
    shift = np.where(below, -np.log(start), np.log(factor))
    return shift + near * np.where(below, x, x - 1) * chebyshev(near, table.LGAMMA)


def sinpi(x: Any) -> Any:
    """sin(πx), exact at integers."""
    r = x - 2 * np.round(x / 2)
    return np.where(np.abs(r) <= 0.5, np.sin(np.pi * r), np.sin(np.pi * (np.copysign(1, r) - r)))


def digamma(x: Any) -> Any:
    return pieces(
        x,
        (x == np.inf, lambda x: x),
        (x > 0, _digamma_of_positive),
        (x == 0, lambda x: np.copysign(np.inf, -x)),
        ((x == np.floor(x)), lambda x: np.full(x.shape, np.nan)),
        (x < 0, lambda x: _digamma_of_positive(1 - x) - np.pi / np.tan(np.pi * (x - np.round(x)))),
    )


_ROOT = 1.4616321449683622
_ROOT_REST = 9.549995429965697e-17
"""The zero of digamma, as the sum of two numbers."""


def _digamma_of_positive(x: Any) -> Any:
    out = pieces(x, (np.abs(x - _ROOT) < 0.3, _digamma_near_root))
    rest = np.isnan(out)
    y, total = x[rest], np.zeros(int(rest.sum()))
    for _ in range(10):
        low = y < 10
        total = np.where(low, total - 1 / y, total)
        y = np.where(low, y + 1, y)
    power = 1 / (y * y)
    series = 0 * y
    for k, b in enumerate(BERNOULLI[:10], 1):
        series = series + b / (2 * k) * power
        power = power / (y * y)
    out[rest] = np.log(y) - 0.5 / y - series + total
    return out


def _digamma_near_root(x: Any) -> Any:
    """Σ d (1 / ((k + r)(k + x))) for d = x - r: the difference to the zero r, without cancellation."""
    d = (x - _ROOT) - _ROOT_REST
    total = 0 * x
    n = 20
    for k in range(n - 1, -1, -1):
        total = total + 1 / ((_ROOT + k) * (x + k))
    # What is left is (ψ(x + n) - ψ(r + n)) / d, by the asymptotic series of divided differences.
    a, b = x + n, _ROOT + n
    tail = np.log1p(d / b) / np.where(d == 0, 1, d)
    tail = np.where(d == 0, 1 / b, tail) + 0.5 / (a * b)
    for k in range(1, 7):
        tail = tail + BERNOULLI[k - 1] / (2 * k) * _power_difference(a, b, 2 * k)
    return d * (total + tail)


def _power_difference(a: Any, b: Any, n: int) -> Any:
    """(b^-n - a^-n) / (a - b) with the division carried out."""
    total = 0 * a
    for i in range(n):
        total = total + a ** (i - n) * b ** (-1 - i)
    return total


def zeta(s: Any, q: Any, order: int = 0) -> Any:
    """Hurwitz's zeta function, Σ (k + q)^-s, or its derivative of this order by s."""
    s, q = np.broadcast_arrays(np.asarray(s, np.float64), np.asarray(q, np.float64))
    total = _continued_zeta(s, q, order)
    pole = (q <= 0) & (q == np.floor(q))
    if order:
        return np.where((s > 1) & (q > 0), total, np.nan)
    total = np.where(pole, np.inf, np.where((q < 0) & (s != np.floor(s)), np.nan, total))
    return np.where(s == 1, np.inf, np.where(s < 1, np.nan, total))


def riemann_zeta_slope(s: Any, order: int = 1) -> Any:
    """The derivative of this order, at least 1, of Riemann's zeta function; nan below -4, where digits are lost."""
    s = np.asarray(s, np.float64)
    return np.where((s > -4) & (s != 1), _continued_zeta(s, np.ones_like(s), order), np.nan)


def _continued_zeta(s: Any, q: Any, order: int) -> Any:
    """The sum where it converges, and its continuation to smaller s.

    Ten terms and more are added up, and the rest is Euler and Maclaurin's formula (DLMF 25.11.28, 25.11.43). Each term
    is a power (k + q)^-s times a function of s; its derivative is that of a product, so all that is needed of either is
    its Taylor series at s up to the order.
    """
    total, at = np.zeros(s.shape), q.copy()
    shift = int(np.clip(np.max(10 - q, initial=10, where=np.isfinite(q)), 10, 2000))
    for k in range(shift):
        ahead = (k < 10) | (at < 10)
        total = np.where(ahead, total + np.power(at, -s) * (-np.log(at)) ** order, total)
        at = np.where(ahead, at + 1, at)
    power, slope = np.power(at, -s), -np.log(at)
    rest = [power * at * (-1) ** m / (s - 1) ** (m + 1) + (power / 2 if m == 0 else 0) for m in range(order + 1)]
    factor = [s * power / at, power / at, *[0 * s] * (order - 1)][: order + 1]
    for k, b in enumerate(BERNOULLI, 1):
        rest = [r + b * f / _FACTORIALS[2 * k] for r, f in zip(rest, factor, strict=True)]
        for root in (s + 2 * k - 1, s + 2 * k):  # times root + (a step of s)
            factor = [f * root / at + (factor[m - 1] / at if m else 0) for m, f in enumerate(factor)]
    for m, r in enumerate(rest):
        total = total + r * (slope ** (order - m) / _FACTORIALS[order - m] * _FACTORIALS[order])
    return np.where(np.isinf(at), 0.0, total)


_FACTORIALS = np.cumprod(np.concatenate([[1.0], np.arange(1.0, 171.0)]))


def polygamma(x: Any, n: int) -> Any:
    """The derivative of this order of digamma."""
    if n == 0:
        return digamma(x)
    value = zeta(n + 1.0, x) * _FACTORIALS[n]
    return value if n % 2 else -value
