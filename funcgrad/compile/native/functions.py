"""Ufuncs that round: exponential, trigonometric and the like. In double precision all are within 1.5 ulp."""

from __future__ import annotations

import numpy as np

from funcgrad.compile.native.arithmetic import Emitter
from funcgrad.compile.native.math import exponential, hyperbolic, logarithm, trigonometric
from funcgrad.compile.native.math.terms import formula

FUNCTIONS: dict[np.ufunc, dict[str, Emitter]] = {
    np.exp: {"f": formula(exponential.exp)},
    np.exp2: {"f": formula(exponential.exp2)},
    np.expm1: {"f": formula(exponential.expm1)},
    np.log: {"f": formula(logarithm.log)},
    np.log2: {"f": formula(logarithm.log2)},
    np.log10: {"f": formula(logarithm.log10)},
    np.log1p: {"f": formula(logarithm.log1p)},
    np.logaddexp: {"f": formula(logarithm.logaddexp)},
    np.tanh: {"f": formula(hyperbolic.tanh)},
    np.sinh: {"f": formula(hyperbolic.sinh)},
    np.cosh: {"f": formula(hyperbolic.cosh)},
    np.sin: {"f": formula(trigonometric.sin)},
    np.cos: {"f": formula(trigonometric.cos)},
    np.tan: {"f": formula(trigonometric.tan)},
}
