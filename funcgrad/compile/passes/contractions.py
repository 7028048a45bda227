"""Contractions: einsum and tensordot become the one product of matrices that they are, and movements around it.

What is moved for one contraction is then moved once for all that read it so, and what undoes the movement of the one
before goes. Where nothing is summed, or NumPy's own loop is the faster one, they stay.
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, structural


@with_any(contract.einsum, contract.tensordot)
def contractions(tape: Tape) -> Tape:
    """The tape with contractions as products of matrices."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    if e.primitive not in (contract.einsum, contract.tensordot):
        return None
    if any(dtype_of(x).char not in "fdFD" for x in inputs):
        return None
    shapes = [shape_of(x) for x in inputs]
    subscripts = e.params.get("subscripts") or _subscripts(len(shapes[0]), len(shapes[1]), *e.params["axes"])
    plan = contract.as_matmul(subscripts, *shapes) if subscripts else None
    if plan is None:
        return None
    x_axes, x_matrix, y_axes, y_matrix, made, axes = plan
    batch = max(len(x_matrix) - 2, 0)
    summed = (len(x_axes) + len(y_axes) - len(axes) - batch) // 2
    x = _matrix(e, inputs[0], x_axes, batch, len(x_axes) - summed, x_matrix)
    y = _matrix(e, inputs[1], y_axes, batch, batch + summed, y_matrix)
    shape = x_matrix[:-2] + (x_matrix[-2:-1] + y_matrix[len(x_matrix[:-2]) + 1 :])
    product = between(contract.matmul, e, (x, y), shape, e.dtype)
    return applied(structural.transpose, e, _reshaped(e, product, made), axes=axes)


def _subscripts(n: int, m: int, x_axes: tuple[int, ...], y_axes: tuple[int, ...]) -> str | None:
    """The einsum that a tensordot is; None if there are not letters enough."""
    if n + m > len(string.ascii_letters):
        return None
    a, b = list(string.ascii_letters[:n]), list(string.ascii_letters[n : n + m])
    for i, j in zip(x_axes, y_axes, strict=True):
        b[j] = a[i]
    z = [c for c in a + b if (c in a) != (c in b)]
    return f"{''.join(a)},{''.join(b)}->{''.join(z)}"


def _matrix(e: Equation, x: Any, axes: tuple[int, ...], batch: int, split: int, matrix: tuple[int, ...]) -> Any:
    """An operand as matrices, whose rows are its axes[batch:split] and whose columns are axes[split:].

    The last axis stays last, and BLAS reads the matrix transposed where those are its rows: more lies side by side when
    it is copied, and contractions that need it either way share a copy.
    """
    last = max([a for a in axes if shape_of(x)[a] > 1], default=-1)
    if last not in axes[batch:split] or split == len(axes):
        return _reshaped(e, _transposed(e, x, axes), matrix)
    turned = _transposed(e, x, axes[:batch] + axes[split:] + axes[batch:split])
    swapped = (*range(batch), batch + 1, batch)
    return _transposed(e, _reshaped(e, turned, tuple([matrix[a] for a in swapped])), swapped)


def _transposed(e: Equation, x: Any, axes: tuple[int, ...]) -> Any:
    if axes == tuple(range(len(axes))):
        return x
    shape = tuple([shape_of(x)[a] for a in axes])
    return between(structural.transpose, e, (x,), shape, np.dtype(dtype_of(x)), axes=axes)


def _reshaped(e: Equation, x: Any, shape: tuple[int, ...]) -> Any:
    if shape_of(x) == shape:
        return x
    return between(structural.reshape, e, (x,), shape, np.dtype(dtype_of(x)), shape=shape, order="C")


__all__ = ["contractions"]
