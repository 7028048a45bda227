"""Iterative solvers of linear systems: `cg`, `bicgstab`, `gmres`. The matrix may be a function, never written out.

The derivatives are those of the solution, not of the iteration: each mode solves another system with the same matrix or
its transpose, by the same method (see transforms/linear_solve.py). They are as accurate as these solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, raw, wrap
from funcgrad.core.faces import publish
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, ShapeError, TreeError, type_text
from funcgrad.scipy.sparse import krylov
from funcgrad.scipy.sparse.direct import SuperLU as SuperLU
from funcgrad.scipy.sparse.direct import factorized as factorized
from funcgrad.scipy.sparse.direct import splu as splu
from funcgrad.scipy.sparse.direct import spsolve as spsolve
from funcgrad.scipy.vectors import Vectors
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.custom_linear_solve import matrix
from funcgrad.transforms.linear_solve import LinearSolve, Operator, is_uncompiled
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["SuperLU", "bicgstab", "cg", "factorized", "gmres", "splu", "spsolve"]


def cg(
    A: Any,
    b: PyTree,
    x0: PyTree = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[PyTree, Any]:
    """Solve A x = b for a Hermitian, positive definite A by conjugate gradients.

    Arguments:
        A: a square matrix, or the function `x -> A x` of pytrees like b. It may close over values that are being
            differentiated.
        b: the right-hand side: an array of any shape, or a pytree of arrays, which count as one vector.
        x0: where to start; zeros by default. It has no derivative.
        tol, atol: the iteration ends when the norm of b − A x is at most max(tol · norm of b, atol).
        maxiter: the most steps; by default ten times the size of b.
        M: the preconditioner, which is to come near to the inverse of A: a matrix, or a function. It has no derivative.

    Returns:
        `(x, info)`: the solution, like b, and an integer, as in SciPy: 0 if the residual is as small as asked for,
        otherwise the number of steps after which it was not.

    Raises:
        ArgumentError, ShapeError, TreeError: A gives something that is not like b, or x0 is not.

    Example:
        >>> from funcgrad.scipy.sparse.linalg import cg
        >>> def stiff(x):  # a chain of springs, from point to point
        ...     return 2.0 * x - fnp.roll(x, 1).at[0].set(0.0) - fnp.roll(x, -1).at[-1].set(0.0)
        >>> x, info = cg(stiff, fnp.ones(5))
        >>> x, info
        (Array([2.5, 4. , 4.5, 4. , 2.5], dtype=float64), Array(0, dtype=int64))
        >>> fg.grad(lambda k: cg(lambda x: k * stiff(x), fnp.ones(5))[0].sum())(1.0)
        Array(-17.5, dtype=float64)

    Source: the convention is that of `jax.scipy.sparse.linalg.cg`
        (https://docs.jax.dev/en/latest/_autosummary/jax.scipy.sparse.linalg.cg.html).
    """
    return _solve(krylov.conjugate_gradients, A, b, x0, tol, atol, maxiter, M)


def bicgstab(
    A: Any,
    b: PyTree,
    x0: PyTree = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[PyTree, Any]:
    """Solve A x = b for any square A by the stabilised method of biconjugate gradients.

    Arguments, Returns, Raises: as for `cg`.

    Example:
        >>> from funcgrad.scipy.sparse.linalg import bicgstab
        >>> bicgstab(fnp.array([[2.0, 1.0], [0.0, 4.0]]), fnp.array([4.0, 8.0]))
        (Array([1., 2.], dtype=float64), Array(0, dtype=int64))

    Source: the convention is that of `jax.scipy.sparse.linalg.bicgstab`
        (https://docs.jax.dev/en/latest/_autosummary/jax.scipy.sparse.linalg.bicgstab.html).
    """
    return _solve(krylov.bicgstab, A, b, x0, tol, atol, maxiter, M)


def gmres(
    A: Any,
    b: PyTree,
    x0: PyTree = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    solve_method: str = "batched",
) -> tuple[PyTree, Any]:
    """Solve A x = b for any square A by the generalised method of minimal residuals, with restarts.

    Arguments:
        A, b, x0, tol, atol, M: as for `cg`.
        restart: the dimension of the Krylov space of one cycle; larger ones need fewer cycles and more memory.
        maxiter: the most cycles; by default ten times the size of b.
        solve_method: "batched" or "incremental", accepted as in JAX, where it chooses between two ways to the same
            result.

    Returns, Raises: as for `cg`; info counts cycles.

    Example:
        >>> from funcgrad.scipy.sparse.linalg import gmres
        >>> gmres(lambda x: fnp.cumsum(x), fnp.array([1.0, 3.0, 6.0]))
        (Array([1., 2., 3.], dtype=float64), Array(0, dtype=int64))

    Source: the convention is that of `jax.scipy.sparse.linalg.gmres`
        (https://docs.jax.dev/en/latest/_autosummary/jax.scipy.sparse.linalg.gmres.html).
    """
    if solve_method not in ("batched", "incremental"):
        raise ValueError(f"gmres: solve_method must be 'batched' or 'incremental', got {solve_method!r}")
    return _solve(krylov.gmres, A, b, x0, tol, atol, maxiter, M, restart)


def _solve(
    method: Callable,
    A: Any,
    b: PyTree,
    x0: PyTree,
    tol: float,
    atol: float,
    maxiter: int | None,
    M: Any,
    restart: int = 0,
) -> tuple[PyTree, Any]:
    name = method.__name__ if method is not krylov.conjugate_gradients else "cg"
    values, _ = input_values((b,), name, ("b",))
    structure = tree.structure(b)
    body, constants, right = _as_body(A, [wrap(v) for v in values], structure, name)
    start = [] if x0 is None else _checked_start(x0, right, structure, name)
    size = sum([x.size for x in right])
    limits = float(tol), float(atol), 10 * size if maxiter is None else int(maxiter), min(restart, size)
    operator, preconditioner, own = Operator(body, len(constants)), None, start
    if M is not None:
        m_body, m_constants, _ = _as_body(M, right, structure, name)
        preconditioner, own = Operator(m_body, len(m_constants)), [*stop_gradient(m_constants), *start]
    # a Hermitian matrix is its own transpose if it is real
    symmetric = method is krylov.conjugate_gradients and not any(x.dtype.kind == "c" for x in right)
    find = KrylovSolver(method, operator, preconditioner, bool(start), limits)
    find_transposed = find if symmetric else find.transpose
    call = LinearSolve(operator, find, find_transposed, (len(own), len(own)), symmetric, name)
    outs = call(*constants, *own, *own, *right)
    return structure.unflatten(outs[:-1]), outs[-1]


class MatrixBody:
    """A matrix as the body of a linear function: from the matrix and a vector to their product."""

    __slots__ = ()

    def __call__(self, matrix: Any, x: Any) -> list[Any]:
        return [matrix @ x]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [kinds[1]]


def _as_body(A: Any, b: list[Any], structure: Any, name: str) -> tuple[Any, list[Any], list[Any]]:
    """A matrix or a linear function as a body, what it closes over, and b in the dtypes of the product.

    Raises:
        ArgumentError: A is neither, or b is no array for a matrix.
        ShapeError: the shapes do not fit.
    """
    if callable(A):
        return matrix(A, b, structure, name)
    if not isinstance(A, (Array, np.ndarray)):
        if not hasattr(A, "__matmul__"):
            raise ArgumentError(f"{name}: the linear operator must be a matrix or a function, got {A!r}")
        return matrix(lambda x: A @ np.asarray(x), b, structure, name)  # a matrix of another library
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ShapeError(f"{name}: a linear operator must be a square matrix, but has shape: {A.shape}")
    if structure != tree.structure(0) or b[0].shape[:1] != A.shape[1:]:
        raise ShapeError(
            f"{name}: with a matrix of shape {A.shape} the right-hand side must be an array of {A.shape[0]} rows, got "
            f"{', '.join([type_text(x) for x in b])}. For a pytree give A as a function"
        )
    A = wrap(input_values((A,), name)[0][0])
    dtype = np.result_type(A.dtype, b[0].dtype, np.float32 if A.dtype.kind in "fc" else np.float64)
    return MatrixBody(), [A], [b[0].astype(dtype)]


def _checked_start(x0: PyTree, b: list[Any], structure: Any, name: str) -> list[Any]:
    """The leaves of x0 in the dtypes of b, without derivatives."""
    values, _ = input_values((x0,), name, ("x0",))
    found = tree.structure(x0)
    if found != structure:
        raise TreeError(f"{name}: x0 and b must have matching tree structure, got {found} and {structure}")
    shapes = [v.shape for v in values], [x.shape for x in b]
    if shapes[0] != shapes[1]:
        raise ShapeError(f"{name}: arrays in x0 and b must have matching shapes, got {shapes[0]} and {shapes[1]}")
    return [stop_gradient(wrap(v).astype(x.dtype)) for v, x in zip(values, b, strict=True)]


class KrylovSolver:
    """A Krylov method as the solver of a `LinearSolve`. What it gives beside x is info.

    Its own constants are those of the preconditioner, then the vector to start from if there is one.

    Arguments:
        method: one of krylov.py.
        operator: A.
        preconditioner: M, or None.
        starts: whether there is a vector to start from.
        limits: tol, atol, maxiter, restart.
    """

    __slots__ = ("limits", "method", "operator", "preconditioner", "starts")

    def __init__(
        self, method: Callable, operator: Operator, preconditioner: Operator | None, starts: bool, limits: tuple
    ) -> None:
        self.method, self.operator, self.preconditioner = method, operator, preconditioner
        self.starts, self.limits = starts, limits

    @property
    def uncompiled(self) -> bool:
        return any(o is not None and is_uncompiled(o.body) for o in (self.operator, self.preconditioner))

    @property
    def transpose(self) -> KrylovSolver:
        """The solver of the transposed system."""
        m = None if self.preconditioner is None else self.preconditioner.transpose
        return KrylovSolver(self.method, self.operator.transpose, m, self.starts, self.limits)

    def __call__(self, *args: Any) -> list[Any]:
        tol, atol, maxiter, restart = self.limits
        args = tuple([raw(x) for x in args])
        i = 0 if self.preconditioner is None else self.preconditioner.count
        n = (len(args) - i - self.operator.count) // (2 if self.starts else 1)
        m_constants, start = args[:i], args[i : i + n] if self.starts else None
        constants, b = args[len(args) - n - self.operator.count : len(args) - n], args[len(args) - n :]
        split = Vectors(b)
        A = split.on_vectors(self.operator.at(constants, b))
        M = None if self.preconditioner is None else split.on_vectors(self.preconditioner.at(m_constants, b))
        v = split.join(b)
        x = 0 * v if start is None else split.join(start)
        bb = np.vdot(v, v).real
        limit = np.maximum(tol * tol * bb, atol * atol)
        x, steps, rr = self.method(A, M, v, x, limit, maxiter, restart)
        info = np.where(rr <= limit, 0, steps)
        return [*split.parts(x), info.astype(np.int64)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        i = 0 if self.preconditioner is None else self.preconditioner.count
        n = (len(kinds) - i - self.operator.count) // (2 if self.starts else 1)
        return [*kinds[len(kinds) - n :], ShapeDtypeStruct((), np.int64)]


publish(__name__, source="scipy.sparse.linalg")
