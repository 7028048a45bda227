"""Broadcasts: an elementwise operation stretches its operands itself, so nobody needs to do it before.

A constant that is one number stretched becomes that number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.compile.rewrite import rewrite, with_inputs
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import index, structural


def broadcasts(tape: Tape) -> Tape:
    """The tape without broadcasts that the operation after them does anyway."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    p = e.primitive
    if not isinstance(p, Primitive) or p.multiple or not (isinstance(p.impl, np.ufunc) or p is index.where):
        return None
    if isinstance(p.impl, np.ufunc) and p.impl.signature is not None:
        return None
    found = list(inputs)
    for n, x in enumerate(inputs):
        if type(x) is Equation and x.primitive is structural.broadcast_to and type(x.inputs[0]) is Equation:
            tried = [*found[:n], x.inputs[0], *found[n + 1 :]]
            if np.broadcast_shapes(*map(shape_of, tried)) == e.shape:
                found = tried
        elif isinstance(x, np.ndarray) and x.ndim and x.size and not any(x.strides):
            tried = [*found[:n], _number(x, found), *found[n + 1 :]]
            if np.broadcast_shapes(*map(shape_of, tried)) == e.shape:
                found = tried
    return None if all(a is b for a, b in zip(found, inputs, strict=True)) else with_inputs(e, tuple(found))


def _number(x: np.ndarray, operands: list[Any]) -> Any:
    """The number that a constant holds everywhere; a Python number where that gives way to no other dtype."""
    first = x[(0,) * x.ndim]
    same = all(o is x or (type(o) is Equation and o.dtype == x.dtype) for o in operands)
    return float(first) if x.dtype == np.float64 and same else np.asarray(first)
