"""Ufuncs that round: exponential, trigonometric and the like. In double precision all are within 1.5 ulp.

Measured: the greatest error against long double, and ns for an element with AVX-512 (NumPy's in brackets).

    exp     0.92  0.9 (0.8)    log     0.74  1.1 (0.8)    tanh    0.72  2.1 (1.7)    sin     0.76  1.9 (8.2)
    exp2    0.83  1.3 (0.7)    log2    0.59  2.0 (0.8)    sinh    1.21  2.1 (1.2)    cos     0.71  1.9 (8.3)
    expm1   0.99  1.4 (1.2)    log10   0.57  2.0 (0.9)    cosh    1.02  1.9 (1.1)    tan     0.78  2.5 (1.3)
    power   0.78  5.3 (2.2)    log1p   0.73  1.9 (1.0)    arctanh 0.80  2.6 (1.6)    arcsin  0.60  1.5 (1.3)
    cbrt    0.51  2.1 (1.0)    sigmoid 0.60  1.9 (1.6)    arcsinh 0.98  3.7 (2.0)    arccos  0.57  1.7 (1.3)
    erf     1.13  3.8          erfc    1.15  4.0          arccosh 0.98  3.2 (2.2)    arctan  1.27  1.9 (1.5)
    hypot         1.5 (6.6)    arctan2 1.15           lgamma  1.12  8.0          digamma 1.48  6.3

The error of logaddexp counts in ulp of log 2 where the result is smaller (3.8 ns, NumPy's 10.9), that of logaddexp2 in
ulp of 1. Single precision is rounded from double, but for what has polynomials of its own, of which twice as many lanes
fit into a register (in brackets ns by way of double):

    exp     1.01  0.4 (1.0)    log     0.72  0.6 (1.4)    tanh    0.75  0.9 (1.9)    sin     0.72  0.9 (1.9)
    expm1   1.18  0.6 (1.6)    log1p   0.76  0.9 (1.8)    sigmoid 0.71  0.8 (1.8)    cos     0.74  0.9 (1.9)
"""

from __future__ import annotations

import numpy as np

from funcgrad.compile.native.arithmetic import Emitter
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.math import (
    exponential,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    roots,
    trigonometric,
)
from funcgrad.compile.native.math.terms import formula

FUNCTIONS: dict[np.ufunc, dict[str, Emitter]] = {
    np.exp: {"f": formula(exponential.exp, single=True)},
    np.exp2: {"f": formula(exponential.exp2)},
    np.expm1: {"f": formula(exponential.expm1, single=True)},
    np.log: {"f": formula(logarithm.log, single=True)},
    np.log2: {"f": formula(logarithm.log2)},
    np.log10: {"f": formula(logarithm.log10)},
    np.log1p: {"f": formula(logarithm.log1p, single=True)},
    np.logaddexp: {"f": formula(logarithm.logaddexp)},
    np.logaddexp2: {"f": formula(logarithm.logaddexp2)},
    np.tanh: {"f": formula(hyperbolic.tanh, single=True)},
    np.sinh: {"f": formula(hyperbolic.sinh)},
    np.cosh: {"f": formula(hyperbolic.cosh)},
    np.sin: {"f": formula(trigonometric.sin, single=True)},
    np.cos: {"f": formula(trigonometric.cos, single=True)},
    np.tan: {"f": formula(trigonometric.tan)},
    np.arcsin: {"f": formula(inverse_trigonometric.arcsin)},
    np.arccos: {"f": formula(inverse_trigonometric.arccos)},
    np.arctan: {"f": formula(inverse_trigonometric.arctan)},
    np.arctan2: {"f": formula(inverse_trigonometric.arctan2)},
    np.arcsinh: {"f": formula(inverse_hyperbolic.arcsinh)},
    np.arccosh: {"f": formula(inverse_hyperbolic.arccosh)},
    np.arctanh: {"f": formula(inverse_hyperbolic.arctanh)},
    np.cbrt: {"f": formula(roots.cbrt)},
    np.power: {"f": formula(power.power)},
    np.float_power: {"f": formula(power.power)},
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
