"""Ufuncs that round: exponential, trigonometric and the like. In double precision all are within 1.5 ulp."""

from __future__ import annotations

import numpy as np

from funcgrad.compile.native.arithmetic import Emitter
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.math import exponential, hyperbolic, logarithm, power, trigonometric
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
    np.power: {"f": formula(power.power)},
    np.hypot: {"f": formula(power.hypot)},
}


def _squared(f: Function, x: Value) -> Value:
    return f.binary("fmul", x, x)


POWERS: dict[float, Emitter] = {
    0.5: lambda f, x: f.intrinsic("sqrt", x),
    1.0: lambda f, x: x,
    -1.0: lambda f, x: f.binary("fdiv", f.like(1, x), x),
    2.0: _squared,
    3.0: lambda f, x: f.binary("fmul", _squared(f, x), x),
}
"""Powers with a number for exponent; NumPy, too, takes a short way for all but the third, which is within 1 ulp."""
