"""Solutions of linear systems under SciPy's names.

Matrices are the last two axes; axes before them are a stack. As in JAX the options that say where SciPy may write, and
whether it checks for NaN, are accepted and do nothing: nothing is overwritten.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy import absolute, asarray, broadcast_to, concatenate, fft, moveaxis, take_along_axis, zeros
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy.convert import inexact, wrap
from funcgrad.ops import banded, elimination
from funcgrad.ops.linalg import adjoint
from funcgrad.scipy.linalg.arguments import columns, from_triangle, together
from funcgrad.scipy.linalg.factors import cholesky
from funcgrad.scipy.linalg.special_matrices import toeplitz

__all__ = [
    "cho_solve",
    "lstsq",
    "lu_solve",
    "matmul_toeplitz",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
]


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> Inexact[Array, "..."]:
    """Solve a x = b from the Cholesky factor of a.

    Arguments:
        c_and_lower: what `cho_factor` gave.
        b: a vector, or a matrix of columns.
        overwrite_b, check_finite: accepted as in SciPy.

    Example: see `cho_factor`.
    """
    c, lower = c_and_lower
    first, second = (0, 2) if lower else (2, 0)
    return solve_triangular(c, solve_triangular(c, b, trans=first, lower=lower), trans=second, lower=lower)


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Inexact[Array, "..."]:
    """Solve a x = b for a triangular matrix; what is on the other side of its diagonal is not read.

    Arguments:
        a: the matrix.
        b: a vector, or a matrix of columns.
        trans: 0 or "N" for a, 1 or "T" for its transpose, 2 or "C" for its adjoint.
        lower: whether it is the lower triangle of a that counts.
        unit_diagonal: whether the diagonal is taken for ones.
        overwrite_b, debug, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import solve_triangular
        >>> solve_triangular([[2.0, 1.0], [7.0, 4.0]], [4.0, 8.0])
        Array([1., 2.], dtype=float64)
    """
    names = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
    if trans not in names:
        raise ArgumentError(f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    x, y = together(a, b)
    if names[trans]:
        x, lower = x.mT if names[trans] == 1 else adjoint(x), not lower
    return columns(lambda y: wrap(elimination.triangular_solve(x, y, lower=lower, unit=unit_diagonal)), x, y)


_STRUCTURES = {
    "gen": "gen",
    "general": "gen",
    "sym": "sym",
    "symmetric": "sym",
    "her": "her",
    "hermitian": "her",
    "pos": "pos",
    "positive definite": "pos",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
    "banded": "gen",
    "upper triangular": "upper",
    "lower triangular": "lower",
}


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    debug: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
    transposed: bool = False,
) -> Inexact[Array, "..."]:
    """Solve a x = b.

    Arguments:
        a: a square matrix.
        b: a vector, or a matrix of columns.
        lower: with `assume_a` "sym", "her" or "pos" the triangle of a that counts.
        assume_a: what a is: "gen", "sym", "her" or "pos", or another of SciPy's names for structures.
        transposed: whether to solve with the transpose of a.
        overwrite_a, overwrite_b, debug, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import solve
        >>> solve([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0])
        Array([1., 2.], dtype=float64)
    """
    structure = _STRUCTURES.get("gen" if assume_a is None else assume_a)
    if structure is None:
        raise ValueError(f"solve: assume_a must be one of {', '.join(map(repr, _STRUCTURES))}, got {assume_a!r}")
    x, y = together(a, b)
    if structure in ("upper", "lower"):
        return solve_triangular(x, y, trans=int(transposed), lower=structure == "lower")
    if structure in ("diagonal", "tridiagonal"):
        distance = np.abs(np.arange(x.shape[-1])[:, None] - np.arange(x.shape[-1]))
        x = x * (distance <= (structure == "tridiagonal")).astype(x.dtype)
    elif structure != "gen":
        x = from_triangle(x, lower, (lambda x: x.mT) if structure == "sym" else adjoint)
        if structure == "pos":
            return cho_solve((cholesky(x.mT if transposed else x, lower=lower), lower), y)
    if transposed:
        x = x.mT
    return columns(lambda y: numpy_linalg.solve(x, y), x, y)


def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Inexact[Array, "..."]:
    """Solve a x = b from what `lu_factor` gave of a.

    Arguments:
        lu_and_piv: that.
        b: a vector, or a matrix of columns.
        trans: 0 for a, 1 for its transpose, 2 for its adjoint.
        overwrite_b, check_finite: accepted as in SciPy.

    Example: see `lu_factor`.
    """
    if trans not in (0, 1, 2):
        raise ArgumentError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}")
    both, right = together(lu_and_piv[0], b)
    n = both.shape[-1]
    order = wrap(elimination.row_order(asarray(lu_and_piv[1]), rows=n))

    def in_order(x: Array, order: Array) -> Array:
        batch = np.broadcast_shapes(x.shape[:-2], order.shape[:-1])
        return take_along_axis(
            broadcast_to(x, batch + x.shape[-2:]), broadcast_to(order, (*batch, n))[..., None], axis=-2
        )

    def solved(y: Array) -> Array:
        if trans == 0:
            y = solve_triangular(both, in_order(y, order), lower=True, unit_diagonal=True)
            return solve_triangular(both, y)
        y = solve_triangular(both, y, trans=trans)
        return in_order(solve_triangular(both, y, trans=trans, lower=True, unit_diagonal=True), order.argsort(axis=-1))

    return columns(solved, both, right)


def solve_banded(
    l_and_u: tuple[int, int],
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Inexact[Array, "..."]:
    """Solve a x = b for a band matrix.

    Arguments:
        l_and_u: the numbers of diagonals below and above the main one.
        ab: the diagonals: ab[u + i - j, j] is the element i, j. The corners do not count.
        b: a vector, or a matrix of columns.
        overwrite_ab, overwrite_b, check_finite: accepted as in SciPy.

    Raises:
        LinAlgError: the matrix is singular.

    Example:
        >>> from funcgrad.scipy.linalg import solve_banded
        >>> solve_banded((0, 1), [[0.0, 1.0], [2.0, 4.0]], [4.0, 8.0])
        Array([1., 2.], dtype=float64)
    """
    lower, upper = map(int, l_and_u)
    x, y = together(ab, b)

    def solved(y: Array) -> Array:
        return wrap(banded.solve_banded(x, y, lower=lower, upper=upper, singular="raise"))

    if y.ndim == 1 or (y.ndim == x.ndim - 1 and y.shape == (*x.shape[:-2], x.shape[-1])):
        return solved(y[..., None])[..., 0]
    return solved(y)


def solveh_banded(
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> Inexact[Array, "..."]:
    """Solve a x = b for a Hermitian band matrix.

    Arguments:
        ab: the main diagonal of a and those on one side of it, as `solve_banded` has them.
        b: a vector, or a matrix of columns.
        lower: whether they are those below it.
        overwrite_ab, overwrite_b, check_finite: accepted as in SciPy.

    Raises:
        LinAlgError: the matrix is singular.

    Example:
        >>> from funcgrad.scipy.linalg import solveh_banded
        >>> solveh_banded([[0.0, 1.0], [2.0, 2.0]], [4.0, 5.0])
        Array([1., 2.], dtype=float64)
    """
    x = inexact(ab)
    k, n = x.shape[-2] - 1, x.shape[-1]
    rows: list[Array] = []
    for d in range(1, k + 1):  # the diagonal at distance d, moved to the places that it has on the other side
        gap = zeros((*x.shape[:-2], min(d, n)), x.dtype)
        if lower:
            rows.insert(0, concatenate([gap, x[..., d, : n - d].conj()], axis=-1)[..., None, :])
        else:
            rows.append(concatenate([x[..., k - d, d:].conj(), gap], axis=-1)[..., None, :])
    full = concatenate([*rows, x] if lower else [x, *rows], axis=-2)
    return solve_banded((k, k), full, b)


def _first_row(c_or_cr: Any) -> tuple[Array, Array]:
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return inexact(c), inexact(r)
    c = inexact(c_or_cr)
    return c, c.conj()


def solve_toeplitz(c_or_cr: Any, b: ArrayLike, check_finite: bool = True) -> Inexact[Array, "..."]:
    """Solve T x = b for a matrix T whose diagonals are constant.

    Arguments:
        c_or_cr: its first column, or the pair of its first column and its first row, as for `toeplitz`.
        b: a vector, or a matrix of columns.
        check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import solve_toeplitz
        >>> solve_toeplitz([2.0, 1.0], [4.0, 5.0])
        Array([1., 2.], dtype=float64)
    """
    return solve(toeplitz(*_first_row(c_or_cr)), b)


def matmul_toeplitz(
    c_or_cr: Any, x: ArrayLike, check_finite: bool = False, workers: int | None = None
) -> Inexact[Array, "..."]:
    """The product T x with a matrix T whose diagonals are constant, by Fourier transforms.

    Arguments:
        c_or_cr: as for `solve_toeplitz`.
        x: a vector, or a matrix of columns.
        check_finite, workers: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import matmul_toeplitz
        >>> matmul_toeplitz([2.0, 1.0], [1.0, 2.0])
        Array([4., 5.], dtype=float64)
    """
    c, r = _first_row(c_or_cr)
    y = inexact(x)
    column = y[:, None] if y.ndim == 1 else y
    m, n = c.shape[0], r.shape[0]
    if column.shape[0] != n:
        raise ShapeError(f"matmul_toeplitz: a matrix of {n} columns and x of shape {y.shape} do not fit each other")
    length = m + n - 1
    around = concatenate([c, r[:0:-1]])[:, None]
    if any(a.dtype.kind == "c" for a in (c, r, y)):
        out = fft.ifft(fft.fft(around, axis=0) * fft.fft(column, length, axis=0), axis=0)[:m]
    else:
        out = fft.irfft(fft.rfft(around, axis=0) * fft.rfft(column, length, axis=0), length, axis=0)[:m]
    return out.reshape(m, *y.shape[1:])


def solve_circulant(
    c: ArrayLike,
    b: ArrayLike,
    singular: str = "raise",
    tol: float | None = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
) -> Inexact[Array, "..."]:
    """Solve C x = b for a circulant matrix C, by Fourier transforms.

    Arguments:
        c: its first column.
        b: the right side.
        singular: must be "raise".
        tol: must be None.
        caxis, baxis, outaxis: the axes of c, b and x along which the vectors lie.

    Raises:
        LinAlgError: the matrix is singular, as far as its numbers are known; where they are not, x is not finite.

    Example:
        >>> from funcgrad.scipy.linalg import solve_circulant
        >>> solve_circulant([2.0, 1.0], [4.0, 5.0])
        Array([1., 2.], dtype=float64)
    """
    if singular != "raise" or tol is not None:
        raise ArgumentError("solve_circulant: singular='lstsq' and tol= are not there; use lstsq(circulant(c), b)")
    x, y = inexact(c), inexact(b)
    column, right = moveaxis(x, caxis, -1), moveaxis(y, baxis, -1)
    if column.shape[-1] != right.shape[-1]:
        raise ShapeError(f"solve_circulant: shapes {x.shape} and {y.shape} do not fit each other")
    eigenvalues = fft.fft(column)
    sizes = known(absolute(eigenvalues))
    if sizes is not None and np.any(np.min(sizes, -1) <= np.max(sizes, -1) * x.shape[caxis] * np.finfo(x.dtype).eps):
        raise LinAlgError("solve_circulant: the matrix is singular")
    out = fft.ifft(fft.fft(right) / eigenvalues)
    if x.dtype.kind != "c" and y.dtype.kind != "c":
        out = out.real
    return moveaxis(out, -1, outaxis)


def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: str | None = None,
) -> tuple:
    """The x for which |b - a x| is smallest: see `funcgrad.numpy.linalg.lstsq`.

    Arguments:
        a: a matrix.
        b: a vector, or a matrix whose columns are right sides.
        cond: singular values up to this fraction of the largest count as zero.
        overwrite_a, overwrite_b, check_finite, lapack_driver: accepted as in SciPy.

    Returns:
        (x, residues, rank, s).

    Example:
        >>> from funcgrad.scipy.linalg import lstsq
        >>> lstsq([[1.0], [1.0]], [1.0, 3.0])[0]
        Array([2.], dtype=float64)
    """
    x, y = together(a, b)
    solution, residuals, rank, s = numpy_linalg.lstsq(x, y, rcond=np.finfo(x.dtype).eps if cond is None else cond)
    return solution, residuals, rank, s
