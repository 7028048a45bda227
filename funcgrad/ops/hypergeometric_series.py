"""Derivatives of hypergeometric functions by their parameters, of every order: sums of their power series.

A term is a product of Pochhammer symbols, each of which depends on one parameter. The derivatives of each by its own
parameter follow by recurrence from term to term, and the derivative of the sum is the sum of their products. For
negative arguments, where the terms alternate, Kummer's and Pfaff's transformations lead to positive ones (DLMF 13.2.39,
15.8.1).

Source: NIST Digital Library of Mathematical Functions, chapters 13 and 15 (https://dlmf.nist.gov/13).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_TERMS = 20_000


def hyp1f1(a: Any, b: Any, x: Any, by_a: int, by_b: int) -> Any:
    """The derivative of these orders by a and b of Kummer's function 1F1(a; b; x)."""
    a, b, x = np.broadcast_arrays(*[np.asarray(v, np.float64) for v in (a, b, x)])
    right = _series([a], [b], np.maximum(x, 0), [by_a], [by_b], divided=True)
    if not np.any(x < 0):
        return right
    left = sum(
        math.comb(by_b, q) * _series([b - a], [b], np.maximum(-x, 0), [by_a + q], [by_b - q], divided=True)
        for q in range(by_b + 1)
    )
    return np.where(x < 0, (-1) ** by_a * np.exp(np.minimum(x, 0)) * left, right)


def hyp2f1(a: Any, b: Any, c: Any, x: Any, by_a: int, by_b: int, by_c: int) -> Any:
    """The derivative of these orders by a, b and c of Gauss' function 2F1(a, b; c; x), for x < 1."""
    a, b, c, x = np.broadcast_arrays(*[np.asarray(v, np.float64) for v in (a, b, c, x)])
    inside = np.where((x >= 0) & (x < 1), x, 0)
    right = _series([a, b], [c], inside, [by_a, by_b], [by_c])
    right = np.where(x < 1, right, np.nan)
    if not np.any(x < 0):
        return right
    y = np.where(x < 0, x, 0)
    ratio, log = y / (y - 1), -np.log1p(-y)
    left: Any = 0.0
    for p in range(by_a + 1):
        for q in range(by_c + 1):
            part = _series([a, c - b], [c], ratio, [p, by_b + q], [by_c - q])
            left = left + math.comb(by_a, p) * math.comb(by_c, q) * log ** (by_a - p) * part
    return np.where(x < 0, (-1) ** by_b * np.exp(a * log) * left, right)


def _series(
    uppers: Sequence[Any],
    lowers: Sequence[Any],
    x: Any,
    by_upper: Sequence[int],
    by_lower: Sequence[int],
    *,
    divided: bool = False,
) -> Any:
    """The derivative of Σ Π (u)_k / Π (l)_k x^k / k!, by the parameters.

    Every (u)_k is divided by k!, every (l)_k too, and so is x^k if `divided`: all of them stay of moderate size.
    """
    one, zero = np.ones_like(x), np.zeros_like(x)
    above = [[one] + [zero] * order for order in by_upper]
    below = [[one] + [zero] * order for order in by_lower]
    power, total, largest, small = one, zero, zero, 0
    least = 20 + max(float(np.max(np.abs(p), initial=0, where=np.isfinite(p))) for p in (*uppers, *lowers))
    for k in range(_TERMS):
        term = power
        for factor in (*above, *below):
            term = term * factor[-1]
        total = total + term
        size = np.abs(term)
        largest = np.fmax(largest, size)
        small = small + 1 if np.all((size <= 1e-17 * largest) | np.isnan(total)) else 0
        if small > 2 and k > least:
            return total
        above = [
            [((u + k) * f + (p * factor[p - 1] if p else 0)) / (k + 1) for p, f in enumerate(factor)]
            for u, factor in zip(uppers, above, strict=True)
        ]
        grown = []
        for low, factor in zip(lowers, below, strict=True):
            new: list[Any] = []
            for q, f in enumerate(factor):
                new.append(((k + 1) * f - (q * new[q - 1] if q else 0)) / (low + k))
            grown.append(new)
        below = grown
        power = power * x / (k + 1) if divided else power * x
    return np.where(size <= 1e-12 * np.abs(total), total, np.nan)
