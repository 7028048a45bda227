"""Sorting by the names of `jax.lax`."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.types import PyTree, Shaped
from funcgrad.errors import ArgumentError
from funcgrad.lax.strict import accept, as_array

__all__ = ["sort", "sort_key_val", "top_k"]


def sort(operand: PyTree, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> PyTree:
    """Sort along an axis, in ascending order; nan comes last.

    Arguments:
        operand: an array; or a tuple of arrays of one shape, which are all put in the order of the first.
        dimension: the axis.
        is_stable: accepted as in JAX; equal elements keep their order in any case.
        num_keys: how many arrays of a tuple decide: the second one where elements of the first are equal, and so on.

    Returns:
        The array, or a tuple of arrays.

    Raises:
        ArgumentError: shapes differ, or num_keys does not fit.

    Example:
        >>> fg.lax.sort((fnp.array([3, 1, 2]), fnp.array([30.0, 10.0, 20.0])))
        (Array([1, 2, 3], dtype=int64), Array([10., 20., 30.], dtype=float64))
    """
    if not isinstance(operand, (tuple, list)):
        return fnp.sort(as_array(operand, "sort"), axis=dimension)
    given = [as_array(x, "sort") for x in operand]
    if not given or len({x.shape for x in given}) > 1:
        raise ArgumentError(f"sort takes arrays of one shape, got shapes {[x.shape for x in given]}")
    if not 1 <= num_keys <= len(given):
        raise ArgumentError(f"num_keys must be between 1 and the number of arrays, {len(given)}; got {num_keys}")
    order = fnp.lexsort(tuple(given[:num_keys][::-1]), axis=dimension)
    return tuple([fnp.take_along_axis(x, order, axis=dimension) for x in given])


def sort_key_val(
    keys: Any, values: Any, dimension: int = -1, is_stable: bool = True
) -> tuple[Shaped[Array, "..."], Shaped[Array, "..."]]:
    """Sort keys, and values in the order of their keys.

    Arguments:
        keys, values: arrays of one shape.
        dimension: the axis.
        is_stable: accepted as in JAX; equal keys keep their order in any case.

    Example:
        >>> fg.lax.sort_key_val(fnp.array([2, 1]), fnp.array([20.0, 10.0]))
        (Array([1, 2], dtype=int64), Array([10., 20.], dtype=float64))
    """
    return sort((keys, values), dimension, is_stable)


def top_k(operand: Any, k: int, *, axis: int = -1) -> list[Shaped[Array, "..."]]:
    """The largest elements along an axis, the largest first, and where they are.

    Of equal elements the first ones come first. nan counts as larger than all numbers.

    Arguments:
        operand: a real array.
        k: how many.
        axis: the axis.

    Returns:
        The list of the elements and their indices, which are of dtype int32.

    Raises:
        ValueError: k is negative or more than there are.

    Example:
        >>> fg.lax.top_k(fnp.array([1.0, 3.0, 2.0]), 2)
        [Array([3., 2.], dtype=float64), Array([1, 2], dtype=int32)]
    """
    x = as_array(accept(operand, "top_k", "biuf"), "top_k")
    if x.ndim == 0:
        raise ArgumentError("top_k takes an array with one axis at least, got a scalar")
    n = x.shape[axis]
    if not 0 <= k <= n:
        raise ValueError(
            f"k argument to top_k must be no larger than size along axis; got k={k} with shape={list(x.shape)} and "
            f"axis={axis}"
        )
    # Backwards, a stable order from the smallest to the largest has equal elements the last first.
    order = n - 1 - fnp.flip(fnp.argsort(fnp.flip(x, axis), axis=axis, stable=True), axis)
    places = fnp.take(order, np.arange(k), axis=axis)
    return [fnp.take_along_axis(x, places, axis=axis), places.astype(np.int32)]
