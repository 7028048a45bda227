"""Means: a mean is a sum and a division, which can be fused with what is around it."""

from __future__ import annotations

from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise, reduce


def means(tape: Tape) -> Tape:
    """The tape with means of floating-point numbers as what they are computed from."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    x = inputs[0] if e.primitive is reduce.reduce_mean else None
    if type(x) is not Equation or x.dtype.kind not in "fc" or x.dtype.char == "e":
        return None
    total = between(reduce.reduce_sum, e, (x,), e.shape, e.dtype, **e.params)
    number = reduce.count(x.shape, e.params["axis"])
    return applied(elementwise.divide, e, total, number)
