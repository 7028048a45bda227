"""Products: the product of a stack of matrices with one matrix is one product of all their rows."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, structural


def products(tape: Tape) -> Tape:
    """The tape with such products as one call of BLAS each."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    if e.primitive is not contract.matmul:
        return None
    x, y = inputs
    if type(x) is not Equation or len(x.shape) < 3 or len(shape_of(y)) != 2:
        return None
    if x.dtype != dtype_of(y) or not math.prod(e.shape):
        return None
    rows = (math.prod(x.shape[:-1]), x.shape[-1])
    flat = between(structural.reshape, e, (x,), rows, x.dtype, shape=rows, order="C")
    product = between(contract.matmul, e, (flat, y), (rows[0], e.shape[-1]), e.dtype)
    return applied(structural.reshape, e, product, shape=e.shape, order="C")
