"""Primitives: elliptic integrals of the first and second kind, by the parameter m.

K and E are hypergeometric functions of m; the formulas of their derivatives cancel near m = 0, where those are used.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.core.samples import samples_in
from funcgrad.ops.hypergeometric import hyp2f1
from funcgrad.ops.scipy_kernels import scipy_function

_PARAMETER: Any = {"samples": samples_in((-1.5, 0.8))}


def _near_or_far(m: Any, near: Any, far: Any) -> Any:
    """near(m) where |m| < 1/8, far(m) elsewhere."""
    small = np.abs(m) < 0.125
    return np.where(small, near(np.where(small, m, 0)), far(np.where(small, 0.5, m)))


def _hypergeometric(a: float, b: float, c: float, m: Any) -> Any:
    return hyp2f1(a, b, c, m, by_a=0, by_b=0, by_c=0)


def _slope_of_k(m: Any) -> Any:
    return _near_or_far(
        m,
        lambda m: _hypergeometric(1.5, 1.5, 2.0, m) * (math.pi / 8),
        lambda m: (ellipe(m) / (1 - m) - ellipk(m)) / (2 * m),
    )


def _slope_of_e(m: Any) -> Any:
    return _near_or_far(
        m,
        lambda m: _hypergeometric(0.5, 1.5, 2.0, m) * (-math.pi / 8),
        lambda m: (ellipe(m) - ellipk(m)) / (2 * m),
    )


ellipk: Primitive = scipy_function("ellipk", lambda g, m: g * _slope_of_k(m), operands="m", **_PARAMETER)
ellipe: Primitive = scipy_function("ellipe", lambda g, m: g * _slope_of_e(m), operands="m", **_PARAMETER)
ellipkm1 = scipy_function(
    "ellipkm1",
    lambda g, p, out: g * _near_or_far(1 - p, lambda m: -_slope_of_k(m), lambda m: _slope_at_one(1 - m)),
    operands="p",
    samples=samples_in((0.2, 1.6)),
)


def _slope_at_one(p: Any) -> Any:
    """The derivative of K by p = 1 - m."""
    return (ellipkm1(p) - ellipe(1 - p) / p) / (2 * (1 - p))


def _root(phi: Any, m: Any) -> Any:
    return np.sqrt(1 - m * np.square(np.sin(phi)))


def _first_by_m(g: Any, phi: Any, m: Any, out: Any) -> Any:
    """DLMF 19.4.5. At m = 0, where it is 0/0, nan."""
    second = ellipeinc(phi, m) / (2 * m * (1 - m)) - out / (2 * m)
    return g * (second - np.sin(2 * phi) / (4 * (1 - m) * _root(phi, m)))


_AMPLITUDE: Any = {"operands": "phi m", "samples": samples_in((-2, 2), (0.2, 0.8))}
ellipkinc = scipy_function("ellipkinc", lambda g, phi, m: g / _root(phi, m), _first_by_m, **_AMPLITUDE)
ellipeinc: Primitive = scipy_function(
    "ellipeinc",
    lambda g, phi, m: g * _root(phi, m),
    lambda g, phi, m, out: g * (out - ellipkinc(phi, m)) / (2 * m),
    **_AMPLITUDE,
)
