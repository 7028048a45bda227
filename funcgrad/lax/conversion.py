"""New arrays, and arrays of another dtype, by the names of `jax.lax`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array, is_inexact, native, wrap
from funcgrad.core.types import Shaped
from funcgrad.errors import ArgumentError
from funcgrad.lax.strict import as_array
from funcgrad.ops import bits

__all__ = [
    "bitcast_convert_type",
    "broadcasted_iota",
    "convert_element_type",
    "full",
    "full_like",
    "iota",
    "zeros_like_array",
]


def convert_element_type(operand: Any, new_dtype: Any) -> Shaped[Array, "..."]:
    """The values of an array in another dtype.

    Arguments:
        operand: an array.
        new_dtype: anything that `numpy.dtype` takes.

    Example:
        >>> fg.lax.convert_element_type(fnp.array([1.7, -1.7]), int)
        Array([ 1, -1], dtype=int64)
    """
    return fnp.astype(as_array(operand, "convert_element_type"), np.dtype(new_dtype))


def bitcast_convert_type(operand: Any, new_dtype: Any) -> Shaped[Array, "..."]:
    """The bits of an array as those of another dtype.

    Arguments:
        operand: an array.
        new_dtype: of the same size; or a smaller one, and the parts of an element get an axis of their own at the end;
            or a larger one, and the last axis holds the parts of an element.

    Raises:
        ArgumentError: the sizes do not fit.
        NotDifferentiableError: both dtypes are floating or complex, not the same, and operand is being differentiated.

    Example:
        >>> fg.lax.bitcast_convert_type(np.float32(1.0), np.int32)
        Array(1065353216, dtype=int32)
    """
    x, dtype = as_array(operand, "bitcast_convert_type"), native(new_dtype)
    old, new = x.dtype.itemsize, dtype.itemsize
    if new > old and (x.ndim == 0 or x.shape[-1] * old != new):
        raise ArgumentError(
            f"bitcast_convert_type: an element of {dtype} takes {new} bytes, so the last axis of an array of {x.dtype} "
            f"must have length {new // old}, got shape {x.shape}"
        )
    if dtype == x.dtype:
        return wrap(x)
    floats = is_inexact(x.dtype) and is_inexact(dtype)
    return wrap((bits.bitcast_floats if floats else bits.bitcast)(x, dtype=dtype))


def full(shape: Sequence[int] | int, fill_value: Any, dtype: Any = None) -> Shaped[Array, "..."]:
    """An array of one value.

    Arguments:
        shape: its shape.
        fill_value: a scalar.
        dtype: by default that of the value.

    Raises:
        ArgumentError: the value is no scalar.

    Example:
        >>> fg.lax.full((2,), 7.0)
        Array([7., 7.], dtype=float64)
    """
    if np.shape(fill_value) != ():
        raise ArgumentError(f"full must be called with scalar fill_value, got fill_value.shape {np.shape(fill_value)}.")
    value = as_array(fill_value, "full")
    return fnp.broadcast_to(value if dtype is None else fnp.astype(value, np.dtype(dtype)), shape)


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """An array of one value, like another array.

    Arguments:
        x: an array, or what has a shape and a dtype.
        fill_value: a scalar.
        dtype, shape: by default those of x.

    Raises:
        ArgumentError: the value is no scalar.

    Example:
        >>> fg.lax.full_like(np.zeros(2, int), 7.0)
        Array([7, 7], dtype=int64)
    """
    kind = x if hasattr(x, "shape") and hasattr(x, "dtype") else np.asarray(x)
    return full(kind.shape if shape is None else shape, fill_value, kind.dtype if dtype is None else dtype)


def zeros_like_array(x: Any) -> Shaped[Array, "..."]:
    """Zeros, like an array.

    Example:
        >>> fg.lax.zeros_like_array(np.ones(2))
        Array([0., 0.], dtype=float64)

    Source: `jax.lax.full_like`.
    """
    return full_like(x, 0)


def iota(dtype: Any, size: int) -> Shaped[Array, " n"]:
    """0, 1, 2, …

    Arguments:
        dtype: of the numbers.
        size: how many.

    Example:
        >>> fg.lax.iota(float, 3)
        Array([0., 1., 2.], dtype=float64)
    """
    return fnp.arange(size, dtype=np.dtype(dtype))


def broadcasted_iota(dtype: Any, shape: Sequence[int], dimension: int) -> Shaped[Array, "..."]:
    """An array whose elements are their numbers along an axis.

    Arguments:
        dtype: of the numbers.
        shape: of the array.
        dimension: the axis.

    Example:
        >>> fg.lax.broadcasted_iota(int, (2, 3), 1)
        Array([[0, 1, 2],
               [0, 1, 2]], dtype=int64)
    """
    numbers = iota(dtype, shape[dimension])
    lengths = [1] * len(shape)
    lengths[dimension] = shape[dimension]
    return fnp.broadcast_to(fnp.reshape(numbers, tuple(lengths)), tuple(shape))
