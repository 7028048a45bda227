"""Primitive: Lambert's function W, the solution of W e^W = x; the branch is a parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, elementwise
from funcgrad.ops.scipy_kernels import scipy_special


def _lambertw(x: Any, *, branch: int) -> Any:
    with np.errstate(all="ignore"):
        found = scipy_special("lambertw").lambertw(x, branch)
    return found.astype(np.result_type(x))


def _samples(draw: Draw) -> list[Sample]:
    return [Sample(draw(3, low=0.2, high=2), branch=0), Sample(draw(2, 2, low=0.2, high=2), branch=-1)]


lambertw: Primitive = elementwise(
    _lambertw, lambda g, out: g * np.exp(-out) / (1 + out), name="scipy_lambertw", samples=_samples, dtypes="FD"
)
