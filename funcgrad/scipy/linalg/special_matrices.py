"""Matrices with a structure that a few numbers determine, under SciPy's names.

Where the numbers are an argument, they lie along its last axis; axes before it are a stack.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Complex, Float, Inexact, Shaped
from funcgrad.errors import ShapeError
from funcgrad.numpy import absolute, asarray, broadcast_to, concatenate, zeros
from funcgrad.numpy.convert import inexact

__all__ = [
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "dft",
    "fiedler",
    "fiedler_companion",
    "hadamard",
    "hankel",
    "helmert",
    "hilbert",
    "invhilbert",
    "invpascal",
    "khatri_rao",
    "leslie",
    "pascal",
    "toeplitz",
]


def block_diag(*arrs: ArrayLike) -> Shaped[Array, "m n"]:
    """The matrix with these matrices along its diagonal and zeros elsewhere; a vector counts as a row.

    Example:
        >>> from funcgrad.scipy.linalg import block_diag
        >>> block_diag([[1.0, 2.0]], 3.0)
        Array([[1., 2., 0.],
               [0., 0., 3.]], dtype=float64)
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


def _vector(a: ArrayLike) -> Array:
    x = asarray(a)
    return x.reshape(1) if x.ndim == 0 else x


def _joined(first: Array, last: Array) -> Array:
    """Two stacks of vectors, one after the other."""
    batch = np.broadcast_shapes(first.shape[:-1], last.shape[:-1])
    parts = [broadcast_to(x, batch + x.shape[-1:]) for x in (first, last)]
    return concatenate(parts, axis=-1)


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Shaped[Array, "... m n"]:
    """The matrix whose diagonals are constant.

    Arguments:
        c: its first column.
        r: its first row, without the first element, which is that of c; by default the conjugate of c.

    Example:
        >>> from funcgrad.scipy.linalg import toeplitz
        >>> toeplitz([1, 2], [1, 3, 4])
        Array([[1, 3, 4],
               [2, 1, 3]], dtype=int64)
    """
    column = _vector(c)
    row = column.conj() if r is None else _vector(r)
    m, n = column.shape[-1], row.shape[-1]
    both = _joined(column[..., ::-1], row[..., 1:])
    return both[..., np.arange(m)[::-1][:, None] + np.arange(n)]


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> Shaped[Array, "... m n"]:
    """The matrix whose antidiagonals are constant.

    Arguments:
        c: its first column.
        r: its last row, without the first element, which is the last of c; by default zeros.

    Example:
        >>> from funcgrad.scipy.linalg import hankel
        >>> hankel([1, 2, 3])
        Array([[1, 2, 3],
               [2, 3, 0],
               [3, 0, 0]], dtype=int64)
    """
    column = _vector(c)
    row = zeros(column.shape, column.dtype) if r is None else _vector(r)
    m, n = column.shape[-1], row.shape[-1]
    return _joined(column, row[..., 1:])[..., np.arange(m)[:, None] + np.arange(n)]


def circulant(c: ArrayLike) -> Shaped[Array, "... n n"]:
    """The matrix each column of which is the one before it, moved down by one place and around.

    Arguments:
        c: its first column.

    Example:
        >>> from funcgrad.scipy.linalg import circulant
        >>> circulant([1, 2, 3])
        Array([[1, 3, 2],
               [2, 1, 3],
               [3, 2, 1]], dtype=int64)
    """
    column = _vector(c)
    n = column.shape[-1]
    return column[..., (np.arange(n)[:, None] - np.arange(n)) % max(n, 1)]


def convolution_matrix(a: ArrayLike, n: int, mode: str = "full") -> Shaped[Array, "... k n"]:
    """The matrix A for which A @ v is the convolution of a with v.

    Arguments:
        a: the numbers to convolve with.
        n: the length of v.
        mode: "full", "same" or "valid", as for `numpy.convolve`.

    Raises:
        ValueError: n is not positive, a is empty or a number, or the mode is another.

    Example:
        >>> from funcgrad.scipy.linalg import convolution_matrix
        >>> convolution_matrix([1, 2], 2)
        Array([[1, 0],
               [2, 1],
               [0, 2]], dtype=int64)
    """
    if n <= 0:
        raise ValueError(f"convolution_matrix: n must be a positive integer, got {n}")
    x = asarray(a)
    if x.ndim == 0:
        raise ValueError("convolution_matrix: a must be at least 1-dimensional, got a number")
    if x.shape[-1] == 0:
        raise ValueError(f"convolution_matrix: len(a) must be at least 1, got an array of shape {x.shape}")
    if mode not in ("full", "valid", "same"):
        raise ValueError(f"convolution_matrix: mode must be one of 'full', 'valid' and 'same', got {mode!r}")
    end = zeros((*x.shape[:-1], n - 1), x.dtype)
    column, row = concatenate([x, end], axis=-1), concatenate([x[..., ::-1], end], axis=-1)
    trim = 0 if mode == "full" else min(n, x.shape[-1]) - 1
    before = trim // 2 if mode == "same" else trim
    after = trim - before if mode == "same" else trim
    length = column.shape[-1]
    return toeplitz(column[..., before : length - after], row[..., length - n - before : length - before])


def _leading(name: str, a: Array) -> None:
    """Refuse coefficients whose first one is zero, where it is known."""
    value = known(a[..., 0])
    if value is not None and np.any(np.asarray(value) == 0):
        raise ValueError(f"{name}: the first coefficient of a polynomial must be nonzero")


def companion(a: ArrayLike) -> Inexact[Array, "... n-1 n-1"]:
    """The matrix whose eigenvalues are the roots of a polynomial.

    Arguments:
        a: its coefficients, that of the highest power first.

    Raises:
        ValueError: there are fewer than two, or the first is zero.

    Example:
        >>> from funcgrad.scipy.linalg import companion
        >>> companion([1.0, -3.0, 2.0])
        Array([[ 3., -2.],
               [ 1.,  0.]], dtype=float64)
    """
    x = inexact(a)
    if x.ndim == 0 or x.shape[-1] < 2:
        raise ValueError(f"companion: the length of `a` along the last axis must be at least 2, got shape {x.shape}")
    _leading("companion", x)
    n = x.shape[-1] - 1
    row = (-x[..., 1:] / x[..., :1])[..., None, :]
    below = broadcast_to(np.eye(n - 1, n, dtype=x.dtype), (*x.shape[:-1], n - 1, n))
    return concatenate([row, below], axis=-2)


def fiedler(a: ArrayLike) -> Shaped[Array, "... n n"]:
    """The symmetric matrix of the distances |a_i - a_j|.

    Example:
        >>> from funcgrad.scipy.linalg import fiedler
        >>> fiedler([1, 4, 5])
        Array([[0, 3, 4],
               [3, 0, 1],
               [4, 1, 0]], dtype=int64)
    """
    x = _vector(a)
    return absolute(x[..., :, None] - x[..., None, :])


def fiedler_companion(a: ArrayLike) -> Inexact[Array, "... n-1 n-1"]:
    """The pentadiagonal matrix whose eigenvalues are the roots of a polynomial.

    Arguments:
        a: its coefficients, that of the highest power first.

    Raises:
        ValueError: there are none, or the first is zero.

    Example:
        >>> from funcgrad.scipy.linalg import fiedler_companion
        >>> fiedler_companion([1.0, -3.0, 2.0])
        Array([[ 3., -2.],
               [ 1.,  0.]], dtype=float64)
    """
    x = inexact(a)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"fiedler_companion: the last axis must have a nonzero length, got shape {x.shape}")
    n = x.shape[-1] - 1
    if n == 0:
        return zeros((*x.shape[:-1], 0, 0), x.dtype)
    _leading("fiedler_companion", x)
    x = x / x[..., :1]
    ones = np.zeros((n, n), x.dtype)
    ones[np.arange(3, n, 2), np.arange(1, n - 2, 2)] = 1
    ones[np.arange(0, n - 2, 2), np.arange(2, n, 2)] = 1
    if n > 1:
        ones[1, 0] = 1
    out = broadcast_to(ones, (*x.shape[:-1], n, n)) + 0 * x[..., :1, None]
    if n > 1:
        out = out.at[..., np.arange(2, n, 2), np.arange(1, n - 1, 2)].set(-x[..., 3::2])
        out = out.at[..., np.arange(0, n - 1, 2), np.arange(1, n, 2)].set(-x[..., 2::2])
    return out.at[..., 0, 0].set(-x[..., 1])


def leslie(f: ArrayLike, s: ArrayLike) -> Shaped[Array, "... n n"]:
    """The matrix by which a population with age classes moves on.

    Arguments:
        f: the n fecundities, the first row.
        s: the n - 1 rates of survival, below the diagonal.

    Raises:
        ValueError: the lengths do not fit.

    Example:
        >>> from funcgrad.scipy.linalg import leslie
        >>> leslie([0.1, 2.0], [0.5])
        Array([[0.1, 2. ],
               [0.5, 0. ]], dtype=float64)
    """
    first, below = _vector(f), _vector(s)
    n = first.shape[-1]
    if below.shape[-1] != n - 1:
        raise ValueError(f"leslie: Incorrect lengths for f and s: s must be one shorter, got {n} and {below.shape[-1]}")
    if n < 2:
        raise ValueError(f"leslie: the length of f along the last axis must be at least 2, got {n}")
    dtype = np.result_type(first.dtype, below.dtype)
    batch = np.broadcast_shapes(first.shape[:-1], below.shape[:-1])
    out = zeros((*batch, n, n), dtype).at[..., 0, :].set(first.astype(dtype))
    return out.at[..., np.arange(1, n), np.arange(n - 1)].set(below.astype(dtype))


def khatri_rao(a: ArrayLike, b: ArrayLike) -> Shaped[Array, "m*n k"]:
    """The matrix whose columns are the Kronecker products of the columns of two matrices.

    Example:
        >>> from funcgrad.scipy.linalg import khatri_rao
        >>> khatri_rao([[1, 2]], [[3, 4], [5, 6]])
        Array([[ 3,  8],
               [ 5, 12]], dtype=int64)
    """
    x, y = asarray(a), asarray(b)
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
        raise ShapeError(f"khatri_rao takes two matrices with equally many columns, got shapes {x.shape} and {y.shape}")
    product = x[..., :, None, :] * y[..., None, :, :]
    return product.reshape((*product.shape[:-3], -1, product.shape[-1]))


# Matrices of which only the size is given.


def dft(n: int, scale: str | None = None, *, dtype: Any = None) -> Complex[Array, "n n"]:
    """The matrix F for which F @ x is the discrete Fourier transform of x.

    Arguments:
        n: its size.
        scale: None; "sqrtn" for a unitary matrix; "n" for one divided by n.
        dtype: a complex one, by default complex128.

    Raises:
        ValueError: another scale, or a dtype that is not complex.

    Example:
        >>> from funcgrad.scipy.linalg import dft
        >>> dft(2).real
        Array([[ 1.,  1.],
               [ 1., -1.]], dtype=float64)
    """
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"dft: scale must be None, 'sqrtn' or 'n', got {scale!r}")
    kind = np.dtype(np.complex128 if dtype is None else dtype)
    if kind.kind != "c":
        raise ValueError(f"dft: dtype must be complex, got {kind}")
    turns = np.arange(n)[:, None] * np.arange(n) % max(n, 1)
    out = np.exp(-2j * np.pi / max(n, 1) * turns)
    return wrap((out / (math.sqrt(n) if scale == "sqrtn" else n) if scale and n else out).astype(kind))


def hadamard(n: int, dtype: Any = int) -> Shaped[Array, "n n"]:
    """The matrix of ones and minus ones with orthogonal rows that Sylvester's construction gives.

    Arguments:
        n: its size, a power of two.
        dtype: of the result.

    Raises:
        ValueError: n is no power of two.

    Example:
        >>> from funcgrad.scipy.linalg import hadamard
        >>> hadamard(2)
        Array([[ 1,  1],
               [ 1, -1]], dtype=int64)
    """
    if n < 1 or n & (n - 1):
        raise ValueError(f"hadamard: n must be a positive power of 2, got {n}")
    out = np.ones((1, 1), dtype)
    while len(out) < n:
        out = np.block([[out, out], [out, -out]])
    return wrap(out)


def helmert(n: int, full: bool = False) -> Float[Array, "n-1 n"]:
    """The orthonormal matrix that compares each of n numbers with the mean of those before it.

    Arguments:
        n: its size.
        full: whether to give the first row too, which is constant.

    Raises:
        ValueError: n is not positive.

    Example:
        >>> from funcgrad.scipy.linalg import helmert
        >>> helmert(2)
        Array([[ 0.70710678, -0.70710678]], dtype=float64)
    """
    if n < 1:
        raise ValueError(f"helmert: n must be a positive integer, got {n}")
    out = np.tril(np.ones((n, n)), -1) - np.diag(np.arange(n))
    out[0] = 1
    squares = np.arange(n) * np.arange(1, n + 1)
    squares[0] = n
    out = out / np.sqrt(squares)[:, None]
    return wrap(out if full else out[1:])


def hilbert(n: int) -> Float[Array, "n n"]:
    """The matrix with the elements 1 / (i + j + 1).

    Example:
        >>> from funcgrad.scipy.linalg import hilbert
        >>> hilbert(2)
        Array([[1.        , 0.5       ],
               [0.5       , 0.33333333]], dtype=float64)
    """
    return wrap(1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0))


def invhilbert(n: int) -> Float[Array, "n n"]:
    """The inverse of `hilbert(n)`, whose elements are integers.

    Example:
        >>> from funcgrad.scipy.linalg import invhilbert
        >>> invhilbert(2)
        Array([[ 4., -6.],
               [-6., 12.]], dtype=float64)
    """
    c = math.comb

    def element(i: int, j: int) -> float:
        size = (i + j + 1) * c(n + i, n - j - 1) * c(n + j, n - i - 1) * c(i + j, i) ** 2
        return float(-size if (i + j) % 2 else size)

    return wrap(np.array([[element(i, j) for j in range(n)] for i in range(n)]).reshape(n, n))


def _triangle_of_pascal(n: int, sign: int) -> np.ndarray:
    rows = [[float(math.comb(i, j) * sign ** (i - j)) if j <= i else 0.0 for j in range(n)] for i in range(n)]
    return np.array(rows).reshape(n, n)


def _kind(name: str, kind: str | None) -> str:
    if kind not in (None, "symmetric", "lower", "upper"):
        raise ValueError(f"{name}: Expected kind to be one of 'symmetric', 'lower' and 'upper', got {kind!r}")
    return kind or "symmetric"


def pascal(n: int, kind: str | None = None) -> Float[Array, "n n"]:
    """The matrix of binomial coefficients.

    Arguments:
        n: its size.
        kind: "symmetric" for the elements (i+j choose i), which is the default; "lower" for the triangle of Pascal,
            "upper" for its transpose.

    Example:
        >>> from funcgrad.scipy.linalg import pascal
        >>> pascal(3, kind="lower")
        Array([[1., 0., 0.],
               [1., 1., 0.],
               [1., 2., 1.]], dtype=float64)
    """
    kind, lower = _kind("pascal", kind), _triangle_of_pascal(n, 1)
    return wrap(lower if kind == "lower" else lower.T.copy() if kind == "upper" else lower @ lower.T)


def invpascal(n: int, kind: str | None = None) -> Float[Array, "n n"]:
    """The inverse of `pascal(n, kind)`.

    Example:
        >>> from funcgrad.scipy.linalg import invpascal
        >>> invpascal(2)
        Array([[ 2., -1.],
               [-1.,  1.]], dtype=float64)
    """
    kind, lower = _kind("invpascal", kind), _triangle_of_pascal(n, -1)
    return wrap(lower if kind == "lower" else lower.T.copy() if kind == "upper" else lower.T @ lower)
