"""Solutions: where Cholesky's factor of a symmetric matrix is inverted anyway, it solves the equations too.

That is so in the likelihood of a Gaussian process: its gradient inverts the factor. Two products with a triangle take
the place of an elimination, of which NumPy keeps nothing for the second system, the one of the gradient.
"""

from __future__ import annotations

from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.passes.symmetry import parity
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, factorizations, linalg, structural


@with_any(linalg.solve)
def solutions(tape: Tape) -> Tape:
    """The tape with such systems solved by products."""
    inverted = [e.inputs[0] for e in tape.equations if e.primitive is linalg.inv_lower]
    factored = [c.inputs[0] for c in inverted if type(c) is Equation and c.primitive is factorizations.cholesky]
    known = {a for a in factored if type(a) is Equation and len(a.shape) == 2 and a.dtype.char in "fd"}
    symmetric = {a for a in known if parity(a, 0, 1) == 1}

    def rule(e: Equation, inputs: tuple) -> Any:
        if e.primitive is not linalg.solve or not symmetric:
            return None
        matrix = _untransposed(e.inputs[0])
        if matrix not in symmetric or len(shape_of(inputs[1])) > 2 or dtype_of(inputs[1]) != e.dtype:
            return None
        return _solved(e, _untransposed(inputs[0]), inputs[1])

    return rewrite(tape, rule)


def _untransposed(a: Any) -> Any:
    return a.inputs[0] if type(a) is Equation and a.primitive is structural.transpose else a


def _solved(e: Equation, a: Equation, b: Any) -> Equation:
    """a⁻¹ b as L⁻ᵀ (L⁻¹ b); the factor and its inverse are those that are there, when equal operations are one."""
    factor = between(factorizations.cholesky, e, (a,), a.shape, a.dtype)
    inverse = between(linalg.inv_lower, e, (factor,), a.shape, a.dtype)
    turned = between(structural.transpose, e, (inverse,), a.shape, a.dtype, axes=(1, 0))
    return applied(contract.matmul, e, turned, between(contract.matmul, e, (inverse, b), e.shape, e.dtype))


__all__ = ["solutions"]
