"""Primitives: the distribution function of Student's t distribution, and its inverse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.core.samples import samples_in
from funcgrad.ops.beta import beta_density, betainc_order
from funcgrad.ops.gamma import lgamma
from funcgrad.ops.scipy_kernels import scipy_function


def _density(n: Any, t: Any) -> Any:
    constant = lgamma((n + 1) * 0.5) - lgamma(n * 0.5) - 0.5 * np.log(n * math.pi)
    return np.exp(constant - (n + 1) * 0.5 * np.log1p(t * t / n))


def _by_degrees(n: Any, t: Any) -> Any:
    """With x = n / (n + t²), the function is 1 - I(n/2, 1/2, x) / 2 for t > 0; 0 at t = 0 by symmetry."""
    still = t == 0
    square = np.where(still, 1, t) ** 2
    x = n / (n + square)
    by_shape = 0.5 * betainc_order(n * 0.5, 0.5, x, by_a=1, by_b=0)
    by_place = beta_density(n * 0.5, 0.5, x, by_a=0, by_b=0) * square / (n + square) ** 2
    return np.where(still, 0, -0.5 * np.sign(t) * (by_shape + by_place))


stdtr = scipy_function(
    "stdtr",
    lambda g, n, t: g * _by_degrees(n, t),
    lambda g, n, t: g * _density(n, t),
    operands="n t",
    samples=samples_in((0.8, 4), (0.2, 2)),
)
stdtrit: Primitive = scipy_function(
    "stdtrit",
    lambda g, n, out: -g * _by_degrees(n, out) / _density(n, out),
    lambda g, n, out: g / _density(n, out),
    operands="n p",
    samples=samples_in((1.2, 4), (0.6, 0.9)),
)
