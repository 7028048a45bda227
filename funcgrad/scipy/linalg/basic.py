"""Determinant, inverse and norm with SciPy's options."""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float, Inexact
from funcgrad.numpy import linalg as numpy_linalg

__all__ = ["det", "inv", "norm"]


def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Inexact[Array, "..."]:
    """The determinant of a square matrix: see `funcgrad.numpy.linalg.det`.

    Arguments:
        a: the matrix.
        overwrite_a, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import det
        >>> det([[2.0, 0.0], [0.0, 3.0]])
        Array(6., dtype=float64)
    """
    return numpy_linalg.det(a)


def inv(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Inexact[Array, "... n n"]:
    """The inverse of a square matrix.

    Arguments:
        a: the matrix.
        overwrite_a, check_finite: accepted as in SciPy.

    Raises:
        LinAlgError: the matrix is singular, or not square.

    Example:
        >>> from funcgrad.scipy.linalg import inv
        >>> inv([[2.0, 0.0], [0.0, 4.0]])
        Array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float64)
    """
    return numpy_linalg.inv(a)


def norm(
    a: ArrayLike,
    ord: Any = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> Float[Array, "..."]:
    """A norm of vectors or matrices: see `funcgrad.numpy.linalg.norm`.

    Arguments:
        a: the array.
        ord, axis, keepdims: as there.
        check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import norm
        >>> norm([3.0, 4.0])
        Array(5., dtype=float64)
    """
    return numpy_linalg.norm(a, ord, axis, keepdims)
