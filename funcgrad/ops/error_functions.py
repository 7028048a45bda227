"""Primitives around the error function and the normal distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive, elementwise
from funcgrad.ops import special_functions as values

_2_SQRT_PI, _SQRT_PI_2 = 2 / math.sqrt(math.pi), math.sqrt(math.pi) / 2
_SQRT_2, _SQRT_2PI = math.sqrt(2), math.sqrt(2 * math.pi)


def in_double(f: Callable) -> Callable:
    """f, worked out in double precision, for the dtype of its first operand."""

    def g(x: Any, *others: Any, **params: Any) -> Any:
        with np.errstate(all="ignore"):
            found = f(*[np.asarray(a, np.float64) for a in (x, *others)], **params)
        kind = np.result_type(x, *others)
        return found.astype(kind if kind.kind == "f" else np.float64)[()]

    g.__name__ = f.__name__
    g.__wrapped__ = f  # type: ignore[attr-defined]  # whose parameters have defaults
    return g


def smooth(f: Callable, rule: Callable, low: float, high: float, name: str | None = None) -> Primitive:
    """Declare a function of one number by its derivative."""
    return elementwise(in_double(f), rule, name=name, low=low, high=high, preserves=True)


erf = smooth(values.erf, lambda g, x: g * (_2_SQRT_PI * np.exp(-x * x)), -2, 2)
erfc = smooth(values.erfc, lambda g, x: g * (-_2_SQRT_PI * np.exp(-x * x)), -2, 2)
erfcx = smooth(values.erfcx, lambda g, x, out: g * (2 * x * out - _2_SQRT_PI), -1, 2)


def _erfinv_rule(g: Any, x: Any) -> Any:
    y = erfinv(x)
    return g * (_SQRT_PI_2 * np.exp(y * y))


erfinv: Primitive = smooth(values.erfinv, _erfinv_rule, -0.8, 0.8)
ndtri = smooth(values.ndtri, lambda g, out: g * (_SQRT_2PI * np.exp(out * out / 2)), 0.2, 0.8)
log_ndtr = smooth(values.log_ndtr, lambda g, x: g / erfcx(x * (-1 / _SQRT_2)) * (_2_SQRT_PI / _SQRT_2), -2, 2)
