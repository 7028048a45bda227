"""Functions about diagonals and triangles: diag, diagonal, tril, triu, …"""

from __future__ import annotations

from operator import index

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped, shape_of
from funcgrad.errors import ShapeError
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, wrap
from funcgrad.numpy.shapes import ravel
from funcgrad.ops import structural

__all__ = ["diag", "diagflat", "diagonal", "tril", "triu"]


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Shaped[Array, "..."]:
    """The diagonals of an array in the planes of two axes; they are the last axis of the result.

    Arguments:
        a: the array.
        offset: how far above the main diagonal; below it if negative.
        axis1, axis2: the two axes.

    Raises:
        ValueError: the array has fewer than two axes.

    Example:
        >>> fnp.diagonal([[1.0, 2.0], [3.0, 4.0]])
        Array([1., 4.], dtype=float64)
    """
    a = asarray(a)
    if a.ndim < 2:
        raise ShapeError(f"diagonal takes an array of at least two axes, got shape {a.shape}")
    axis1, axis2 = normalize_axis_index(axis1, a.ndim), normalize_axis_index(axis2, a.ndim)
    if axis1 == axis2:
        raise ValueError(f"diagonal: axis1 and axis2 must be different, got {axis1} twice")
    return structural.diagonal(a, offset=index(offset), axis1=axis1, axis2=axis2)


def diag(v: ArrayLike, k: int = 0) -> Shaped[Array, "..."]:
    """The diagonal of a matrix; or, of a vector, the matrix that has it as its diagonal and zeros elsewhere.

    Arguments:
        v: a matrix or a vector.
        k: how far above the main diagonal; below it if negative.

    Raises:
        ValueError: neither a matrix nor a vector.

    Example:
        >>> fnp.diag([1.0, 2.0])
        Array([[1., 0.],
               [0., 2.]], dtype=float64)
    """
    v, k = asarray(v), index(k)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ShapeError(f"diag takes a vector or a matrix, got shape {v.shape}")
    n = v.size + abs(k)
    return structural.embed_diagonal(v, shape=(n, n), offset=k, axis1=0, axis2=1)


def diagflat(v: ArrayLike, k: int = 0) -> Shaped[Array, "n n"]:
    """The matrix that has all elements of an array, in a row, as its diagonal.

    Example:
        >>> fnp.diagflat([[1.0], [2.0]])
        Array([[1., 0.],
               [0., 2.]], dtype=float64)
    """
    return diag(ravel(v), k)


def tril(m: ArrayLike, k: int = 0) -> Shaped[Array, "... n m"]:
    """Matrices with zeros above a diagonal.

    Arguments:
        m: the matrices; a vector counts as each row of a square one.
        k: which diagonal is the last to stay: above the main one if positive.

    Example:
        >>> fnp.tril([[1.0, 2.0], [3.0, 4.0]])
        Array([[1., 0.],
               [3., 4.]], dtype=float64)
    """
    return wrap(structural.tril(_rows(m), k=index(k)))


def triu(m: ArrayLike, k: int = 0) -> Shaped[Array, "... n m"]:
    """Matrices with zeros below a diagonal.

    Arguments:
        m: the matrices; a vector counts as each row of a square one.
        k: which diagonal is the first to stay: above the main one if positive.

    Example:
        >>> fnp.triu([[1.0, 2.0], [3.0, 4.0]])
        Array([[1., 2.],
               [0., 4.]], dtype=float64)
    """
    return wrap(structural.triu(_rows(m), k=index(k)))


def _rows(m: ArrayLike) -> Array | np.ndarray:
    m = operand(m)
    if not shape_of(m):
        raise ShapeError("tril and triu take an array of at least one axis, got a 0-d array")
    if m.ndim == 1:
        return structural.broadcast_to(m, shape=(m.shape[0], m.shape[0]))
    return m
