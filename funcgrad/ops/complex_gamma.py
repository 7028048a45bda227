"""Primitives around the gamma function that have values in the complex plane, and 1/Γ, which has no poles.

`polygamma` of complex numbers and `rgamma` of real ones are families: the order is a parameter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive, elementwise
from funcgrad.core.samples import samples_in
from funcgrad.ops.gamma import digamma
from funcgrad.ops.incomplete_gamma import bell
from funcgrad.ops.scipy_kernels import kernel, scipy_function
from funcgrad.ops.special_functions import BERNOULLI, polygamma, sinpi
from funcgrad.ops.special_functions import digamma as digamma_values

_PLANE: Any = {"samples": samples_in((0.3, 2)), "dtypes": "FD"}


def _polygamma(x: Any, *, n: int) -> Any:
    """The derivative of order n of digamma, by the recurrence up to a real part of 15 and the asymptotic series."""
    if n == 0:
        return _digamma(x)
    z = np.asarray(x, np.complex128)
    sign = -((-1.0) ** n)  # of n! Σ (z + k)^-(n+1)
    steps = int(np.ceil(np.clip(np.max(15 - z.real, initial=0, where=np.isfinite(z.real)), 0, 10_000)))
    total = np.zeros_like(z)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            low = z.real < 15
            total = np.where(low, total + z ** (-n - 1.0) * math.factorial(n), total)
            z = np.where(low, z + 1, z)
        series = math.factorial(n - 1) / z**n + math.factorial(n) / (2 * z ** (n + 1))
        for k, b in enumerate(BERNOULLI, 1):
            series = series + b * math.factorial(2 * k + n - 1) / math.factorial(2 * k) / z ** (2 * k + n)
        found = sign * (total + series)
    return np.where(z.real < 15, np.nan, found).astype(np.result_type(x))[()]


_digamma = kernel("psi")
complex_polygamma: Primitive = elementwise(
    _polygamma,
    lambda g, x, n: g * complex_polygamma(x, n=n + 1),
    name="complex_polygamma",
    samples=lambda draw: [*samples_in((0.3, 2), n=0)(draw), *samples_in((-2, 2), n=1)(draw)],
    dtypes="FD",
)
complex_gamma = scipy_function("gamma", lambda g, x, out: g * (out * complex_polygamma(x, n=0)), **_PLANE)
complex_rgamma = scipy_function(
    "rgamma", lambda g, x, out: g * (-out * complex_polygamma(x, n=0)), label="complex_rgamma", **_PLANE
)
complex_loggamma = scipy_function(
    "loggamma", lambda g, x: g * complex_polygamma(x, n=0), label="complex_loggamma", **_PLANE
)
loggamma = scipy_function("loggamma", lambda g, x: g * digamma(x), samples=samples_in((0.3, 3)))


def _rgamma(x: Any, *, order: int) -> Any:
    """The derivative of this order of 1/Γ(x); for x < 1/2 that of Γ(1 - x) sin(πx) / π, which is exact at the poles."""
    if order == 0:
        return _rgamma_values(x)
    v = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        left, right = np.where(v < 0.5, 1 - v, 1.0), np.where(v < 0.5, 1.0, v)
        slopes = _gamma_slopes(left, order)
        waves = [sinpi(v + 0.5 * j) * math.pi**j for j in range(order + 1)]
        reflected = sum(
            math.comb(order, j) * (-1.0) ** j * bell(slopes, j) * waves[order - j] for j in range(order + 1)
        ) * (_gamma_values(left) / math.pi)
        direct = _rgamma_values(right) * bell([-s for s in _gamma_slopes(right, order)], order)
        found = np.where(v < 0.5, reflected, direct)
    return found.astype(np.result_type(x))[()]


def _gamma_slopes(x: Any, order: int) -> list[Any]:
    """The derivatives of log Γ, from the first to that of this order."""
    return [digamma_values(x), *[polygamma(x, k) for k in range(1, order)]]


_gamma_values, _rgamma_values = kernel("gamma"), kernel("rgamma")
rgamma: Primitive = elementwise(
    _rgamma,
    lambda g, x, order: g * rgamma(x, order=order + 1),
    name="scipy_rgamma",
    samples=lambda draw: [*samples_in((-2.5, 3), order=0)(draw), *samples_in((-2.5, 3), order=1)(draw)],
)


# Binomial coefficients of real numbers, Γ(n + 1) / (Γ(k + 1) Γ(n - k + 1)).


def _pole(x: Any) -> Any:
    return (x <= 0) & (np.floor(x) == x)


def _binom_by_n(g: Any, n: Any, k: Any, out: Any) -> Any:
    rest = n - k + 1
    zero = _pole(rest)
    slope = out * (digamma(n + 1) - digamma(np.where(zero, 1.0, rest)))
    factor = rgamma(rest, order=1) + digamma(n + 1) * rgamma(rest, order=0)
    at_zero = _binom_factor(n) * rgamma(k + 1, order=0) * factor
    return g * np.where(zero, at_zero, slope)


def _binom_by_k(g: Any, n: Any, k: Any, out: Any) -> Any:
    rest = n - k + 1
    first, second = _pole(rest), _pole(k + 1)
    slope = out * (digamma(np.where(first, 1.0, rest)) - digamma(np.where(second, 1.0, k + 1)))
    by_rest = -rgamma(k + 1, order=0) * rgamma(rest, order=1)
    by_own = rgamma(k + 1, order=1) * rgamma(rest, order=0)
    return g * np.where(first | second, _binom_factor(n) * (by_rest + by_own), slope)


def _binom_factor(n: Any) -> Any:
    """Γ(n + 1)."""
    return 1 / rgamma(n + 1, order=0)


binom = scipy_function("binom", _binom_by_n, _binom_by_k, operands="n k", samples=samples_in((2.2, 5.3), (0.3, 1.7)))
