"""Eigenvalues and eigenvectors under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Complex, Float
from funcgrad.errors import ArgumentError, NoValueError, ShapeError
from funcgrad.numpy import arccos, arcsin, clip, where, zeros
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy.convert import inexact, wrap
from funcgrad.ops import elimination
from funcgrad.ops.linalg import adjoint
from funcgrad.scipy.linalg.arguments import from_triangle, together

__all__ = ["eig", "eigh", "eigh_tridiagonal", "eigvals", "eigvalsh", "eigvalsh_tridiagonal", "subspace_angles"]


def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Any:
    """Eigenvalues and eigenvectors of a square matrix: a v = w v, or a v = w b v.

    Arguments:
        a: the matrix.
        b: None or an invertible matrix.
        left: whether to give the left eigenvectors; funcgrad.lax.linalg.eig has them.
        right: whether to give the right ones.
        overwrite_a, overwrite_b, check_finite: accepted as in SciPy.
        homogeneous_eigvals: must be False.

    Returns:
        (w, v) or w, always complex.

    Example:
        >>> from funcgrad.scipy.linalg import eig
        >>> eig([[2.0, 0.0], [0.0, 3.0]], right=False)
        Array([2.+0.j, 3.+0.j], dtype=complex128)
    """
    if left or homogeneous_eigvals:
        raise ArgumentError("eig: left=True is funcgrad.lax.linalg.eig; homogeneous_eigvals is not there")
    x = inexact(a)
    if b is not None:
        x, y = together(a, b)
        x = numpy_linalg.solve(y, x)
    return tuple(numpy_linalg.eig(x)) if right else numpy_linalg.eigvals(x)


def eigvals(
    a: ArrayLike,
    b: ArrayLike | None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
) -> Complex[Array, "... n"]:
    """The eigenvalues that `eig` gives.

    Example:
        >>> from funcgrad.scipy.linalg import eigvals
        >>> eigvals([[2.0, 0.0], [0.0, 3.0]])
        Array([2.+0.j, 3.+0.j], dtype=complex128)
    """
    return eig(a, b, right=False, homogeneous_eigvals=homogeneous_eigvals)


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: None = None,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    subset_by_value: None = None,
    driver: str | None = None,
) -> Any:
    """The eigenvalues of a Hermitian matrix in ascending order, and its eigenvectors as columns.

    Arguments:
        a: the matrix.
        b: None, or a Hermitian and positive definite matrix; the vectors have length one in the product with it.
        lower: which triangle of a and b counts.
        eigvals_only: whether to give the eigenvalues alone.
        type: with b the problem: 1 for a v = w b v, 2 for a b v = w v, 3 for b a v = w v.
        subset_by_index: the first and the last of the eigenvalues that are wanted, counted from zero.
        eigvals, subset_by_value: must be None.
        overwrite_a, overwrite_b, turbo, check_finite, driver: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import eigh
        >>> eigh([[2.0, 0.0], [0.0, 1.0]], eigvals_only=True)
        Array([1., 2.], dtype=float64)
    """
    if eigvals is not None or subset_by_value is not None:
        raise ArgumentError("eigh: eigvals= and subset_by_value= are not there; choose with subset_by_index=")
    if type not in (1, 2, 3):
        raise ValueError(f"eigh: type must be 1, 2 or 3, got {type!r}")
    subset = _subset(subset_by_index)
    triangle = "L" if lower else "U"
    if b is None:
        if eigvals_only:
            return numpy_linalg.eigvalsh(a, UPLO=triangle)[..., subset]
        w, v = numpy_linalg.eigh(a, UPLO=triangle)
        return w[..., subset], v[..., subset]
    x, y = together(a, b)
    x = from_triangle(x, lower)
    factor = numpy_linalg.cholesky(from_triangle(y, lower))
    if type == 1:
        x = _solved(factor, adjoint(_solved(factor, x, lower=True)), lower=True)
    else:
        x = adjoint(factor) @ x @ factor
    if eigvals_only:
        return numpy_linalg.eigvalsh(x)[..., subset]
    w, v = numpy_linalg.eigh(x)
    v = factor @ v if type == 3 else _solved(adjoint(factor), v, lower=False)
    return w[..., subset], v[..., subset]


def _solved(a: Array, b: Array, lower: bool) -> Array:
    return wrap(elimination.triangular_solve(a, b, lower=lower, unit=False))


def _subset(subset_by_index: Any) -> slice:
    if subset_by_index is None:
        return slice(None)
    first, last = map(int, subset_by_index)
    return slice(first, last + 1)


def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    subset_by_value: None = None,
    driver: str | None = None,
) -> Float[Array, "... k"]:
    """The eigenvalues that `eigh` gives.

    Example:
        >>> from funcgrad.scipy.linalg import eigvalsh
        >>> eigvalsh([[2.0, 0.0], [0.0, 1.0]])
        Array([1., 2.], dtype=float64)
    """
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
    )


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: tuple[float, float] | None = None,
    check_finite: bool = True,
    tol: float | None = None,
    lapack_driver: str = "auto",
    key: Any = None,
) -> Any:
    """Eigenvalues, in ascending order, and eigenvectors of a symmetric tridiagonal matrix.

    Arguments:
        d: its diagonal.
        e: the numbers beside it; complex ones stand below it.
        eigvals_only: whether to give the eigenvalues alone.
        select: "a" for all of them, "i" for those of the numbers that select_range says, "v" for those in (first,
            last], which have to be known.
        select_range: a pair.
        check_finite, tol, lapack_driver, key: accepted as in SciPy and JAX.

    Example:
        >>> from funcgrad.scipy.linalg import eigh_tridiagonal
        >>> eigh_tridiagonal([1.0, 1.0], [1.0], eigvals_only=True).round(12)
        Array([0., 2.], dtype=float64)
    """
    x, y = inexact(d), inexact(e)
    if x.ndim < 1 or y.shape != (*x.shape[:-1], x.shape[-1] - 1):
        raise ShapeError(f"eigh_tridiagonal: e must have one element less than d, got shapes {x.shape} and {y.shape}")
    if x.dtype.kind == "c":
        raise ArgumentError(f"eigh_tridiagonal: the diagonal of a Hermitian matrix is real, got d of {x.dtype}")
    if select not in ("a", "i", "v"):
        raise ArgumentError(f"eigh_tridiagonal: select must be 'a', 'i' or 'v', got {select!r}")
    if (select_range is None) != (select == "a"):
        raise ArgumentError(f"eigh_tridiagonal: select={select!r} and select_range={select_range!r} do not go together")
    n = x.shape[-1]
    matrix = zeros((*x.shape, n), np.result_type(x.dtype, y.dtype))
    matrix = matrix.at[..., np.arange(n), np.arange(n)].set(x.astype(matrix.dtype))
    matrix = matrix.at[..., np.arange(1, n), np.arange(n - 1)].set(y.astype(matrix.dtype))
    w = numpy_linalg.eigvalsh(matrix, UPLO="L")
    chosen: Any = slice(None)
    if select == "i":
        chosen = _subset(select_range)
    elif select == "v" and select_range is not None:
        values = known(w)
        if values is None:
            raise NoValueError("eigh_tridiagonal: with select='v' the values decide how many there are; use select='i'")
        chosen = np.flatnonzero((values > select_range[0]) & (values <= select_range[1]))
    if eigvals_only:
        return w[..., chosen]
    w, v = numpy_linalg.eigh(matrix, UPLO="L")
    return w[..., chosen], v[..., chosen]


def eigvalsh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    select: str = "a",
    select_range: tuple[float, float] | None = None,
    check_finite: bool = True,
    tol: float | None = None,
    lapack_driver: str = "auto",
) -> Float[Array, "... k"]:
    """The eigenvalues that `eigh_tridiagonal` gives.

    Example:
        >>> from funcgrad.scipy.linalg import eigvalsh_tridiagonal
        >>> eigvalsh_tridiagonal([1.0, 1.0], [1.0]).round(12)
        Array([0., 2.], dtype=float64)
    """
    return eigh_tridiagonal(d, e, eigvals_only=True, select=select, select_range=select_range)


def subspace_angles(A: ArrayLike, B: ArrayLike) -> Float[Array, " k"]:
    """The angles between the ranges of two matrices of full rank, the largest first.

    Arguments:
        A, B: matrices with equally many rows and fewer columns.

    Example:
        >>> from funcgrad.scipy.linalg import subspace_angles
        >>> subspace_angles([[1.0], [0.0]], [[1.0], [1.0]])
        Array([0.78539816], dtype=float64)

    Source: scipy.linalg.subspace_angles; A. Knyazev and M. Argentati, "Principal angles between subspaces in an
    A-based scalar product" (2002).
    """
    x, y = together(A, B)
    if x.ndim != 2 or y.ndim != 2 or x.shape[0] != y.shape[0]:
        raise ShapeError(f"subspace_angles takes matrices with equally many rows, got shapes {x.shape} and {y.shape}")
    x, y = numpy_linalg.qr(x)[0], numpy_linalg.qr(y)[0]
    product = adjoint(x) @ y
    cosines = numpy_linalg.svdvals(product)
    rest = y - x @ product if x.shape[1] >= y.shape[1] else x - y @ adjoint(product)
    sines = numpy_linalg.svdvals(rest)[: cosines.shape[0]]
    small = cosines[::-1] ** 2 >= 0.5
    by_sine = arcsin(clip(where(small, sines, 0.0), -1.0, 1.0))
    return where(small, by_sine, arccos(clip(where(small, 0.0, cosines[::-1]), -1.0, 1.0)))
