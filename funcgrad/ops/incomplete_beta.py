"""Derivatives of the incomplete beta function by its parameters, of every order: values in double precision.

With the density p(t; a, b) = t^(a-1) (1-t)^(b-1) / B(a, b), the function I is the integral of p from 0 to x. A
derivative by a and b is the integral of a derivative of the density, and that is the density times a complete Bell
polynomial in the derivatives of its logarithm, log t - ψ(a) + ψ(a+b), log(1-t) - ψ(b) + ψ(a+b), ψ'(a+b), ….

The integral is taken over the side of x on which less lies: the one over both sides is zero. There t / (1 - t) is
e^-s x / (1 - x), with s > 0, or the same with the sides exchanged, and the weight falls to nothing within some length.
The length is cut into panels that grow with the distance from s = log(x / (1 - x)), since the weight is singular at
that point ± πi. Each panel takes Gaussian quadrature.

Sources: NIST Digital Library of Mathematical Functions, section 8.17 (https://dlmf.nist.gov/8.17); the substitution and
the quadrature are our own.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops.special_functions import digamma, digamma_rest, lgamma, polygamma, stirling_rest

__all__ = ["beta_density", "betainc_order"]


def beta_density(a: Any, b: Any, x: Any, by_a: int = 0, by_b: int = 0) -> Any:
    """The derivative of these orders by a and b of x^(a-1) (1-x)^(b-1) / B(a, b)."""
    a, b, x = np.broadcast_arrays(*[np.asarray(v, np.float64) for v in (a, b, x)])
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & np.isfinite(a + b)
    out = np.where((a > 0) & (b > 0) & np.isfinite(a + b), _at_the_ends(a, b, x), np.nan)
    a, b, x = a[inside], b[inside], x[inside]
    logs = _slopes(a, b, by_a + by_b)
    slopes = _bell(by_a, by_b, lambda i, j: logs(i, j, np.log(x), np.log1p(-x)))
    out[inside] = _weight(a, b, x) / (x * (1 - x)) * slopes
    return out


def _at_the_ends(a: Any, b: Any, x: Any) -> Any:
    """The density at 0 and 1, and beyond."""
    power = np.where(x == 0, a, b)
    rest = np.where(x == 0, b, a)
    end = np.where(power > 1, 0.0, np.where(power == 1, rest, np.inf))
    return np.where((x == 0) | (x == 1), end, np.nan)


def betainc_order(a: Any, b: Any, x: Any, by_a: int, by_b: int) -> Any:
    """The derivative of these orders, at least 1 together, of I by a and b."""
    a, b, x = np.broadcast_arrays(*[np.asarray(v, np.float64) for v in (a, b, x)])
    fine = (a > 0) & (b > 0) & (x >= 0) & (x <= 1) & np.isfinite(a + b)
    out = np.where(fine, 0.0, np.nan)
    inside = fine & (x > 0) & (x < 1)
    below = inside & (x <= a / (a + b))
    above = inside & ~below
    for here, side in ((below, 1), (above, -1)):
        if here.any():
            chunks = [
                _integral(u[:, None], v[:, None], w[:, None], by_a, by_b, side)
                for u, v, w in zip(*[_chunks(values[here]) for values in (a, b, x)], strict=True)
            ]
            out[here] = side * np.concatenate(chunks)[:, 0]
    return out


def _chunks(x: Any) -> list[Any]:
    return [x[i : i + _CHUNK] for i in range(0, x.size, _CHUNK)]


_DEPTH = 45.0  # e^-45 is less than the last digit
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_CHUNK = 2048  # elements at a time, each with all nodes: what then is in memory fits into a cache


def _integral(a: Any, b: Any, x: Any, by_a: int, by_b: int, side: int) -> Any:
    """The integral from 0 to x (side 1), or from x to 1 (side -1), of the derivative of the density.

    On the upper side a and b, t and 1 - t change places. a, b, x are columns, and the nodes are along the rows.
    """
    first, second, near, far = (a, b, x, 1 - x) if side == 1 else (b, a, 1 - x, x)
    log_near, log_far = (np.log(x), np.log1p(-x)) if side == 1 else (np.log1p(-x), np.log(x))
    logs = _slopes(a, b, by_a + by_b)
    centre = log_near - log_far
    length = _length(first, second, near, far)
    total, done = np.zeros_like(a), np.zeros_like(a)
    while np.any(done < length):
        panel = np.minimum(np.minimum(length / 3, 0.75 * (np.abs(centre - done) + 3)), length - done)
        s = done + panel * (0.5 + 0.5 * _NODES)
        grown = np.log1p(far * np.expm1(np.minimum(s, 700)))  # log(near + far e^s)
        grown = np.where(s > 30, s + np.log(far + near * np.exp(-s)), grown)
        log_t, log_rest = log_near - grown, log_far + s - grown
        if side == -1:
            log_t, log_rest = log_rest, log_t
        slopes = _bell(by_a, by_b, functools.partial(_at, logs, log_t, log_rest))
        height = np.exp(second * s - (first + second) * grown)
        total += 0.5 * panel * np.sum(_WEIGHTS * height * slopes, axis=1, keepdims=True)
        done = np.where(done + panel >= length * (1 - 1e-12), length, done + panel)
    return total * _weight(a, b, x)


def _at(logs: Callable[..., Any], log_t: Any, log_rest: Any, i: int, j: int) -> Any:
    return logs(i, j, log_t, log_rest)


def _length(first: Any, second: Any, near: Any, far: Any) -> Any:
    """Where the weight (first + second) log(near + far e^s) - second s, which is convex, has grown to the depth."""
    both = first + second
    s = (_DEPTH + both * np.maximum(-np.log(far), 0)) / first  # beyond
    for _ in range(60):
        ratio = far / (far + near * np.exp(-s))  # the rest at s
        height = both * (s + np.log(far + near * np.exp(-s))) - second * s - _DEPTH
        slope = both * ratio - second
        step = height / slope
        s = s - step
        if np.all(np.abs(step) <= 1e-3 * s):
            break
    return s


def _slopes(a: Any, b: Any, order: int) -> Callable[[int, int, Any, Any], Any]:
    """The derivatives of the logarithm of the density at (log t, log(1-t)), by their orders in a and b."""
    both, by_a, by_b = ([_psi(v, k) for k in range(order)] for v in (a + b, a, b))
    large = np.minimum(a, b) > 10  # then what cancels is left out
    shifts = (
        [np.where(large, _log_shift(a, b), both[0] - by_a[0]), np.where(large, _log_shift(b, a), both[0] - by_b[0])]
        if order
        else []
    )

    def slope(i: int, j: int, log_t: Any, log_rest: Any) -> Any:
        if i + j == 1:
            return log_t + shifts[0] if i else log_rest + shifts[1]
        own = by_a if j == 0 else by_b
        return both[i + j - 1] - own[i + j - 1] if i == 0 or j == 0 else both[i + j - 1]

    return slope


def _psi(x: Any, order: int) -> Any:
    return polygamma(x, order) if order else digamma(x)


def _log_shift(a: Any, b: Any) -> Any:
    """ψ(a + b) - ψ(a)."""
    return np.log1p(b / a) + digamma_rest(np.maximum(a + b, 10)) - digamma_rest(np.maximum(a, 10))


def _bell(i: int, j: int, logs: Callable[[int, int], Any]) -> Any:
    """The derivative of orders i and j of a function, over its value, from the derivatives of its logarithm."""
    found: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for k, o in itertools.product(range(i + 1), range(j + 1)):
        if k or o:  # the derivative of f · (log f)' by the variable that has an order left
            m, n = (k - 1, o) if k else (k, o - 1)
            found[k, o] = sum(
                math.comb(m, p) * math.comb(n, q) * found[p, q] * logs(k - p, o - q)
                for p in range(m + 1)
                for q in range(n + 1)
            )
    return found[i, j]


def _weight(a: Any, b: Any, x: Any) -> Any:
    """x^a (1-x)^b / B(a, b); for large a and b around the point where it is largest, so that nothing cancels."""
    both = a + b
    large = np.minimum(a, b) > 10
    d = x - a / both
    e, f = d * both / a, -d * both / b
    e, f = np.where(large, e, 0), np.where(large, f, 0)
    of_both, of_a, of_b = [stirling_rest(np.maximum(z, 10)) for z in (both, a, b)]
    near = a * _log1p_rest(e) + b * _log1p_rest(f) + of_both - of_a - of_b
    near = np.exp(near) * np.sqrt(a / both * b / (2 * np.pi))
    return np.where(large, near, np.exp(a * np.log(x) + b * np.log1p(-x) - _log_beta(a, b)))


def _log1p_rest(x: Any) -> Any:
    """log(1 + x) - x, without cancellation."""
    small = np.where(np.abs(x) < 0.1, x, 0)
    series = np.zeros_like(small)
    for k in range(18, 1, -1):
        series = 1 / k - small * series
    return np.where(np.abs(x) < 0.1, -small * small * series, np.log1p(x) - x)


def _log_beta(a: Any, b: Any) -> Any:
    """log B(a, b), for a large sum without the cancellation of the two large logarithms."""
    small, large = np.minimum(a, b), np.maximum(a, b)
    far = large > 10
    # log Γ(large) - log Γ(large + small), by Stirling's formula
    z = np.where(far, large, 10.0)
    both = z + small
    quotient = -small * np.log(both) - (z - 0.5) * np.log1p(small / z) + small + stirling_rest(z) - stirling_rest(both)
    return lgamma(small) + np.where(far, quotient, lgamma(large) - lgamma(large + small))
