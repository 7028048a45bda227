"""Products: the product of a stack of matrices with one matrix is one product of all their rows, of one dtype.

And a product that is only read transposed, (aᵀ b)ᵀ, is bᵀ a. So the gradient of a layer's matrix lies in memory as the
matrix does, and what the two have to do with each other goes through both from front to back.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, reads, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, structural


@with_any(contract.matmul)
def products(tape: Tape) -> Tape:
    """The tape with such products as one call of BLAS each."""
    return rewrite(tape, functools.partial(_rule, reads(tape)))


def _rule(read: dict[Any, int], e: Equation, inputs: tuple) -> Any:
    if e.primitive is structural.transpose and e.params["axes"] == (1, 0):
        return _turned(e, inputs[0]) if type(e.inputs[0]) is Equation and read[e.inputs[0]] == 1 else None
    if e.primitive is not contract.matmul:
        return None
    x, y = inputs
    if dtype_of(x) != dtype_of(y) and e.dtype.char in "fdFD":
        return _of_one_kind(e, x, y)
    if type(x) is not Equation or len(x.shape) < 3 or len(shape_of(y)) != 2:
        return None
    if x.dtype != dtype_of(y) or not math.prod(e.shape):
        return None
    rows = (math.prod(x.shape[:-1]), x.shape[-1])
    flat = between(structural.reshape, e, (x,), rows, x.dtype, shape=rows, order="C")
    product = between(contract.matmul, e, (flat, y), (rows[0], e.shape[-1]), e.dtype)
    return applied(structural.reshape, e, product, shape=e.shape, order="C")


def _of_one_kind(e: Equation, *operands: Any) -> Any:
    """A product of two dtypes of one, as NumPy computes it: what is a factor of many products is cast once."""
    if any(type(x) not in (Equation, np.ndarray) for x in operands):
        return None
    return applied(
        contract.matmul,
        e,
        *[
            x if x.dtype == e.dtype else between(structural.astype, e, (x,), x.shape, e.dtype, dtype=e.dtype)
            for x in operands
        ],
    )


def _turned(e: Equation, product: Any) -> Any:
    """The transpose of a product of matrices, of which one is transposed itself."""
    if type(product) is not Equation or product.primitive is not contract.matmul:
        return None
    operands = product.inputs
    if any(len(shape_of(x)) != 2 for x in operands):  # a vector and a stack of matrices give a matrix, too
        return None
    if not any(type(x) is Equation and x.primitive is structural.transpose for x in operands):
        return None
    turned = [
        between(structural.transpose, e, (x,), shape_of(x)[::-1], dtype_of(x), axes=(1, 0)) for x in reversed(operands)
    ]
    return applied(contract.matmul, e, *turned)
