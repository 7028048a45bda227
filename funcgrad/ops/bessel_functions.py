"""Primitives: the modified Bessel functions of orders 0 and 1, plain and scaled by exp(-|x|)."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.ops import bessel as values
from funcgrad.ops.error_functions import smooth


def _quotient(out: Any, x: Any) -> Any:
    """out / x, which at 0 is the derivative there, 1/2."""
    return np.where(x == 0, 0.5, out / np.where(x == 0, 1, x))


i0 = smooth(values.i0, lambda g, x: g * i1(x), -2, 2)
i1: Primitive = smooth(values.i1, lambda g, x, out: g * (i0(x) - _quotient(out, x)), 0.3, 2)
i0e = smooth(values.i0e, lambda g, x, out: g * (i1e(x) - np.sign(x) * out), 0.3, 2)
i1e: Primitive = smooth(values.i1e, lambda g, x, out: g * (i0e(x) - np.sign(x) * out - _quotient(out, x)), 0.3, 2)
