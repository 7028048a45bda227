"""Linear algebra under SciPy's names. What NumPy has too comes from `funcgrad.numpy.linalg`.

Matrices are the last two axes; axes before them are a stack. As in JAX the options that say where SciPy may write, and
whether it checks for NaN, are accepted and do nothing: nothing is overwritten.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact, Integer, Shaped
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy import asarray, concatenate, tril, triu, zeros
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy.convert import wrap
from funcgrad.numpy.linalg import det as det
from funcgrad.numpy.linalg import inv as inv
from funcgrad.numpy.linalg import pinv as pinv
from funcgrad.ops import elimination, matrix_exp

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "expm",
    "inv",
    "lu",
    "lu_factor",
    "lu_solve",
    "pinv",
    "qr",
    "solve",
    "solve_triangular",
    "svd",
    "toeplitz",
]


def _inexact(a: ArrayLike) -> Array:
    x = asarray(a)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _together(a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """A matrix and a right-hand side in their common dtype."""
    x, y = _inexact(a), _inexact(b)
    dtype = np.result_type(x.dtype, y.dtype)
    return x.astype(dtype), y.astype(dtype)


def _adjoint(a: Array) -> Array:
    return a.mT.conj() if a.dtype.kind == "c" else a.mT


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Inexact[Array, "... n n"]:
    """The Cholesky factor of a Hermitian, positive definite matrix.

    Arguments:
        a: the matrix.
        lower: whether to give L with a = L Lᴴ; by default U with a = Uᴴ U.
        overwrite_a, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import cholesky
        >>> cholesky([[4.0, 2.0], [2.0, 5.0]])
        Array([[2., 1.],
               [0., 2.]], dtype=float64)

    Source: scipy.linalg.cholesky.
    """
    return numpy_linalg.cholesky(a, upper=not lower)


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Inexact[Array, "... n n"], bool]:
    """The Cholesky factor as `cho_solve` takes it: the pair of the factor and `lower`.

    Example:
        >>> from funcgrad.scipy.linalg import cho_factor, cho_solve
        >>> cho_solve(cho_factor([[4.0, 2.0], [2.0, 5.0]]), [2.0, 5.0])
        Array([0., 1.], dtype=float64)

    Source: scipy.linalg.cho_factor.
    """
    return cholesky(a, lower=lower), lower


def cho_solve(
    c_and_lower: tuple[ArrayLike, bool], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> Inexact[Array, "..."]:
    """Solve a x = b from the Cholesky factor of a.

    Arguments:
        c_and_lower: what `cho_factor` gave.
        b: a vector, or a matrix of columns.
        overwrite_b, check_finite: accepted as in SciPy.

    Example: see `cho_factor`.

    Source: scipy.linalg.cho_solve.
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

    Source: scipy.linalg.solve_triangular.
    """
    names = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
    if trans not in names:
        raise ArgumentError(f"solve_triangular: trans must be 0, 1, 2, 'N', 'T' or 'C', got {trans!r}")
    x, y = _together(a, b)
    if names[trans]:
        x, lower = x.mT if names[trans] == 1 else _adjoint(x), not lower
    return _columns(lambda y: wrap(elimination.triangular_solve(x, y, lower=lower, unit=unit_diagonal)), x, y)


def _columns(solve: Any, a: Array, b: Array) -> Array:
    """Solve for a vector as for a matrix of one column."""
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        return solve(b[..., None])[..., 0]
    return solve(b)


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    debug: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Inexact[Array, "..."]:
    """Solve a x = b.

    Arguments:
        a: a square matrix.
        b: a vector, or a matrix of columns.
        lower: with `assume_a` the triangle of a that counts.
        assume_a: what a is: "gen", "sym", "her" or "pos".
        overwrite_a, overwrite_b, debug, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import solve
        >>> solve([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0])
        Array([1., 2.], dtype=float64)

    Source: scipy.linalg.solve.
    """
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ValueError(f"solve: assume_a must be 'gen', 'sym', 'her' or 'pos', got {assume_a!r}")
    x, y = _together(a, b)
    if assume_a != "gen":
        half = tril(x) if lower else triu(x)
        rest = tril(x, -1) if lower else triu(x, 1)
        x = half + (rest.mT if assume_a == "sym" else _adjoint(rest))
        if assume_a == "pos":
            return cho_solve((cholesky(x, lower=lower), lower), y)
    return _columns(lambda y: numpy_linalg.solve(x, y), x, y)


def lu(
    a: ArrayLike, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Inexact[Array, "..."], ...]:
    """The factors of a = P L U: a permutation matrix, a lower triangle with ones on its diagonal, an upper triangle.

    Arguments:
        a: the matrix.
        permute_l: whether to give (P L, U).
        overwrite_a, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import lu
        >>> p, l, u = lu([[1.0, 2.0], [4.0, 4.0]])
        >>> u
        Array([[4., 4.],
               [0., 1.]], dtype=float64)

    Source: scipy.linalg.lu.
    """
    x = _inexact(a)
    both, _, order = elimination.lu(x)
    both, order = wrap(both), wrap(order)
    m, n = x.shape[-2:]
    k = min(m, n)
    lower = tril(both[..., :k], -1) + np.eye(m, k, dtype=x.dtype)
    upper = triu(both[..., :k, :])
    permutation = (order[..., None, :] == np.arange(m)[:, None]).astype(x.dtype)
    return (permutation @ lower, upper) if permute_l else (permutation, lower, upper)


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Inexact[Array, "... n n"], Integer[Array, "... n"]]:
    """Both factors of P L U in one array, and for each row the row that it was swapped with.

    Example:
        >>> from funcgrad.scipy.linalg import lu_factor, lu_solve
        >>> lu_solve(lu_factor([[2.0, 1.0], [0.0, 4.0]]), [4.0, 8.0])
        Array([1., 2.], dtype=float64)

    Source: scipy.linalg.lu_factor.
    """
    both, pivots, _ = elimination.lu(_inexact(a))
    return wrap(both), wrap(pivots)


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

    Source: scipy.linalg.lu_solve.
    """
    if trans not in (0, 1, 2):
        raise ArgumentError(f"lu_solve: trans must be 0, 1 or 2, got {trans!r}")
    both, right = _together(lu_and_piv[0], b)
    swaps = asarray(lu_and_piv[1])

    def rows(x: Array, order: Any) -> Array:
        for k in order:
            i = swaps[..., k, None, None]
            here, there = x[..., k, None, :], (where_row(x, i) * x).sum(axis=-2, keepdims=True)
            x = x + (where_row(x, i) - where_row(x, k)) * (here - there)
        return x

    def where_row(x: Array, i: Any) -> Any:
        return (np.arange(x.shape[-2])[:, None] == i).astype(x.dtype)

    n = both.shape[-1]

    def solved(y: Array) -> Array:
        if trans == 0:
            y = solve_triangular(both, rows(y, range(n)), lower=True, unit_diagonal=True)
            return solve_triangular(both, y)
        y = solve_triangular(both, y, trans=trans)
        return rows(solve_triangular(both, y, trans=trans, lower=True, unit_diagonal=True), reversed(range(n)))

    return _columns(solved, both, right)


def expm(A: ArrayLike, *, upper_triangular: bool = False, max_squarings: int = 16) -> Inexact[Array, "... n n"]:
    """The exponential of a matrix.

    Arguments:
        A: a square matrix.
        upper_triangular, max_squarings: accepted as in JAX.

    Example:
        >>> from funcgrad.scipy.linalg import expm
        >>> expm([[0.0, 1.0], [0.0, 0.0]])
        Array([[1., 1.],
               [0., 1.]], dtype=float64)

    Source: scipy.linalg.expm.
    """
    return wrap(matrix_exp.matrix_exp(_inexact(A)))


def eigh(a: ArrayLike, b: None = None, lower: bool = True, eigvals_only: bool = False) -> Any:
    """The eigenvalues of a Hermitian matrix in ascending order, and its eigenvectors as columns.

    Arguments:
        a: the matrix.
        b: must be None.
        lower: which triangle of a counts.
        eigvals_only: whether to give the eigenvalues alone.

    Example:
        >>> from funcgrad.scipy.linalg import eigh
        >>> eigh([[2.0, 0.0], [0.0, 1.0]], eigvals_only=True)
        Array([1., 2.], dtype=float64)

    Source: scipy.linalg.eigh.
    """
    if b is not None:
        raise ArgumentError(
            "eigh: the generalized problem, b=, is not there; pass a transformed by its Cholesky factor"
        )
    triangle = "L" if lower else "U"
    if eigvals_only:
        return numpy_linalg.eigvalsh(a, UPLO=triangle)
    return tuple(numpy_linalg.eigh(a, UPLO=triangle))


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> Any:
    """The singular value decomposition (u, s, vh).

    Example:
        >>> from funcgrad.scipy.linalg import svd
        >>> svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)
        Array([4., 3.], dtype=float64)

    Source: scipy.linalg.svd.
    """
    found = numpy_linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    """The factors q r of a matrix.

    Arguments:
        a: the matrix.
        mode: "full", "economic" or "r", which gives r alone.
        pivoting: must be False.
        overwrite_a, lwork, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import qr
        >>> q, r = qr([[3.0], [4.0]], mode="economic")
        >>> abs(r)
        Array([[5.]], dtype=float64)

    Source: scipy.linalg.qr.
    """
    if pivoting:
        raise ArgumentError("qr: pivoting is not there")
    names = {"full": "complete", "economic": "reduced", "r": "complete"}
    if mode not in names:
        raise ValueError(f"qr: mode must be 'full', 'economic' or 'r', got {mode!r}")
    q, r = numpy_linalg.qr(a, mode=names[mode])
    return (r,) if mode == "r" else (q, r)


def block_diag(*arrs: ArrayLike) -> Shaped[Array, "m n"]:
    """The matrix with these matrices along its diagonal and zeros elsewhere; a vector counts as a row.

    Example:
        >>> from funcgrad.scipy.linalg import block_diag
        >>> block_diag([[1.0, 2.0]], 3.0)
        Array([[1., 2., 0.],
               [0., 0., 3.]], dtype=float64)

    Source: scipy.linalg.block_diag.
    """
    blocks = [asarray(a) for a in arrs] or [asarray(np.zeros((1, 0)))]
    for i, a in enumerate(blocks):
        if a.ndim > 2:
            raise ShapeError(f"block_diag: argument {i} must have two axes or fewer, got shape {a.shape}")
    blocks = [a.reshape((1,) * (2 - a.ndim) + a.shape) for a in blocks]
    dtype = np.result_type(*[a.dtype for a in blocks])
    width = sum([a.shape[1] for a in blocks])
    rows, before = [], 0
    for a in blocks:
        m, n = a.shape
        left, right = zeros((m, before), dtype), zeros((m, width - before - n), dtype)
        rows.append(concatenate([left, a.astype(dtype), right], axis=1))
        before += n
    return concatenate(rows, axis=0)


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Shaped[Array, "m n"]:
    """The matrix whose diagonals are constant.

    Arguments:
        c: its first column.
        r: its first row, without the first element, which is that of c; by default the conjugate of c.

    Example:
        >>> from funcgrad.scipy.linalg import toeplitz
        >>> toeplitz([1, 2], [1, 3, 4])
        Array([[1, 3, 4],
               [2, 1, 3]], dtype=int64)

    Source: scipy.linalg.toeplitz.
    """
    column = asarray(c).reshape(-1)
    row = column.conj() if r is None else asarray(r).reshape(-1)
    m, n = column.shape[0], row.shape[0]
    both = concatenate([column[::-1], row[1:]])
    return both[np.arange(m)[::-1][:, None] + np.arange(n)]
