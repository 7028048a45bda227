"""Reductions over axes, and the places of extrema, by the names of `jax.lax`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.types import PyTree, Shaped
from funcgrad.errors import ArgumentError
from funcgrad.lax import bitwise, elementwise
from funcgrad.lax.carry import results
from funcgrad.lax.strict import accept, as_array
from funcgrad.transforms.vmap import vmap

__all__ = [
    "argmax",
    "argmin",
    "reduce",
    "reduce_and",
    "reduce_max",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_xor",
]


def _reduction(f: Callable, name: str, kinds: str, summary: str, example: str, value: str, dtype: str) -> Callable:
    """The public function of a reduction; the last three make the example in its docstring."""

    def function(operand: Any, axes: Sequence[int]) -> Shaped[Array, "..."]:
        x = as_array(accept(operand, name, kinds), name)
        out = f(x, axis=_axes(x, axes))
        return out if out.dtype == x.dtype else out.astype(x.dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

    Arguments:
        operand: an array.
        axes: those that go; not negative.

    Raises:
        ArgumentError: an operand of another dtype.
        ValueError: an axis is out of bounds, or named twice.

    Example:
        >>> fg.lax.{name}({example}, axes=(0,))
        Array({value}, dtype={dtype})
    """
    return function


def _axes(x: Array, axes: Sequence[int]) -> tuple[int, ...]:
    found = tuple(axes)
    if len(set(found)) < len(found) or any(not 0 <= a < x.ndim for a in found):
        raise ValueError(f"reduction axes {found} contains out-of-bounds or repeated indices for shape {x.shape}.")
    return found


reduce_sum = _reduction(fnp.sum, "reduce_sum", "iufc", "The sum over axes.", "fnp.array([1.0, 2.0])", "3.", "float64")
reduce_prod = _reduction(
    fnp.prod, "reduce_prod", "iufc", "The product over axes.", "fnp.array([2.0, 3.0])", "6.", "float64"
)
reduce_max = _reduction(
    fnp.max, "reduce_max", "biuf", "The largest element over axes.", "fnp.array([1.0, 2.0])", "2.", "float64"
)
reduce_min = _reduction(
    fnp.min, "reduce_min", "biuf", "The smallest element over axes.", "fnp.array([1.0, 2.0])", "1.", "float64"
)


def _bits(f: Callable, of_booleans: Callable | None = None) -> Callable:
    """The reduction by an operation on bits."""

    def reduction(x: Array, axis: tuple[int, ...]) -> Array:
        if x.dtype.kind == "b" and of_booleans is not None:
            return of_booleans(x, axis=axis)
        (rows,) = _rows([x], axis)
        if not len(rows):
            nothing = -1 if f is bitwise.bitwise_and else 0
            return fnp.full(rows.shape[1:], nothing).astype(x.dtype)
        return _folded(lambda a, b: [f(a[0], b[0])], [rows])[0]

    return reduction


reduce_and = _reduction(
    _bits(bitwise.bitwise_and, fnp.all),
    "reduce_and",
    "biu",
    "The bits that are set in all elements.",
    "fnp.array([6, 3])",
    "2",
    "int64",
)
reduce_or = _reduction(
    _bits(bitwise.bitwise_or, fnp.any),
    "reduce_or",
    "biu",
    "The bits that are set in some element.",
    "fnp.array([6, 3])",
    "7",
    "int64",
)
reduce_xor = _reduction(
    _bits(bitwise.bitwise_xor),
    "reduce_xor",
    "biu",
    "The bits that are set in an odd number of elements.",
    "fnp.array([6, 3])",
    "5",
    "int64",
)

_BY = {
    elementwise.add: reduce_sum,
    elementwise.mul: reduce_prod,
    elementwise.max: reduce_max,
    elementwise.min: reduce_min,
    bitwise.bitwise_and: reduce_and,
    bitwise.bitwise_or: reduce_or,
    bitwise.bitwise_xor: reduce_xor,
}


def reduce(operands: PyTree, init_values: PyTree, computation: Callable, dimensions: Sequence[int]) -> PyTree:
    """A reduction by any associative operation.

    Arguments:
        operands: a pytree of arrays of one shape.
        init_values: a pytree like it, of scalars: what to begin with.
        computation: takes two pytrees of scalars like init_values, and combines them. Those of lax (add, mul, max, min,
            bitwise_and, …) are recognised; others are mapped over pairs of elements.
        dimensions: the axes that go.

    Returns:
        A pytree like operands.

    Raises:
        ArgumentError: the structures or shapes do not fit.
        ValueError: an axis is out of bounds.

    Example:
        >>> fg.lax.reduce(fnp.array([1.0, 2.0, 3.0]), 0.5, fg.lax.add, (0,))
        Array(6.5, dtype=float64)
        >>> fg.lax.reduce(fnp.array([3.0, 4.0]), 0.0, lambda x, y: fnp.hypot(x, y), (0,))
        Array(5., dtype=float64)
    """
    arrays, structure = results(operands, "reduce")
    starts, other = results(init_values, "reduce")
    if other != structure:
        raise ArgumentError(f"reduce: operands and init_values must have one structure, got {structure} and {other}")
    if len({x.shape for x in arrays}) > 1 or any(s.shape != () for s in starts):
        raise ArgumentError(
            f"reduce takes operands of one shape, and scalars to begin with; got shapes {[x.shape for x in arrays]} "
            f"and {[s.shape for s in starts]}"
        )
    axes = _axes(arrays[0], dimensions)
    if len(arrays) == 1 and computation in _BY:
        start = starts[0].astype(arrays[0].dtype)
        return structure.unflatten([computation(start, _BY[computation](arrays[0], axes))])

    def combine(xs: list[Any], ys: list[Any]) -> list[Any]:
        shape = xs[0].shape
        flat = [[fnp.reshape(x, (-1,)) for x in values] for values in (xs, ys)]
        found = vmap(computation)(*[structure.unflatten(values) for values in flat])
        return [fnp.reshape(x, shape) for x in tree.leaves(found)]

    rows = _rows(arrays, axes)
    first = [fnp.broadcast_to(s.astype(r.dtype), (1, *r.shape[1:])) for s, r in zip(starts, rows, strict=True)]
    return structure.unflatten(_folded(combine, [fnp.concatenate(pair) for pair in zip(first, rows, strict=True)]))


def _rows(xs: list[Any], axes: tuple[int, ...]) -> list[Any]:
    """Arrays with the axes that are reduced made one, in front."""
    kept = [a for a in range(xs[0].ndim) if a not in axes]
    count = int(np.prod([xs[0].shape[a] for a in axes]))
    return [fnp.reshape(fnp.transpose(x, (*axes, *kept)), (count, *[x.shape[a] for a in kept])) for x in xs]


def _folded(combine: Callable[[list[Any], list[Any]], list[Any]], rows: list[Any]) -> list[Any]:
    """The rows of arrays combined, neighbours first, in the order in which they are."""
    while len(rows[0]) > 1:
        even = len(rows[0]) // 2 * 2
        found = combine([x[0:even:2] for x in rows], [x[1:even:2] for x in rows])
        rows = [fnp.concatenate([f, x[even:]]) for f, x in zip(found, rows, strict=True)]
    return [x[0] for x in rows]


def argmax(operand: Any, axis: int, index_dtype: Any) -> Shaped[Array, "..."]:
    """Where the largest element along an axis is; the first one, if there are several.

    Arguments:
        operand: a real array.
        axis: the axis, which goes.
        index_dtype: the dtype of the result.

    Example:
        >>> fg.lax.argmax(fnp.array([1.0, 3.0, 2.0]), 0, "int32")
        Array(1, dtype=int32)
    """
    return fnp.argmax(as_array(operand, "argmax"), axis).astype(np.dtype(index_dtype))


def argmin(operand: Any, axis: int, index_dtype: Any) -> Shaped[Array, "..."]:
    """Where the smallest element along an axis is; the first one, if there are several.

    Arguments:
        operand: a real array.
        axis: the axis, which goes.
        index_dtype: the dtype of the result.

    Example:
        >>> fg.lax.argmin(fnp.array([1.0, 3.0, 2.0]), 0, "int32")
        Array(0, dtype=int32)
    """
    return fnp.argmin(as_array(operand, "argmin"), axis).astype(np.dtype(index_dtype))
