"""Primitives: the exponential, logarithmic and trigonometric integrals, and the dilogarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, elementwise
from funcgrad.core.samples import samples_in
from funcgrad.ops.scipy_kernels import IN_ORDER, kernel, scipy_function
from funcgrad.ops.series import near_zero
from funcgrad.ops.special import sinc

_POSITIVE: Any = {"samples": samples_in((0.3, 3)), "dtypes": "fdFD"}

expi = scipy_function("expi", lambda g, x: g * (np.exp(x) / x), **_POSITIVE)
exp1 = scipy_function("exp1", lambda g, x: g * _exp1_slope(x), **_POSITIVE)
si = scipy_function("sici", lambda g, x: g * _sin_over(x), part=0, label="si", **_POSITIVE)
ci = scipy_function("sici", lambda g, x: g * (np.cos(x) / x), part=1, label="ci", **_POSITIVE)
shi = scipy_function("shichi", lambda g, x: g * _sinh_over(x), part=0, label="shi", **_POSITIVE)
chi = scipy_function("shichi", lambda g, x: g * (np.cosh(x) / x), part=1, label="chi", **_POSITIVE)
spence = scipy_function("spence", lambda g, x: g * -_log_over(x - 1), **_POSITIVE)


def _exp1_slope(x: Any) -> Any:
    """-e^-x / x; a negative real number, on the cut, has none."""
    slope = -np.exp(-x) / x
    return slope if x.dtype.kind == "c" else np.where(x < 0, np.nan, slope)


def _sin_over(x: Any) -> Any:
    return sinc(x * (1 / np.pi), order=0)


def _sinh_over(x: Any) -> Any:
    """sinh(x) / x."""
    series = (1, 0, 1 / 6, 0, 1 / 120, 0, 1 / 5040, 0, 1 / 362880, 0, 1 / 39916800)
    return near_zero(x, 0.1, series, lambda far: np.sinh(far) / far)


def _log_over(x: Any) -> Any:
    """log(1 + x) / x."""
    return near_zero(x, 0.01, [(-1) ** k / (k + 1) for k in range(10)], lambda far: np.log1p(far) / far)


def _expn(n: Any, x: Any) -> Any:
    """E_n(x); for n < 0, where SciPy has none, by the recurrence x E_n = e^-x - n E_{n+1}."""
    kind = np.result_type(n, x)
    n = np.asarray(n).astype(np.int64)
    found = np.asarray(_expn_values(np.maximum(n, 0), x))
    lowest = int(np.min(n, initial=0))
    if lowest < 0:
        v = np.asarray(x)
        with np.errstate(all="ignore"):
            for k in range(-1, lowest - 1, -1):
                found = np.where(n <= k, (np.exp(-v) - k * found) / v, found)
    return found.astype(kind)[()]


def _expn_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(2, draw(3, low=0.5, high=3)),
        Sample(np.array([[1], [0]], np.int8), draw(2, low=0.5, high=3)),
        Sample(-1, draw(low=0.5, high=3)),
    ]


_expn_values = kernel("expn")
expn: Primitive = elementwise(
    _expn,
    IN_ORDER,
    lambda g, n, x: g * -expn(n - 1, x),
    name="scipy_expn",
    operands="n x",
    samples=_expn_samples,
)
