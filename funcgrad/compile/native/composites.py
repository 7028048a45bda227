"""Operations as the plain ones that machine code is written for, such as a product of all elements, or a triangle."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from funcgrad.compile.native.contractions import CONTRACTIONS
from funcgrad.compile.native.orders import ORDERS
from funcgrad.compile.native.replacements import Replacement
from funcgrad.core.tape import Equation, equation
from funcgrad.core.types import dtype_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import index, reduce, structural


def expanded(members: Iterable[Equation]) -> dict[Equation, Equation]:
    """The members with what stands in their places; new equations come before those that read them.

    An equation that stands for none of the members is its own key.
    """
    now: dict[Equation, Equation] = {}
    for e in members:
        inputs = tuple([now.get(i, i) if type(i) is Equation else i for i in e.inputs])
        same = all(i is j for i, j in zip(inputs, e.inputs, strict=True))
        it = e if same else equation(e.number, e.plan, inputs, e.params, e.residuals, e.shape, e.dtype)
        steps = Replacement(e)
        last = _COMPOSITES[e.primitive](steps, inputs[0], it) if e.primitive in _COMPOSITES else it
        now.update({s: s for s in steps.made if s is not last})
        now[e] = last
    return now


def _some(s: Replacement, x: Equation, e: Equation) -> Equation:
    """Of truth values: whether one holds is the greatest of them, whether all do the least."""
    extremum = reduce.reduce_max if e.primitive is reduce.reduce_or else reduce.reduce_min
    return s.apply(extremum, e.shape, e.dtype, x, **e.params) if x.dtype == e.dtype else e


def _stack(s: Replacement, x: Any, e: Equation) -> Equation:
    """One array with one more axis is a view of it."""
    if len(e.inputs) > 1 or dtype_of(x) != e.dtype:
        return e
    return s.reshaped(x, e.shape)


def _triangle(s: Replacement, x: Equation, e: Equation) -> Equation:
    mask = np.tri(*e.shape[-2:], e.params["k"] - (e.primitive is structural.triu), dtype=bool)
    return s.elementwise(index.where, e.dtype, mask if e.primitive is structural.tril else ~mask, x, 0)


def _embed_diagonal(s: Replacement, x: Equation, e: Equation) -> Equation:
    offset, axes = e.params["offset"], (e.params["axis1"], e.params["axis2"])
    order = [*[k for k in range(len(e.shape)) if k not in axes], *axes]
    shape = tuple([e.shape[k] for k in order])
    i = np.arange(x.shape[-1])
    where = (Ellipsis, i + max(-offset, 0), i + max(offset, 0))
    made = s.apply(index.scatter_add, shape, e.dtype, x, indices=(where,), shape=shape)
    return s.transposed(made, np.argsort(order).tolist())


def _product(s: Replacement, x: Equation, e: Equation) -> Equation:
    """The product of all elements along some axes: of halves with halves, until there is one."""
    axes = e.params["axis"]
    if x.dtype != e.dtype:
        return e
    rest = [k for k in range(len(x.shape)) if k not in axes]
    others, n = tuple([x.shape[k] for k in rest]), math.prod([x.shape[k] for k in axes])
    last = len(x.shape) - 1 in axes  # else the elements of a product come first, so that lanes lie along the others
    order, shape = ([*rest, *axes], (*others, n)) if last else ([*axes, *rest], (n, *others))
    now, odd = s.reshaped(s.transposed(x, order), shape), list[Equation]()

    def part(start: int, stop: int) -> Equation:
        where, length = slice(start, stop), stop - start
        if last:
            return s.part(now, (Ellipsis, where), (*others, length))
        return s.part(now, (where, Ellipsis), (length, *others))

    while n > 1:
        odd += [part(n - 1, n)] if n % 2 else []
        n //= 2
        now = s.elementwise(ew.multiply, e.dtype, part(0, n), part(n, 2 * n))
    for y in odd:
        now = s.elementwise(ew.multiply, e.dtype, now, y)
    return s.reshaped(now, e.shape)


_COMPOSITES: dict[Any, Any] = {
    reduce.reduce_and: _some,
    reduce.reduce_or: _some,
    reduce.reduce_prod: _product,
    structural.embed_diagonal: _embed_diagonal,
    structural.stack: _stack,
    structural.tril: _triangle,
    structural.triu: _triangle,
    **CONTRACTIONS,
    **ORDERS,
}
