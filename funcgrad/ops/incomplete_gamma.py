"""The incomplete gamma functions and their derivatives by the parameter, of every order: values in double precision.

With the density p(a, t) = t^(a-1) e^-t / Γ(a), the lower function P(a, x) is the integral of p from 0 to x, and
Q = 1 - P the rest. They are summed as a power series (DLMF 8.7.1) or as a continued fraction (DLMF 8.9.2).

A derivative by a is the integral of a derivative of the density, and that is the density times a complete Bell
polynomial in the derivatives of its logarithm, log t - ψ(a), -ψ'(a), -ψ''(a), …, which `bell` works out. The integral
is taken over the side of x on which less lies: the one over both sides is zero. With t = x e^-s below x, or x e^s
above, the weight is x^a e^-x times e^-φ(s), a smooth function that only decays, for which Gaussian quadrature does at
every a. Where a is small it decays too slowly; there the power series is quick, and is differentiated term by term.

To differentiate, 1/Γ(a) is written a/Γ(a+1), so that nothing is singular at a = 0.

Sources: NIST Digital Library of Mathematical Functions, chapter 8 (https://dlmf.nist.gov/8); the derivatives of the
series are in R. J. Moore, "Algorithm AS 187: Derivatives of the incomplete gamma integral", 1982; the substitution and
the quadrature are our own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.ops.special_functions import digamma, digamma_rest, lgamma, polygamma, stirling_rest

__all__ = ["bell", "gamma_density", "gammainc", "gammainc_order", "gammaincc", "order_in_prefactors"]


def gammainc(a: Any, x: Any) -> Any:
    """The part of Γ(a) below x."""
    return _incomplete(a, x, lower=True)


def gammaincc(a: Any, x: Any) -> Any:
    """The part of Γ(a) above x."""
    return _incomplete(a, x, lower=False)


def _incomplete(a: Any, x: Any, *, lower: bool) -> Any:
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    shape = a.shape
    a, x = a.ravel(), x.ravel()
    out = np.full(a.shape, np.nan)
    fine = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    series = fine & ((x <= 1) | (x < a))
    fraction = fine & ~series
    if series.any():
        p = _gamma_series(a[series], x[series])
        out[series] = p if lower else 1 - p
    if fraction.any():
        q = _gamma_fraction(a[fraction], x[fraction])
        out[fraction] = 1 - q if lower else q
    zero, one = (0.0, 1.0) if lower else (1.0, 0.0)
    out[(x == 0) & (a > 0)] = zero
    out[(x > 0) & (a == 0)] = one
    out[np.isinf(x) & (x > 0) & np.isfinite(a) & (a >= 0)] = one
    out[np.isinf(a) & (a > 0) & np.isfinite(x) & (x >= 0)] = zero
    return out.reshape(shape)


def _prefactor(a: Any, x: Any) -> Any:
    """x^a e^-x / Γ(a + 1); for large a around the point where it is largest, so that nothing cancels."""
    d = (x - a) / a
    near = a * (np.log1p(np.where(d > -1, d, 0)) - d) - stirling_rest(np.maximum(a, 10)) - 0.5 * np.log(2 * np.pi * a)
    return np.exp(np.where((a > 10) & (np.abs(d) < 0.7), near, a * np.log(x) - x - lgamma(a + 1)))


def _gamma_series(a: Any, x: Any) -> Any:
    term = np.ones_like(a)
    total = term.copy()
    n = a.copy()
    for _ in range(100_000):
        n += 1
        term = term * x / n
        total += term
        if np.all(term <= 1e-17 * total):
            break
    return total * _prefactor(a, x)


def _gamma_fraction(a: Any, x: Any) -> Any:
    """The continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - …)), by Lentz's method."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = np.full_like(x, 1 / tiny), 1 / np.where(b == 0, tiny, b)
    h, open_ = d.copy(), np.ones(x.shape, bool)
    for i in range(1, 100_000):
        an = -i * (i - a)
        b = b + 2
        d = an * d + b
        d = 1 / np.where(np.abs(d) < tiny, tiny, d)
        c = b + an / c
        c = np.where(np.abs(c) < tiny, tiny, c)
        step = c * d
        h = h * step
        open_ &= np.abs(step - 1) > np.finfo(np.float64).eps  # steps of one unit in the last place may go on for ever
        if not open_.any():
            break
    return h * _prefactor(a, x) * a


# Derivatives by a.


def bell(logs: Sequence[Any], order: int) -> Any:
    """The derivative of a function over its value, from the derivatives of its logarithm: complete Bell polynomials.

    Arguments:
        logs: the first, the second, … derivative of the logarithm, at least `order` of them.
        order: of the derivative.
    """
    found: list[Any] = [1.0]
    for n in range(order):
        found.append(sum(math.comb(n, k) * found[n - k] * logs[k] for k in range(n + 1)))
    return found[order]


def gamma_density(a: Any, x: Any, order: int = 0) -> Any:
    """The derivative of this order by a of x^(a-1) e^-x / Γ(a), which is also defined where a is not positive."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    smooth = _prefactor(np.where(a > 0, a, 1), x) * a / x
    pole = (a <= 0) & (a == np.floor(a))
    sign = np.where((a >= 0) | (np.floor(a) % 2 == 0), 1.0, -1.0)
    density = np.where(a > 0, smooth, sign * np.exp((a - 1) * np.log(x) - x - lgamma(a)))
    density = np.where(x == 0, np.where(a > 1, 0.0, np.where(a == 1, 1.0, sign * np.inf)), density)
    density = np.where(pole | np.isinf(x), 0.0, density)
    density = np.where((x < 0) | np.isnan(a) | np.isnan(x), np.nan, density)
    if not order:
        return density
    slopes = bell([np.log(x) - digamma(a), *_falling(a, order)], order)
    return np.where((density == 0) & (a > 0), 0.0, density * slopes)


def _falling(a: Any, order: int) -> list[Any]:
    """-ψ'(a), -ψ''(a), …, for that order."""
    return [-polygamma(a, k) for k in range(1, order)]


def gammainc_order(a: Any, x: Any, order: int) -> Any:
    """The derivative of this order, at least 1, of P(a, x) by a. That of Q is minus this."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    shape, a, x = a.shape, a.ravel(), x.ravel()
    out = np.full(a.shape, np.nan)
    out[((x == 0) & (a > 0)) | (np.isinf(x) & (x > 0) & np.isfinite(a) & (a >= 0))] = 0
    out[np.isinf(a) & (a > 0) & np.isfinite(x) & (x >= 0)] = 0
    fine = (a >= 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    a, x = a[fine], x[fine]
    out[fine] = order_in_prefactors(a, x, np.log(x), np.log1p((x - a) / a), order) * _prefactor(a, x)
    return out.reshape(shape)


def order_in_prefactors(a: Any, x: Any, log_x: Any, log_ratio: Any, order: int) -> Any:
    """The derivative of this order, at least 1, of P(a, x) by a, over x^a e^-x / Γ(a + 1), which may underflow.

    Arguments:
        a, x: vectors of numbers, a >= 0.
        log_x: log(x), for x that underflow.
        log_ratio: log(x / a), for x near a.
        order: of the derivative.
    """
    out = np.full(a.shape, np.nan)
    series = (a >= 0) & ((x <= 1) | ((x < a) & (a < 15)))
    above = (a >= 0) & ~series & (x > a)
    below = (a >= 0) & ~series & (x <= a)
    for where, f in ((series, _by_series), (above, _by_part_above), (below, _by_part_below)):
        if where.any():
            out[where] = f(a[where], x[where], log_x[where], log_ratio[where], order)
    return out


def _by_series(a: Any, x: Any, log_x: Any, log_ratio: Any, order: int) -> Any:
    """Term by term from P = Σ x^(a+k) e^-x / Γ(a + k + 1)."""
    term, total = np.ones_like(a), np.zeros_like(a)
    psi = [digamma(a + 1), *[polygamma(a + 1, k) for k in range(1, order)]]
    largest = np.zeros_like(a)
    for k in range(1, 400):
        found = term * bell([log_x - psi[0], *[-p for p in psi[1:]]], order)
        total += found
        largest = np.maximum(largest, np.abs(found))
        if k > 2 and np.all(np.abs(found) + term <= 1e-17 * largest):
            break
        for j in range(order):
            psi[j] = psi[j] + (-1) ** j * math.factorial(j) / (a + k) ** (j + 1)
        term = term * x / (a + k)
    return total


_DEPTH = 40.0  # e^-40 is less than the last digit
_NODES = 64


def _by_part_below(a: Any, x: Any, log_x: Any, log_ratio: Any, order: int) -> Any:
    end = np.minimum((_DEPTH + x) / a, _DEPTH / np.maximum(a - x, 1e-300))
    end = np.minimum(end, np.where(x > 3 * _DEPTH, np.sqrt(3 * _DEPTH / x), np.inf))  # there φ ≥ 40
    return _quadrature(a, x, log_x, log_ratio, order, end, -1)


def _by_part_above(a: Any, x: Any, log_x: Any, log_ratio: Any, order: int) -> Any:
    end = np.minimum(_DEPTH / np.maximum(x - a, 1e-300), np.sqrt(2 * _DEPTH / x))
    end = np.minimum(end, np.log1p((_DEPTH + a * end) / x))
    return -_quadrature(a, x, log_x, log_ratio, order, end, 1)


def _quadrature(a: Any, x: Any, log_x: Any, log_ratio: Any, order: int, end: Any, side: int) -> Any:
    """The integral over s from 0 to end, where t = x e^(± s), by Gauss and Legendre.

    With f = t^(a-1) e^-t / Γ(a+1) the density is a f, and its derivative by a is a times that of f, plus order times
    the one before.
    """
    large = a > 10
    offset = np.where(large, log_ratio - digamma_rest(np.maximum(a, 10)) - 1 / a, log_x - digamma(a + 1))
    rest = _falling(a + 1, order)
    total = np.zeros_like(end)
    for node, weight in zip(*np.polynomial.legendre.leggauss(_NODES), strict=True):
        s = side * end * (0.5 + 0.5 * node)
        logs = [offset + s, *rest]
        slopes = a * bell(logs, order) + order * bell(logs, order - 1)
        total += weight * np.exp((a - x) * s - x * _expm1_rest(s)) * slopes
    return total * end * 0.5


def _expm1_rest(s: Any) -> Any:
    """e^s - 1 - s, without cancellation."""
    small = np.where(np.abs(s) < 0.5, s, 0)
    series = np.zeros_like(small)
    for k in range(16, 1, -1):
        series = (series + 1) * small / k
    return np.where(np.abs(s) < 0.5, series * small, np.expm1(s) - s)
