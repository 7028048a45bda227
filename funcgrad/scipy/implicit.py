"""Results of searches, which move as the implicit function theorem says: what `optimize` is made of.

A search is a program of its own, in SciPy or here, that works on plain numbers. It runs outside all transforms
(`searched`), and its result is made a root of the equation that it solves (`moving`); if it solves none, it has no
derivative, and asking for one is an error. Unknowns are one vector here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from funcgrad.core.array import Array, raw, wrap
from funcgrad.core.trace import known, running
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import ConvergenceError, NoValueError, UnsupportedError
from funcgrad.numpy import where
from funcgrad.scipy.sparse import krylov
from funcgrad.transforms.callback import pure_callback
from funcgrad.transforms.closing import close
from funcgrad.transforms.linear_solve import Operator
from funcgrad.transforms.root import Derivative, Root
from funcgrad.transforms.stop_gradient import stop_gradient
from funcgrad.transforms.vmap import vmap

LARGE = 1000  # unknowns from which on the matrix of the linear system is not written out


def searched(f: Callable, x0: Array, search: Callable, kinds: Sequence[ShapeDtypeStruct], name: str) -> list[Any]:
    """What a search finds, without derivatives.

    Arguments:
        f: a function of a vector that gives a list of arrays. It may close over traced values.
        x0: where to start.
        search: `search(f, x0)`, which gives a list of numbers and ndarrays; f and x0 are not traced there.
        kinds: of what it gives.
        name: for messages.
    """
    if not running():
        return [wrap(np.asarray(o, k.dtype)) for o, k in zip(search(f, x0), kinds, strict=True)]
    try:
        body, constants, _ = close(f, [x0], name, decides=False)
    except (NoValueError, UnsupportedError):  # it branches on its argument, and is another program at each point
        return [wrap(np.asarray(o, k.dtype)) for o, k in zip(search(_untraced(f, name), x0), kinds, strict=True)]

    def host(*args: Any) -> list[Any]:
        *c, x = args
        found = search(lambda v: [wrap(o) for o in body(*c, v)], wrap(x))
        return [np.asarray(o, k.dtype) for o, k in zip(found, kinds, strict=True)]

    return pure_callback(host, list(kinds), *stop_gradient(constants), stop_gradient(x0), vmap_method="sequential")


def _untraced(f: Callable, name: str) -> Callable:
    """A function without what it closes over being traced, from the program that it is at each point."""

    def g(x: Any) -> list[Any]:
        body, constants, _ = close(f, [x], name)
        return [wrap(o) for o in body(*stop_gradient(constants), x)]

    return g


def moving(f: Callable, x: Array, found: Array, name: str, why: str) -> Array:
    """A root of f, with its derivatives with respect to what f closes over.

    Arguments:
        f: a function of a vector that gives a list with one vector.
        x: where that is zero.
        found: whether it is. Where it is not, a derivative is an error, or in a batch NaN.
        name: for messages.
        why: the message of that error.
    """
    if not running():
        return x
    body, constants, _ = close(f, [x], name)
    if not constants:
        return x
    operator = Operator(Derivative(body, len(constants)), len(constants) + 1)
    system = Dense if x.size <= LARGE else Implicit
    solve, solve_transpose = system(operator, why), system(operator.transpose, why)
    return Root(body, solve, solve_transpose, (len(constants), 1), name)(*constants, found, x)[0]


class System:
    """The solver of the linear system at a root. Its own constant is whether the root was found.

    Arguments:
        operator: the matrix.
        why: the message of the error if it was not.
    """

    __slots__ = ("operator", "why")

    def __init__(self, operator: Operator, why: str) -> None:
        self.operator, self.why = operator, why

    def __call__(self, found: Any, *args: Any) -> list[Any]:
        *constants, b = args
        certain = known(found)
        if certain is not None and not certain:
            raise ConvergenceError(self.why)
        x = self.solved(self.operator.at(constants, [b]), wrap(found), wrap(b))
        return [x if certain is not None else where(found, x, np.nan)]

    def solved(self, apply: Callable, found: Array, b: Array) -> Any:
        """The solution, which may be anything that is no error if the root was not found."""
        raise TypeError(f"{type(self).__name__} must define solved")

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [kinds[-1]]


class Dense(System):
    """Writes the matrix out, column by column, and eliminates."""

    __slots__ = ()

    def solved(self, apply: Callable, found: Array, b: Array) -> Any:
        unit = np.eye(b.size, dtype=b.dtype)
        rows = vmap(lambda e: wrap(apply([e])[0]))(unit)
        try:
            return np.linalg.solve(where(found, rows.T, unit), b)
        except LinAlgError:
            raise LinAlgError(
                "the Jacobian is singular at this root, so the root has no derivative: the implicit function theorem "
                "does not apply"
            ) from None


class Implicit(System):
    """Multiplies with the matrix only."""

    __slots__ = ()

    def solved(self, apply: Callable, found: Array, b: Array) -> Any:
        limit = np.finfo(b.dtype).eps ** 1.25 * np.vdot(b, b).real
        x, cycles, rr = krylov.gmres(
            lambda v: raw(where(found, apply([v])[0], v)), None, raw(b), 0 * raw(b), limit, 10 * b.size, 50
        )
        good = known(rr <= limit)
        if good is not None and not good:
            raise ConvergenceError(
                f"the linear system of the derivative was not solved in {int(cycles)} cycles of GMRES: the Jacobian "
                f"may be singular, or nearly so"
            )
        return where(rr <= limit, x, np.nan)
