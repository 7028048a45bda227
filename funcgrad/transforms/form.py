"""`Form`: a recorded linear function without its arrays, as the static data of the pytree that it is.

Pullbacks and linearized functions are made anew by each call of `vjp` and `linearize`, and those of one function mostly
do the same with other arrays. Their forms are equal then, so that jit finds the program that it made for the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.plan import Plan
from funcgrad.core.tape import Equation

_HOLE = wrap(np.zeros(()))  # in the place of an array


class Form:
    """A recorded function without its arrays.

    Until somebody compares or hashes it, it is just the function; then it lets go of the arrays.

    Arguments:
        function: the recorded function.
        count: how many arrays it has.
        put: gives the function that has others in their places.
        describe: gives `(equations, ends, static)` of a function: its equations, what is an input or a result (an
            Equation, or static data), and what else belongs to it.
    """

    __slots__ = ("_count", "_described", "_hash", "_put", "function")

    def __init__(self, function: Any, count: int, put: Callable, describe: Callable[[Any], tuple]) -> None:
        self.function, self._count, self._put, self._described = function, count, put, describe
        self._hash: int | None = None

    def filled(self, arrays: Sequence[Any]) -> Any:
        """The function with these arrays."""
        return self._put(self.function, arrays)

    def __hash__(self) -> int:
        if self._hash is None:
            self.function = self.filled([_HOLE] * self._count)
            equations, _, static = self._described(self.function)
            self._hash = hash((static, tuple([_operation(e) for e in equations])))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Form) or hash(self) != hash(other):
            return False
        (mine, my_ends, static), (yours, your_ends, your_static) = [x._described(x.function) for x in (self, other)]
        if static != your_static or len(mine) != len(yours):
            return False
        places = {e: k for k, e in enumerate(mine)}, {e: k for k, e in enumerate(yours)}
        return _same(my_ends, your_ends, *places) and all(
            _same_plan(a.plan, b.plan)
            and _same((a.inputs, a.residuals, a.params), (b.inputs, b.residuals, b.params), *places)
            for a, b in zip(mine, yours, strict=True)
        )

    def __reduce__(self) -> Any:
        return Form, (self.function, self._count, self._put, self._described)

    def __repr__(self) -> str:
        return repr(self.function)


def _operation(e: Equation) -> tuple:
    """What an equation does, in short, for the hash."""
    plan = e.plan
    return None if plan is None else plan.primitive, len(e.inputs), e.shape, e.dtype


def _same_plan(a: Plan | None, b: Plan | None) -> bool:
    return a is b or (a is not None and type(a) is type(b) and a.same_as(b))


def _same(a: Any, b: Any, mine: dict[Equation, int], yours: dict[Equation, int]) -> bool:
    """Whether data on equations of two functions are equal, an equation being its place among all."""
    if type(a) is not type(b):
        return False
    if type(a) is Equation:
        return mine.get(a, a) == yours.get(b, b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(_same(x, y, mine, yours) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k], mine, yours) for k in a)
    if isinstance(a, Array):
        return _same(a._value, b._value, mine, yours)
    if isinstance(a, (np.ndarray, np.generic)):
        return a is b or (a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes())
    return bool(a == b)
