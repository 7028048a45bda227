"""Linear algebra: the functions of numpy.linalg.

Matrices are the last two axes of an array, axes before them are a stack. float32 stays float32, integers become
float64.

Where a derivative does not exist it is nan, in every transform: the norm of zero, eigenvectors and singular vectors
that belong to equal values, QR of a matrix without full rank, `slogdet` and `cond` of a singular one. Where NumPy has
no value either, as `inv` and `solve` of a singular matrix, both raise LinAlgError.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Complex, Float, Inexact, Integer, Shaped
from funcgrad.numpy import contractions, diagonals
from funcgrad.numpy.contractions import dot
from funcgrad.numpy.contractions import matmul as _matmul
from funcgrad.numpy.convert import asarray, normalize_axes, normalize_axis_index, operand, reject, with_shape, wrap
from funcgrad.numpy.diagonals import tril
from funcgrad.numpy.indexing import take_along_axis
from funcgrad.numpy.reductions import any as any_
from funcgrad.numpy.reductions import max as max_
from funcgrad.numpy.reductions import min as min_
from funcgrad.numpy.reductions import sum as sum_
from funcgrad.numpy.selecting import where
from funcgrad.numpy.shapes import astype, expand_dims, integers, matrix_transpose, moveaxis, reshape, transpose
from funcgrad.numpy.sorting import argsort, sort
from funcgrad.numpy.ufuncs import absolute, isnan, sign
from funcgrad.ops import factorizations, least_squares, linalg
from funcgrad.ops.linalg import adjoint

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]


# The named tuples are NumPy's own, so that a function gives the same type whether it is being differentiated or not.
EigResult: Any = type(np.linalg.eig(np.eye(1)))
EighResult: Any = type(np.linalg.eigh(np.eye(1)))
QRResult: Any = type(np.linalg.qr(np.eye(1)))
SlogdetResult: Any = type(np.linalg.slogdet(np.eye(1)))
SVDResult: Any = type(np.linalg.svd(np.eye(1)))


def _inexact(a: ArrayLike) -> Any:
    """An operand with integers made float64."""
    a = with_shape(a)
    return astype(a, np.dtype(float)) if a.dtype.kind in "biu" else a


# Solving and inverting.


def inv(a: ArrayLike) -> Inexact[Array, "... n n"]:
    """The inverse of a square matrix, or of each in a stack.

    Raises:
        LinAlgError: a matrix is singular, or not square.

    Example:
        >>> fnp.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
        Array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float64)
    """
    return wrap(linalg.inv(operand(a)))


def solve(a: ArrayLike, b: ArrayLike) -> Inexact[Array, "..."]:
    """The solution x of a x = b.

    Arguments:
        a: a square matrix, or a stack of them.
        b: a vector if it has one axis; otherwise a matrix, or a stack of matrices.

    Raises:
        LinAlgError: a matrix is singular, or not square.
        ValueError: the shapes do not match.

    Example:
        >>> fnp.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0])
        Array([0.5 , 0.25], dtype=float64)
    """
    return wrap(linalg.solve(operand(a), operand(b)))


def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Inexact[Array, "..."]:
    """The solution x of `tensordot(a, x, x.ndim) == b`.

    Arguments:
        a: an array of shape `b.shape + x.shape`, where both parts have equally many elements.
        b: the right side.
        axes: axes of a that are moved to its end first.

    Raises:
        LinAlgError: the parts differ in size, or the system is singular.

    Example:
        >>> fnp.linalg.tensorsolve(fnp.eye(4).reshape(2, 2, 4), [[1.0, 2.0], [3.0, 4.0]])
        Array([1., 2., 3., 4.], dtype=float64)
    """
    a, b = with_shape(a), with_shape(b)
    if axes is not None:
        order = list(range(a.ndim))
        for k in integers(axes):
            order.remove(k)
            order.append(k)
        a = transpose(a, order)
    shape = a.shape[b.ndim :]
    n = math.prod(shape)
    if a.size != n * n or b.size != n:
        raise LinAlgError(
            f"tensorsolve: an array of shape {a.shape} and a right side of shape {b.shape} are no square system"
        )
    return reshape(solve(reshape(a, (n, n)), reshape(b, (n,))), shape)


def tensorinv(a: ArrayLike, ind: int = 2) -> Inexact[Array, "..."]:
    """The inverse of the map that `tensordot` with an array is.

    Arguments:
        a: the array; its first `ind` axes have as many elements as the others.
        ind: how many axes are those of the result of the map.

    Raises:
        ValueError: ind is not positive.
        LinAlgError: the map is singular, or not square.

    Example:
        >>> fnp.linalg.tensorinv(2 * fnp.eye(4).reshape(2, 2, 4)).shape
        (4, 2, 2)
    """
    a = with_shape(a)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind must be positive, got {ind}")
    first, last = a.shape[:ind], a.shape[ind:]
    return reshape(inv(reshape(a, (math.prod(first), math.prod(last)))), last + first)


_UNSET: Any = object()


def pinv(
    a: ArrayLike, rcond: ArrayLike | None = None, hermitian: bool = False, *, rtol: ArrayLike | None = _UNSET
) -> Inexact[Array, "... m n"]:
    """The pseudo-inverse of Moore and Penrose. Its derivative is that at constant rank, as in JAX.

    Arguments:
        a: a matrix, or a stack of them.
        rcond: singular values up to this fraction of the largest count as zero, also for the derivative; by default
            1e-15.
        hermitian: whether the matrix is Hermitian, which is faster; it is taken to be (a + aᴴ) / 2.
        rtol: another name for rcond; None stands for the larger side of the matrix times the precision of its dtype.

    Raises:
        LinAlgError: a has fewer than two axes.
        ValueError: both rcond and rtol are given.

    Example:
        >>> fnp.linalg.pinv([[2.0], [0.0]])
        Array([[0.5, 0. ]], dtype=float64)
    """
    a = _inexact(a)
    linalg.matrix_shape("pinv", a)
    if rcond is None:
        rcond = 1e-15 if rtol is _UNSET else rtol
        if rcond is None:
            rcond = max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    elif rtol is not _UNSET:
        raise ValueError("pinv: only one of rtol and rcond may be specified.")
    if hermitian:
        a = (a + adjoint(a)) * 0.5
    return wrap(linalg.pinv(a, operand(rcond), hermitian=bool(hermitian)))


def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | Array | None = None, *, numpy_resid: bool = True) -> tuple:
    """The x for which |b - a x| is smallest, and of those the smallest. Its derivative is that at constant rank.

    Arguments:
        a: a matrix.
        b: a vector, or a matrix whose columns are right sides.
        rcond: singular values up to this fraction of the largest count as zero; None stands for the precision of the
            dtype times the larger side of a, -1 for the precision alone.
        numpy_resid: whether the residuals are empty where NumPy leaves them out; False gives them always, as JAX does.

    Returns:
        `(x, residuals, rank, s)`: the solution, the sums of squares of b - a x, the rank of a, and its singular values.
        The residuals are empty if a has not more rows than columns, or not full rank; while only shapes are known
        (make_tape), the rank is taken to be full.

    Raises:
        LinAlgError: a or b have the wrong number of axes, or the computation does not converge.

    Example:
        >>> x, residuals, rank, s = fnp.linalg.lstsq([[1.0], [1.0]], [1.0, 3.0])
        >>> x, residuals
        (Array([2.], dtype=float64), Array([2.], dtype=float64))
    """
    a, b = _inexact(a), _inexact(b)
    vector = b.ndim == 1
    if vector:
        b = expand_dims(b, 1)
    x, rank, s = least_squares.lstsq(a, b, rcond=rcond if rcond is None else float(rcond))
    rank = wrap(rank)
    m, n = a.shape
    if not numpy_resid or (m > n and (isinstance(rank, Tracer) or int(rank) == n)):
        difference = absolute(b - _matmul(a, x))
        residuals = sum_(difference * difference, axis=0)
    else:
        residuals = wrap(np.zeros(0, s.dtype))
    return wrap(x)[:, 0] if vector else wrap(x), residuals, rank, wrap(s)


# Determinants, powers, rank.


def det(a: ArrayLike) -> Inexact[Array, "..."]:
    """The determinant of a square matrix, or of each in a stack.

    Its gradient, the matrix of cofactors, is right for singular matrices too. So are all higher derivatives up to three
    rows; those of larger singular matrices raise LinAlgError.

    Raises:
        LinAlgError: not square.

    Example:
        >>> fg.grad(fnp.linalg.det)(fnp.array([[1.0, 2.0], [2.0, 4.0]]))
        Array([[ 4., -2.],
               [-2.,  1.]], dtype=float64)
    """
    return wrap(linalg.det(operand(a)))


def slogdet(a: ArrayLike, *, method: str | None = None) -> SlogdetResult:
    """The determinant as a sign (of a complex matrix a number on the unit circle) and the logarithm of its size.

    Arguments:
        a: the matrix, or a stack of them.
        method: None, "lu" or "qr", as in JAX; all are computed by LU.

    Returns:
        A named tuple `(sign, logabsdet)`.

    Raises:
        LinAlgError: not square; or, for the gradient, singular.

    Example:
        >>> fnp.linalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
        SlogdetResult(sign=Array(-1., dtype=float64), logabsdet=Array(0., dtype=float64))
    """
    if method not in (None, "lu", "qr"):
        raise ValueError(f"slogdet: method must be None, 'lu' or 'qr', got {method!r}")
    sign, logabsdet = linalg.slogdet(operand(a))
    return SlogdetResult(wrap(sign), wrap(logabsdet))


def matrix_power(a: ArrayLike, n: int) -> Shaped[Array, "... m m"]:
    """A square matrix multiplied with itself; a negative exponent takes the inverse.

    Raises:
        TypeError: the exponent is not an integer.
        LinAlgError: not square; or singular, with a negative exponent.

    Example:
        >>> fnp.linalg.matrix_power([[1.0, 1.0], [0.0, 1.0]], 3)
        Array([[1., 3.],
               [0., 1.]], dtype=float64)
    """
    a = asarray(a)
    linalg.matrix_shape("matrix_power", a, square=True)
    try:
        n = index(n)
    except TypeError:
        raise TypeError(f"matrix_power: the exponent must be an integer, got {n!r}") from None
    if n == 0:
        return wrap(np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape))
    if n < 0:
        a, n = inv(a), -n
    result: Any = None
    while True:  # square, and multiply where a binary digit of n is set
        if n & 1:
            result = a if result is None else _matmul(result, a)
        n >>= 1
        if not n:
            return result
        a = _matmul(a, a)


def matrix_rank(
    A: ArrayLike, tol: ArrayLike | None = None, hermitian: bool = False, *, rtol: ArrayLike | None = None
) -> Integer[Array, "..."]:
    """How many singular values are not zero. It is an integer, so its derivative is zero.

    Arguments:
        A: a matrix, or a stack of them; a vector has rank one unless it is zero.
        tol: singular values up to this count as zero.
        hermitian: whether the matrices are Hermitian, which is faster.
        rtol: the same relative to the largest; by default the larger side times the precision of the dtype.

    Raises:
        ValueError: both tol and rtol are given.

    Example:
        >>> fnp.linalg.matrix_rank([[1.0, 1.0], [1.0, 1.0]])
        Array(1, dtype=int64)
    """
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank: only one of tol or rtol may be specified.")
    A = with_shape(A)
    if A.ndim < 2:
        return astype(any_(A != 0), np.dtype(np.intp))
    tol, rtol = [t._concrete("matrix_rank(tol=x)") if isinstance(t, Array) else t for t in (tol, rtol)]
    return wrap(linalg.matrix_rank(A, tol=tol, hermitian=bool(hermitian), rtol=rtol))


# Factorizations.


def cholesky(a: ArrayLike, /, *, upper: bool = False, symmetrize_input: bool = True) -> Inexact[Array, "... n n"]:
    """The triangular factor of a Hermitian positive definite matrix: L with L Lᴴ = a, or Lᴴ.

    As in JAX it is that of (a + aᴴ) / 2, so that gradients are Hermitian. For a Hermitian matrix that is the same;
    NumPy looks at one triangle only.

    Arguments:
        a: the matrix, or a stack of them.
        upper: whether to give the upper factor Lᴴ.
        symmetrize_input: whether the matrix is taken to be (a + aᴴ) / 2; otherwise its lower triangle alone is read,
            and the gradient is triangular.

    Raises:
        LinAlgError: not square, or not positive definite.

    Example:
        >>> fnp.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]])
        Array([[2., 0.],
               [1., 1.]], dtype=float64)
    """
    a = operand(a)
    if not symmetrize_input:
        a = asarray(a)
        a = tril(a) + adjoint(tril(a, -1))
    out = wrap(factorizations.cholesky(a))
    return adjoint(out) if upper else out


def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """The factors Q, with orthonormal columns, and R, upper triangular, of a matrix.

    Arguments:
        a: the matrix, or a stack of them.
        mode: "reduced", also called "full"; "r" for R alone; "complete" for a square Q; "raw" for LAPACK's own form,
            which is not differentiable. Nothing determines the further columns of a square Q but the space that they
            span: the derivative is right for every function that depends on that alone, as in JAX.

    Returns:
        A named tuple `(Q, R)`; with "r" an array, with "raw" a pair.

    Raises:
        NotDifferentiableError: a derivative was asked for that does not exist.
        ValueError: another mode.

    Example:
        >>> abs(fnp.linalg.qr([[0.0, 2.0], [3.0, 0.0]]).R)
        Array([[3., 0.],
               [0., 2.]], dtype=float64)
    """
    if mode == "full":  # NumPy's older name
        mode = "reduced"
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f'qr: mode must be one of "reduced", "complete", "r" and "raw", got {mode!r}')
    a = with_shape(a)
    if mode == "r":
        return wrap(factorizations.qr_r(a))
    m, n = linalg.matrix_shape("qr", a)[-2:]
    if mode == "reduced" or (mode == "complete" and m <= n):
        q, r = factorizations.qr(a)
        return QRResult(wrap(q), wrap(r))
    if mode == "complete":
        q, r = factorizations.qr_complete(a)
        return QRResult(wrap(q), wrap(r))
    packed, tau = factorizations.qr_raw(a)
    return wrap(packed), wrap(tau)


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    subset_by_index: tuple[int, int] | None = None,
) -> Any:
    """The singular value decomposition U diag(S) Vh of a matrix.

    Arguments:
        a: the matrix, or a stack of them.
        full_matrices: whether U and Vh are square. Of a matrix that is not square itself this has no derivative, for
            nothing determines the further vectors: use False.
        compute_uv: whether to give U and Vh, or S alone, which costs less.
        hermitian: whether the matrix is Hermitian, which is faster.
        subset_by_index: the first of the singular values that are wanted and the one after the last.

    Returns:
        A named tuple `(U, S, Vh)`, or S.

    Raises:
        NotDifferentiableError: a derivative with full_matrices of a matrix that is not square.

    Example:
        >>> fnp.linalg.svd([[0.0, 2.0], [3.0, 0.0]], compute_uv=False)
        Array([3., 2.], dtype=float64)
    """
    a = with_shape(a)
    m, n = linalg.matrix_shape("svd", a)[-2:]
    if subset_by_index is not None:
        if full_matrices and m != n:
            raise ValueError("svd: subset_by_index needs full_matrices=False")
        chosen = slice(*map(int, subset_by_index))
        if not compute_uv:
            return svd(a, False, False, hermitian)[..., chosen]
        u, s, vh = svd(a, False, True, hermitian)
        return SVDResult(u[..., chosen], s[..., chosen], vh[..., chosen, :])
    if hermitian:
        return _svd_hermitian(a, compute_uv)
    if not compute_uv:
        return wrap(factorizations.svdvals(a))
    u, s, vh = (factorizations.svd_full if full_matrices and m != n else factorizations.svd)(a)
    return SVDResult(wrap(u), wrap(s), wrap(vh))


def _svd_hermitian(a: Any, compute_uv: bool) -> Any:
    """Singular values of a Hermitian matrix are sizes of eigenvalues."""
    if not compute_uv:
        return sort(absolute(eigvalsh(a)))[..., ::-1]
    w, v = eigh(a)
    s = absolute(w)
    order = argsort(s)[..., ::-1]
    u = take_along_axis(v, order[..., None, :], -1)
    signs = take_along_axis(sign(w), order, -1)
    return SVDResult(u, take_along_axis(s, order, -1), adjoint(u * signs[..., None, :]))


def svdvals(x: ArrayLike, /) -> Float[Array, "... k"]:
    """The singular values of a matrix, or of each in a stack, the largest first.

    Example:
        >>> fnp.linalg.svdvals([[0.0, 2.0], [3.0, 0.0]])
        Array([3., 2.], dtype=float64)
    """
    return wrap(factorizations.svdvals(operand(x)))


def _triangle(uplo: str | None, symmetrize: bool) -> str | None:
    if uplo is None:
        return None if symmetrize else "L"
    if not isinstance(uplo, str) or uplo.upper() not in ("L", "U"):
        raise ValueError(f"UPLO must be 'L' or 'U', or None for the whole matrix; got {uplo!r}")
    return uplo.upper()


def eigh(a: ArrayLike, UPLO: str | None = None, symmetrize_input: bool = True) -> EighResult:
    """Eigenvalues, in ascending order, and eigenvectors of a Hermitian matrix.

    Arguments:
        a: the matrix, or a stack of them.
        UPLO: which triangle to look at, "L" or "U"; the gradient is triangular then. By default the matrix is taken to
            be (a + aᴴ) / 2, as in JAX: the same for a Hermitian matrix, with a Hermitian gradient.
        symmetrize_input: False without UPLO means UPLO="L".

    Returns:
        A named tuple `(eigenvalues, eigenvectors)`; the vectors are columns. The phase of a complex one is arbitrary:
        the derivative of a function that depends on it is not meaningful.

    Raises:
        LinAlgError: not square, or the computation does not converge.
        ValueError: another UPLO.

    Example:
        >>> fnp.linalg.eigh([[2.0, 1.0], [1.0, 2.0]]).eigenvalues
        Array([1., 3.], dtype=float64)
    """
    w, v = factorizations.eigh(operand(a), uplo=_triangle(UPLO, symmetrize_input))
    return EighResult(wrap(w), wrap(v))


def eigvalsh(a: ArrayLike, UPLO: str | None = None, *, symmetrize_input: bool = True) -> Float[Array, "... n"]:
    """The eigenvalues of a Hermitian matrix, in ascending order. The arguments are those of `eigh`.

    Example:
        >>> fnp.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]])
        Array([1., 3.], dtype=float64)
    """
    return wrap(factorizations.eigvalsh(operand(a), uplo=_triangle(UPLO, symmetrize_input)))


def _lower_eigh(a: ArrayLike, UPLO: str = "L") -> EighResult:
    return eigh(a, UPLO)


def _lower_eigvalsh(a: ArrayLike, UPLO: str = "L") -> Array:
    return eigvalsh(a, UPLO)


def _triangle_cholesky(a: ArrayLike, /, *, upper: bool = False) -> Array:
    a = asarray(a)
    return cholesky(adjoint(a) if upper else a, upper=upper, symmetrize_input=False)


def _from_lower(a: ArrayLike) -> Array:
    a = tril(asarray(a))
    half = a * np.where(np.eye(a.shape[-1]), 0.5, 1.0).astype(linalg.real_dtype(linalg.linalg_dtype("a", a)))
    return half + adjoint(half)


def _lower_pinv(a: ArrayLike, rcond: Any = None, hermitian: bool = False, **options: Any) -> Array:
    return pinv(_from_lower(a) if hermitian else a, rcond, hermitian, **options)


def _lower_svd(a: ArrayLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    return svd(_from_lower(a) if hermitian else a, full_matrices, compute_uv, hermitian)


ONE_TRIANGLE = {
    np.linalg.pinv: _lower_pinv,
    np.linalg.svd: _lower_svd,
    np.linalg.cholesky: _triangle_cholesky,
    np.linalg.eigh: _lower_eigh,
    np.linalg.eigvalsh: _lower_eigvalsh,
}
"""What NumPy's own functions do: they read one triangle, so that their values and derivatives are the same inside of a
transform as outside. Called by funcgrad's names, these symmetrize the matrix, as in JAX."""


def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and eigenvectors of a square matrix, which need not be Hermitian.

    Returns:
        A named tuple `(eigenvalues, eigenvectors)`, complex as in JAX (NumPy gives real arrays if all eigenvalues
        happen to be real). The vectors are columns of length one, whose largest element is real; derivatives keep to
        that.

    Raises:
        LinAlgError: not square, or the computation does not converge.

    Example:
        >>> fnp.linalg.eig([[2.0, 0.0], [0.0, 3.0]]).eigenvalues
        Array([2.+0.j, 3.+0.j], dtype=complex128)
    """
    w, v = factorizations.eig(operand(a))
    return EigResult(wrap(w), wrap(v))


def eigvals(a: ArrayLike) -> Complex[Array, "... n"]:
    """The eigenvalues of a square matrix, complex as those of `eig`.

    Raises:
        LinAlgError: not square, or the computation does not converge.

    Example:
        >>> fnp.linalg.eigvals([[0.0, 0.0], [0.0, 3.0]])
        Array([0.+0.j, 3.+0.j], dtype=complex128)
    """
    return wrap(factorizations.eigvals(operand(a)))


# Norms.


def norm(
    x: ArrayLike,
    ord: ArrayLike | str | None = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> Float[Array, "..."]:
    """A norm of vectors or matrices.

    Arguments:
        x: the array.
        ord: for vectors a number p, inf or -inf; for matrices 1, -1, 2, -2, inf, -inf, "fro" or "nuc". None stands for
            the square root of the sum of squares.
        axis: one axis for vectors, two for matrices; None for the whole array.
        keepdims: whether the axes stay, with length one.

    Returns:
        The norm, real. The gradient of the Euclidean norm at zero is nan, as in JAX.

    Raises:
        ValueError: there is no such norm for this number of axes.

    Example:
        >>> fnp.linalg.norm([3.0, 4.0])
        Array(5., dtype=float64)
    """
    x = _inexact(x)
    if axis is None:
        axes = tuple(range(x.ndim))
        if ord is None:
            return wrap(linalg.norm(x, axis=axes, keepdims=True) if keepdims else linalg.norm(x, axis=axes))
    else:
        try:
            axes = tuple(
                [normalize_axis_index(index(i), x.ndim) for i in (axis if isinstance(axis, tuple) else (axis,))]
            )
        except TypeError:
            raise TypeError(f"norm: axis must be None, an integer or a tuple of integers, got {axis!r}") from None
    if len(axes) == 1:
        return _vector_norm(x, ord, axes, bool(keepdims))
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, bool(keepdims))
    raise ValueError(
        f"norm takes one axis for vectors or two for matrices, got {len(axes)}; vector_norm takes any number"
    )


def _vector_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Array:
    if ord is None or ord == 2:
        return wrap(linalg.norm(x, axis=axes, keepdims=True) if keepdims else linalg.norm(x, axis=axes))
    if isinstance(ord, str):
        raise ValueError(f"a vector has no norm of order {ord!r}; give a number")
    if ord == 0:
        return sum_(astype(x != 0, linalg.real_dtype(x.dtype)), axis=axes, keepdims=keepdims)
    sizes = absolute(x)
    if ord == math.inf:
        return max_(sizes, axis=axes, keepdims=keepdims, initial=0)
    if ord == -math.inf:
        return min_(sizes, axis=axes, keepdims=keepdims)
    if ord == 1:
        return sum_(sizes, axis=axes, keepdims=keepdims)
    return sum_(sizes**ord, axis=axes, keepdims=keepdims) ** (1.0 / ord)


def _matrix_norm(x: Any, ord: Any, axes: tuple[int, ...], keepdims: bool) -> Array:
    if axes[0] == axes[1]:
        raise ValueError(f"norm: the two axes of a matrix must be different, got {axes}")
    if ord is None or ord in ("fro", "f"):
        return wrap(linalg.norm(x, axis=axes, keepdims=True) if keepdims else linalg.norm(x, axis=axes))
    x = moveaxis(x, axes, (-2, -1))
    if ord in (1, -1, math.inf, -math.inf):
        sums = sum_(absolute(x), axis=-2 if abs(ord) == 1 else -1)
        out = max_(sums, axis=-1, initial=0) if ord > 0 else min_(sums, axis=-1)
    elif ord in (2, -2, "nuc"):
        s = svdvals(x)
        out = sum_(s, axis=-1) if ord == "nuc" else max_(s, axis=-1, initial=0) if ord == 2 else min_(s, axis=-1)
    else:
        raise ValueError(f'a matrix has no norm of order {ord!r}; there are "fro", "nuc", 1, -1, 2, -2, inf and -inf')
    return expand_dims(out, axes) if keepdims else out


def vector_norm(
    x: ArrayLike, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: ArrayLike = 2
) -> Float[Array, "..."]:
    """A norm of vectors that lie along one or more axes, by default along all.

    Arguments:
        x: the array.
        axis: the axes.
        keepdims: whether the axes stay, with length one.
        ord: a number p, inf or -inf.

    Raises:
        ValueError: ord is a string.

    Example:
        >>> fnp.linalg.vector_norm([[3.0], [4.0]], ord=1)
        Array(7., dtype=float64)
    """
    x = _inexact(x)
    return _vector_norm(x, ord, normalize_axes(axis, x.ndim), bool(keepdims))


def matrix_norm(
    x: ArrayLike, /, *, keepdims: bool = False, ord: int | float | str | None = "fro"
) -> Float[Array, "..."]:
    """A norm of matrices; the orders are those of `norm`.

    Raises:
        ValueError: there is no such norm.

    Example:
        >>> fnp.linalg.matrix_norm([[1.0, -2.0], [3.0, 4.0]], ord=1)
        Array(6., dtype=float64)
    """
    return norm(x, ord, (-2, -1), keepdims)


def cond(x: ArrayLike, p: int | float | str | None = None) -> Float[Array, "..."]:
    """The condition number of a matrix: the norm of it times that of its inverse. A singular matrix has inf.

    Arguments:
        x: the matrix, or a stack of them.
        p: the order of the norm; None stands for 2, and needs no square matrix, as -2 does not.

    Raises:
        LinAlgError: the matrix is empty; or not square, where it has to be.

    Example:
        >>> fnp.linalg.cond([[4.0, 0.0], [0.0, 2.0]])
        Array(2., dtype=float64)
    """
    x = _inexact(x)
    shape = linalg.matrix_shape("cond", x)
    if 0 in shape[-2:]:
        raise LinAlgError(f"cond: an empty matrix has no condition number, got shape {shape}")
    singular: Any = np.False_
    if p is None or p in (2, -2):
        s = svdvals(x)
        large, small = s[..., 0], s[..., -1]
        above, below = (small, large) if p == -2 else (large, small)
        singular = below == 0
        r = above / where(singular, 1, below)
    else:
        linalg.matrix_shape("cond", x, square=True)
        singular = slogdet(x).sign == 0
        regular = where(singular[..., None, None], np.eye(shape[-1], dtype=x.dtype), x)
        r = norm(regular, p, (-2, -1)) * norm(inv(regular), p, (-2, -1))
    if isinstance(singular, Tracer) or np.any(singular):
        # -log(0) is inf, and log|det| is what has the derivative nan at a singular matrix, forward and backward
        zero = where(singular, 0 * sum_(x, axis=(-2, -1)), 1)
        r = where(singular, -slogdet(zero[..., None, None]).logabsdet, r)
    out: Any = where(isnan(r) & ~any_(isnan(x), axis=(-2, -1)), math.inf, r)
    return out


# Products.


def multi_dot(arrays: Sequence[ArrayLike], *, out: Any = None, precision: Any = None) -> Shaped[Array, "..."]:
    """The product of several matrices, in the order of multiplications that costs least.

    Arguments:
        arrays: two or more matrices; the first may be a row vector and the last a column vector.
        out: not supported.
        precision: accepted as in JAX; products have the full precision of the dtype.

    Raises:
        ValueError: fewer than two arrays, or shapes that do not match.
        LinAlgError: an array is no matrix.

    Example:
        >>> fnp.linalg.multi_dot([[1.0, 2.0], [[1.0, 0.0], [0.0, 3.0]], [1.0, 1.0]])
        Array(7., dtype=float64)
    """
    reject("linalg.multi_dot", out=out)
    if len(arrays) < 2:
        raise ValueError(f"multi_dot takes at least two arrays, got {len(arrays)}")
    factors = [with_shape(a) for a in arrays]
    if len(factors) == 2:
        return dot(*factors)
    row, column = factors[0].ndim == 1, factors[-1].ndim == 1
    if row:
        factors[0] = expand_dims(factors[0], 0)
    if column:
        factors[-1] = expand_dims(factors[-1], 1)
    for k, a in enumerate(factors):
        if a.ndim != 2:
            raise LinAlgError(
                f"multi_dot takes matrices (first and last may be vectors), but array {k} has shape {a.shape}"
            )
    result = _chain(factors, _splits((*[a.shape[0] for a in factors], factors[-1].shape[1])), 0, len(factors) - 1)
    if row or column:
        result = reshape(result, result.shape[row : 2 - column])
    return result


@functools.lru_cache
def _splits(sizes: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """For each range i..j of a chain of matrices, sizes[k] by sizes[k + 1], after which of them to split it.

    Source: Cormen et al., "Introduction to Algorithms", matrix-chain multiplication.
    """
    n = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return split


def _chain(factors: list, split: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return factors[i]
    k = split[i, j]
    return _matmul(_chain(factors, split, i, k), _chain(factors, split, k + 1, j))


def matmul(
    x1: ArrayLike, x2: ArrayLike, /, *, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, "..."]:
    """The matrix product; `funcgrad.numpy.matmul`.

    Arguments:
        x1, x2: the arrays.
        precision: accepted as in JAX.
        preferred_element_type: the dtype of the products, their sums and the result.

    Example:
        >>> fnp.linalg.matmul([[1.0, 2.0]], [[3.0], [4.0]])
        Array([[11.]], dtype=float64)
    """
    return _matmul(x1, x2, preferred_element_type=preferred_element_type)


def tensordot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axes: int | Sequence[int | Sequence[int]] = 2,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Shaped[Array, "..."]:
    """The sum of products over chosen axes; `funcgrad.numpy.tensordot`.

    Arguments:
        x1, x2: the arrays.
        axes: those of `funcgrad.numpy.tensordot`.
        precision: accepted as in JAX.
        preferred_element_type: the dtype of the products, their sums and the result.

    Example:
        >>> fnp.linalg.tensordot([1.0, 2.0], [3.0, 4.0], axes=1)
        Array(11., dtype=float64)
    """
    return contractions.tensordot(x1, x2, axes, preferred_element_type=preferred_element_type)


def vecdot(
    x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1, precision: Any = None, preferred_element_type: Any = None
) -> Shaped[Array, "..."]:
    """The dot products of vectors along an axis, the first conjugated; `funcgrad.numpy.vecdot`.

    Arguments:
        x1, x2: the arrays.
        axis: along which the vectors lie.
        precision: accepted as in JAX.
        preferred_element_type: the dtype of the products, their sums and the result.

    Example:
        >>> fnp.linalg.vecdot([1.0, 2.0], [3.0, 4.0])
        Array(11., dtype=float64)
    """
    return contractions.vecdot(x1, x2, axis=axis, preferred_element_type=preferred_element_type)


def outer(x1: ArrayLike, x2: ArrayLike, /) -> Shaped[Array, "n m"]:
    """All products of an element of one vector with an element of another.

    Raises:
        ValueError: an argument is no vector.

    Example:
        >>> fnp.linalg.outer([1.0, 2.0], [3.0, 4.0])
        Array([[3., 4.],
               [6., 8.]], dtype=float64)
    """
    x1, x2 = with_shape(x1), with_shape(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"linalg.outer takes two vectors, got shapes {x1.shape} and {x2.shape}")
    return contractions.outer(x1, x2)


def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Shaped[Array, "..."]:
    """The cross products of vectors of length three along an axis.

    Raises:
        ValueError: the axis is not of length three.

    Example:
        >>> fnp.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        Array([0., 0., 1.], dtype=float64)
    """
    x1, x2 = with_shape(x1), with_shape(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            f"linalg.cross takes vectors of length three along axis {axis}, got shapes {x1.shape} and {x2.shape}"
        )
    return contractions.cross(x1, x2, axis=axis)


def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Shaped[Array, "... k"]:
    """The diagonals of matrices in the last two axes, `offset` above the main one.

    Example:
        >>> fnp.linalg.diagonal([[1.0, 2.0], [3.0, 4.0]], offset=1)
        Array([2.], dtype=float64)
    """
    return diagonals.diagonal(x, offset, axis1=-2, axis2=-1)


def trace(x: ArrayLike, /, *, offset: int = 0, dtype: Any = None) -> Shaped[Array, "..."]:
    """The sums of the diagonals of matrices in the last two axes.

    Example:
        >>> fnp.linalg.trace([[1.0, 2.0], [3.0, 4.0]])
        Array(5., dtype=float64)
    """
    return contractions.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


publish(__name__, source="numpy.linalg")
