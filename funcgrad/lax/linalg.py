"""Linear algebra under the names of `jax.lax.linalg`.

Matrices are the last two axes; axes before them are a stack. As everywhere in lax nothing is promoted but integers,
which become float64. Where a matrix has no factors the result is nan, and no error.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Inexact, Integer, Shaped
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy import absolute, asarray, conjugate, take_along_axis, tril, triu, where
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy.convert import inexact, wrap
from funcgrad.numpy.joining import concatenate
from funcgrad.ops import banded, elimination, factorizations, reduced_forms
from funcgrad.ops.linalg import adjoint, matrix_shape
from funcgrad.transforms.custom_jvp import custom_jvp

__all__ = [
    "EigImplementation",
    "EighImplementation",
    "SvdAlgorithm",
    "cholesky",
    "cholesky_update",
    "eig",
    "eigh",
    "geqrf",
    "hessenberg",
    "householder_product",
    "lu",
    "lu_pivots_to_permutation",
    "ormqr",
    "qr",
    "schur",
    "svd",
    "symmetric_product",
    "triangular_solve",
    "tridiagonal",
    "tridiagonal_solve",
]


class EigImplementation(enum.Enum):
    """How JAX may compute `eig`; here it makes no difference."""

    CUSOLVER = "cusolver"
    MAGMA = "magma"
    LAPACK = "lapack"


class EighImplementation(enum.Enum):
    """How JAX may compute `eigh`; here it makes no difference."""

    QR = "qr"
    JACOBI = "jacobi"
    QDWH = "qdwh"


class SvdAlgorithm(enum.Enum):
    """How JAX may compute `svd`; here it makes no difference."""

    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


def _same_dtype(name: str, *xs: Array) -> None:
    if len({x.dtype for x in xs}) > 1:
        raise ArgumentError(f"{name} takes arrays of one dtype, got {', '.join([str(x.dtype) for x in xs])}")


def cholesky(x: ArrayLike, *, symmetrize_input: bool = True) -> Inexact[Array, "... n n"]:
    """The lower Cholesky factor of a Hermitian, positive definite matrix.

    Arguments:
        x: the matrix.
        symmetrize_input: whether it is taken to be (x + xᴴ) / 2; otherwise its lower triangle alone is read.

    Raises:
        LinAlgError: the matrix is not positive definite.

    Example:
        >>> from funcgrad.lax.linalg import cholesky
        >>> cholesky([[4.0, 2.0], [2.0, 2.0]])
        Array([[2., 0.],
               [1., 1.]], dtype=float64)
    """
    return numpy_linalg.cholesky(inexact(x), symmetrize_input=symmetrize_input)


def cholesky_update(r_matrix: ArrayLike, w_vector: ArrayLike) -> Inexact[Array, "... n n"]:
    """The upper Cholesky factor of rᵀ r + w wᵀ, from r.

    Arguments:
        r_matrix: the upper factor, real.
        w_vector: the vector.

    Example:
        >>> from funcgrad.lax.linalg import cholesky_update
        >>> cholesky_update([[3.0]], [4.0])
        Array([[5.]], dtype=float64)

    Source: jax.lax.linalg.cholesky_update; G. Golub and C. Van Loan, "Matrix computations", section 6.5.4.
    """
    r, w = inexact(r_matrix), inexact(w_vector)
    _same_dtype("cholesky_update", r, w)
    if w.shape != r.shape[:-1]:
        raise ShapeError(f"cholesky_update: a factor of shape {r.shape} and w of shape {w.shape} do not fit each other")
    out = numpy_linalg.qr(concatenate([triu(r), w[..., None, :]], axis=-2), mode="r")
    n = r.shape[-1]
    diagonal = out[..., np.arange(n), np.arange(n)]
    return out * where(diagonal < 0, -1.0, 1.0).astype(r.dtype)[..., None]


def triangular_solve(
    a: ArrayLike,
    b: ArrayLike,
    *,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Inexact[Array, "... m n"]:
    """Solve op(a) x = b or x op(a) = b for a triangular matrix.

    Arguments:
        a: the matrix; what is on the other side of its diagonal is not read.
        b: the right side, a matrix; or a vector, of as many axes as a has but one.
        left_side: whether op(a) stands on the left.
        lower: whether a is a lower triangle.
        transpose_a, conjugate_a: what op does.
        unit_diagonal: whether the diagonal is taken for ones.

    Example:
        >>> from funcgrad.lax.linalg import triangular_solve
        >>> triangular_solve([[2.0, 1.0], [0.0, 4.0]], [[4.0], [8.0]], left_side=True)
        Array([[1.],
               [2.]], dtype=float64)
    """
    x, y = inexact(a), inexact(b)
    _same_dtype("triangular_solve", x, y)
    vector = y.ndim == x.ndim - 1
    if vector:
        y = y[..., None] if left_side else y[..., None, :]
    shape, sides = matrix_shape("triangular_solve", x, square=True), y.shape
    if len(sides) != len(shape) or sides[:-2] != shape[:-2] or sides[-2 if left_side else -1] != shape[-1]:
        raise ShapeError(f"triangular_solve: shapes {x.shape} and {np.shape(b)} do not fit with left_side={left_side}")
    if conjugate_a:
        x = x.conj()
    if transpose_a == left_side:  # x op(a) = b is op(a)ᵀ xᵀ = bᵀ
        x, lower = x.mT, not lower
    right = y if left_side else y.mT
    out = wrap(elimination.triangular_solve(x, right, lower=lower, unit=unit_diagonal))
    out = out if left_side else out.mT
    return (out[..., 0] if left_side else out[..., 0, :]) if vector else out


def lu(
    x: ArrayLike,
) -> tuple[Inexact[Array, "... m n"], Integer[Array, "... k"], Integer[Array, "... m"]]:
    """The factors of x = P L U in one array, the rows that were swapped in, and the order of rows that this gives.

    Example:
        >>> from funcgrad.lax.linalg import lu
        >>> lu([[1.0, 2.0], [4.0, 4.0]])[2]
        Array([1, 0], dtype=int64)
    """
    both, pivots, order = elimination.lu(inexact(x))
    return wrap(both), wrap(pivots), wrap(order)


def lu_pivots_to_permutation(pivots: ArrayLike, permutation_size: int) -> Integer[Array, "... n"]:
    """The order of rows that a sequence of swaps leads to.

    Arguments:
        pivots: for each row the row that it is swapped with, one after the other.
        permutation_size: the number of rows.

    Example:
        >>> from funcgrad.lax.linalg import lu_pivots_to_permutation
        >>> lu_pivots_to_permutation([2, 2], 3)
        Array([2, 0, 1], dtype=int64)
    """
    swaps = asarray(pivots)
    if swaps.ndim < 1 or swaps.shape[-1] > permutation_size:
        raise ShapeError(
            f"lu_pivots_to_permutation: there can be at most {permutation_size} pivots, got an array of shape "
            f"{swaps.shape}"
        )
    return wrap(elimination.row_order(swaps, rows=int(permutation_size)))


def qr(
    x: ArrayLike, *, pivoting: bool = False, full_matrices: bool = True, use_magma: bool | None = None
) -> tuple[Array, ...]:
    """The factors q r of a matrix; with pivoting those of x[:, p], and p.

    Arguments:
        x: the matrix.
        pivoting: whether to order columns so that the diagonal of r falls.
        full_matrices: whether q is square.
        use_magma: accepted as in JAX.

    Example:
        >>> from funcgrad.lax.linalg import qr
        >>> q, r = qr([[3.0], [4.0]], full_matrices=False)
        >>> abs(r)
        Array([[5.]], dtype=float64)
    """
    a = inexact(x)
    order: tuple[Array, ...] = ()
    if pivoting:
        order = (wrap(reduced_forms.qr_order(a)),)
        a = take_along_axis(a, order[0][..., None, :], axis=-1)
    return (*numpy_linalg.qr(a, mode="complete" if full_matrices else "reduced"), *order)


def geqrf(a: ArrayLike) -> tuple[Inexact[Array, "... m n"], Inexact[Array, "... k"]]:
    """The QR factors in LAPACK's own form: r, below it the reflectors, and their factors tau.

    Raises:
        NotDifferentiableError: a derivative; `qr` has one.

    Example:
        >>> from funcgrad.lax.linalg import geqrf, householder_product
        >>> packed, taus = geqrf([[3.0], [4.0]])
        >>> abs(householder_product(packed, taus)).round(12)
        Array([[0.6],
               [0.8]], dtype=float64)

    Source: jax.lax.linalg.geqrf.
    """
    packed, taus = reduced_forms.geqrf(inexact(a))
    return wrap(packed), wrap(taus)


def _reflected(a: Array, taus: Array, c: Array, backwards: bool, of_adjoint: bool) -> Array:
    """The reflectors I - tau v vᴴ that are packed in the columns of a, applied to c from the left."""
    m, count = a.shape[-2], taus.shape[-1]
    for k in reversed(range(count)) if backwards else range(count):
        start = np.eye(1, m, k, dtype=a.dtype)[0]
        v = where(np.arange(m) > k, a[..., :, k], start)[..., None]
        tau = taus[..., k, None, None]
        c = c - (tau.conj() if of_adjoint else tau) * v @ (adjoint(v) @ c)
    return c


def householder_product(a: ArrayLike, taus: ArrayLike) -> Inexact[Array, "... m n"]:
    """The first columns of the product of the reflectors I - tau v vᴴ.

    Arguments:
        a: the reflectors: column k has v below its element k, which counts as one.
        taus: their factors, at most as many as a has columns.

    Example:
        >>> from funcgrad.lax.linalg import householder_product
        >>> householder_product([[1.0], [1.0]], [1.0])
        Array([[ 0.],
               [-1.]], dtype=float64)
    """
    x, t = inexact(a), inexact(taus)
    _same_dtype("householder_product", x, t)
    m, n = matrix_shape("householder_product", x)[-2:]
    if m < n or t.shape[-1] > n or t.shape[:-1] != x.shape[:-2]:
        raise ShapeError(f"householder_product: shapes {x.shape} and {t.shape} do not fit each other")
    return _reflected(x, t, wrap(np.eye(m, n, dtype=x.dtype)), backwards=True, of_adjoint=False)


def ormqr(
    a: ArrayLike, taus: ArrayLike, c: ArrayLike, *, left: bool = True, transpose: bool = False
) -> Inexact[Array, "... m n"]:
    """The product of a matrix with the square q of reflectors as `geqrf` gives them; q itself is not formed.

    Arguments:
        a, taus: the reflectors.
        c: the matrix.
        left: whether q stands on the left.
        transpose: whether to take the adjoint of q.

    Example:
        >>> from funcgrad.lax.linalg import ormqr
        >>> ormqr([[1.0], [1.0]], [1.0], [[1.0], [0.0]])
        Array([[ 0.],
               [-1.]], dtype=float64)
    """
    x, t, y = inexact(a), inexact(taus), inexact(c)
    _same_dtype("ormqr", x, t, y)
    if not left:  # c q is (qᴴ cᴴ)ᴴ
        return adjoint(ormqr(x, t, adjoint(y), transpose=not transpose))
    if y.shape[-2] != x.shape[-2]:
        raise ShapeError(f"ormqr: reflectors of shape {x.shape} and a matrix of shape {y.shape} do not fit each other")
    return _reflected(x, t, y, backwards=not transpose, of_adjoint=transpose)


def svd(
    x: ArrayLike,
    *,
    full_matrices: bool = True,
    compute_uv: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    algorithm: Any = None,
) -> Any:
    """The singular value decomposition (u, s, vh), or s alone.

    Arguments:
        x: the matrix.
        full_matrices: whether u and vh are square.
        compute_uv: whether to give u and vh.
        subset_by_index: the first of the singular values that are wanted and the one after the last.
        algorithm: accepted as in JAX.

    Example:
        >>> from funcgrad.lax.linalg import svd
        >>> svd([[0.0, 2.0], [3.0, 0.0]], compute_uv=False)
        Array([3., 2.], dtype=float64)
    """
    found = numpy_linalg.svd(
        inexact(x), full_matrices=full_matrices, compute_uv=compute_uv, subset_by_index=subset_by_index
    )
    return tuple(found) if compute_uv else found


def eigh(
    x: ArrayLike,
    *,
    lower: bool = True,
    symmetrize_input: bool = True,
    sort_eigenvalues: bool = True,
    subset_by_index: tuple[int, int] | None = None,
    implementation: Any = None,
) -> tuple[Array, Array]:
    """Eigenvectors and eigenvalues, in this order, of a Hermitian matrix.

    Arguments:
        x: the matrix.
        lower: which triangle is read if the input is not symmetrized.
        symmetrize_input: whether it is taken to be (x + xᴴ) / 2.
        sort_eigenvalues: accepted as in JAX; they ascend always.
        subset_by_index: the first of the eigenvalues that are wanted and the one after the last.
        implementation: accepted as in JAX.

    Example:
        >>> from funcgrad.lax.linalg import eigh
        >>> eigh([[2.0, 0.0], [0.0, 1.0]])[1]
        Array([1., 2.], dtype=float64)
    """
    w, v = numpy_linalg.eigh(inexact(x), UPLO=None if symmetrize_input else "L" if lower else "U")
    chosen = slice(None) if subset_by_index is None else slice(*map(int, subset_by_index))
    return v[..., chosen], w[..., chosen]


@custom_jvp
def _eig_both(a: Array) -> tuple[Array, Array, Array]:
    w, left, right = reduced_forms.eig_both(a)
    return wrap(w), wrap(left), wrap(right)


@_eig_both.defjvp
def _eig_both_jvp(primals: tuple, tangents: tuple) -> tuple:
    """Left eigenvectors are the right ones of the adjoint, whose eigenvalues are the conjugates."""
    (a,), (t,) = primals, tangents
    w, left, right = _eig_both(a)
    tw, t_right = factorizations.eig_tangents(t, w, right)
    t_left = factorizations.eig_tangents(adjoint(t), conjugate(w), left)[1]
    return (w, left, right), (wrap(tw), wrap(t_left), wrap(t_right))


def eig(
    x: ArrayLike,
    *,
    compute_left_eigenvectors: bool = True,
    compute_right_eigenvectors: bool = True,
    enable_eigvec_derivs: bool = False,
    implementation: Any = None,
    use_magma: bool | None = None,
) -> list[Array]:
    """Eigenvalues and eigenvectors of a square matrix.

    Arguments:
        x: the matrix.
        compute_left_eigenvectors, compute_right_eigenvectors: which vectors to give.
        enable_eigvec_derivs, implementation, use_magma: accepted as in JAX; eigenvectors have derivatives always.

    Returns:
        The eigenvalues, the left and the right eigenvectors, as far as they are asked for. A matrix that is not finite
        gives nan.

    Example:
        >>> from funcgrad.lax.linalg import eig
        >>> eig([[2.0, 0.0], [0.0, 3.0]], compute_left_eigenvectors=False, compute_right_eigenvectors=False)
        [Array([2.+0.j, 3.+0.j], dtype=complex128)]
    """
    a = inexact(x)
    w, left, right = _eig_both(a)
    return [w, *([left] if compute_left_eigenvectors else []), *([right] if compute_right_eigenvectors else [])]


def schur(
    x: ArrayLike, *, compute_schur_vectors: bool = True, sort_eig_vals: bool = False, select_callable: Any = None
) -> tuple[Array, ...]:
    """The Schur form of a matrix and its vectors: x = Z T Zᴴ.

    Arguments:
        x: the matrix. If it is real, eigenvalues that are complex stand in blocks of two.
        compute_schur_vectors: whether to give Z.
        sort_eig_vals, select_callable: must be left out.

    Raises:
        NotDifferentiableError: a derivative; funcgrad.scipy.linalg.schur(x, output="complex") has one.

    Example:
        >>> from funcgrad.lax.linalg import schur
        >>> T, Z = schur([[1.0, 0.0], [0.0, 2.0]])
        >>> T
        Array([[1., 0.],
               [0., 2.]], dtype=float64)
    """
    if sort_eig_vals or select_callable is not None:
        raise ArgumentError("schur: the eigenvalues cannot be sorted here")
    a = inexact(x)
    t, z = (reduced_forms.complex_schur if a.dtype.kind == "c" else reduced_forms.schur)(a)
    return (wrap(t), wrap(z)) if compute_schur_vectors else (wrap(t),)


def hessenberg(a: ArrayLike) -> tuple[Inexact[Array, "... n n"], Inexact[Array, "... n-1"]]:
    """The Hessenberg form of a matrix with the reflectors below it, as LAPACK packs them, and their factors.

    Raises:
        NotDifferentiableError: a derivative; funcgrad.scipy.linalg.hessenberg has one.

    Example:
        >>> from funcgrad.lax.linalg import hessenberg
        >>> hessenberg([[1.0, 2.0], [3.0, 4.0]])[0]
        Array([[1., 2.],
               [3., 4.]], dtype=float64)
    """
    packed, taus = reduced_forms.gehrd(inexact(a))
    return wrap(packed), wrap(taus)


def tridiagonal(a: ArrayLike, *, lower: bool = True) -> tuple[Array, Array, Array, Array]:
    """A Hermitian matrix reduced to a tridiagonal one, as LAPACK packs it.

    Arguments:
        a: the matrix.
        lower: which triangle is read.

    Returns:
        The matrix with the reflectors, the diagonal, the numbers beside it, and the factors of the reflectors.

    Raises:
        NotDifferentiableError: a derivative; funcgrad.scipy.linalg.hessenberg has one.

    Example:
        >>> from funcgrad.lax.linalg import tridiagonal
        >>> tridiagonal([[1.0, 2.0], [2.0, 4.0]])[1]
        Array([1., 4.], dtype=float64)
    """
    packed, d, e, taus = reduced_forms.tridiagonal(inexact(a), lower=bool(lower))
    return wrap(packed), wrap(d), wrap(e), wrap(taus)


def tridiagonal_solve(
    dl: ArrayLike, d: ArrayLike, du: ArrayLike, b: ArrayLike, *, perturb_singular: bool = False
) -> Inexact[Array, "... n k"]:
    """Solve a x = b for a tridiagonal matrix.

    Arguments:
        dl: the numbers below the diagonal; the first of them does not count.
        d: the diagonal.
        du: the numbers above it; the last does not count.
        b: a matrix of right sides.
        perturb_singular: whether a singular matrix is moved by the precision of its dtype, so that there is a large
            solution; otherwise it gives nan.

    Example:
        >>> from funcgrad.lax.linalg import tridiagonal_solve
        >>> tridiagonal_solve([0.0, 1.0], [2.0, 2.0], [1.0, 0.0], [[4.0], [5.0]])
        Array([[1.],
               [2.]], dtype=float64)
    """
    low, main, up, right = [inexact(x) for x in (dl, d, du, b)]
    _same_dtype("tridiagonal_solve", low, main, up, right)
    if low.shape != main.shape or up.shape != main.shape or right.shape[:-1] != main.shape:
        raise ShapeError(
            f"tridiagonal_solve: the diagonals must have one shape and b one axis more, got {low.shape}, {main.shape}, "
            f"{up.shape} and {right.shape}"
        )
    n = main.shape[-1]
    ends = np.arange(n)
    low, up = where(ends == 0, 0, low), where(ends == n - 1, 0, up)
    rows = [
        concatenate([up[..., -1:], up[..., :-1]], axis=-1),
        main,
        concatenate([low[..., 1:], low[..., :1]], axis=-1),
    ]
    ab = concatenate([r[..., None, :] for r in rows], axis=-2)
    out = wrap(banded.solve_banded(ab, right, lower=1, upper=1, singular="nan"))
    if not perturb_singular:
        return out
    eps = float(np.finfo(main.dtype).eps)
    size = absolute(ab).max(axis=(-2, -1), initial=0.0)[..., None, None]
    shift = eps * where(size == 0, 1.0, size).astype(ab.dtype) * np.array([[0.0], [1.0], [0.0]], ab.dtype)
    moved = wrap(banded.solve_banded(ab + shift, right, lower=1, upper=1, singular="nan"))
    return where(np.isfinite(out).all(axis=(-2, -1), keepdims=True), out, moved)


def symmetric_product(
    a_matrix: ArrayLike,
    c_matrix: ArrayLike,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    symmetrize_output: bool = False,
) -> Shaped[Array, "... n n"]:
    """alpha a aᵀ + beta c for a symmetric matrix c.

    Arguments:
        a_matrix: the matrix a.
        c_matrix: the symmetric matrix c.
        alpha, beta: numbers.
        symmetrize_output: whether the upper triangle is copied from the lower one; both are computed anyway.

    Example:
        >>> from funcgrad.lax.linalg import symmetric_product
        >>> symmetric_product([[1.0], [2.0]], [[1.0, 0.0], [0.0, 1.0]], beta=1.0)
        Array([[2., 2.],
               [2., 5.]], dtype=float64)
    """
    a, c = asarray(a_matrix), asarray(c_matrix)
    _same_dtype("symmetric_product", a, c)
    if c.shape != (*a.shape[:-1], a.shape[-2]):
        raise ShapeError(f"symmetric_product: shapes {a.shape} and {c.shape} do not fit each other")
    out = alpha * (a @ a.mT) + beta * c
    return tril(out) + tril(out, -1).mT if symmetrize_output else out


publish(__name__, source="jax.lax.linalg")
