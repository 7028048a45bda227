"""`custom_linear_solve`: a linear solver of the user, with derivatives that follow from the system that it solves.

The matrix is a function from vector to vector; the solver may be anything. The two are made a `LinearSolve`, whose
operands are b and what the functions close over.

A solver is used for other right-hand sides than b too, those of the derivatives, so a record of what it did for b would
not do if it looked at values on its way, to decide when it has converged. One that does not look becomes a tape. One
that does runs anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.trace import zeros
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, NoValueError, ShapeError, UnsupportedError
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.bodies import FunctionBody, TapeBody
from funcgrad.transforms.closing import close
from funcgrad.transforms.linear_solve import LinearSolve, Operator
from funcgrad.transforms.stop_gradient import stop_gradient

NO_TRANSPOSE = (
    "transpose_solve required for backwards mode automatic differentiation of custom_linear_solve: pass a function "
    "that solves the transposed system as transpose_solve=, or symmetric=True if the matrix equals its transpose"
)


def custom_linear_solve(
    matvec: Callable,
    b: PyTree,
    solve: Callable,
    transpose_solve: Callable | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> PyTree:
    """Solve a linear system whose matrix is a function, with derivatives that do not go through the solver.

    Arguments:
        matvec: the matrix A as a function `x -> A x` of pytrees like b. It may close over values that are being
            differentiated.
        b: the right-hand side: a pytree of arrays.
        solve: `solve(matvec, b)` gives the x with `matvec(x) = b`. It may be anything that computes: a factorisation,
            an iteration. It is called for other right-hand sides too.
        transpose_solve: the same for the transpose, `transpose_solve(vecmat, b)`; reverse mode needs it, unless the
            matrix is symmetric. vecmat is made from matvec.
        symmetric: whether the matrix equals its transpose, so that `solve` will do for both.
        has_aux: whether solvers give a pair (x, aux), of which aux is not differentiated.

    Returns:
        What `solve(matvec, b)` gives. That x solves the system is taken for granted.

    Raises:
        ArgumentError, ShapeError: matvec or a solver gives something that is not like b.
        CustomRuleError: reverse mode asks for a solution of the transposed system, and nobody said how to find it.
        NotDifferentiableError: reverse mode finds that matvec is not linear.

    Example:
        >>> from funcgrad.transforms.custom_linear_solve import custom_linear_solve
        >>> def solution(diagonal, b):
        ...     solve = lambda matvec, b: b / fg.stop_gradient(diagonal)
        ...     return custom_linear_solve(lambda x: diagonal * x, b, solve, symmetric=True)
        >>> fg.jacrev(solution)(fnp.array([2.0, 4.0]), fnp.array([4.0, 4.0]))
        Array([[-1.  , -0.  ],
               [-0.  , -0.25]], dtype=float64)

    Source: the convention is that of `jax.lax.custom_linear_solve`
        (https://docs.jax.dev/en/latest/_autosummary/jax.lax.custom_linear_solve.html).
    """
    values, _ = input_values((b,), "custom_linear_solve", ("b",))
    structure = tree.structure(b)
    if transpose_solve is None and symmetric:
        transpose_solve = solve
    body, constants, right = matrix(matvec, [wrap(v) for v in values], structure, "custom_linear_solve")
    operator = Operator(body, len(constants))
    find, own = solver(solve, operator, constants, right, structure, has_aux, "solve")
    find_transposed: Any = NO_TRANSPOSE
    others: list[Any] = []
    if transpose_solve is not None:
        adjoint = operator if symmetric else operator.transpose
        find_transposed, others = solver(
            transpose_solve, adjoint, constants, right, structure, has_aux, "transpose_solve"
        )
    call = LinearSolve(operator, find, find_transposed, (len(own), len(others)), symmetric, "custom_linear_solve")
    outs = call(*constants, *own, *others, *right)
    x = structure.unflatten(outs[: len(right)])
    return (x, find.aux_tree.unflatten(outs[len(right) :])) if has_aux else x


def matrix(
    matvec: Callable, b: list[Any], structure: Any, name: str
) -> tuple[TapeBody | FunctionBody, list[Any], list[Any]]:
    """The body of a linear function, the values that it closes over, and b in the dtypes that it gives.

    Raises:
        ArgumentError, ShapeError: what it gives is not like b.
    """

    def flat(*xs: Any) -> list[Any]:
        return leaves_like(matvec(structure.unflatten(xs)), structure, b, "matvec()", "b", cast=False)

    body: TapeBody | FunctionBody
    for _ in range(2):
        try:
            body, constants, _ = close(flat, b, name, decides=False)
            kinds = body.kinds([])
        except (NoValueError, UnsupportedError):  # it leaves funcgrad on its way, to a library of compiled code perhaps
            body, constants = FunctionBody(flat, tree.structure((0,) * len(b)), name), []
            kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in flat(*[wrap(zeros(x.shape, x.dtype)) for x in b])]
        if all(k.dtype == x.dtype for k, x in zip(kinds, b, strict=True)):
            return body, constants, b
        # an integer b, or a real one and a complex matrix
        b = [x.astype(np.result_type(k.dtype, x.dtype)) for k, x in zip(kinds, b, strict=True)]
    raise ArgumentError(
        f"{name}: matvec() output dtypes must be those of b, {[str(x.dtype) for x in b]}, got "
        f"{[str(k.dtype) for k in kinds]}"
    )


class TapeSolver(TapeBody):
    """A solver that a tape is: it takes its own constants, those of the operator, and b, and gives x and aux."""

    __slots__ = ()

    @property
    def aux_tree(self) -> Any:
        return self.tape.out_tree.children()[1]


class UncompiledSolver(FunctionBody):
    """A solver that calls the user's function: it takes the constants of the operator, and b, and gives x and aux.

    Arguments:
        f: gives `(leaves of x, aux)`.
        count: the number of constants of the operator.
        size: the number of leaves of b.
        has_aux: whether there is an aux.
        name: for messages.
    """

    __slots__ = ("count", "has_aux")

    def __init__(self, f: Callable, count: int, size: int, has_aux: bool, name: str) -> None:
        super().__init__(f, tree.structure((0,) * (count + size)), name)
        self.count, self.has_aux = count, has_aux

    @property
    def aux_tree(self) -> Any:
        return self.out_tree.children()[1]

    def __call__(self, *args: Any) -> list[Any]:
        # What it closes over may be traced. It says how x is found, so x does not depend on it.
        return stop_gradient(super().__call__(*map(wrap, args)))

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return super().kinds(kinds) if self.has_aux else list(kinds[self.count :])  # x is like b


def solver(
    solve: Callable,
    operator: Operator,
    constants: list[Any],
    b: list[Any],
    structure: Any,
    has_aux: bool,
    name: str,
    expected: str = "b",
) -> tuple[TapeSolver | UncompiledSolver, list[Any]]:
    """A solver of the user as a body, which takes the values that it closes over, those of the operator, and b.

    Raises:
        ArgumentError, ShapeError: what it gives is not like b.
    """
    count = operator.count

    def flat(*args: Any) -> tuple[list[Any], Any]:
        apply = operator.at(args[:count], args[count:])

        def matvec(x: Any) -> Any:
            xs = leaves_like(x, structure, b, f"the argument of the function that {name}() calls", expected)
            return structure.unflatten([wrap(o) for o in apply(xs)])

        found = solve(matvec, structure.unflatten(args[count:]))
        if has_aux and (not isinstance(found, (tuple, list)) or len(found) != 2):
            raise ArgumentError(f"with has_aux=True {name}() must return a pair (x, aux), got {type(found).__name__}")
        x, aux = found if has_aux else (found, None)
        return leaves_like(x, structure, b, f"{name}()", expected), aux

    try:
        body, own, _ = close(flat, [*constants, *b], name, decides=False)
    except (NoValueError, UnsupportedError):
        return UncompiledSolver(flat, count, len(b), has_aux, name), []
    return TapeSolver(body.tape), own


def leaves_like(
    x: PyTree, structure: Any, kinds: Sequence[Any], what: str, expected: str, cast: bool = True
) -> list[Any]:
    """The leaves of a value that must have this structure and these shapes, in these dtypes.

    Arguments:
        cast: whether other dtypes are converted, if that loses no more than precision; else they are left.

    Raises:
        ArgumentError: another structure, or complex numbers for real ones.
        ShapeError: another shape.
    """
    leaves, found_tree = tree.flatten(x)
    if found_tree != structure:
        raise ArgumentError(
            f"{what} output pytree must have the structure of {expected}, {structure}, got {found_tree}"
        )
    weak = [
        np.result_type(v, k.dtype) if type(v) in PYTHON_NUMBERS else None for v, k in zip(leaves, kinds, strict=True)
    ]
    found, _ = output_values([v if d is None else np.asarray(v, d) for v, d in zip(leaves, weak, strict=True)], what)
    shapes = [o.shape for o in found]
    if shapes != [k.shape for k in kinds]:
        raise ShapeError(f"{what} output shapes must be those of {expected}, {[k.shape for k in kinds]}, got {shapes}")
    if not cast:
        return found
    for o, k in zip(found, kinds, strict=True):
        if not np.can_cast(o.dtype, k.dtype, "same_kind"):
            raise ArgumentError(f"{what} output dtypes must be those of {expected}, got {o.dtype} for {k.dtype}")
    return [o if o.dtype == k.dtype else o.astype(k.dtype) for o, k in zip(found, kinds, strict=True)]
