"""Operations that arrange elements anew by the names of `jax.lax`: reshape, broadcast_in_dim, pad, concatenate, …"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.types import Shaped
from funcgrad.errors import ArgumentError, ShapeError, type_text
from funcgrad.lax.strict import arrays, as_array

__all__ = [
    "broadcast",
    "broadcast_in_dim",
    "broadcast_shapes",
    "collapse",
    "concatenate",
    "expand_dims",
    "pad",
    "reshape",
    "rev",
    "split",
    "squeeze",
    "tile",
    "transpose",
]


def reshape(operand: Any, new_sizes: Sequence[int], dimensions: Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """The same elements in another shape.

    Arguments:
        operand: an array.
        new_sizes: the shape; all lengths are given.
        dimensions: the order of the axes in which the elements are read.

    Raises:
        ArgumentError: a length is negative.
        ShapeError: the sizes differ.

    Example:
        >>> fg.lax.reshape(fnp.array([[1, 2], [3, 4]]), (4,), dimensions=(1, 0))
        Array([1, 3, 2, 4], dtype=int64)
    """
    x, sizes = as_array(operand, "reshape"), tuple(new_sizes)
    if any(n < 0 for n in sizes):
        raise ArgumentError(f"reshape new_sizes must all be positive, got {sizes}. funcgrad.numpy.reshape takes -1.")
    if math.prod(sizes) != x.size:
        raise ShapeError(f"reshape total size must be unchanged, got new_sizes {sizes} for shape {x.shape}.")
    return fnp.reshape(x if dimensions is None else transpose(x, dimensions), sizes)


def transpose(operand: Any, permutation: Sequence[int]) -> Shaped[Array, "..."]:
    """The axes in another order.

    Arguments:
        operand: an array.
        permutation: for each axis of the result which one it was.

    Raises:
        ArgumentError: that is no permutation of the axes.

    Example:
        >>> fg.lax.transpose(fnp.zeros((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """
    x = as_array(operand, "transpose")
    if sorted(permutation) != list(range(x.ndim)):
        raise ArgumentError(
            f"transpose permutation isn't a permutation of operand dimensions, got permutation {tuple(permutation)} "
            f"for operand shape {x.shape}."
        )
    return fnp.transpose(x, tuple(permutation))


def broadcast(operand: Any, sizes: Sequence[int]) -> Shaped[Array, "..."]:
    """An array repeated along new axes in front.

    Arguments:
        operand: an array.
        sizes: the lengths of the new axes.

    Example:
        >>> fg.lax.broadcast(fnp.array([1.0, 2.0]), (2,))
        Array([[1., 2.],
               [1., 2.]], dtype=float64)
    """
    x = as_array(operand, "broadcast")
    return fnp.broadcast_to(x, (*sizes, *x.shape))


def broadcast_in_dim(operand: Any, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> Shaped[Array, "..."]:
    """An array repeated to a shape, its axes going to given places.

    Arguments:
        operand: an array.
        shape: of the result.
        broadcast_dimensions: for each axis of the operand the axis of the result that it becomes, in ascending order.

    Raises:
        ArgumentError: an axis has another length there, or the places do not fit.

    Example:
        >>> fg.lax.broadcast_in_dim(fnp.array([1.0, 2.0]), (2, 3), (0,))
        Array([[1., 1., 1.],
               [2., 2., 2.]], dtype=float64)
    """
    x, places = as_array(operand, "broadcast_in_dim"), tuple(broadcast_dimensions)
    if len(places) != x.ndim or list(places) != sorted(set(places)) or any(not 0 <= d < len(shape) for d in places):
        raise ArgumentError(
            f"broadcast_in_dim broadcast_dimensions must name, in ascending order, an axis of the result for each "
            f"axis of the operand; got {places} for operand shape {x.shape} and shape {tuple(shape)}"
        )
    if any(n not in (1, shape[d]) for n, d in zip(x.shape, places, strict=True)):
        raise ArgumentError(
            f"broadcast_in_dim operand dimension sizes must either be 1, or be equal to their corresponding dimensions "
            f"in the target broadcast shape; got operand of shape {x.shape}, target broadcast shape {tuple(shape)}, "
            f"broadcast_dimensions {places}"
        )
    lengths = [1] * len(shape)
    for n, d in zip(x.shape, places, strict=True):
        lengths[d] = n
    return fnp.broadcast_to(fnp.reshape(x, tuple(lengths)), tuple(shape))


def squeeze(array: Any, dimensions: Sequence[int]) -> Shaped[Array, "..."]:
    """An array without some axes of length one.

    Arguments:
        array: an array.
        dimensions: the axes that go.

    Raises:
        ValueError: one of them is longer.

    Example:
        >>> fg.lax.squeeze(fnp.zeros((1, 3, 1)), (0,)).shape
        (3, 1)
    """
    return fnp.squeeze(as_array(array, "squeeze"), tuple(dimensions))


def expand_dims(array: Any, dimensions: Sequence[int]) -> Shaped[Array, "..."]:
    """An array with new axes of length one.

    Arguments:
        array: an array.
        dimensions: which axes of the result they are.

    Example:
        >>> fg.lax.expand_dims(fnp.zeros(3), (0, 2)).shape
        (1, 3, 1)
    """
    return fnp.expand_dims(as_array(array, "expand_dims"), tuple(dimensions))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast.

    Raises:
        ValueError: they do not.

    Example:
        >>> fg.lax.broadcast_shapes((2, 1), (1, 3))
        (2, 3)
    """
    return np.broadcast_shapes(*[tuple(s) for s in shapes])


def collapse(operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Shaped[Array, "..."]:
    """An array with several neighbouring axes made one.

    Arguments:
        operand: an array.
        start_dimension, stop_dimension: the first of them, and the first behind them; by default all that follow.

    Example:
        >>> fg.lax.collapse(fnp.zeros((2, 3, 4)), 0, 2).shape
        (6, 4)
    """
    x = as_array(operand, "collapse")
    start, stop, _ = slice(start_dimension, stop_dimension).indices(x.ndim)
    if start >= stop:
        return x
    return fnp.reshape(x, (*x.shape[:start], math.prod(x.shape[start:stop]), *x.shape[stop:]))


def rev(operand: Any, dimensions: Sequence[int]) -> Shaped[Array, "..."]:
    """The elements in the reverse order along some axes.

    Arguments:
        operand: an array.
        dimensions: the axes.

    Example:
        >>> fg.lax.rev(fnp.array([1, 2, 3]), (0,))
        Array([3, 2, 1], dtype=int64)
    """
    return fnp.flip(as_array(operand, "rev"), tuple(dimensions))


def tile(operand: Any, reps: Sequence[int]) -> Shaped[Array, "..."]:
    """An array repeated along each axis.

    Arguments:
        operand: an array.
        reps: for each axis how often.

    Example:
        >>> fg.lax.tile(fnp.array([1, 2]), (2,))
        Array([1, 2, 1, 2], dtype=int64)
    """
    return fnp.tile(as_array(operand, "tile"), tuple(reps))


def split(operand: Any, sizes: Sequence[int], axis: int = 0) -> list[Shaped[Array, "..."]]:
    """The parts of an array along an axis.

    Arguments:
        operand: an array.
        sizes: the lengths of the parts, which add up to that of the axis.
        axis: along which.

    Raises:
        ShapeError: the lengths do not add up.

    Example:
        >>> fg.lax.split(fnp.arange(5), (2, 3))
        [Array([0, 1], dtype=int64), Array([2, 3, 4], dtype=int64)]
    """
    x = as_array(operand, "split")
    if sum(sizes) != x.shape[axis]:
        raise ShapeError(f"Sum of sizes {sum(sizes)} must be equal to dimension {axis} of the operand shape {x.shape}")
    return list(fnp.split(x, list(np.cumsum(sizes)[:-1]), axis))


def concatenate(operands: Sequence[Any], dimension: int) -> Shaped[Array, "..."]:
    """Arrays joined along an axis.

    Arguments:
        operands: arrays of one dtype, which differ in length along that axis at most.
        dimension: the axis.

    Raises:
        ArgumentError: dtypes or shapes do not fit, or there are no arrays.

    Example:
        >>> fg.lax.concatenate([fnp.array([1.0]), fnp.array([2.0, 3.0])], 0)
        Array([1., 2., 3.], dtype=float64)
    """
    if not len(operands):
        raise ValueError("concatenate requires a non-empty sequences of arrays")
    given = arrays("concatenate", *operands)
    shapes = [x.shape for x in given]
    if len({len(s) for s in shapes}) > 1:
        raise ArgumentError(
            f"Cannot concatenate arrays with different numbers of dimensions: got {', '.join(map(str, shapes))}."
        )
    if not 0 <= dimension < len(shapes[0]):
        raise ArgumentError(
            f"concatenate dimension out of bounds: dimension {dimension} for shapes {', '.join(map(str, shapes))}."
        )
    if len({(*s[:dimension], *s[dimension + 1 :]) for s in shapes}) > 1:
        raise ArgumentError(
            f"Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated: "
            f"concatenating along dimension {dimension} for shapes {', '.join(map(str, shapes))}."
        )
    return fnp.concatenate(given, axis=dimension)


def pad(operand: Any, padding_value: Any, padding_config: Sequence[tuple[int, int, int]]) -> Shaped[Array, "..."]:
    """An array with a value around it and between its elements.

    Arguments:
        operand: an array.
        padding_value: a scalar of the same dtype.
        padding_config: for each axis how many to add in front, behind, and between neighbours. The first two may be
            negative: elements go.

    Raises:
        ArgumentError: the dtypes differ, or the configuration does not fit.

    Example:
        >>> fg.lax.pad(fnp.array([1.0, 2.0]), 9.0, [(1, 0, 2)])
        Array([9., 1., 9., 9., 2.], dtype=float64)
    """
    x, value = arrays("pad", operand, padding_value)
    config = [tuple(c) for c in padding_config]
    if value.shape != () or len(config) != x.ndim or any(len(c) != 3 or c[2] < 0 for c in config):
        raise ArgumentError(
            f"pad takes a scalar to pad with and, for each axis, (low, high, interior), of which the last is not "
            f"negative; got a value of type {type_text(value)} and {config} for an operand of type {type_text(x)}"
        )
    lengths, inside = [], []
    for n, (low, high, interior) in zip(x.shape, config, strict=True):
        low, high = max(low, 0), max(high, 0)
        spread = max((n - 1) * (interior + 1) + 1, 0)
        lengths.append(low + spread + high)
        inside.append(slice(low, low + spread, interior + 1))
    out = fnp.broadcast_to(value, tuple(lengths)).at[tuple(inside)].set(x)
    return out[
        tuple([slice(max(-low, 0), n - max(-high, 0)) for n, (low, high, _) in zip(lengths, config, strict=True)])
    ]
