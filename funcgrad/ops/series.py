"""Functions whose formula cancels near zero: a power series there, so that all derivatives are right at zero too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def near_zero(x: Any, radius: float, coefficients: Sequence[float], formula: Callable[[Any], Any]) -> Any:
    """The series with these coefficients where |x| is less than the radius, the formula elsewhere.

    As many derivatives exist at zero as there are coefficients.
    """
    near = np.abs(x) < radius
    small = np.where(near, x, 0)
    series = small * 0 + coefficients[-1]
    for c in coefficients[-2::-1]:
        series = series * small + c
    return np.where(near, series, formula(np.where(near, 1, x)))
