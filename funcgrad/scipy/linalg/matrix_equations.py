"""Linear equations for a matrix, under SciPy's names."""

from __future__ import annotations

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.numpy import kron
from funcgrad.numpy import linalg as numpy_linalg
from funcgrad.numpy.convert import wrap
from funcgrad.ops import sylvester
from funcgrad.ops.linalg import adjoint
from funcgrad.scipy.linalg.arguments import together

__all__ = ["solve_continuous_lyapunov", "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester"]


def solve_sylvester(
    a: ArrayLike, b: ArrayLike, q: ArrayLike, *, method: str = "schur", tol: float = 1e-8
) -> Inexact[Array, "... m n"]:
    """Solve a X + X b = q.

    Arguments:
        a, b: square matrices.
        q: the right side.
        method: "schur" or "eigen", as in JAX; both are computed by Schur forms.
        tol: if an eigenvalue of a and one of b add up to this or less, there is no solution, and the result is nan.

    Example:
        >>> from funcgrad.scipy.linalg import solve_sylvester
        >>> solve_sylvester([[1.0]], [[3.0]], [[8.0]])
        Array([[2.]], dtype=float64)
    """
    if method not in ("schur", "eigen"):
        raise ValueError(f"solve_sylvester: method must be 'schur' or 'eigen', got {method!r}")
    return wrap(sylvester.sylvester(*together(a, b, q), tol=float(tol)))


def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike) -> Inexact[Array, "... n n"]:
    """Solve a X + X aᴴ = q.

    Example:
        >>> from funcgrad.scipy.linalg import solve_continuous_lyapunov
        >>> solve_continuous_lyapunov([[2.0]], [[8.0]])
        Array([[2.]], dtype=float64)
    """
    x, right = together(a, q)
    return wrap(sylvester.sylvester(x, adjoint(x), right, tol=0.0))


solve_lyapunov = solve_continuous_lyapunov


def solve_discrete_lyapunov(a: ArrayLike, q: ArrayLike, method: str | None = None) -> Inexact[Array, "... n n"]:
    """Solve a X aᴴ - X + q = 0.

    Arguments:
        a, q: square matrices.
        method: "direct", by a linear system for all elements of X, or "bilinear", by a continuous equation; by default
            the first for fewer than ten rows.

    Example:
        >>> from funcgrad.scipy.linalg import solve_discrete_lyapunov
        >>> solve_discrete_lyapunov([[0.5]], [[3.0]])
        Array([[4.]], dtype=float64)
    """
    x, right = together(a, q)
    n = x.shape[-1]
    if method not in (None, "direct", "bilinear"):
        raise ValueError(f"solve_discrete_lyapunov: method must be 'direct' or 'bilinear', got {method!r}")
    if method == "direct" or (method is None and n < 10):
        left = np.eye(n * n, dtype=x.dtype) - kron(x, x.conj())
        return numpy_linalg.solve(left, right.reshape(-1)).reshape(n, n)
    eye = np.eye(n, dtype=x.dtype)
    inverse = numpy_linalg.inv(adjoint(x) + eye)
    b = (adjoint(x) - eye) @ inverse
    c = 2 * numpy_linalg.inv(x + eye) @ right @ inverse
    return solve_continuous_lyapunov(adjoint(b), -c)
