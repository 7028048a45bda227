"""Functions of complex numbers that round."""

from __future__ import annotations

import math

import numpy as np

from funcgrad.compile.native.arithmetic import Emitter
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.math import exponential, trigonometric
from funcgrad.compile.native.math.terms import formula

_BITS = {"double": 900, "float": 100}  # the powers of two that a large exponential is put together of


def _exp(f: Function, a: Value) -> Value:
    """e to the real part, turned by the imaginary part: within 3 ulp of NumPy's.

    What is out of range may have a part within it, for sine and cosine are less than one: there the last powers of two
    come after the turn.
    """
    re, im = f.parts(a)
    bits = _BITS[re.kind]
    shift = np.float32(bits * math.log(2)).item() if re.kind == "float" else bits * math.log(2)
    large = f.compare("ogt", re, f.like(shift, re))
    size = formula(exponential.exp)(f, f.select(large, f.binary("fsub", re, f.like(shift, re)), re))
    rest = f.select(large, f.like(math.exp(shift), re), f.like(1.0, re))
    turns = [formula(g)(f, im) for g in (trigonometric.cos, trigonometric.sin)]
    # Of what is infinitely small both parts are, and of what is infinitely large the real one is, whatever the turn.
    small, large = [f.compare("oeq", re, f.like(x, re)) for x in (-np.inf, np.inf)]
    for k, endless in enumerate((f.binary("or", small, large), small)):
        unknown = f.binary("and", endless, f.compare("uno", turns[k], turns[k]))
        turns[k] = f.select(unknown, f.intrinsic("copysign", f.like(1.0, re), im) if k else f.like(1.0, re), turns[k])
    x, y = [f.binary("fmul", f.binary("fmul", size, t), rest) for t in turns]
    real = f.compare("oeq", im, f.like(0.0, im))
    return f.pair(f.select(real, f.binary("fmul", size, rest), x), f.select(real, im, y))


COMPLEX_FUNCTIONS: dict[np.ufunc, Emitter] = {np.exp: _exp}
