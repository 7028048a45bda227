"""Operations as the plain ones that machine code is written for: products of vectors, whether all or some hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from funcgrad.compile.native.orders import ORDERS
from funcgrad.compile.native.replacements import Replacement
from funcgrad.core.tape import Equation, equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, index, reduce, structural
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
        steps = Replacement(e)
        last = _COMPOSITES[e.primitive](steps, inputs[0], it) if e.primitive in _COMPOSITES else it
        now.update({s: s for s in steps.made if s is not last})
        now[e] = last
    return now


def _some(s: Replacement, x: Equation, e: Equation) -> Equation:
    """Of truth values: whether one holds is the greatest of them, whether all do the least."""
    extremum = reduce.reduce_max if e.primitive is reduce.reduce_or else reduce.reduce_min
    return s.apply(extremum, e.shape, e.dtype, x, **e.params) if x.dtype == e.dtype else e


def _outer_product(s: Replacement, x: Any, e: Equation) -> Equation:
    columns, rows = x, e.inputs[1]
    (*batch, m), (*other, n) = shape_of(columns), shape_of(rows)
    return s.elementwise(ew.multiply, e.dtype, s.reshaped(columns, (*batch, m, 1)), s.reshaped(rows, (*other, 1, n)))


def _vecdot(s: Replacement, x: Any, e: Equation) -> Equation:
    if e.dtype.kind == "c":  # of which the first operand is conjugated
        return e
    product = s.elementwise(ew.multiply, e.dtype, *e.inputs)
    return s.reduced(reduce.reduce_sum, e.dtype, product, [len(product.shape) - 1])


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


def _einsum(s: Replacement, x: Any, e: Equation) -> Equation:
    y, (inputs, z) = e.inputs[1], e.params["subscripts"].split("->")
    plan = contract.as_matmul(e.params["subscripts"], shape_of(x), shape_of(y))
    if plan is not None and e.dtype.kind in "fc":
        x_axes, x_matrix, y_axes, y_matrix, shape, axes = plan
        matrices = s.reshaped(s.transposed(x, x_axes), x_matrix), s.reshaped(s.transposed(y, y_axes), y_matrix)
        made = (*np.broadcast_shapes(x_matrix[:-2], y_matrix[:-2]), x_matrix[-2], y_matrix[-1])
        return s.transposed(s.reshaped(s.apply(contract.matmul, made, e.dtype, *matrices), shape), axes)
    letters = z + "".join(sorted(set(inputs) - {*z, ","}))
    product = s.elementwise(
        ew.multiply, e.dtype, *[_spread(s, i, a, letters) for i, a in zip((x, y), inputs.split(","), strict=True)]
    )
    axes = range(len(z), len(letters))
    return s.reduced(reduce.reduce_sum, e.dtype, product, axes) if axes else product


def _spread(s: Replacement, x: Any, axes: str, letters: str) -> Equation:
    """An array with an axis for each letter, of length one for those that it has not."""
    turned = s.transposed(x, [axes.index(a) for a in letters if a in axes])
    return s.reshaped(turned, [shape_of(x)[axes.index(a)] if a in axes else 1 for a in letters])


_COMPOSITES: dict[Any, Any] = {
    reduce.reduce_and: _some,
    reduce.reduce_or: _some,
    contract.outer_product: _outer_product,
    contract.vecdot: _vecdot,
    contract.einsum: _einsum,
    structural.embed_diagonal: _embed_diagonal,
    structural.stack: _stack,
    structural.tril: _triangle,
    structural.triu: _triangle,
    **ORDERS,
}
