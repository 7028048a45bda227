"""Products of a number and a logarithm, as in entropies, and the logarithm of odds, with PyTorch's derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Primitive, Sample, primitive, same_shape, ufunc_shape

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


def _times_log(impl: Any, *rules: Any, name: str | None = None) -> Primitive:
    return primitive(
        impl,
        name=name,
        operands="x y",
        shape=ufunc_shape(np.add),
        vjp=rules,
        jvp=rules,
        batch=batching.elementwise,
        samples=lambda draw: draw.elementwise(2, 0.5, 2.0),
        dtypes="fd",
    )


xlogy = _times_log(_xlogy, _by_factor, lambda g, x, y: g * x / y)
xlog1py = _times_log(_xlog1py, _by_factor_1p, lambda g, x, y: g * x / (y + 1))

# The same with the derivatives of the formula, as in JAX: by x it is the logarithm, also where x is 0.

x_log_y = _times_log(_xlogy, lambda g, y: g * _of(np.log, y), lambda g, x, y: g * (x / y), name="x_log_y")
x_log1p_y = _times_log(_xlog1py, lambda g, y: g * _of(np.log1p, y), lambda g, x, y: g * (x / (y + 1)), name="x_log1p_y")


def _entr(x: Any) -> Any:
    return np.where(x > 0, -x * np.log(np.where(x > 0, x, 1)), np.where(x == 0, 0, np.where(x < 0, -np.inf, x)))


def _entr_rule(g: Any, x: Any) -> Any:
    return g * (-1 - np.log(x))


entr = primitive(
    _entr,
    shape=same_shape,
    vjp=_entr_rule,
    jvp=_entr_rule,
    batch=batching.elementwise,
    samples=lambda draw: draw.elementwise(1, 0.5, 2.0),
    dtypes="fd",
    preserves=True,
)


# Between the bounds, by default 0 and 1, the log-odds; beyond, with bounds a constant, and without them nan.


def _logit(x: Any, *, eps: float | None) -> Any:
    if eps is not None:
        x = np.minimum(np.maximum(x, eps), 1 - eps)
    return np.log(x / (1 - x))


def _logit_rule(g: Any, x: Any, eps: float | None) -> Any:
    low, beyond = (0, math.nan) if eps is None else (eps, 0)
    return np.where((x >= low) & (x <= 1 - low), g / (x * (1 - x)), beyond)


logit = primitive(
    _logit,
    shape=same_shape,
    vjp=_logit_rule,
    jvp=_logit_rule,
    batch=batching.elementwise,
    samples=lambda draw: [
        Sample(draw(3, low=0.1, high=0.9), eps=None),
        Sample(draw(2, 3, low=0.21, high=0.9), eps=0.2),
        Sample(draw(low=0.05, high=0.15), eps=0.2),
        Sample(draw(0), eps=None),
    ],
    dtypes="fd",
    preserves=True,
)
