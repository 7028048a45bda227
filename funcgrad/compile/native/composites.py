"""Operations as the plain ones that machine code is written for: products of vectors, whether all or some hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from funcgrad.core.tape import Equation, Symbol, equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, reduce, structural
from funcgrad.ops import elementwise as ew


def expanded(members: Iterable[Equation]) -> dict[Equation, Equation]:
    """The members with what stands in their places; new equations come before those that read them.

    An equation that stands for none of the members is its own key.
    """
    now: dict[Equation, Equation] = {}
    for e in members:
        inputs = tuple([now.get(i, i) if type(i) is Equation else i for i in e.inputs])
        same = all(i is j for i, j in zip(inputs, e.inputs, strict=True))
        it = e if same else equation(e.number, e.plan, inputs, e.params, e.residuals, e.shape, e.dtype)
        steps = _Steps(e)
        last = _COMPOSITES[e.primitive](steps, inputs[0], it) if e.primitive in _COMPOSITES else it
        now.update({s: s for s in steps.made if s is not last})
        now[e] = last
    return now


class _Steps:
    """Equations in the place of one."""

    def __init__(self, e: Equation) -> None:
        self.number = e.number
        self.made: list[Equation] = []

    def apply(self, primitive: Any, shape: tuple[int, ...], dtype: Any, /, *inputs: Any, **params: Any) -> Equation:
        made = equation(self.number, Symbol(primitive, len(inputs)), inputs, params, (), shape, dtype)
        self.made.append(made)
        return made


def _some(s: _Steps, x: Equation, e: Equation) -> Equation:
    """Of truth values: whether one holds is the greatest of them, whether all do the least."""
    extremum = reduce.reduce_max if e.primitive is reduce.reduce_or else reduce.reduce_min
    return s.apply(extremum, e.shape, e.dtype, x, **e.params) if x.dtype == e.dtype else e


def _outer_product(s: _Steps, x: Any, e: Equation) -> Equation:
    columns, rows = x, e.inputs[1]
    (*batch, m), (*other, n) = shape_of(columns), shape_of(rows)
    columns = s.apply(structural.reshape, (*batch, m, 1), dtype_of(columns), columns, shape=(*batch, m, 1), order="C")
    rows = s.apply(structural.reshape, (*other, 1, n), dtype_of(rows), rows, shape=(*other, 1, n), order="C")
    return s.apply(ew.multiply, e.shape, e.dtype, columns, rows)


def _vecdot(s: _Steps, x: Any, e: Equation) -> Equation:
    if e.dtype.kind == "c":  # of which the first operand is conjugated
        return e
    shape = np.broadcast_shapes(*[shape_of(i) for i in e.inputs])
    product = s.apply(ew.multiply, shape, e.dtype, *e.inputs)
    return s.apply(reduce.reduce_sum, shape[:-1], e.dtype, product, axis=(len(shape) - 1,))


def _stack(s: _Steps, x: Any, e: Equation) -> Equation:
    """One array with one more axis is a view of it."""
    if len(e.inputs) > 1 or dtype_of(x) != e.dtype:
        return e
    return s.apply(structural.reshape, e.shape, e.dtype, x, shape=e.shape, order="C")


_COMPOSITES: dict[Any, Any] = {
    reduce.reduce_and: _some,
    reduce.reduce_or: _some,
    contract.outer_product: _outer_product,
    contract.vecdot: _vecdot,
    structural.stack: _stack,
}
