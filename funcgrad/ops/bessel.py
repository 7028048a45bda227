"""Bessel functions of orders 0 and 1, and Airy's function Ai, for arrays of double precision: values only.

Near zero they are expanded in x or x²; far from it what remains when exponential or oscillation is divided out is
expanded in 1/x. See special_functions.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops import expansions as table
from funcgrad.ops.special_functions import chebyshev, pieces

# Modified: I and K. The suffix e means scaled by exp(-|x|), or exp(x) for K.


def i0e(x: Any) -> Any:
    x = np.abs(x)
    return pieces(
        x,
        (x <= 8, lambda x: chebyshev(x / 4 - 1, table.I0E_NEAR)),
        (x > 8, lambda x: chebyshev(16 / x - 1, table.I0E_FAR) / np.sqrt(x)),
    )


def i1e(x: Any) -> Any:
    size = np.abs(x)
    return np.copysign(
        pieces(
            size,
            (size <= 8, lambda x: x * chebyshev(x / 4 - 1, table.I1E_NEAR)),
            (size > 8, lambda x: chebyshev(16 / x - 1, table.I1E_FAR) / np.sqrt(x)),
        ),
        x,
    )


def i0(x: Any) -> Any:
    return _grown(i0e(x), x)


def i1(x: Any) -> Any:
    return _grown(i1e(x), x)


def _grown(scaled: Any, x: Any) -> Any:
    """The scaled function times exp(|x|), in two halves, lest it overflow early."""
    half = np.exp(np.abs(x) / 2)
    return np.where(np.isinf(half), np.copysign(np.inf, scaled), scaled * half * half)


def k0(x: Any) -> Any:
    return _decaying(x, _k0_near, table.K0_FAR, scaled=False)


def k0e(x: Any) -> Any:
    return _decaying(x, _k0_near, table.K0_FAR, scaled=True)


def k1(x: Any) -> Any:
    return _decaying(x, _k1_near, table.K1_FAR, scaled=False)


def k1e(x: Any) -> Any:
    return _decaying(x, _k1_near, table.K1_FAR, scaled=True)


def _k0_near(x: Any) -> Any:
    return chebyshev(x * x / 2 - 1, table.K0_NEAR) - np.log(x / 2) * i0(x)


def _k1_near(x: Any) -> Any:
    return chebyshev(x * x / 2 - 1, table.K1_NEAR) / x + np.log(x / 2) * i1(x)


def _decaying(x: Any, near: Any, far: Any, *, scaled: bool) -> Any:
    return pieces(
        x,
        (x == 0, lambda x: np.full(x.shape, np.inf)),
        ((x > 0) & (x <= 2), lambda x: near(x) * np.exp(x) if scaled else near(x)),
        (x > 2, lambda x: chebyshev(4 / x - 1, far) / np.sqrt(x) * (1 if scaled else np.exp(-x))),
    )


# Oscillating: J and Y.


def j0(x: Any) -> Any:
    x = np.abs(x)
    return pieces(
        x,
        (x <= 8, lambda x: chebyshev(x * x / 32 - 1, table.J0_NEAR)),
        (x > 8, lambda x: _wave(x, 0, table.P0_FAR, table.Q0_FAR)),
    )


def j1(x: Any) -> Any:
    size = np.abs(x)
    found = pieces(
        size,
        (size <= 8, lambda x: x * chebyshev(x * x / 32 - 1, table.J1_NEAR)),
        (size > 8, lambda x: _wave(x, 1, table.P1_FAR, table.Q1_FAR)),
    )
    return np.where(np.signbit(x), -found, found)


def y0(x: Any) -> Any:
    return pieces(
        x,
        (x == 0, lambda x: np.full(x.shape, -np.inf)),
        ((x > 0) & (x <= 8), lambda x: chebyshev(x * x / 32 - 1, table.Y0_NEAR) + 2 / np.pi * np.log(x) * j0(x)),
        (x > 8, lambda x: _wave(x, 0, table.P0_FAR, table.Q0_FAR, second=True)),
    )


def y1(x: Any) -> Any:
    return pieces(
        x,
        (x == 0, lambda x: np.full(x.shape, -np.inf)),
        (
            (x > 0) & (x <= 8),
            lambda x: x * chebyshev(x * x / 32 - 1, table.Y1_NEAR) + 2 / np.pi * (np.log(x) * j1(x) - 1 / x),
        ),
        (x > 8, lambda x: _wave(x, 1, table.P1_FAR, table.Q1_FAR, second=True)),
    )


def _wave(x: Any, order: int, p: Any, q: Any, *, second: bool = False) -> Any:
    """√(2/πx) (P cos χ - Q sin χ), or for the second kind P sin χ + Q cos χ, where χ = x - (2 order + 1) π / 4.

    cos χ and sin χ are combinations of cos x and sin x, so that no small angle is lost beside a large x.
    """
    t = 128 / (x * x) - 1
    p, q = chebyshev(t, p), chebyshev(t, q) * 8 / x
    c, s = np.cos(x), np.sin(x)
    cos, sin = (c + s, s - c) if order == 0 else (s - c, -s - c)
    return (p * sin + q * cos if second else p * cos - q * sin) / np.sqrt(np.pi * x)


def spherical_j0(x: Any) -> Any:
    """sin(x) / x."""
    return pieces(
        x,
        (np.isinf(x), np.zeros_like),
        (np.abs(x) < 0.5, lambda x: _sinc_series(x * x)),
        (np.abs(x) >= 0.5, lambda x: np.sin(x) / x),
    )


def _sinc_series(square: Any) -> Any:
    total, term = 0 * square + 1, 0 * square + 1
    for k in range(2, 16, 2):
        term = -term * square / (k * (k + 1))
        total = total + term
    return total


# Airy.


def airy_ai(x: Any) -> Any:
    return pieces(
        x,
        (np.isinf(x) & (x > 0), np.zeros_like),
        (x > 4, _airy_far),
        (x >= 0, lambda x: chebyshev(x / 2 - 1, table.AI_NEAR) * np.exp(-x)),
        (x >= -6, lambda x: chebyshev(x / 3 + 1, table.AI_LEFT)),
        (np.isfinite(x), _airy_wave),
    )


def _airy_far(x: Any) -> Any:
    zeta = 2 / 3 * x * np.sqrt(x)
    return chebyshev(32 / 3 / zeta - 1, table.AI_FAR) * np.exp(-zeta) / np.sqrt(np.sqrt(x))


def _airy_wave(x: Any) -> Any:
    x = -x
    zeta, first = 2 / 3 * x * np.sqrt(x), 2 / 3 * 6 * np.sqrt(6.0)
    t = 2 * (first / zeta) ** 2 - 1
    p, q = chebyshev(t, table.AI_P), chebyshev(t, table.AI_Q) * first / zeta
    angle = zeta + np.pi / 4
    return (p * np.sin(angle) - q * np.cos(angle)) / (np.sqrt(np.pi) * np.sqrt(np.sqrt(x)))
