"""Quotients: what is divided by the sum of a softmax, or multiplied by the softmax, is so once.

A softmax y = e / s pulls g back to y (g - Σ g y). But the rules give (g / s - (Σ g y) / s) e where it is written by
hand, and g y - y Σ g y where it is one operation: a division of each element too many, and a product. And where y is
only multiplied by what is the same in a row, as in the derivative of logsumexp, the sum s divides that: once for a row.

Such a sum is 1 at least, and a softmax lies between 0 and 1, so infinities and nans stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import reduce, structural


def quotients(tape: Tape) -> Tape:
    """The tape with such sums in fewer operations."""
    if not tape.primitives >= {ew.divide, ew.exp, reduce.reduce_sum, reduce.reduce_max}:
        return tape
    return rewrite(tape, _Quotients(tape).rule)


class _Quotients:
    """Who reads what, and the quotients that have been met."""

    def __init__(self, tape: Tape) -> None:
        self._readers: dict[Any, set[Equation | None]] = {o: {None} for o in tape.outputs if type(o) is Equation}
        for e in tape.equations:
            for i in e.inputs:
                if type(i) is Equation:
                    self._readers.setdefault(i, set()).add(e)
        self._known: dict[tuple[Any, Any], Equation] = {}

    def rule(self, e: Equation, inputs: tuple) -> Any:
        if e.primitive not in (ew.divide, ew.multiply, ew.add, ew.subtract) or e.dtype.char not in "fd":
            return None
        if e.primitive is ew.multiply and (found := self._by_row(e, inputs)) is not None:
            return found
        if not all(type(i) is Equation and i.dtype == e.dtype for i in inputs):
            return None
        if e.primitive is ew.divide:
            return self._known.setdefault(inputs, with_inputs(e, inputs))
        if e.primitive is ew.multiply:
            return self._times_known(e, inputs, 0) or self._times_known(e, inputs, 1)
        x, y = inputs
        if x.primitive is ew.divide and y.primitive is ew.divide and self._only(e, ()):
            return _one_quotient(e, x, y)
        if x.primitive is ew.multiply and y.primitive is ew.multiply and self._only(e, (reduce.reduce_sum,)):
            return _one_product(e, x, y)
        return None

    def _only(self, e: Equation, others: Sequence[Any]) -> bool:
        """Whether nobody but e and these primitives reads its operands."""
        return all(r is e or (r is not None and r.primitive in others) for i in e.inputs for r in self._readers[i])

    def _times_known(self, e: Equation, inputs: tuple, n: int) -> Equation | None:
        """(a / s) y as a (y / s), where y / s is known and a / s is made for this alone."""
        x, y = inputs[n], inputs[1 - n]
        if x.primitive is not ew.divide or self._readers[e.inputs[n]] != {e}:
            return None
        a, s = x.inputs
        known = self._known.get((y, s)) if type(a) is Equation and _total_of(s) is not None else None
        if known is None or known is x or _shape(a, known) != e.shape:
            return None
        return applied(ew.multiply, e, a, known)

    def _by_row(self, e: Equation, inputs: tuple) -> Equation | None:
        """a (p / s) as p (a / s), where p / s is only multiplied by what is the same in a row, and s is 1 at least."""
        for n, q in enumerate(inputs):
            a = inputs[1 - n]
            if (
                type(q) is not Equation
                or q.primitive is not ew.divide
                or q.shape != e.shape
                or _total_of(q.inputs[1]) is None
            ):
                continue
            p, s = q.inputs
            if (
                type(p) is Equation
                and p.shape == e.shape
                and all(_small_factor(r, e.inputs[n], s) for r in self._readers[e.inputs[n]])
            ):
                return applied(ew.multiply, e, p, between(ew.divide, e, (a, s), s.shape, e.dtype))
        return None


def _total_of(s: Any) -> Equation | None:
    """The exponentials of a softmax whose sum for rows s is, and so 1 at least; None if it is no such sum."""
    s = _stripped(s)
    if type(s) is Equation and s.primitive is ew.maximum and type(s.inputs[1]) is float and s.inputs[1] == 1.0:
        s = _stripped(s.inputs[0])
    powers = s.inputs[0] if type(s) is Equation and s.primitive is reduce.reduce_sum else None
    shifted = powers.inputs[0] if type(powers) is Equation and powers.primitive is ew.exp else None
    if type(shifted) is not Equation or shifted.primitive is not ew.subtract or shifted.dtype.char not in "fd":
        return None
    x, top = shifted.inputs[0], _stripped(shifted.inputs[1])
    for bound, limit in ((ew.maximum, np.finfo(shifted.dtype).min), (ew.minimum, np.finfo(shifted.dtype).max)):
        if type(top) is Equation and top.primitive is bound and type(top.inputs[1]) is float and top.inputs[1] == limit:
            top = _stripped(top.inputs[0])
    if type(top) is not Equation or top.primitive is not reduce.reduce_max or top.inputs[0] is not x:
        return None
    return powers if top.params["axis"] == s.params["axis"] else None


def _stripped(x: Any) -> Any:
    """What a value is a reshape of."""
    return x.inputs[0] if type(x) is Equation and x.primitive is structural.reshape else x


def _is_softmax(y: Equation) -> bool:
    return y.primitive is ew.divide and y.inputs[0] is _total_of(y.inputs[1])


def _small_factor(r: Equation | None, q: Equation, s: Equation) -> bool:
    """Whether a reader multiplies q by a number, or by something that has no more elements than s and its shape."""
    if r is None or r.primitive is not ew.multiply or r.dtype != q.dtype or r.shape != q.shape:
        return False
    other = r.inputs[1] if r.inputs[0] is q else r.inputs[0]
    if type(other) in (int, float):
        return True
    return type(other) is Equation and other.dtype == q.dtype and other is not q and _shape(other, s) == s.shape


def _one_quotient(e: Equation, x: Equation, y: Equation) -> Equation | None:
    """a / s + b / s as (a + b) / s."""
    (a, s), (b, t) = x.inputs, y.inputs
    if s is not t or _total_of(s) is None or not _alike(e, (a, b, s)) or _shape(a, b) != e.shape:
        return None
    return applied(ew.divide, e, between(e.primitive, e, (a, b), e.shape, e.dtype), s)


def _one_product(e: Equation, x: Equation, y: Equation) -> Equation | None:
    """a y + b y as y (a + b)."""
    for n in (0, 1):
        for m in (0, 1):
            a, b, both = x.inputs[1 - n], y.inputs[1 - m], x.inputs[n]
            if both is y.inputs[m] and _alike(e, (a, b, both)) and _is_softmax(both):
                return applied(ew.multiply, e, both, between(e.primitive, e, (a, b), _shape(a, b), e.dtype))
    return None


def _alike(e: Equation, xs: Sequence[Any]) -> bool:
    return all(type(x) is Equation and x.dtype == e.dtype for x in xs)


def _shape(*xs: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(*map(shape_of, xs))


__all__ = ["quotients"]
