"""Primitives: elementary functions that SciPy computes accurately where the formula would not be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.core.samples import samples_in
from funcgrad.ops.scipy_kernels import scipy_function
from funcgrad.ops.series import near_zero

_DEGREE = math.pi / 180

exp10 = scipy_function("exp10", lambda g, out: g * out * math.log(10), samples=samples_in((-2, 2)))
cosm1 = scipy_function("cosm1", lambda g, x: g * -np.sin(x), samples=samples_in((-2, 2)))
sindg: Primitive = scipy_function("sindg", lambda g, x: g * cosdg(x) * _DEGREE, samples=samples_in((-90, 90)))
cosdg: Primitive = scipy_function("cosdg", lambda g, x: g * sindg(x) * -_DEGREE, samples=samples_in((-90, 90)))
tandg = scipy_function("tandg", lambda g, out: g * (1 + out * out) * _DEGREE, samples=samples_in((-60, 60)))
cotdg = scipy_function("cotdg", lambda g, out: g * (1 + out * out) * -_DEGREE, samples=samples_in((20, 80)))


def _exprel_slope(x: Any) -> Any:
    """The derivative of (e^x - 1) / x."""
    coefficients = [1 / (math.factorial(k) * (k + 2)) for k in range(18)]
    return near_zero(x, 0.7, coefficients, lambda far: (np.exp(far) - np.expm1(far) / far) / far)


exprel = scipy_function("exprel", lambda g, x: g * _exprel_slope(x), samples=samples_in((-2, 2)))


# Box and Cox's transformations, (x^p - 1) / p with the limit log x at p = 0, and their inverses.


def _boxcox(name: str, log: Any, one: float) -> Primitive:
    """Of x + one. As a function of p it is log(x) exprel(p log(x))."""

    def by_power(g: Any, x: Any, p: Any) -> Any:
        inside = x + one > 0
        logs = log(np.where(inside, x, 1))
        at_zero = np.where(p > 0, 1 / np.square(np.where(p > 0, p, 1)), np.nan)
        return g * np.where(inside, logs * logs * _exprel_slope(p * logs), np.where(x + one == 0, at_zero, np.nan))

    return scipy_function(
        name,
        lambda g, x, p: g * (x + one) ** (p - 1),
        by_power,
        operands="x p",
        samples=samples_in((0.3, 3), (-1.5, 1.5)),
    )


boxcox, boxcox1p = _boxcox("boxcox", np.log, 0), _boxcox("boxcox1p", np.log1p, 1)


def _log_over_slope(x: Any) -> Any:
    """The derivative of log(1 + x) / x."""
    coefficients = [(-1) ** (k + 1) * (k + 1) / (k + 2) for k in range(24)]
    return near_zero(x, 0.2, coefficients, lambda far: (1 / (1 + far) - np.log1p(far) / far) / far)


def _inverse_boxcox(name: str, one: float) -> Primitive:
    """(1 + p x)^(1/p) = exp(x log(1 + p x) / (p x)), less `one`."""
    return scipy_function(
        name,
        lambda g, x, p, out: g * (out + one) / (1 + p * x),
        lambda g, x, p, out: g * (out + one) * (x * x * _log_over_slope(p * x)),
        operands="x p",
        samples=samples_in((-0.4, 1), (-0.9, 1.5)),
    )


inv_boxcox, inv_boxcox1p = _inverse_boxcox("inv_boxcox", 0), _inverse_boxcox("inv_boxcox1p", 1)
powm1 = scipy_function(
    "powm1",
    lambda g, x, y: g * y * x ** (y - 1),
    lambda g, x, y, out: g * (out + 1) * np.log(x),
    operands="x y",
    samples=samples_in((0.3, 3), (-1.5, 1.5)),
)
wrightomega = scipy_function(
    "wrightomega", lambda g, out: g * out / (1 + out), samples=samples_in((-2, 2)), dtypes="fdFD"
)
