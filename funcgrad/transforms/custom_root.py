"""`custom_root`: a root finder of the user, with derivatives by the implicit function theorem.

The finder is run once, on values without derivatives. Its result is made a `Root` of the function, whose operands are
what the function closes over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.trace import running
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, NoValueError, UnsupportedError
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.closing import close
from funcgrad.transforms.custom_linear_solve import UncompiledSolver, leaves_like, solver
from funcgrad.transforms.linear_solve import Operator
from funcgrad.transforms.linear_transpose import linear_transpose
from funcgrad.transforms.root import Derivative, Root
from funcgrad.transforms.stop_gradient import stop_gradient

NO_TRANSPOSE = (
    "reverse mode through custom_root needs the transpose of tangent_solve, which decides by values and so is not a "
    "linear function that can be turned round. Let it solve with custom_linear_solve, which takes a solver for each "
    "direction"
)


def custom_root(
    f: Callable, initial_guess: PyTree, solve: Callable, tangent_solve: Callable, has_aux: bool = False
) -> PyTree:
    """Find a root of a function, with derivatives that do not go through the search.

    Arguments:
        f: a function of a pytree of arrays that gives one like it. The root is differentiated with respect to what f
            closes over.
        initial_guess: where the search starts; it has no derivative.
        solve: `solve(f, initial_guess)` gives the x with f(x) = 0. It may be anything that computes.
        tangent_solve: `tangent_solve(g, y)` gives the x with g(x) = y, g being the derivative of f at the root, a
            linear function. For a number: `lambda g, y: y / g(1.0)`; for a vector:
            `lambda g, y: fnp.linalg.solve(fg.jacobian(g)(y), y)`.
        has_aux: whether solve gives a pair (x, aux), of which aux is not differentiated.

    Returns:
        What `solve(f, initial_guess)` gives. That x is a root is taken for granted: elsewhere the derivative would be
        of something else.

    Raises:
        ArgumentError, ShapeError: f or a solver gives something that is not like initial_guess.
        CustomRuleError, NotDifferentiableError: reverse mode finds that tangent_solve can't be transposed.

    Example:
        >>> from funcgrad.transforms.custom_root import custom_root
        >>> def newton(f, x):
        ...     for _ in range(8):
        ...         x = x - f(x) / fg.grad(f)(x)
        ...     return x
        >>> def cube_root(a):
        ...     return custom_root(lambda x: x**3 - a, 1.0, newton, lambda g, y: y / g(1.0))
        >>> cube_root(8.0), fg.grad(cube_root)(8.0)
        (Array(2., dtype=float64), Array(0.08333333, dtype=float64))

    Source: the convention is that of `jax.lax.custom_root`
        (https://docs.jax.dev/en/latest/_autosummary/jax.lax.custom_root.html).
    """
    for what, given in (("f", f), ("solve", solve)):
        if not callable(given):
            raise ArgumentError(f"custom_root: {what} must be a function, got {given!r} of type {type(given).__name__}")
    values, _ = input_values((initial_guess,), "custom_root", ("initial_guess",))
    guess, structure = [wrap(v) for v in values], tree.structure(initial_guess)

    def flat(*xs: Any) -> list[Any]:
        return like_guess(f(structure.unflatten(xs)), "f()")

    def like_guess(x: PyTree, what: str) -> list[Any]:
        return leaves_like(x, structure, guess, what, "initial_guess")

    search: Callable = f
    body: Any = None
    try:
        body, constants, _ = close(flat, guess, "custom_root", decides=False)
    except (NoValueError, UnsupportedError):
        pass  # f branches on its argument: what it is at the root is known when that is found
    else:
        if constants:
            search = without_derivatives(body, constants, structure, like_guess)

    found = solve(search, structure.unflatten(stop_gradient(guess)))
    if has_aux and (not isinstance(found, (tuple, list)) or len(found) != 2):
        raise ArgumentError(f"with has_aux=True solve() must return a pair (x, aux), got {type(found).__name__}")
    root, aux = stop_gradient(tuple(found) if has_aux else (found, None))
    x = like_guess(root, "solve()")
    if body is None and running():
        body, constants, _ = close(flat, x, "custom_root")
    if body is not None and constants:
        x = rooted(body, constants, x, structure, tangent_solve)
    x = structure.unflatten(x)
    return (x, aux) if has_aux else x


def without_derivatives(body: Any, constants: list[Any], structure: Any, like_guess: Callable) -> Callable:
    """The function for the search, of x alone: no derivative flows through the search."""
    fixed = stop_gradient(constants)
    return lambda x: structure.unflatten([wrap(o) for o in body(*fixed, *like_guess(x, "the argument of f"))])


def rooted(body: Any, constants: list[Any], x: list[Any], structure: Any, tangent_solve: Callable) -> list[Any]:
    """A root, with the derivatives that it has as one."""
    count = len(constants)
    operator = Operator(Derivative(body, count), count + len(x))
    find, own = solver(tangent_solve, operator, [*constants, *x], x, structure, False, "tangent_solve", "initial_guess")
    find_transposed = NO_TRANSPOSE if isinstance(find, UncompiledSolver) else TransposedSolver(find, len(x))
    return Root(body, find, find_transposed, (count, len(own)), "custom_root")(*constants, *own, *x)


class TransposedSolver:
    """The transpose of a solver, which is linear in the right-hand side: it solves the transposed system.

    Arguments:
        solver: the body.
        size: the number of leaves of the right-hand side, its last operands.
    """

    __slots__ = ("size", "solver")

    def __init__(self, solver: Any, size: int) -> None:
        self.solver, self.size = solver, size

    def __call__(self, *args: Any) -> list[Any]:
        constants, rhs = args[: len(args) - self.size], args[len(args) - self.size :]
        kinds = [ShapeDtypeStruct(g.shape, g.dtype) for g in rhs]
        return list(linear_transpose(lambda *b: self.solver(*constants, *b), *kinds)([wrap(g) for g in rhs]))

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[len(kinds) - self.size :])
