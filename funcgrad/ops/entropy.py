"""Products of a number and a logarithm, as in entropies, and the logarithm of odds, with PyTorch's derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Sample, elementwise

# x log y, where an x of 0 makes everything 0, and -x log x with the derivative of the formula everywhere.


def _of(f: Any, y: Any) -> Any:
    """f(y), where a Python number stays one, so that single precision stays single."""
    return f(y) if hasattr(y, "dtype") else float(f(y))


def _xlogy(x: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), 0, x * _of(np.log, y))


def _by_factor(g: Any, x: Any, y: Any) -> Any:
    return g * np.where((x == 0) & (y <= 0), 0, _of(np.log, y))


def _xlog1py(x: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), 0, x * _of(np.log1p, y))


def _by_factor_1p(g: Any, x: Any, y: Any) -> Any:
    return g * np.where((x == 0) & (y <= -1), 0, _of(np.log1p, y))


xlogy = elementwise(_xlogy, _by_factor, lambda g, x, y: g * x / y, low=0.5)
xlog1py = elementwise(_xlog1py, _by_factor_1p, lambda g, x, y: g * x / (y + 1), low=0.5)

# The same with the derivatives of the formula, as in JAX: by x it is the logarithm, also where x is 0.

x_log_y = elementwise(_xlogy, lambda g, y: g * _of(np.log, y), lambda g, x, y: g * (x / y), name="x_log_y", low=0.5)
x_log1p_y = elementwise(
    _xlog1py, lambda g, y: g * _of(np.log1p, y), lambda g, x, y: g * (x / (y + 1)), name="x_log1p_y", low=0.5
)


def _entr(x: Any) -> Any:
    return np.where(x > 0, -x * np.log(np.where(x > 0, x, 1)), np.where(x == 0, 0, np.where(x < 0, -np.inf, x)))


entr = elementwise(_entr, lambda g, x: g * (-1 - np.log(x)), low=0.5, preserves=True)


# Between the bounds, by default 0 and 1, the log-odds; beyond, with bounds a constant, and without them nan.


def _logit(x: Any, *, eps: float | None) -> Any:
    if eps is not None:
        x = np.minimum(np.maximum(x, eps), 1 - eps)
    return np.log(x / (1 - x))


def _logit_rule(g: Any, x: Any, eps: float | None) -> Any:
    low, beyond = (0, math.nan) if eps is None else (eps, 0)
    return np.where((x >= low) & (x <= 1 - low), g / (x * (1 - x)), beyond)


logit = elementwise(
    _logit,
    _logit_rule,
    samples=lambda draw: [
        Sample(draw(3, low=0.1, high=0.9), eps=None),
        Sample(draw(2, 3, low=0.21, high=0.9), eps=0.2),
        Sample(draw(low=0.05, high=0.15), eps=0.2),
        Sample(draw(0), eps=None),
    ],
    preserves=True,
)
