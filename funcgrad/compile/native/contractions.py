"""Sums of products as plain operations: a product of matrices if it is one, else one of elements, and a sum."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.replacements import Replacement
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, linalg, reduce, structural
from funcgrad.ops import elementwise as ew

_SHORT = 16  # elements of a convolution's shorter operand, for each of which there is a line


def _outer_product(s: Replacement, x: Any, e: Equation) -> Equation:
    columns, rows = x, e.inputs[1]
    (*batch, m), (*other, n) = shape_of(columns), shape_of(rows)
    return s.elementwise(ew.multiply, e.dtype, s.reshaped(columns, (*batch, m, 1)), s.reshaped(rows, (*other, 1, n)))


def _vecdot(s: Replacement, x: Any, e: Equation) -> Equation:
    if e.dtype.kind == "c":  # of which the first operand is conjugated
        return e
    product = s.elementwise(ew.multiply, e.dtype, *e.inputs)
    return s.reduced(reduce.reduce_sum, e.dtype, product, [len(product.shape) - 1])


def _dot(s: Replacement, x: Any, e: Equation) -> Equation:
    y = e.inputs[1]
    if not shape_of(x) or not shape_of(y):
        return s.elementwise(ew.multiply, e.dtype, x, y)
    rank = len(shape_of(y))
    if rank > 2:
        y = s.transposed(y, [rank - 2, *range(rank - 2), rank - 1])
        y = s.reshaped(y, (y.shape[0], math.prod(y.shape[1:])))
    return _of_shape(s, _matmul(s, e.dtype, x, y), e.shape)


def _matvec(s: Replacement, x: Any, e: Equation) -> Equation:
    y = e.inputs[1]
    return s.reshaped(_matmul(s, e.dtype, x, s.reshaped(y, (*shape_of(y), 1))), e.shape)


def _vecmat(s: Replacement, x: Any, e: Equation) -> Equation:
    if e.dtype.kind == "c":  # of which the vector is conjugated
        return e
    (*batch, n), y = shape_of(x), e.inputs[1]
    return s.reshaped(_matmul(s, e.dtype, s.reshaped(x, (*batch, 1, n)), y), e.shape)


def _matmul(s: Replacement, dtype: np.dtype, x: Any, y: Any) -> Equation:
    (a, b), columns = (shape_of(x), shape_of(y)), len(shape_of(y)) > 1
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    return s.apply(contract.matmul, (*batch, *a[-2:-1], *b[-1:] * columns), dtype, x, y)


def _norm(s: Replacement, x: Equation, e: Equation) -> Equation:
    if x.dtype != e.dtype:
        return e
    square, keep = s.elementwise(ew.square, e.dtype, x), bool(e.params.get("keepdims"))
    return s.elementwise(ew.sqrt, e.dtype, s.reduced(reduce.reduce_sum, e.dtype, square, e.params["axis"], keep))


def _convolve(s: Replacement, x: Any, e: Equation) -> Equation:
    """The longer operand, shifted, times each element of a short one; or its windows times the other one, turned."""
    y = e.inputs[1]
    if shape_of(y)[0] > shape_of(x)[0]:
        x, y = y, x
    (n,), (m,) = shape_of(x), shape_of(y)
    if e.params["mode"] == "full":
        n += 2 * (m - 1)
        x = s.apply(structural.pad, (n,), dtype_of(x), x, widths=((m - 1, m - 1),))
    k = n - m + 1
    if m > _SHORT:
        windows = s.part(x, np.arange(k)[:, None] + np.arange(m), (k, m))
        return _matmul(s, e.dtype, windows, s.part(y, slice(None, None, -1), (m,)))
    pairs = [(s.part(x, slice(j, j + k), (k,)), s.part(y, m - 1 - j, ())) for j in range(m)]
    terms = [s.elementwise(ew.multiply, e.dtype, *pair) for pair in pairs]
    return functools.reduce(lambda a, b: s.elementwise(ew.add, e.dtype, a, b), terms)


def _of_shape(s: Replacement, x: Equation, shape: Sequence[int]) -> Equation:
    return x if x.shape == shape else s.reshaped(x, shape)


def _einsum(s: Replacement, x: Any, e: Equation) -> Equation:
    y, (inputs, z) = e.inputs[1], e.params["subscripts"].split("->")
    plan = contract.as_matmul(e.params["subscripts"], shape_of(x), shape_of(y))
    if plan is not None and e.dtype.kind in "fc":
        x_axes, x_matrix, y_axes, y_matrix, shape, axes = plan
        matrices = s.reshaped(s.transposed(x, x_axes), x_matrix), s.reshaped(s.transposed(y, y_axes), y_matrix)
        return s.transposed(s.reshaped(_matmul(s, e.dtype, *matrices), shape), axes)
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


CONTRACTIONS: dict[Any, Any] = {
    contract.convolve: _convolve,
    contract.dot: _dot,
    contract.einsum: _einsum,
    contract.matvec: _matvec,
    contract.outer_product: _outer_product,
    contract.vecdot: _vecdot,
    contract.vecmat: _vecmat,
    linalg.norm: _norm,
}
"""For each primitive what gives the equation in its place."""
