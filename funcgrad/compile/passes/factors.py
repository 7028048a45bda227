"""Factors: numbers and signs by which an array is multiplied, one after the other, become one.

What the rules of derivatives give is full of them: `0.1 * x`, its negative, and 4 times that. A sign may go to any
factor of a product, for that is exact. Numbers are joined where neither of them takes an array beyond what a float
holds while the other brings it back: both make it smaller, or both make it larger.
"""

from __future__ import annotations

import math
from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise, structural

_MOVES = (structural.reshape, structural.transpose, structural.broadcast_to)
_LEAST = 2.0**-100  # a factor below which products may vanish that did not before
_DEEPEST = 8  # operations through which a number goes to meet another one
_SMALL = 8  # times smaller than the result must be what takes over a sign


def factors(tape: Tape) -> Tape:
    """The tape with fewer multiplications by numbers, and fewer changes of sign."""
    count: dict[Any, int] = {o: 2 for o in tape.outputs if type(o) is Equation}
    for e in tape.equations:
        for i in e.inputs[:1] if _twice(e) else e.inputs:
            if type(i) is Equation:
                count[i] = count.get(i, 0) + 1
    readers: dict[Equation, int] = {i: count.get(i, 0) for i in tape.inputs}

    def rule(e: Equation, inputs: tuple) -> Any:
        found = _joined(e, inputs, readers)
        if found is None:
            found = with_inputs(e, inputs)
        if type(found) is Equation:
            readers[found] = max(count.get(e, 0), readers.get(found, 0))
        return found

    return rewrite(tape, rule)


def _joined(e: Equation, inputs: tuple, readers: dict[Equation, int]) -> Any:
    if not inputs or getattr(e.dtype, "kind", "") != "f" or e.dtype.char == "e":
        return None
    x, number = _factored(e, inputs)
    return None if number is None or not _like(x, e) else _scaled(e, x, number, readers)


def _factored(e: Equation, inputs: tuple) -> tuple[Any, float | None]:
    """What an equation multiplies by a number, and the number; None if it does something else."""
    p, x, y = e.primitive, inputs[0], inputs[-1]
    if p is elementwise.negative:
        return x, -1.0
    if p is elementwise.multiply:
        return (x, _value(y)) if _value(x) is None else (y, _value(x))
    if p is elementwise.divide:
        number = _value(y)
        return x, 1.0 / number if number is not None and _power_of_two(number) else None
    return x, 2.0 if p is elementwise.add and x is y else None


def _scaled(e: Equation, x: Equation, number: float, readers: dict[Equation, int], depth: int = 0) -> Any:
    """x times a number without another operation for it, in the place of e; None if that cannot be had."""
    if x.plan is None or depth > _DEEPEST:
        return None
    p, inputs = x.primitive, x.inputs
    if p is elementwise.negative and _like(inputs[0], e):
        if number == -1.0:
            return inputs[0]
        return applied(elementwise.multiply, e, -number, inputs[0])
    if p is elementwise.multiply:
        for n in (0, 1):
            other = _value(inputs[n])
            if other is not None and _like(inputs[1 - n], e) and _may_be_joined(other, number):
                both = other * number
                if both == 1.0:
                    return inputs[1 - n]
                if both == -1.0:
                    return applied(elementwise.negative, e, inputs[1 - n])
                return applied(elementwise.multiply, e, both, inputs[1 - n])
    if readers.get(x) != 1:  # somebody else reads it as it is
        return None
    if p in _MOVES:
        inner = _inner(inputs[0], number, readers, depth)
        return None if inner is None else applied(p, e, inner, **x.params)
    if p in (elementwise.multiply, elementwise.divide):
        for n in (0, 1) if p is elementwise.multiply or number == -1.0 else (0,):
            inner = _inner(inputs[n], number, readers, depth)
            if inner is not None:
                return applied(p, e, *[inner if k == n else i for k, i in enumerate(inputs)])
        for n, i in enumerate(inputs):
            if number == -1.0 and _SMALL * math.prod(shape_of(i)) <= math.prod(e.shape) and type(i) is Equation:
                negated = between(elementwise.negative, e, (i,), i.shape, i.dtype)
                return applied(p, e, *[negated if k == n else j for k, j in enumerate(inputs)])
    return None


def _inner(x: Any, number: float, readers: dict[Equation, int], depth: int) -> Any:
    """An operand of a product times a number, if that takes no operation."""
    return _scaled(x, x, number, readers, depth + 1) if type(x) is Equation and x.dtype.kind == "f" else None


def _twice(e: Equation) -> bool:
    """Whether both operands are the same: they are read at one place."""
    return len(e.inputs) == 2 and e.inputs[0] is e.inputs[1]


def _like(x: Any, e: Equation) -> bool:
    return type(x) is Equation and x.shape == e.shape and x.dtype == e.dtype


def _value(x: Any) -> float | None:
    """A number that gives way to the dtype of what it is multiplied by."""
    return float(x) if type(x) in (int, float) and abs(x) < 2**53 else None


def _power_of_two(x: float) -> bool:
    return x > 0 and math.frexp(x)[0] == 0.5 and _LEAST <= x <= 1.0 / _LEAST


def _may_be_joined(inner: float, outer: float) -> bool:
    """Whether x times both is what x times one, and that times the other is, however large or small x is."""
    if abs(outer) == 1.0 or abs(inner) == 1.0:
        return True
    if not (math.isfinite(inner) and math.isfinite(outer)):
        return False
    both = abs(inner * outer)
    if abs(inner) < 1.0:
        return _LEAST <= both <= 1.0 and abs(inner) >= _LEAST and abs(outer) >= _LEAST
    return abs(outer) > 1.0 and both <= 1.0 / _LEAST


__all__ = ["factors"]
