"""Factors of a matrix under SciPy's names: Cholesky, LU, QR, singular values, polar.

Matrices are the last two axes; axes before them are a stack. As in JAX the options that say where SciPy may write, and
whether it checks for NaN, are accepted and do nothing: nothing is overwritten.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Float, Inexact, Integer
from funcgrad.errors import ArgumentError, NoValueError, ShapeError
from funcgrad.numpy import concatenate, take_along_axis, tril, triu, zeros
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy.convert import inexact, wrap
from funcgrad.ops import elimination, reduced_forms
from funcgrad.ops.linalg import adjoint, nan_where_singular
from funcgrad.ops.sylvester import sylvester
from funcgrad.scipy.linalg.arguments import from_triangle
from funcgrad.transforms.custom_jvp import custom_jvp

__all__ = [
    "cho_factor",
    "cholesky",
    "lu",
    "lu_factor",
    "null_space",
    "orth",
    "orthogonal_procrustes",
    "pinvh",
    "polar",
    "qr",
    "qr_multiply",
    "rq",
    "svd",
    "svdvals",
]


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Inexact[Array, "... n n"]:
    """The Cholesky factor of a Hermitian, positive definite matrix.

    Arguments:
        a: the matrix. Its lower or upper triangle is read, as `lower` says, and the gradient is triangular.
        lower: whether to give L with a = L Lᴴ; by default U with a = Uᴴ U.
        overwrite_a, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import cholesky
        >>> cholesky([[4.0, 2.0], [2.0, 5.0]])
        Array([[2., 1.],
               [0., 2.]], dtype=float64)
    """
    return numpy_linalg.cholesky(from_triangle(inexact(a), lower), upper=not lower)


def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Inexact[Array, "... n n"], bool]:
    """The Cholesky factor as `cho_solve` takes it: the pair of the factor and `lower`.

    Example:
        >>> from funcgrad.scipy.linalg import cho_factor, cho_solve
        >>> cho_solve(cho_factor([[4.0, 2.0], [2.0, 5.0]]), [2.0, 5.0])
        Array([0., 1.], dtype=float64)
    """
    return cholesky(a, lower=lower), lower


def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> tuple[Inexact[Array, "..."], ...]:
    """The factors of a = P L U: a permutation matrix, a lower triangle with ones on its diagonal, an upper triangle.

    Arguments:
        a: the matrix.
        permute_l: whether to give (P L, U).
        p_indices: whether to give P as the order p of rows for which L[p] @ U is a.
        overwrite_a, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import lu
        >>> p, l, u = lu([[1.0, 2.0], [4.0, 4.0]])
        >>> u
        Array([[4., 4.],
               [0., 1.]], dtype=float64)
    """
    x = inexact(a)
    both, _, order = elimination.lu(x)
    both, order = wrap(both), wrap(order)
    m, n = x.shape[-2:]
    k = min(m, n)
    lower = tril(both[..., :k], -1) + np.eye(m, k, dtype=x.dtype)
    upper = triu(both[..., :k, :])
    permutation = (order[..., None, :] == np.arange(m)[:, None]).astype(x.dtype)
    if permute_l:
        return permutation @ lower, upper
    return (order.argsort(axis=-1) if p_indices else permutation), lower, upper


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Inexact[Array, "... m n"], Integer[Array, "... k"]]:
    """Both factors of P L U in one array, and for each row the row that it was swapped with.

    Example:
        >>> from funcgrad.scipy.linalg import lu_factor, lu_solve
        >>> lu_solve(lu_factor([[2.0, 1.0], [0.0, 4.0]]), [4.0, 8.0])
        Array([1., 2.], dtype=float64)
    """
    both, pivots, _ = elimination.lu(inexact(a))
    return wrap(both), wrap(pivots)


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """The singular value decomposition (u, s, vh).

    Arguments:
        a: the matrix.
        full_matrices: whether u and vh are square. Of a matrix that is not square this has no derivative: use False.
        compute_uv: whether to give u and vh, or s alone.
        overwrite_a, check_finite, lapack_driver: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import svd
        >>> svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)
        Array([4., 3.], dtype=float64)
    """
    found = numpy_linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)
    return tuple(found) if compute_uv else found


def svdvals(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Float[Array, "... k"]:
    """The singular values of a matrix, the largest first.

    Example:
        >>> from funcgrad.scipy.linalg import svdvals
        >>> svdvals([[3.0, 0.0], [0.0, 4.0]])
        Array([4., 3.], dtype=float64)
    """
    return numpy_linalg.svdvals(inexact(a))


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
        mode: "full"; "economic"; "r", which gives r alone; "raw" for LAPACK's own form of q, a pair.
        pivoting: whether to give the factors of a[:, p] and p: columns in such an order that the diagonal of r falls.
            The derivative is that for this order, which is fixed.
        overwrite_a, lwork, check_finite: accepted as in SciPy.

    Returns:
        (q, r), or (r,) with mode "r"; with pivoting p as well.

    Example:
        >>> from funcgrad.scipy.linalg import qr
        >>> q, r = qr([[3.0], [4.0]], mode="economic")
        >>> abs(r)
        Array([[5.]], dtype=float64)
    """
    names = {"full": "complete", "economic": "reduced", "r": "complete", "raw": "raw"}
    if mode not in names:
        raise ValueError(f"qr: mode must be 'full', 'economic', 'r' or 'raw', got {mode!r}")
    x = inexact(a)
    order: tuple[Array, ...] = ()
    if pivoting:
        order = (wrap(reduced_forms.qr_order(x)),)
        x = take_along_axis(x, order[0][..., None, :], axis=-1)
    if mode == "raw":
        packed, tau = numpy_linalg.qr(x, mode="raw")
        m, n = x.shape[-2:]
        return ((packed.mT, tau), triu(packed.mT)[..., : min(m, n), :], *order)
    if mode == "r":
        m, n = x.shape[-2:]
        return (_with_rows(numpy_linalg.qr(x, mode="r"), m), *order)
    return (*numpy_linalg.qr(x, mode=names[mode]), *order)


def _with_rows(r: Array, m: int) -> Array:
    """A triangle with zeros below up to this number of rows."""
    missing = m - r.shape[-2]
    return concatenate([r, zeros((*r.shape[:-2], missing, r.shape[-1]), r.dtype)], axis=-2) if missing > 0 else r


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> Any:
    """The product of c with the factor q of a matrix, and the factor r.

    Arguments:
        a: the matrix.
        c: a matrix or a vector.
        mode: "left" for q @ c, "right" for c @ q; q has min(m, n) columns.
        pivoting: as for `qr`; the order of columns is a third result.
        conjugate: whether to take the conjugate of q.
        overwrite_a, overwrite_c: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import qr_multiply
        >>> product, r = qr_multiply([[3.0], [4.0]], [5.0, 0.0])
        >>> abs(product)
        Array([3.], dtype=float64)
    """
    if mode not in ("left", "right"):
        raise ValueError(f"qr_multiply: mode must be 'left' or 'right', got {mode!r}")
    x, y = inexact(a), inexact(c)
    q, r, *order = qr(x, mode="economic", pivoting=pivoting)
    vector = y.ndim == 1
    if vector:
        y = y[:, None] if mode == "left" else y[None, :]
    if y.shape[-2 if mode == "left" else -1] != q.shape[-1 if mode == "left" else -2]:
        raise ShapeError(f"qr_multiply: a of shape {x.shape} and c of shape {y.shape} do not fit with mode {mode!r}")
    if conjugate:
        q = q.conj()
    product = q @ y if mode == "left" else y @ q
    if vector:
        product = product.reshape(*product.shape[:-2], -1)
    return (product, r, *order)


def rq(
    a: ArrayLike, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", check_finite: bool = True
) -> Any:
    """The factors r q of a matrix: r is an upper triangle, q has orthonormal rows.

    Arguments:
        a: the matrix.
        mode: "full", "economic" or "r", which gives r alone.
        overwrite_a, lwork, check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import rq
        >>> r, q = rq([[3.0, 4.0]], mode="economic")
        >>> abs(r)
        Array([[5.]], dtype=float64)
    """
    names = {"full": "complete", "economic": "reduced", "r": "complete"}
    if mode not in names:
        raise ValueError(f"rq: mode must be 'full', 'economic' or 'r', got {mode!r}")
    q, r = numpy_linalg.qr(adjoint(inexact(a)[..., ::-1, :]), mode=names[mode])
    r, q = adjoint(r)[..., ::-1, ::-1], adjoint(q)[..., ::-1, :]
    return r if mode == "r" else (r, q)


@custom_jvp
def _polar(a: Array) -> tuple[Array, Array]:
    w, s, vh = numpy_linalg.svd(a, full_matrices=False)
    return w @ vh, adjoint(vh) * s[..., None, :] @ vh


@_polar.defjvp
def _polar_jvp(primals: tuple, tangents: tuple) -> tuple:
    """With p² = aᴴ a, dp p + p dp = d(aᴴ a); equal singular values are no trouble, zero ones are."""
    (a,), (t,) = primals, tangents
    u, p = _polar(a)
    square = adjoint(a) @ t
    tp = wrap(sylvester(p, p, square + adjoint(square), tol=0.0))
    solved = numpy_linalg.solve(nan_where_singular(p), adjoint(t - u @ tp))  # p is Hermitian
    return (u, p), (adjoint(solved), tp)


def polar(
    a: ArrayLike, side: str = "right", *, method: str = "svd", eps: Any = None, max_iterations: Any = None
) -> tuple[Inexact[Array, "... m n"], Inexact[Array, "... k k"]]:
    """The polar decomposition of a matrix: a = u p, or a = p u, with u unitary and p positive semidefinite.

    Arguments:
        a: the matrix, with as many rows as columns or more; with side "left" as many columns as rows or more.
        side: "right" for a = u p, "left" for a = p u.
        method, eps, max_iterations: accepted as in JAX; the values are those of singular vectors.

    Returns:
        (u, p). The derivative is nan where a has not full rank.

    Example:
        >>> from funcgrad.scipy.linalg import polar
        >>> u, p = polar([[0.0, -2.0], [2.0, 0.0]])
        >>> p.round(12)
        Array([[2., 0.],
               [0., 2.]], dtype=float64)

    Source: scipy.linalg.polar; the derivative: N. Higham, "Functions of matrices" (2008), chapter 8.
    """
    if side not in ("right", "left"):
        raise ValueError(f"polar: side must be 'right' or 'left', got {side!r}")
    x = inexact(a)
    if x.ndim < 2:
        raise ShapeError(f"polar takes a matrix, got an array of shape {x.shape}")
    m, n = x.shape[-2:]
    if m != n and (m < n) == (side == "right"):  # u is the adjoint of one with orthonormal columns
        w, s, vh = numpy_linalg.svd(x, full_matrices=False)
        p = adjoint(vh) * s[..., None, :] @ vh if side == "right" else w * s[..., None, :] @ adjoint(w)
        return w @ vh, p
    if side == "right":
        return _polar(x)
    u, p = _polar(adjoint(x))
    return adjoint(u), p


def _rank(name: str, s: Array, rcond: Any, m: int, n: int) -> int:
    """How many singular values are not zero; it is the shape of a result, so it has to be known."""
    values = known(s)
    if values is None or values.ndim != 1:
        raise NoValueError(f"{name}: the size of the result is the rank of the matrix, which is not known here")
    if rcond is None:
        rcond = np.finfo(s.dtype).eps * max(m, n)
    return int(np.sum(values > np.max(values, initial=0.0) * rcond))


def orth(A: ArrayLike, rcond: float | None = None) -> Inexact[Array, "m k"]:
    """An orthonormal basis of the range of a matrix: its left singular vectors.

    Arguments:
        A: the matrix.
        rcond: singular values up to this fraction of the largest count as zero.

    Raises:
        NoValueError: the rank is not known, as in a batch or under jit.

    Example:
        >>> from funcgrad.scipy.linalg import orth
        >>> abs(orth([[2.0, 0.0], [0.0, 0.0]]))
        Array([[1.],
               [0.]], dtype=float64)
    """
    x = inexact(A)
    u, s, _ = numpy_linalg.svd(x, full_matrices=False)
    return u[:, : _rank("orth", s, rcond, *x.shape)]


def null_space(A: ArrayLike, rcond: float | None = None, **options: Any) -> Inexact[Array, "n k"]:
    """An orthonormal basis of the null space of a matrix.

    Nothing determines the basis but the space. Its derivative is that of the motion without a turn inside the space, at
    constant rank: right for every function that does not depend on the choice of the basis.

    Arguments:
        A: the matrix.
        rcond: singular values up to this fraction of the largest count as zero.
        options: SciPy's others, accepted.

    Raises:
        NoValueError: the rank is not known, as in a batch or under jit.

    Example:
        >>> from funcgrad.scipy.linalg import null_space
        >>> abs(null_space([[1.0, 0.0]]))
        Array([[0.],
               [1.]], dtype=float64)
    """
    x = inexact(A)
    m, n = x.shape
    rank = _rank("null_space", numpy_linalg.svdvals(x), rcond, m, n)

    @custom_jvp
    def basis(a: Array) -> Array:
        return adjoint(numpy_linalg.svd(a, full_matrices=True)[2][rank:])

    @basis.defjvp
    def _(primals: tuple, tangents: tuple) -> tuple:
        (a,), (t,) = primals, tangents
        q = basis(a)
        cutoff = np.finfo(a.dtype).eps * max(m, n) if rcond is None else rcond
        return q, -numpy_linalg.pinv(a, rcond=cutoff) @ (t @ q)

    return basis(x)


def orthogonal_procrustes(A: ArrayLike, B: ArrayLike, check_finite: bool = True) -> tuple[Array, Array]:
    """The unitary matrix R for which A R is closest to B, and the sum of the singular values of Aᴴ B.

    Example:
        >>> from funcgrad.scipy.linalg import orthogonal_procrustes
        >>> R, scale = orthogonal_procrustes([[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]])
        >>> R.round(12), scale
        (Array([[ 0.,  1.],
               [-1.,  0.]], dtype=float64), Array(2., dtype=float64))
    """
    x, y = inexact(A), inexact(B)
    if x.shape != y.shape or x.ndim != 2:
        raise ShapeError(f"orthogonal_procrustes takes two matrices of one shape, got {x.shape} and {y.shape}")
    product = adjoint(x) @ y
    return polar(product)[0], numpy_linalg.svdvals(product).sum()


def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    """The pseudo-inverse of a Hermitian matrix.

    Arguments:
        a: the matrix.
        atol: must be None.
        rtol: eigenvalues up to this fraction of the largest in size count as zero; by default the size of the matrix
            times the precision of its dtype.
        lower: which triangle is read.
        return_rank: whether to give the rank as well.
        check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import pinvh
        >>> pinvh([[2.0, 0.0], [0.0, 0.0]])
        Array([[0.5, 0. ],
               [0. , 0. ]], dtype=float64)
    """
    if atol is not None:
        raise ArgumentError("pinvh: atol is not there; give rtol, which is relative to the largest eigenvalue")
    x = from_triangle(inexact(a), lower)
    out = numpy_linalg.pinv(x, rtol=rtol, hermitian=True)
    return (out, numpy_linalg.matrix_rank(x, hermitian=True, rtol=rtol)) if return_rank else out
