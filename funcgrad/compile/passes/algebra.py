"""Algebra: identities of arithmetic that hold for every number, infinities, nan and the sign of zero included.

`x * 1` is x, and `x - 0` too; `x + 0` is not, for -0 + 0 is 0, and `x * 0` is nothing, for x may be nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise
from funcgrad.ops.structural import broadcast_to


def algebra(tape: Tape) -> Tape:
    """The tape with arithmetic that does nothing gone, and some that can be had more cheaply made so."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    rule = _RULES.get(e.primitive) if e.primitive is not None else None
    return None if rule is None else rule(e, *inputs)


def _is(x: Any, number: float) -> bool:
    """Whether an operand is this number everywhere, with this sign if it is zero."""
    if type(x) is Equation:
        return x.primitive is broadcast_to and _is(x.inputs[0], number)
    if not isinstance(x, (int, float, complex, np.generic, np.ndarray)):
        return False
    value = np.asarray(x)
    if value.size == 0 or any(value.strides):  # one number, or one number stretched
        return False
    first = value.reshape(-1)[0] if value.size == 1 else value[(0,) * value.ndim]
    return bool(first == number) and not (number == 0 and np.signbit(first.real))


def _like(x: Any, e: Equation) -> bool:
    """Whether an operand may stand for the result: it has its shape and dtype."""
    return type(x) is Equation and x.shape == e.shape and x.dtype == e.dtype


def _unchanged(x: Any, e: Equation) -> Any:
    """x in the place of e, broadcast if the other operand stretched it."""
    if type(x) is not Equation or x.dtype != e.dtype:
        return None
    return x if x.shape == e.shape else applied(broadcast_to, e, x, shape=e.shape)


def _multiply(e: Equation, x: Any, y: Any) -> Any:
    if e.dtype.kind == "c":  # inf + 0j times 1 + 0j is inf + nan j
        return applied(elementwise.square, e, x) if x is y and _like(x, e) else None
    if _is(y, 1):
        return _unchanged(x, e)
    if _is(x, 1):
        return _unchanged(y, e)
    if x is y and _like(x, e) and e.dtype.kind != "b":  # the square of a truth value is a number
        return applied(elementwise.square, e, x)
    for a, b in ((x, y), (y, x)):
        if type(a) is Equation and a.primitive is elementwise.negative and a.inputs[0] is b and _like(b, e):
            return applied(elementwise.negative, e, between(elementwise.square, e, (b,), e.shape, e.dtype))
    if _is(y, -1) and _like(x, e):
        return applied(elementwise.negative, e, x)
    if _is(x, -1) and _like(y, e):
        return applied(elementwise.negative, e, y)
    return None


def _divide(e: Equation, x: Any, y: Any) -> Any:
    return _unchanged(x, e) if e.dtype.kind != "c" and _is(y, 1) else None


def _subtract(e: Equation, x: Any, y: Any) -> Any:
    if _is(y, 0):
        return _unchanged(x, e)
    if type(y) is Equation and y.primitive is elementwise.negative and y.dtype.kind in "fc":
        return applied(elementwise.add, e, x, y.inputs[0])
    return None


def _add(e: Equation, x: Any, y: Any) -> Any:
    if e.dtype.kind not in "fc":
        return None
    if type(y) is Equation and y.primitive is elementwise.negative:
        return applied(elementwise.subtract, e, x, y.inputs[0])
    if type(x) is Equation and x.primitive is elementwise.negative:
        return applied(elementwise.subtract, e, y, x.inputs[0])
    return None


def _negative(e: Equation, x: Any) -> Any:
    if type(x) is Equation and x.primitive is elementwise.negative:
        return _unchanged(x.inputs[0], e)
    return None


def _power(e: Equation, x: Any, y: Any) -> Any:
    if e.dtype.kind == "c":
        return None
    if _is(y, 1):
        return _unchanged(x, e)
    if not _like(x, e):
        return None
    exponent = _number(y)
    if _is(y, 2):
        return applied(elementwise.square, e, x)
    if exponent is None or not 2 < abs(exponent) <= 8 or exponent != int(exponent):
        return None
    if exponent > 0:
        return _product(e, x, int(exponent))
    if e.dtype.kind != "f" or e.dtype.char == "e":
        return None
    return applied(elementwise.divide, e, 1.0, _product(e, x, int(-exponent)))


def _number(y: Any) -> float | None:
    """The value of a constant that is one real number."""
    if type(y) is Equation or np.ndim(y) or np.asarray(y).dtype.kind not in "iuf":
        return None
    return float(y)


def _product(e: Equation, x: Equation, n: int) -> Equation:
    """xⁿ as products; NumPy's power takes fifty times as long where x may be negative."""
    if n == 1:
        return x
    half = _product(e, x, n // 2)
    squared = between(elementwise.square, e, (half,), e.shape, e.dtype)
    return between(elementwise.multiply, e, (squared, x), e.shape, e.dtype) if n % 2 else squared


_RULES: dict[Any, Any] = {
    elementwise.multiply: _multiply,
    elementwise.divide: _divide,
    elementwise.subtract: _subtract,
    elementwise.add: _add,
    elementwise.negative: _negative,
    elementwise.power: _power,
}
