"""Primitives around the error function in the complex plane: the functions of Faddeeva, Dawson, Fresnel and Owen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.samples import samples_in
from funcgrad.ops.error_functions import erf
from funcgrad.ops.scipy_kernels import scipy_function

_2_SQRT_PI, _SQRT_2, _SQRT_2PI = 2 / math.sqrt(math.pi), math.sqrt(2), math.sqrt(2 * math.pi)
_PLANE: Any = {"samples": samples_in((-1.5, 1.5)), "dtypes": "FD"}
_BOTH: Any = {"samples": samples_in((-1.5, 1.5)), "dtypes": "fdFD"}

wofz = scipy_function("wofz", lambda g, x, out: g * (1j * _2_SQRT_PI - 2 * x * out), **_PLANE)
complex_erf = scipy_function("erf", lambda g, x: g * (_2_SQRT_PI * np.exp(-x * x)), **_PLANE)
complex_erfc = scipy_function("erfc", lambda g, x: g * (-_2_SQRT_PI * np.exp(-x * x)), **_PLANE)
complex_erfcx = scipy_function("erfcx", lambda g, x, out: g * (2 * x * out - _2_SQRT_PI), **_PLANE)
erfi = scipy_function("erfi", lambda g, x: g * (_2_SQRT_PI * np.exp(x * x)), **_BOTH)


def _dawsn_rule(g: Any, x: Any, out: Any) -> Any:
    """1 - 2 x D(x); where that cancels, far from zero, its asymptotic series in 1 / (2 x²)."""
    far = np.abs(x) > 10
    t = 0.5 / np.square(np.where(far, x, 10))
    series = 1 + 0 * t
    for k in range(29, 1, -2):
        series = 1 + k * t * series
    return g * np.where(far, -t * series, 1 - 2 * x * out)


dawsn = scipy_function("dawsn", _dawsn_rule, **_BOTH)
fresnel_s = scipy_function(
    "fresnel", lambda g, x: g * np.sin(x * x * (math.pi / 2)), part=0, label="fresnel_s", **_BOTH
)
fresnel_c = scipy_function(
    "fresnel", lambda g, x: g * np.cos(x * x * (math.pi / 2)), part=1, label="fresnel_c", **_BOTH
)
owens_t = scipy_function(
    "owens_t",
    lambda g, h, a: g * (np.exp(h * h * -0.5) * erf(a * h * (1 / _SQRT_2)) * (-0.5 / _SQRT_2PI)),
    lambda g, h, a: g * (np.exp(h * h * (a * a + 1) * -0.5) / (a * a + 1) * (0.5 / math.pi)),
    operands="h a",
    samples=samples_in((-2, 2), (-2, 2)),
)
ndtri_exp = scipy_function(
    "ndtri_exp", lambda g, x, out: g * (np.exp(x + out * out * 0.5) * _SQRT_2PI), samples=samples_in((-3, -0.3))
)
