"""Direct solvers of sparse systems: `spsolve`, `splu` and `factorized`. The matrix is a constant of SciPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy.convert import asarray, wrap
from funcgrad.ops.sparse_products import SparseMatrix, is_sparse, sparse_solve

__all__ = ["SuperLU", "factorized", "splu", "spsolve"]


class SuperLU:
    """The factors of a sparse matrix, as `splu` gives them.

    Arguments:
        matrix: the matrix.
    """

    __slots__ = ("_matrix",)

    def __init__(self, matrix: SparseMatrix) -> None:
        self._matrix = matrix

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the matrix."""
        return self._matrix.shape

    def solve(self, rhs: ArrayLike, trans: str = "N") -> Inexact[Array, "..."]:
        """The solution of A x = rhs, of its transpose ("T"), or of its adjoint ("H").

        Raises:
            ShapeError: rhs is no vector or matrix that fits.
            LinAlgError: the matrix is singular.
        """
        b = asarray(rhs)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ShapeError(f"a right side of a system of {self.shape[0]} equations has as many rows, got {b.shape}")
        if trans not in ("N", "T", "H"):
            raise ArgumentError(f'trans must be "N", "T" or "H", got {trans!r}')
        if trans == "H":
            return wrap(sparse_solve(b.conj(), matrix=self._matrix.T)).conj()
        return wrap(sparse_solve(b, matrix=self._matrix if trans == "N" else self._matrix.T))


def splu(A: Any) -> SuperLU:
    """The factors of a sparse matrix, with which to solve many systems. It is factorised at the first of them.

    Arguments:
        A: a square sparse matrix of SciPy. It is a constant: derivatives with respect to its elements are not there.

    Raises:
        ArgumentError: A is no sparse matrix.
        ShapeError: it is not square.

    Example:
        >>> from scipy.sparse import csc_array
        >>> from funcgrad.scipy.sparse.linalg import splu
        >>> splu(csc_array(np.array([[2.0, 0.0], [1.0, 4.0]]))).solve(np.array([2.0, 9.0]))
        Array([1., 2.], dtype=float64)

    Source: scipy.sparse.linalg.splu
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.linalg.splu.html)
    """
    if not is_sparse(A):
        raise ArgumentError(
            f"splu and spsolve take a sparse matrix of SciPy, a constant, got {type(A).__name__}; for a matrix that is "
            f"differentiated there is funcgrad.numpy.linalg.solve"
        )
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ShapeError(f"splu and spsolve take a square matrix, got shape {A.shape}")
    return SuperLU(SparseMatrix.copied(A))


def spsolve(A: Any, b: ArrayLike, permc_spec: str | None = None, use_umfpack: bool = True) -> Inexact[Array, "..."]:
    """Solve A x = b for a sparse matrix.

    Arguments:
        A: a square sparse matrix of SciPy. It is a constant: derivatives with respect to its elements are not there.
        b: a vector, or a matrix of columns, dense.
        permc_spec, use_umfpack: accepted as in SciPy.

    Raises:
        ArgumentError, ShapeError: A is no square sparse matrix, or b does not fit.
        LinAlgError: A is singular.

    Example:
        >>> from scipy.sparse import csr_array
        >>> from funcgrad.scipy.sparse.linalg import spsolve
        >>> A = csr_array(np.array([[2.0, 0.0], [1.0, 4.0]]))
        >>> spsolve(A, np.array([2.0, 9.0])), fg.grad(lambda b: spsolve(A, b)[1])(np.array([2.0, 9.0]))
        (Array([1., 2.], dtype=float64), Array([-0.125,  0.25 ], dtype=float64))

    Source: scipy.sparse.linalg.spsolve
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.linalg.spsolve.html)
    """
    return splu(A).solve(b)


def factorized(A: Any) -> Callable[[ArrayLike], Inexact[Array, "..."]]:
    """A function that solves A x = b for b.

    Arguments:
        A: as for `splu`.

    Raises:
        ArgumentError, ShapeError: as for `splu`.

    Example:
        >>> from scipy.sparse import csc_array
        >>> from funcgrad.scipy.sparse.linalg import factorized
        >>> factorized(csc_array(np.array([[2.0, 0.0], [1.0, 4.0]])))(np.array([2.0, 9.0]))
        Array([1., 2.], dtype=float64)

    Source: scipy.sparse.linalg.factorized
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.sparse.linalg.factorized.html)
    """
    return splu(A).solve
