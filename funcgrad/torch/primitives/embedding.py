"""Rows of a table by their numbers, and the sums of gradients of equal rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, linear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

# `padding` is the number of a row that has no gradient, -1 if all have one. With `by_frequency` the gradient of a row
# is divided by how often it was read, which is torch's convention: it is no longer the transpose.


def _embedding(x: Any, indices: Any, *, padding: int, by_frequency: bool) -> Any:
    return np.take(x, indices, 0)


def _embedding_backward(g: Any, indices: Any, *, rows: int, padding: int, by_frequency: bool) -> np.ndarray:
    flat = indices.reshape(-1)
    out = np.zeros((rows, *g.shape[indices.ndim :]), dtype_of(g))
    if flat.size and out.size:
        order = np.argsort(flat, kind="stable")
        ordered = flat[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        sums = np.add.reduceat(g.reshape((flat.size, *out.shape[1:]))[order], starts, 0)
        if by_frequency:
            counts = np.diff(np.append(starts, flat.size)).reshape((-1,) + (1,) * (sums.ndim - 1))
            sums = (sums / counts).astype(out.dtype)
        out[ordered[starts]] += sums  # to zero, so that a negative zero becomes zero, as in torch
        if padding >= 0:
            out[padding] = 0
    return out


def _without_padding(g: Any, indices: Any, padding: int) -> Any:
    """A cotangent of rows that were read, with zeros where the padding was."""
    if padding < 0:
        return g
    return np.where((indices == padding).reshape(indices.shape + (1,) * (g.ndim - indices.ndim)), 0, g)


def _in_table_of_all(indices: Any, size: int, rows: int) -> Any:
    """The numbers of rows of each example in the table that joins those of all examples."""
    return indices + (rows * np.arange(size)).reshape((size,) + (1,) * (indices.ndim - 1))


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    if not mask[0]:
        return primitive(*args, **params)
    x, indices = batching.everywhere(args, mask, size)
    table = x.reshape((size * x.shape[1], *x.shape[2:]))
    return primitive(table, _in_table_of_all(indices, size, x.shape[1]), padding=-1, by_frequency=False)


def _backward_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    g, indices = batching.everywhere(args, mask, size)
    rows = params["rows"]
    out = primitive(
        _without_padding(g, indices, params["padding"]),
        _in_table_of_all(indices, size, rows),
        rows=size * rows,
        padding=-1,
        by_frequency=params["by_frequency"],
    )
    return out.reshape((size, rows, *out.shape[1:]))


_CASES = (
    ((4, 2), np.array([0, 2, 2]), -1),
    ((3, 2), np.array([[1], [2]]), -1),
    ((3, 2), np.array(1), -1),
    ((3, 1), np.array([], int), -1),
)


def _samples(draw: Draw) -> list[Sample]:
    return [Sample(draw(*shape), i, padding=p, by_frequency=False) for shape, i, p in _CASES]


def _backward_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(*i.shape, *shape[1:]), i, rows=shape[0], padding=p, by_frequency=False) for shape, i, p in _CASES
    ]


_INTEGERS = Zero("integer operand")

embedding: Primitive = linear(
    _embedding,
    operands="x indices",
    transpose=(
        lambda g, indices, x_shape, padding, by_frequency: embedding_backward(
            g, indices, rows=x_shape[0], padding=padding, by_frequency=by_frequency
        ),
        _INTEGERS,
    ),
    shape=lambda x, indices, padding, by_frequency: ShapeDtypeStruct(
        (*shape_of(indices), *shape_of(x)[1:]), dtype_of(x)
    ),
    batch=_batch,
    samples=_samples,
)

embedding_backward: Primitive = linear(
    _embedding_backward,
    operands="g indices",
    transpose=(
        lambda g, indices, padding: _without_padding(
            embedding(g, indices, padding=padding, by_frequency=False), indices, padding
        ),
        _INTEGERS,
    ),
    shape=lambda g, indices, rows, padding, by_frequency: ShapeDtypeStruct(
        (rows, *shape_of(g)[len(shape_of(indices)) :]), dtype_of(g)
    ),
    batch=_backward_batch,
    samples=_backward_samples,
)
