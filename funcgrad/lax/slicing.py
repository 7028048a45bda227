"""Reading and writing parts of arrays by the names of `jax.lax`.

Those called dynamic take starts that need not be known when a program is recorded, and may differ between the examples
of a batch. A part that would reach beyond the array is moved so that it lies inside.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from operator import index
from typing import Any

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import Shaped
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.lax.strict import arrays, as_array, dtype_of

__all__ = [
    "dynamic_index_in_dim",
    "dynamic_slice",
    "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim",
    "dynamic_update_slice",
    "dynamic_update_slice_in_dim",
    "index_in_dim",
    "slice",
    "slice_in_dim",
]


def slice(
    operand: Any, start_indices: Sequence[int], limit_indices: Sequence[int], strides: Sequence[int] | None = None
) -> Shaped[Array, "..."]:
    """The part of an array between two corners.

    Arguments:
        operand: an array.
        start_indices, limit_indices: for each axis the first index, and the first one behind the part.
        strides: for each axis the step; by default 1.

    Raises:
        ArgumentError: a corner lies outside, or the numbers of indices differ.

    Example:
        >>> fg.lax.slice(fnp.arange(10), (2,), (9,), (3,))
        Array([2, 5, 8], dtype=int64)
    """
    x = as_array(operand, "slice")
    steps = [1] * x.ndim if strides is None else list(strides)
    if not len(start_indices) == len(limit_indices) == len(steps) == x.ndim:
        raise ArgumentError(
            f"slice takes as many start_indices, limit_indices and strides as the operand has axes, {x.ndim}; got "
            f"{tuple(start_indices)}, {tuple(limit_indices)} and {strides}"
        )
    for n, start, limit, step in zip(x.shape, start_indices, limit_indices, steps, strict=True):
        if not 0 <= start <= limit <= n or step < 1:
            raise ArgumentError(
                f"slice: start_indices {tuple(start_indices)} and limit_indices {tuple(limit_indices)} must lie within "
                f"the operand shape {x.shape}, the limit not before the start, and strides be positive; got {strides}"
            )
    return x[tuple([builtins.slice(*corner) for corner in zip(start_indices, limit_indices, steps, strict=True)])]


def slice_in_dim(
    operand: Any, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0
) -> Shaped[Array, "..."]:
    """`operand[start:limit:stride]` along one axis.

    Arguments:
        operand: an array.
        start_index, limit_index: the first index, and the first one behind the part; negative ones count from the end.
        stride: the step.
        axis: the axis.

    Example:
        >>> fg.lax.slice_in_dim(fnp.arange(10), -3, None)
        Array([7, 8, 9], dtype=int64)
    """
    x = as_array(operand, "slice_in_dim")
    axis = _axis(x, axis, "slice_in_dim")
    return x[(builtins.slice(None),) * axis + (builtins.slice(start_index, limit_index, stride),)]


def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Shaped[Array, "..."]:
    """The entry of an array at an index along one axis.

    Arguments:
        operand: an array.
        index: a negative one counts from the end.
        axis: the axis.
        keepdims: whether the axis stays, with length one.

    Raises:
        IndexError: the index is out of bounds.

    Example:
        >>> fg.lax.index_in_dim(fnp.array([[1, 2], [3, 4]]), -1, keepdims=False)
        Array([3, 4], dtype=int64)
    """
    x = as_array(operand, "index_in_dim")
    axis = _axis(x, axis, "index_in_dim")
    n = x.shape[axis]
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {n}")
    out = x[(builtins.slice(None),) * axis + (int(index),)]
    return fnp.expand_dims(out, axis) if keepdims else out


def dynamic_slice(operand: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Shaped[Array, "..."]:
    """The part of an array that starts at given indices.

    Arguments:
        operand: an array.
        start_indices: for each axis an integer scalar; or an array of them. A negative one counts from the end.
        slice_sizes: the shape of the part.

    Raises:
        ArgumentError: the part is larger than the array, or indices are no integers.
        ShapeError: there are more or less of them than axes.

    Example:
        >>> fg.lax.dynamic_slice(fnp.arange(10), (8,), (4,))
        Array([6, 7, 8, 9], dtype=int64)
    """
    x = as_array(operand, "dynamic_slice")
    return x[_place(x, start_indices, tuple(slice_sizes), "dynamic_slice")]


def dynamic_slice_in_dim(operand: Any, start_index: Any, slice_size: int, axis: int = 0) -> Shaped[Array, "..."]:
    """`dynamic_slice` along one axis.

    Arguments:
        operand: an array.
        start_index: an integer scalar.
        slice_size: the length of the part.
        axis: the axis.

    Example:
        >>> fg.lax.dynamic_slice_in_dim(fnp.arange(10), 3, 2)
        Array([3, 4], dtype=int64)
    """
    x = as_array(operand, "dynamic_slice_in_dim")
    axis = _axis(x, axis, "dynamic_slice_in_dim")
    sizes = [*x.shape[:axis], index(slice_size), *x.shape[axis + 1 :]]
    return dynamic_slice(x, _starts(x, start_index, axis), sizes)


def dynamic_index_in_dim(operand: Any, index: Any, axis: int = 0, keepdims: bool = True) -> Shaped[Array, "..."]:
    """The entry of an array at an index along one axis; one beyond the end gives the last entry.

    Arguments:
        operand: an array.
        index: an integer scalar.
        axis: the axis.
        keepdims: whether the axis stays, with length one.

    Example:
        >>> fg.lax.dynamic_index_in_dim(fnp.array([[1, 2], [3, 4]]), 1, keepdims=False)
        Array([3, 4], dtype=int64)
    """
    out = dynamic_slice_in_dim(operand, index, 1, axis)
    return out if keepdims else fnp.squeeze(out, axis)


def dynamic_update_slice(operand: Any, update: Any, start_indices: Any) -> Shaped[Array, "..."]:
    """A copy of an array with another array in the place that starts at given indices.

    Arguments:
        operand: an array.
        update: an array of the same dtype and number of axes, which is not larger.
        start_indices: for each axis an integer scalar; or an array of them. A negative one counts from the end.

    Raises:
        ArgumentError: dtypes or shapes do not fit, or indices are no integers.
        ShapeError: there are more or less of them than axes.

    Example:
        >>> fg.lax.dynamic_update_slice(fnp.zeros(4), fnp.ones(2), (1,))
        Array([0., 1., 1., 0.], dtype=float64)
    """
    x, new = arrays("dynamic_update_slice", operand, update)
    if new.ndim != x.ndim:
        raise ArgumentError(
            f"dynamic_update_slice update must have the same rank as operand, got update shape {new.shape} for operand "
            f"shape {x.shape}."
        )
    return x.at[_place(x, start_indices, new.shape, "dynamic_update_slice")].set(new)


def dynamic_update_slice_in_dim(operand: Any, update: Any, start_index: Any, axis: int) -> Shaped[Array, "..."]:
    """`dynamic_update_slice` along one axis.

    Arguments:
        operand: an array.
        update: an array of the same dtype and number of axes, or a scalar.
        start_index: an integer scalar.
        axis: the axis.

    Example:
        >>> fg.lax.dynamic_update_slice_in_dim(fnp.zeros(3), fnp.ones(1), 2, 0)
        Array([0., 0., 1.], dtype=float64)
    """
    x = as_array(operand, "dynamic_update_slice_in_dim")
    return dynamic_update_slice(x, update, _starts(x, start_index, _axis(x, axis, "dynamic_update_slice_in_dim")))


def dynamic_update_index_in_dim(operand: Any, update: Any, index: Any, axis: int) -> Shaped[Array, "..."]:
    """A copy of an array with another entry at an index along one axis.

    Arguments:
        operand: an array.
        update: an array of the same dtype; without the axis, or with length one there.
        index: an integer scalar.
        axis: the axis.

    Example:
        >>> fg.lax.dynamic_update_index_in_dim(fnp.zeros((2, 2)), fnp.ones(2), 1, 0)
        Array([[0., 0.],
               [1., 1.]], dtype=float64)
    """
    x, new = arrays("dynamic_update_index_in_dim", operand, update)
    axis = _axis(x, axis, "dynamic_update_index_in_dim")
    if new.ndim == x.ndim - 1:
        new = fnp.expand_dims(new, axis)
    return dynamic_update_slice_in_dim(x, new, index, axis)


def _axis(x: Array, axis: int, name: str) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise ArgumentError(f"{name}: axis {axis} is out of bounds for an array of shape {x.shape}")
    return axis % x.ndim


def _starts(x: Array, start: Any, axis: int) -> list[Any]:
    return [0] * axis + [start] + [0] * (x.ndim - axis - 1)


def _place(x: Array, starts: Any, sizes: tuple[int, ...], name: str) -> tuple:
    """The index of the part of x that has this shape and starts there: of slices, where the starts are known."""
    starts = list(starts) if isinstance(starts, (list, tuple)) else list(as_array(starts, name))
    if len(starts) != x.ndim:
        raise ShapeError(
            f"{name}: length of slice indices must match number of operand dimensions, got {len(starts)} for an "
            f"operand of shape {x.shape}"
        )
    if len(sizes) != x.ndim or any(not 0 <= m <= n for m, n in zip(sizes, x.shape, strict=False)):
        raise ArgumentError(
            f"{name} slice_sizes must be less than or equal to operand shape, got slice_sizes {sizes} for operand "
            f"shape {x.shape}."
        )
    for s in starts:
        if dtype_of(s).kind not in "iu" or fnp.shape(s) != ():
            raise ArgumentError(f"index arguments to {name} must be integers of the same type, got: {dtype_of(s)}")
    values = [known(s) for s in starts]
    if all(v is not None for v in values):
        return tuple([_inside(int(v), m, n) for v, m, n in zip(values, sizes, x.shape, strict=True)])
    rows = []
    for axis, (s, m, n) in enumerate(zip(starts, sizes, x.shape, strict=True)):
        first = fnp.clip(fnp.where(fnp.less(s, 0), s + n, s), 0, n - m)
        numbers = fnp.asarray(first) + fnp.arange(m)
        rows.append(fnp.reshape(numbers, (1,) * axis + (m,) + (1,) * (x.ndim - axis - 1)))
    return tuple(rows)


def _inside(start: int, size: int, length: int) -> builtins.slice:
    start = builtins.min(builtins.max(start + length if start < 0 else start, 0), length - size)
    return builtins.slice(start, start + size)
