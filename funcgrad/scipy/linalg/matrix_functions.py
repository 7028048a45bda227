"""Functions of matrices under SciPy's names.

The square root and the logarithm are complex, as in JAX, so that no dtype depends on values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Complex, Inexact
from funcgrad.errors import ArgumentError
from funcgrad.numpy import absolute, asarray, concatenate, diagonal, maximum, minimum, triu, where, zeros
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy import max as largest
from funcgrad.numpy import min as smallest
from funcgrad.numpy.convert import inexact, wrap
from funcgrad.ops import matrix_exp, matrix_roots
from funcgrad.ops.linalg import adjoint, matrix_shape
from funcgrad.scipy.linalg.arguments import together
from funcgrad.scipy.linalg.reduced_forms import by_real_schur

__all__ = [
    "coshm",
    "cosm",
    "expm",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "logm",
    "signm",
    "sinhm",
    "sinm",
    "sqrtm",
    "tanhm",
    "tanm",
]


def expm(A: ArrayLike, *, upper_triangular: bool = False, max_squarings: int = 16) -> Inexact[Array, "... n n"]:
    """The exponential of a matrix.

    Arguments:
        A: a square matrix.
        upper_triangular: whether only its upper triangle counts.
        max_squarings: the result is nan if Padé's approximant of degree 13 would have to be squared more often.

    Example:
        >>> from funcgrad.scipy.linalg import expm
        >>> expm([[0.0, 1.0], [0.0, 0.0]])
        Array([[1., 1.],
               [0., 1.]], dtype=float64)
    """
    x = inexact(A)
    if x.dtype == np.float16:
        x = x.astype(np.float32)  # as SciPy computes it
    if upper_triangular:
        x = triu(x)
    out = wrap(matrix_exp.matrix_exp(x))
    norm = largest(absolute(x).sum(axis=-2), axis=-1, initial=0.0)
    return where((norm > 5.4 * 2.0**max_squarings)[..., None, None], np.nan, out)


def expm_frechet(
    A: ArrayLike, E: ArrayLike, method: str | None = None, compute_expm: bool = True, check_finite: bool = True
) -> Any:
    """The derivative of the exponential of a matrix along a direction.

    Arguments:
        A: the matrix.
        E: the direction.
        method: None, "SPS" or "blockEnlarge"; all are computed as a block of a larger exponential.
        compute_expm: whether to give the exponential as well, first.
        check_finite: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import expm_frechet
        >>> expm_frechet([[0.0]], [[2.0]])
        (Array([[1.]], dtype=float64), Array([[2.]], dtype=float64))

    Source: scipy.linalg.expm_frechet; N. Higham, "Functions of matrices" (2008), section 3.2.
    """
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"expm_frechet: method must be 'SPS' or 'blockEnlarge', got {method!r}")
    x, e = together(A, E)
    n = matrix_shape("expm_frechet", x, square=True)[-1]
    if e.shape != x.shape:
        raise ValueError(f"expm_frechet: expected A and E to be the same shape, got {x.shape} and {e.shape}")
    above = concatenate([x, e], axis=-1)
    below = concatenate([zeros(x.shape, x.dtype), x], axis=-1)
    both = expm(concatenate([above, below], axis=-2))
    return (both[..., :n, :n], both[..., :n, n:]) if compute_expm else both[..., :n, n:]


def sqrtm(A: ArrayLike, disp: bool | None = None, blocksize: int = 1) -> Complex[Array, "... n n"]:
    """The principal square root of a matrix.

    Arguments:
        A: a square matrix.
        disp, blocksize: accepted as in SciPy and JAX.

    Returns:
        The root, always complex. Its derivative is nan where the matrix is singular.

    Example:
        >>> from funcgrad.scipy.linalg import sqrtm
        >>> sqrtm([[4.0, 0.0], [0.0, -9.0]])
        Array([[2.+0.j, 0.+0.j],
               [0.+0.j, 0.+3.j]], dtype=complex128)
    """
    return wrap(matrix_roots.sqrtm(inexact(A)))


def logm(A: ArrayLike, disp: bool | None = None) -> Complex[Array, "... n n"]:
    """The principal logarithm of a matrix.

    Arguments:
        A: a square matrix.
        disp: accepted as in SciPy.

    Returns:
        The logarithm, always complex.

    Example:
        >>> from funcgrad.scipy.linalg import expm, logm
        >>> logm(expm([[0.0, 1.0], [0.0, 0.0]])).real.round(12)
        Array([[0., 1.],
               [0., 0.]], dtype=float64)
    """
    return wrap(matrix_roots.logm(inexact(A)))


def fractional_matrix_power(A: ArrayLike, t: ArrayLike) -> Complex[Array, "... n n"]:
    """A matrix to the power of a real number: the exponential of t times its logarithm.

    Arguments:
        A: a square matrix that is not singular.
        t: the exponent.

    Returns:
        The power, always complex.

    Example:
        >>> from funcgrad.scipy.linalg import fractional_matrix_power
        >>> fractional_matrix_power([[4.0, 0.0], [0.0, 9.0]], 0.5).real.round(12)
        Array([[2., 0.],
               [0., 3.]], dtype=float64)
    """
    return expm(asarray(t)[..., None, None] * logm(A))


def _exponentials(A: ArrayLike) -> tuple[Array, Array]:
    x = inexact(A)
    return expm(x), expm(-x)


def _turned(A: ArrayLike) -> tuple[Array, Array]:
    """cos A and sin A."""
    x = inexact(A)
    unit = np.result_type(x.dtype, np.complex64).type(1j)
    forward = expm(unit * x)
    if x.dtype.kind != "c":
        return forward.real, forward.imag
    back = expm(-unit * x)
    return (forward + back) * 0.5, (forward - back) * (-0.5 * unit)


def cosm(A: ArrayLike) -> Inexact[Array, "... n n"]:
    """The cosine of a matrix.

    Example:
        >>> from funcgrad.scipy.linalg import cosm
        >>> cosm([[0.0, 0.0], [0.0, 0.0]])
        Array([[1., 0.],
               [0., 1.]], dtype=float64)
    """
    return _turned(A)[0]


def sinm(A: ArrayLike) -> Inexact[Array, "... n n"]:
    """The sine of a matrix.

    Example:
        >>> from funcgrad.scipy.linalg import sinm
        >>> sinm([[0.0, 1.0], [0.0, 0.0]])
        Array([[0., 1.],
               [0., 0.]], dtype=float64)
    """
    return _turned(A)[1]


def tanm(A: ArrayLike) -> Inexact[Array, "... n n"]:
    """The tangent of a matrix.

    Example:
        >>> from funcgrad.scipy.linalg import tanm
        >>> tanm([[0.0, 1.0], [0.0, 0.0]])
        Array([[0., 1.],
               [0., 0.]], dtype=float64)
    """
    return numpy_linalg.solve(*_turned(A))


def coshm(A: ArrayLike) -> Inexact[Array, "... n n"]:
    """The hyperbolic cosine of a matrix.

    Example:
        >>> from funcgrad.scipy.linalg import coshm
        >>> coshm([[0.0, 1.0], [0.0, 0.0]])
        Array([[1., 0.],
               [0., 1.]], dtype=float64)
    """
    plus, minus = _exponentials(A)
    return (plus + minus) * 0.5


def sinhm(A: ArrayLike) -> Inexact[Array, "... n n"]:
    """The hyperbolic sine of a matrix.

    Example:
        >>> from funcgrad.scipy.linalg import sinhm
        >>> sinhm([[0.0, 1.0], [0.0, 0.0]])
        Array([[0., 1.],
               [0., 0.]], dtype=float64)
    """
    plus, minus = _exponentials(A)
    return (plus - minus) * 0.5


def tanhm(A: ArrayLike) -> Inexact[Array, "... n n"]:
    """The hyperbolic tangent of a matrix.

    Example:
        >>> from funcgrad.scipy.linalg import tanhm
        >>> tanhm([[0.0, 1.0], [0.0, 0.0]])
        Array([[0., 1.],
               [0., 0.]], dtype=float64)
    """
    plus, minus = _exponentials(A)
    return numpy_linalg.solve(plus + minus, plus - minus)


def signm(A: ArrayLike, disp: bool | None = None) -> Inexact[Array, "... n n"]:
    """The sign of a matrix without imaginary eigenvalues: A times the inverse of the square root of A².

    Arguments:
        A: a square matrix.
        disp: accepted as in SciPy.

    Example:
        >>> from funcgrad.scipy.linalg import signm
        >>> signm([[2.0, 0.0], [0.0, -3.0]])
        Array([[ 1.,  0.],
               [ 0., -1.]], dtype=float64)

    Source: scipy.linalg.signm; N. Higham, "Functions of matrices" (2008), chapter 5.
    """
    x = inexact(A)
    out = numpy_linalg.solve(sqrtm(x @ x), x + 0j if x.dtype.kind != "c" else x)
    return out if x.dtype.kind == "c" else out.real


def funm(A: ArrayLike, func: Callable[[Array], Array], disp: bool = True) -> Any:
    """A function of a matrix, from a function of numbers.

    Arguments:
        A: a square matrix. Where eigenvalues are equal the derivative is nan; where they are close, digits are lost.
        func: an analytic function, which is called with an array of complex numbers.
        disp: whether to give the result alone, and not an estimate of its error as well.

    Returns:
        The result, always complex; or a pair with the estimate.

    Example:
        >>> from funcgrad.scipy.linalg import funm
        >>> funm([[1.0, 0.0], [0.0, 4.0]], fnp.sqrt).real
        Array([[1., 0.],
               [0., 2.]], dtype=float64)

    Source: scipy.linalg.funm; G. Golub and C. Van Loan, "Matrix computations", algorithm 11.1.1.
    """
    x = inexact(A)
    if x.ndim != 2:
        raise ArgumentError(f"funm takes one matrix, got an array of shape {x.shape}; use funcgrad.vmap for a stack")
    t, z = by_real_schur(x)
    n, values = t.shape[-1], diagonal(t)
    gaps = values - values[:, None]
    equal = gaps == 0
    divisors = where(equal, 1, gaps)
    above = triu(t, 1)
    f = func(values).astype(t.dtype)[:, None] * np.eye(n, dtype=t.dtype)
    for k in range(1, n):  # one diagonal after the other, from those below it
        f = f + ((above @ f - f @ above) / divisors) * np.eye(n, k=k, dtype=t.dtype)
    out = z @ f @ adjoint(z)
    if disp:
        return out
    eps = np.finfo(t.dtype).eps
    strict = np.triu(np.ones((n, n), bool), 1)
    gap = smallest(where(strict, absolute(gaps), absolute(values[0]))) if n else asarray(1.0)
    error = minimum(1.0, maximum(eps, eps / where(gap == 0, eps, gap) * absolute(above).sum(axis=0).max(initial=0.0)))
    return out, where(np.isfinite(f).any(), error, np.inf)
