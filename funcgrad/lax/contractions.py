"""Products of arrays by the names of `jax.lax`: dot, dot_general, batch_matmul."""

from __future__ import annotations

import enum
from operator import index as as_int
from string import ascii_letters
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.types import Shaped
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.lax.strict import as_array

__all__ = ["Precision", "batch_matmul", "dot", "dot_general"]


class Precision(enum.Enum):
    """How accurate products are to be; NumPy has the full precision of the dtype always."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


def dot_general(
    lhs: Any,
    rhs: Any,
    dimension_numbers: Any,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """The product of two arrays, summed over some pairs of axes, for each index of other pairs.

    Arguments:
        lhs, rhs: arrays.
        dimension_numbers: `((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch))`: the axes that are summed
            over, and those that the two have in common.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in; by default that which NumPy's promotion gives.

    Returns:
        An array with the common axes in front, then those of lhs, then those of rhs.

    Raises:
        ArgumentError: the dimension numbers are no integers in this form or no dimensions, they name one twice, or
            dimensions that belong together differ in length.

    Example:
        >>> a, b = fnp.ones((4, 2, 3)), fnp.ones((4, 3, 5))
        >>> fg.lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))).shape
        (4, 2, 5)
    """
    x, y = as_array(lhs, "dot_general"), as_array(rhs, "dot_general")
    (x_sum, y_sum), (x_batch, y_batch) = _dimension_numbers(dimension_numbers)
    for side, z, used in (("lhs", x, (*x_sum, *x_batch)), ("rhs", y, (*y_sum, *y_batch))):
        outside = [i for i in used if not 0 <= i < z.ndim]
        if outside:
            raise ArgumentError(
                f"dot_general requires dimension numbers of {side} to be in [0, {z.ndim}), for it has shape {z.shape}; "
                f"got {outside[0]} in {dimension_numbers}"
            )
    for what, ours, theirs in (("contracting", x_sum, y_sum), ("batch", x_batch, y_batch)):
        if len(ours) != len(theirs):
            raise ArgumentError(
                f"dot_general requires equally many {what} dimensions of lhs and rhs, got {tuple(ours)} and "
                f"{tuple(theirs)}"
            )
        a, b = tuple([x.shape[i] for i in ours]), tuple([y.shape[i] for i in theirs])
        if a != b:
            raise ArgumentError(f"dot_general requires {what} dimensions to have the same shape, got {a} and {b}.")
    if len({*x_sum, *x_batch}) < len((*x_sum, *x_batch)) or len({*y_sum, *y_batch}) < len((*y_sum, *y_batch)):
        raise ArgumentError(f"dot_general requires dimensions to be distinct, got {dimension_numbers}")
    letters = iter(ascii_letters)
    names = [next(letters) for _ in range(x.ndim)]
    others = [""] * y.ndim
    for i, j in zip((*x_sum, *x_batch), (*y_sum, *y_batch), strict=True):
        others[j] = names[i]
    others = [n or next(letters) for n in others]
    batch = [names[i] for i in x_batch]
    free = [n for i, n in enumerate(names) if i not in x_sum and i not in x_batch]
    free += [n for j, n in enumerate(others) if j not in y_sum and j not in y_batch]
    if preferred_element_type is not None:
        dtype = np.dtype(preferred_element_type)
        x, y = x.astype(dtype), y.astype(dtype)
    return fnp.einsum(f"{''.join(names)},{''.join(others)}->{''.join(batch + free)}", x, y)


def _dimension_numbers(given: Any) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Dimension numbers as tuples of ints."""
    try:
        (x_sum, y_sum), (x_batch, y_batch) = given
        pairs = ((x_sum, y_sum), (x_batch, y_batch))
        return tuple([tuple([tuple([as_int(i) for i in side]) for side in pair]) for pair in pairs])
    except (TypeError, ValueError):
        raise ArgumentError(
            "dot_general requires dimension_numbers of the form ((lhs_contracting, rhs_contracting), (lhs_batch, "
            "rhs_batch)), each a sequence of integers, such as (((1,), (0,)), ((), ())) for a matrix product; "
            f"got {given!r}"
        ) from None


def dot(
    lhs: Any, rhs: Any, *, dimension_numbers: Any = None, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, "..."]:
    """The product of vectors or matrices; with dimension_numbers, `dot_general`.

    Arguments:
        lhs, rhs: arrays with one or two axes.
        dimension_numbers, precision, preferred_element_type: as for `dot_general`.

    Raises:
        ShapeError: other shapes.

    Example:
        >>> fg.lax.dot(fnp.array([[1.0, 2.0]]), fnp.array([3.0, 4.0]))
        Array([11.], dtype=float64)
    """
    x, y = as_array(lhs, "dot"), as_array(rhs, "dot")
    if dimension_numbers is None:
        if not (1 <= x.ndim <= 2 and 1 <= y.ndim <= 2 and x.shape[-1] == y.shape[0]):
            raise ShapeError(
                f"lax.dot: dimension_numbers must be specified when not performing simple un-batched matrix-matrix, "
                f"matrix-vector, or vector-vector products; got lhs_shape={x.shape} rhs_shape={y.shape}"
            )
        dimension_numbers = (((x.ndim - 1,), (0,)), ((), ()))
    return dot_general(x, y, dimension_numbers, precision, preferred_element_type)


def batch_matmul(lhs: Any, rhs: Any, precision: Any = None) -> Shaped[Array, "..."]:
    """The products of matrices, one for each index of the axes in front of the last two.

    Arguments:
        lhs, rhs: arrays with as many axes each, two at least, the same in front.
        precision: accepted as in JAX.

    Raises:
        ArgumentError: the shapes do not fit.

    Example:
        >>> fg.lax.batch_matmul(fnp.ones((4, 2, 3)), fnp.ones((4, 3, 5))).shape
        (4, 2, 5)
    """
    x, y = as_array(lhs, "batch_matmul"), as_array(rhs, "batch_matmul")
    if x.ndim < 2 or x.ndim != y.ndim or x.shape[:-2] != y.shape[:-2] or x.shape[-1] != y.shape[-2]:
        raise ArgumentError(
            f"batch_matmul takes arrays with two axes at least, the same in front of these; got shapes {x.shape} and "
            f"{y.shape}"
        )
    return fnp.matmul(x, y)
