"""Functions that multiply and sum: matmul, dot and their kin, outer, kron and cross products, convolution."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.primitive import Primitive
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ArgumentError
from funcgrad.numpy.convert import normalize_axes, normalize_axis_index, operand, reject, wrap
from funcgrad.numpy.joining import stack
from funcgrad.numpy.reductions import shaped, sum
from funcgrad.numpy.shapes import astype, moveaxis, ndim
from funcgrad.ops import contract
from funcgrad.ops.elementwise import multiply, negative, subtract
from funcgrad.ops.structural import diagonal, reshape

__all__ = [
    "convolve",
    "correlate",
    "cross",
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "trace",
    "vdot",
    "vecdot",
    "vecmat",
]


def _product(primitive: Primitive, x: Any, y: Any) -> Array:
    """A primitive of two operands applied: what `bind` does, written out for the hot path."""
    if not isinstance(x, Array):
        x = operand(x)
    if not isinstance(y, Array):
        y = operand(y)
    if isinstance(x, Array):
        trace = x._trace
        if isinstance(y, Array) and y._trace.level > trace.level:
            trace = y._trace
    elif isinstance(y, Array):
        trace = y._trace
    else:
        return wrap(primitive.impl(x, y))
    return trace.binary(primitive, x, y)


def _flat(a: Any) -> Any:
    return a if a.ndim == 1 else reshape(a, shape=(a.size,), order="C")


def in_preferred(function: str, dtype: Any, *operands: ArrayLike) -> list[Array]:
    """The operands in the dtype that `preferred_element_type=` asks for.

    Raises:
        TypeError: they are complex and the dtype is not.
    """
    arrays = [shaped(x) for x in operands]
    if any(x.dtype.kind == "c" for x in arrays) and np.dtype(dtype).kind != "c":
        raise TypeError(f"{function}: preferred_element_type={np.dtype(dtype)} would lose the imaginary parts")
    return [astype(x, dtype) for x in arrays]


# Products of matrices and vectors.


def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    out: Any = None,
    dtype: Any = None,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """The product of matrices, of stacks of matrices, or of vectors; the operator `@`.

    Arguments:
        x1, x2: arrays with at least one axis. The last two axes are those of matrices, the axes before them broadcast;
            a vector is a row on the left and a column on the right.
        out: only None.
        dtype: in which to compute; by default that of the operands together.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: JAX's name for dtype.

    Returns:
        The product.

    Raises:
        ValueError: an operand is a number, or the shapes do not match.

    Example:
        >>> fnp.matmul(fnp.array([[1.0, 2.0], [3.0, 4.0]]), fnp.array([1.0, 10.0]))
        Array([21., 43.], dtype=float64)
    """
    if out is not None:
        reject("matmul", out=out)
    if dtype is not None:
        x1, x2 = astype(x1, dtype), astype(x2, dtype)
    if preferred_element_type is not None:
        x1, x2 = in_preferred("matmul", preferred_element_type, x1, x2)
    return _product(contract.matmul, x1, x2)


def dot(
    a: ArrayLike, b: ArrayLike, out: Any = None, *, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, "..."]:
    """The sum of products over the last axis of a and the last but one of b (its only one, if b is a vector).

    Arguments:
        a, b: the operands; a number multiplies.
        out: only None.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in, as in JAX; by default that of the operands together.

    Returns:
        The product.

    Raises:
        ValueError: the shapes do not match.

    Example:
        >>> fnp.dot(fnp.array([1.0, 2.0]), fnp.array([3.0, 4.0]))
        Array(11., dtype=float64)
    """
    if out is not None:
        reject("dot", out=out)
    if preferred_element_type is not None:
        a, b = in_preferred("dot", preferred_element_type, a, b)
    n, m = ndim(a), ndim(b)
    if max(n, m) > 2 and n and m > 1:  # NumPy's dot does not use BLAS for stacks of matrices, but its tensordot does
        return tensordot(a, b, axes=(n - 1, m - 2))
    return _product(contract.dot, a, b)


def vdot(
    a: ArrayLike, b: ArrayLike, /, *, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, ""]:
    """The dot product of all elements of two arrays, the first conjugated.

    Arguments:
        a, b: arrays of the same size.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in, as in JAX; by default that of the operands together.

    Returns:
        The product, a number.

    Example:
        >>> fnp.vdot(fnp.array([1j, 1.0]), fnp.array([1j, 2.0]))
        Array(3.+0.j, dtype=complex128)
    """
    if preferred_element_type is not None:
        a, b = in_preferred("vdot", preferred_element_type, a, b)
    return _product(contract.dot, contract.conj(_flat(shaped(a))), _flat(shaped(b)))


def vecdot(
    x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, "..."]:
    """The dot products of vectors along an axis, the first conjugated; the other axes broadcast.

    Arguments:
        x1, x2: arrays of vectors.
        axis: where the vectors lie.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in, as in JAX; by default that of the operands together.

    Returns:
        The products, without that axis.

    Example:
        >>> fnp.vecdot(fnp.array([[1.0, 2.0], [3.0, 4.0]]), fnp.array([1.0, 10.0]))
        Array([21., 43.], dtype=float64)
    """
    if axis != -1:
        x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if preferred_element_type is not None:
        x1, x2 = in_preferred("vecdot", preferred_element_type, x1, x2)
    return _product(contract.vecdot, x1, x2)


def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Shaped[Array, "... m"]:
    """The products of matrices with vectors; the axes before them broadcast.

    Arguments:
        x1: matrices, shape (..., m, n).
        x2: vectors, shape (..., n).

    Returns:
        Vectors, shape (..., m).

    Example:
        >>> fnp.matvec(fnp.array([[1.0, 2.0], [3.0, 4.0]]), fnp.array([[1.0, 0.0], [0.0, 1.0]]))
        Array([[1., 3.],
               [2., 4.]], dtype=float64)
    """
    return _product(contract.matvec, x1, x2)


def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Shaped[Array, "... m"]:
    """The products of vectors, conjugated, with matrices; the axes before them broadcast.

    Arguments:
        x1: vectors, shape (..., n).
        x2: matrices, shape (..., n, m).

    Returns:
        Vectors, shape (..., m).

    Example:
        >>> fnp.vecmat(fnp.array([1.0, 10.0]), fnp.array([[1.0, 2.0], [3.0, 4.0]]))
        Array([31., 42.], dtype=float64)
    """
    return _product(contract.vecmat, x1, x2)


def inner(
    a: ArrayLike, b: ArrayLike, /, *, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, "..."]:
    """The sum of products over the last axes of two arrays; a number multiplies.

    Arguments:
        a, b: arrays whose last axes have the same length.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in, as in JAX; by default that of the operands together.

    Returns:
        An array with the other axes of a and then those of b.

    Example:
        >>> fnp.inner(fnp.array([[1.0, 2.0], [3.0, 4.0]]), fnp.array([1.0, 10.0]))
        Array([21., 43.], dtype=float64)
    """
    if preferred_element_type is not None:
        a, b = in_preferred("inner", preferred_element_type, a, b)
    x, y = shaped(a), shaped(b)
    if x.ndim and y.ndim > 1:
        return wrap(contract.tensordot(x, y, axes=((x.ndim - 1,), (y.ndim - 1,))))
    return _product(contract.dot, x, y)


def outer(a: ArrayLike, b: ArrayLike, out: Any = None) -> Shaped[Array, "n m"]:
    """All products of an element of a with an element of b.

    Arguments:
        a, b: vectors; other arrays are read as vectors.
        out: only None.

    Returns:
        A matrix with a row for each element of a.

    Example:
        >>> fnp.outer(fnp.array([1.0, 2.0]), fnp.array([1.0, 10.0]))
        Array([[ 1., 10.],
               [ 2., 20.]], dtype=float64)
    """
    if out is not None:
        reject("outer", out=out)
    x, y = shaped(a), shaped(b)
    return wrap(multiply(reshape(x, shape=(x.size, 1), order="C"), _flat(y)))


def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: int | Sequence[int | Sequence[int]] = 2,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """The sum of products over chosen axes of two arrays.

    Arguments:
        a, b: the operands.
        axes: how many of the last axes of a go with as many of the first of b; or a pair: axes of a, one or several,
            and those of b that they go with.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in, as in JAX; by default that of the operands together.

    Returns:
        An array with the other axes of a and then those of b.

    Raises:
        ValueError: the axes do not match.

    Example:
        >>> a = fnp.array([[1.0, 2.0], [3.0, 4.0]])
        >>> fnp.tensordot(a, a, axes=([0, 1], [1, 0]))
        Array(29., dtype=float64)
    """
    if preferred_element_type is not None:
        a, b = in_preferred("tensordot", preferred_element_type, a, b)
    x, y = shaped(a), shaped(b)
    if isinstance(axes, str):
        raise ArgumentError(f"tensordot: axes must be an integer, or a pair of integers or of sequences, got {axes!r}")
    pair: Any = axes
    try:
        of_x, of_y = pair
    except TypeError:
        n = index(pair)
        if n > min(x.ndim, y.ndim):
            raise ArgumentError(f"tensordot: {n} axes of operands of shapes {x.shape} and {y.shape}") from None
        of_x, of_y = range(x.ndim - n, x.ndim), range(n)
    if np.size(of_x) != np.size(of_y):
        raise ArgumentError(f"tensordot takes as many axes of a as of b, got axes={axes!r}")
    of_x, of_y = normalize_axes(of_x, x.ndim), normalize_axes(of_y, y.ndim)
    if [x.shape[i] for i in of_x] != [y.shape[j] for j in of_y]:
        raise ValueError(f"tensordot: axes {of_x} of shape {x.shape} do not match axes {of_y} of shape {y.shape}")
    return wrap(contract.tensordot(x, y, axes=(of_x, of_y)))


def kron(a: ArrayLike, b: ArrayLike) -> Shaped[Array, "..."]:
    """The Kronecker product: each element of a times the whole of b, in one array.

    Arguments:
        a, b: the operands; the one with fewer axes gets axes of length one in front.

    Returns:
        An array of shape `a.shape[i] * b.shape[i]`.

    Example:
        >>> fnp.kron(fnp.array([1.0, 10.0]), fnp.array([1.0, 2.0]))
        Array([ 1.,  2., 10., 20.], dtype=float64)
    """
    x, y = shaped(a), shaped(b)
    n = max(x.ndim, y.ndim)
    rows, columns = (1,) * (n - x.ndim) + x.shape, (1,) * (n - y.ndim) + y.shape
    left = reshape(x, shape=tuple([k for i in rows for k in (i, 1)]), order="C")
    right = reshape(y, shape=tuple([k for j in columns for k in (1, j)]), order="C")
    shape = tuple([i * j for i, j in zip(rows, columns, strict=True)])
    return wrap(reshape(multiply(left, right), shape=shape, order="C"))


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Shaped[Array, "..."]:
    """The cross product of vectors in space; the other axes broadcast.

    Arguments:
        a, b: arrays of vectors of length 3. Length 2 is deprecated, as in NumPy: the third component is zero then, and
            of two such vectors only the third component of the product is given.
        axisa, axisb, axisc: where the vectors lie in a, in b and in the result.
        axis: one axis for all three.

    Returns:
        The products.

    Raises:
        ValueError: a vector is not of length 2 or 3.

    Example:
        >>> fnp.cross(fnp.array([1.0, 0.0, 0.0]), fnp.array([0.0, 1.0, 0.0]))
        Array([0., 0., 1.], dtype=float64)
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = shaped(a), shaped(b)
    if left.ndim == 0 or right.ndim == 0:
        raise ValueError("cross takes arrays of vectors, got a number")
    i, j = normalize_axis_index(axisa, left.ndim, "axisa"), normalize_axis_index(axisb, right.ndim, "axisb")
    n, m = left.shape[i], right.shape[j]
    if not {n, m} <= {2, 3}:
        raise ValueError(f"cross takes vectors of length 2 or 3, got lengths {n} and {m}")
    if 2 in (n, m):
        warnings.warn(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead.",
            DeprecationWarning,
            stacklevel=2,
        )
    every = slice(None)
    x, y = [left[(*(every,) * i, k)] for k in range(n)], [right[(*(every,) * j, k)] for k in range(m)]
    third = subtract(multiply(x[0], y[1]), multiply(x[1], y[0]))
    if n == m == 2:
        return wrap(third)
    if n == 2:
        parts = [multiply(x[1], y[2]), negative(multiply(x[0], y[2]))]
    elif m == 2:
        parts = [negative(multiply(x[2], y[1])), multiply(x[2], y[0])]
    else:
        parts = [
            subtract(multiply(x[1], y[2]), multiply(x[2], y[1])),
            subtract(multiply(x[2], y[0]), multiply(x[0], y[2])),
        ]
    return stack([*parts, third], axis=axisc)


def trace(
    a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Shaped[Array, "..."]:
    """The sum of the diagonal of a matrix, or of each in an array of matrices.

    Arguments:
        a: at least two axes.
        offset: which diagonal: above the main one if positive.
        axis1, axis2: the axes of the matrices.
        dtype: of the sum.
        out: only None.

    Returns:
        The sums, without those axes.

    Example:
        >>> fnp.trace(fnp.array([[1.0, 2.0], [3.0, 4.0]]))
        Array(5., dtype=float64)
    """
    if out is not None:
        reject("trace", out=out)
    x = shaped(a)
    if x.ndim < 2:
        raise ValueError(f"trace takes an array with at least two axes, got shape {x.shape}")
    axis1, axis2 = normalize_axis_index(axis1, x.ndim), normalize_axis_index(axis2, x.ndim)
    if axis1 == axis2:
        raise ValueError(f"axis1 and axis2 must differ, both are {axis1}")
    return sum(diagonal(x, offset=index(offset), axis1=axis1, axis2=axis2), axis=-1, dtype=dtype)


# Convolution.


def convolve(
    a: ArrayLike, v: ArrayLike, mode: str = "full", *, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, " n"]:
    """The convolution of two vectors.

    Arguments:
        a, v: vectors that are not empty.
        mode: which part of it: "full" for all, "same" for the middle part of the length of the longer vector, "valid"
            where the vectors overlap completely.
        precision: accepted as in JAX; products have the full precision of the dtype.
        preferred_element_type: the dtype to compute in, as in JAX; by default that of the operands together.

    Returns:
        A vector.

    Raises:
        ValueError: an operand is empty or no vector, or the mode is none of these.

    Example:
        >>> fnp.convolve(fnp.array([1.0, 2.0, 3.0]), fnp.array([1.0, 10.0]))
        Array([ 1., 12., 23., 30.], dtype=float64)
    """
    if preferred_element_type is not None:
        a, v = in_preferred("convolve", preferred_element_type, a, v)
    x, y = _vectors("convolve", a, v, mode)
    if x.size < y.size:
        x, y = y, x
    return _convolved(x, y, mode, y.size - 1 - y.size // 2)


def correlate(
    a: ArrayLike, v: ArrayLike, mode: str = "valid", *, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, " n"]:
    """The cross-correlation of two vectors: the dot products of a with v, conjugated, at all displacements.

    Arguments:
        a, v: vectors that are not empty.
        mode, precision, preferred_element_type: as for `convolve`.

    Returns:
        A vector.

    Raises:
        ValueError: an operand is empty or no vector, or the mode is none of these.

    Example:
        >>> fnp.correlate(fnp.array([1.0, 2.0, 3.0]), fnp.array([1.0, 10.0]))
        Array([21., 32.], dtype=float64)
    """
    if preferred_element_type is not None:
        a, v = in_preferred("correlate", preferred_element_type, a, v)
    x, y = _vectors("correlate", a, v, mode)
    n, m = x.size, y.size
    y = contract.conj(y)[::-1]
    # NumPy computes with the longer vector first and turns the result round, so the middle lies differently.
    return _convolved(x, y, mode, m - 1 - m // 2) if n >= m else _convolved(y, x, mode, n // 2)


def _vectors(function: str, a: ArrayLike, v: ArrayLike, mode: str) -> tuple[Any, Any]:
    x, y = shaped(a), shaped(v)
    if x.ndim > 1 or y.ndim > 1 or x.size == 0 or y.size == 0:
        raise ValueError(f"{function} takes two vectors that are not empty, got shapes {x.shape} and {y.shape}")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f'{function}: mode must be "full", "same" or "valid", got {mode!r}')
    return _flat(x), _flat(y)


def _convolved(long: Any, short: Any, mode: str, start: int) -> Array:
    """The convolution of a vector with one that is no longer; `start` is where the middle part begins."""
    if mode == "same":
        return wrap(contract.convolve(long, short, mode="full")[start : start + long.size])
    return wrap(contract.convolve(long, short, mode=mode))
