"""Formulas: elementwise operations that are several of NumPy's, each of which can write into an array that is there.

The logarithm of a sum of two exponentials is computed by NumPy number by number. Where one operand is a number nothing
infinite is subtracted from its like, and NumPy's own formula in vectors gives the same: 16,384 doubles take 58 µs
instead of 290 where there is AVX-512.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.numbers import WIDEST
from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise as ew
from funcgrad.ops import index, logistic

_VANISHES = -707.0  # below, NumPy looks whether the exponential of a double is subnormal: it is 1e-307 here
_MANY = 1 << 12  # elements from which that is worth two more operations


def _logistic(e: Equation, x: Any) -> Equation | None:
    if e.dtype.kind != "f" or type(x) is not Equation:
        return None
    kind = e.shape, e.dtype
    least = between(ew.minimum, e, (x, logistic.flat_from(e.dtype)), *kind)
    power = between(ew.exp, e, (least,), *kind)
    total = between(ew.add, e, (1, power), *kind)
    return applied(ew.divide, e, power, total)


def _sigmoid_backward(e: Equation, g: Any, y: Any) -> Equation | None:
    if type(y) is not Equation or y.dtype != e.dtype:
        return None
    kind = y.shape, y.dtype
    rest = between(ew.subtract, e, (1, y), *kind)
    return applied(ew.multiply, e, g, between(ew.multiply, e, (rest, y), *kind))


def _logaddexp(e: Equation, x: Any, y: Any) -> Equation | None:
    if type(x) is not Equation:
        x, y = y, x
    if type(x) is not Equation or type(y) not in (int, float) or not math.isfinite(y) or x.dtype != e.dtype:
        return None
    kind = e.shape, e.dtype
    apart = between(ew.subtract, e, (x, y), *kind) if y else x
    distance = between(ew.absolute, e, (apart,), *kind)
    power = between(ew.exp, e, (between(ew.negative, e, (distance,), *kind),), *kind)
    logarithm = between(ew.log1p, e, (power,), *kind)
    return applied(ew.add, e, between(ew.maximum, e, (x, y), *kind), logarithm)


def _where(e: Equation, condition: Any, x: Any, y: Any) -> Equation | None:
    """max(x, 0), as relu writes it: of two zeros NumPy takes the second, as the choice does."""
    if type(condition) is not Equation or condition.primitive is not ew.less_equal or type(y) is not Equation:
        return None
    if type(x) not in (int, float) or x or math.copysign(1, x) < 0 or math.prod(e.shape) <= WIDEST:
        return None
    z, zero = condition.inputs
    plain = z is y and type(zero) in (int, float) and not zero and y.shape == e.shape
    return applied(ew.maximum, e, y, 0) if plain and e.dtype.char in "fd" and y.dtype == e.dtype else None


def _exp(e: Equation, x: Any) -> Equation | None:
    """The exponentials of rows less their maxima, where a mask has made some elements very small.

    NumPy takes 15 ns to find that the exponential of a double vanishes, 200 for a subnormal one, and 0.8 for others.
    """
    if type(x) is not Equation or e.dtype.char != "d" or x.dtype.char != "d" or x.primitive is not ew.subtract:
        return None
    if math.prod(e.shape) < _MANY or not _is_masked(x.inputs[0]):
        return None
    kind = e.shape, e.dtype
    gone = between(ew.less_equal, e, (x, _VANISHES), e.shape, np.dtype(bool))
    power = between(ew.exp, e, (between(ew.maximum, e, (x, _VANISHES), *kind),), *kind)
    return applied(index.where, e, gone, 0.0, power)


def _is_masked(x: Any) -> bool:
    """Whether elements of an array are replaced by a number that makes them vanish beside others."""
    if type(x) is not Equation or x.primitive is not index.where:
        return False
    return any(type(i) in (int, float) and i <= _VANISHES for i in x.inputs[1:])


_FORMULAS: dict[Any, Callable[..., Equation | None]] = {
    logistic.logistic: _logistic,
    logistic.sigmoid: _logistic,
    logistic.sigmoid_backward: _sigmoid_backward,
    ew.logaddexp: _logaddexp,
    index.where: _where,
    ew.exp: _exp,
}


@with_any(*_FORMULAS)
def written_out(tape: Tape) -> Tape:
    """The tape with formulas in the places of these operations."""

    def rule(e: Equation, inputs: tuple) -> Any:
        formula = _FORMULAS.get(e.primitive)
        return None if formula is None else formula(e, *inputs)

    return rewrite(tape, rule)


__all__ = ["written_out"]
