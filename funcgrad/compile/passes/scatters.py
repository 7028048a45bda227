"""Scatters: add at the positions concerned instead of adding a mostly zero array.

The cotangent of `x[i]` is such an array. Where the array that it is added to is needed no more the addition then costs
what it writes (numpy_backend/liveness.py).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, reads, rewrite
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of
from funcgrad.ops import elementwise, index, structural

_LARGE = 1 << 11  # elements from which it is worth more than one call


def scatters(tape: Tape) -> Tape:
    """The tape with such sums as additions in places."""
    readers = reads(tape)

    def rule(e: Equation, inputs: tuple) -> Any:
        if e.primitive is not elementwise.add or math.prod(e.shape) < _LARGE:
            return None
        for (x, y), before in ((inputs, e.inputs[1]), (inputs[::-1], e.inputs[0])):
            if type(x) is Equation and type(y) is Equation and readers[before] == 1 and _fits(x, y, e):
                return _added(e, x, y)
        return None

    return rewrite(tape, rule)


def _fits(x: Equation, y: Equation, e: Equation) -> bool:
    if x.shape != e.shape or x.dtype != e.dtype or y.dtype != e.dtype:
        return False
    if x.plan is None and y.primitive is not index.scatter_add:
        return False
    if y.primitive is index.scatter_along_axis:
        return len(e.shape) == 1 and y.params["unique"] and 8 * math.prod(y.inputs[0].shape) < math.prod(e.shape)
    if y.primitive is index.index_add:
        return isinstance(y.inputs[0], np.ndarray) and not y.inputs[0].any()
    return y.primitive is index.scatter_add and all(dtype_of(v) == e.dtype for v in y.inputs)


def _added(e: Equation, x: Equation, y: Equation) -> Equation:
    """x with what y holds added in its places."""
    if y.primitive is index.index_add:
        return applied(index.index_add, e, x, *y.inputs[1:], **y.params)
    if y.primitive is index.scatter_add:
        *first, last = zip(y.inputs, y.params["indices"], strict=True)
        for v, where in first:
            x = between(index.index_add, e, (x, v, None), e.shape, e.dtype, index=where)
        return applied(index.index_add, e, x, last[0], None, index=last[1])
    values, places = y.inputs
    shape = (1, *places.shape)
    rows = between(structural.reshape, e, (places,), shape, places.dtype, shape=shape, order="C")
    return applied(index.index_add, e, x, values, rows, index=index.HERE)
