"""Extrema: the derivative of a maximum that only keeps exponentials small vanishes, and is not computed.

Who writes `e = exp(x - max(x))` and `e / sum(e)`, or `log(sum(e)) + max(x)`, means a function in which the maximum
cancels. What the rules compute for it is zero to rounding: sums over rows, which are written here as polynomials of
what they are sums of. Where everything cancels, the elements that attain the maximum get no share of it.

A row in which the sum is nan has nan in the other terms of the derivative as well.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

from funcgrad.compile.rewrite import reads, rewrite
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import reduce, structural

_EXTREMA = (reduce.reduce_max, reduce.reduce_min)
_MOST = 64  # equations that are looked at for one value
_TERMS = 24  # of a polynomial that is looked at
_ROUNDING = 2.0**-40  # of the largest coefficient that cancels

Powers = frozenset[tuple[Hashable, int]]  # factors, each with its power
Polynomial = dict[Powers, float]
_ONE: Powers = frozenset()


def extrema(tape: Tape) -> Tape:
    """The tape without derivatives of extrema that vanish."""
    if tape.primitives.isdisjoint(_EXTREMA):
        return tape
    shares = [e for e in tape.equations if e.primitive is ew.multiply and _share(e) is not None]
    if not shares:
        return tape
    readers = reads(tape)
    vanish = set()
    for e in shares:
        place, extremum = _share(e) or (0, e)
        x = e.inputs[1 - place]
        if readers[e] == 1 and type(x) is Equation and not _Rows(extremum).of(x):
            vanish.add(e)
    if not vanish:
        return tape

    def rule(e: Equation, inputs: tuple) -> Any:
        if e.primitive is not ew.add:
            return None
        for n, i in enumerate(e.inputs):
            x = inputs[1 - n]
            if type(i) is Equation and i in vanish and type(x) is Equation and (x.shape, x.dtype) == (e.shape, e.dtype):
                return x
        return None

    return rewrite(tape, rule)


def _share(e: Equation) -> tuple[int, Equation] | None:
    """Which factor of a product is the share that elements have in an extremum, and that; None if neither is."""
    for n, x in enumerate(e.inputs):
        if type(x) is not Equation or x.primitive is not ew.divide or x.shape != e.shape:
            continue
        attained = x.inputs[0]
        if type(attained) is not Equation or attained.primitive is not structural.astype:
            continue
        equal = attained.inputs[0]
        if type(equal) is not Equation or equal.primitive is not ew.equal:
            continue
        for y, m in (equal.inputs, equal.inputs[::-1]):
            top = m.inputs[0] if type(m) is Equation and m.primitive is structural.reshape else m
            if type(top) is Equation and top.primitive in _EXTREMA and top.inputs[0] is y:
                return n, top
    return None


class _Rows:
    """Values as polynomials, with sums over the rows that an extremum is of.

    A value lies beside the rows, as it broadcasts against them, or apart: one element for a row, and no axis within it.
    Factors are known by what they are and where they lie; a sum that stays one is a factor, known by what it is of.
    """

    def __init__(self, extremum: Equation) -> None:
        self._axes, self._shape = extremum.params["axis"], tuple(extremum.inputs[0].shape)
        self._kept = reduce.reduced_shape(self._shape, self._axes, True)
        self._apart = reduce.reduced_shape(self._shape, self._axes)
        self._known: dict[tuple[Equation, bool], Polynomial] = {}
        self._same: set[Hashable] = set()  # factors that are the same in a row

    def of(self, x: Equation) -> Polynomial:
        """The polynomial of a value beside the rows."""
        found = {(x, True): None}
        waiting = deque(found)
        while waiting and len(found) < _MOST:
            new = [v for v in self._operands(*waiting.popleft()) if v not in found]
            found.update(dict.fromkeys(new))
            waiting += new
        for e, beside in sorted(found, key=lambda v: v[0].number):
            self._known[e, beside] = self._polynomial(e, beside)
        return self._known[x, True]

    def _operands(self, e: Equation, beside: bool) -> list[tuple[Equation, bool]]:
        """What a value is computed from, if it can be a polynomial of that, and where it lies."""
        p = e.primitive
        if p in _ARITHMETIC:
            return [(i, beside) for i in e.inputs if type(i) is Equation]
        x = e.inputs[0] if e.inputs else None
        if type(x) is not Equation:
            return []
        if p is reduce.reduce_sum and e.params["axis"] == self._axes and x.shape == self._shape and x.dtype == e.dtype:
            return [(x, True)] if not beside or self._is_same(e.shape) else []
        if p is structural.reshape and (x.shape, e.shape) == (
            (self._apart, self._kept) if beside else (self._kept, self._apart)
        ):
            return [(x, not beside)]
        return []

    def _is_same(self, shape: tuple[int, ...]) -> bool:
        """Whether a value of this shape, beside the rows, is the same in each."""
        own = (1,) * (len(self._shape) - len(shape)) + tuple(shape)
        return all(own[a] == 1 for a in self._axes)

    def _polynomial(self, e: Equation, beside: bool) -> Polynomial:
        operands = self._operands(e, beside)
        if not operands:
            return self._factor(e, beside)
        if e.primitive not in _ARITHMETIC:
            x = self._value(*operands[0])
            return self._sum(x) if e.primitive is reduce.reduce_sum else x
        values = [self._value(i, beside) for i in e.inputs]
        found = _ARITHMETIC[e.primitive](*values)
        return self._factor(e, beside) if found is None or len(found) > _TERMS else found

    def _value(self, x: Any, beside: bool) -> Polynomial:
        if type(x) in (int, float):
            return {_ONE: float(x)} if x else {}
        found = self._known.get((x, beside)) if type(x) is Equation else None
        return self._factor(x, beside) if found is None else found

    def _factor(self, x: Any, beside: bool) -> Polynomial:
        """A value as one factor."""
        key = (x if type(x) is Equation else id(x), beside)
        if not beside or self._is_same(shape_of(x)):
            self._same.add(key)
        return {frozenset([(key, 1)]): 1.0}

    def _sum(self, polynomial: Polynomial) -> Polynomial:
        """The sum over each row: what is the same in it goes out, and the rest is a factor."""
        found: Polynomial = {}
        for powers, number in polynomial.items():
            outside = frozenset([f for f in powers if f[0] in self._same])
            inside = powers - outside
            total: Polynomial = {_ONE: float(reduce.count(self._shape, self._axes))}
            if inside:
                self._same.add(inside)
                total = {frozenset([(inside, 1)]): 1.0}
            found = _plus(found, _times({outside: number}, total) or {})
        return found


def _plus(a: Polynomial, b: Polynomial, sign: float = 1.0) -> Polynomial:
    found = dict(a)
    for powers, number in b.items():
        total = found.get(powers, 0.0) + sign * number
        if abs(total) > _ROUNDING * abs(number):
            found[powers] = total
        else:
            found.pop(powers, None)
    return found


def _times(a: Polynomial, b: Polynomial, sign: int = 1) -> Polynomial | None:
    found: Polynomial = {}
    for (x, m), (y, n) in itertools.product(a.items(), b.items()):
        powers = dict(x)
        for f, k in y:
            powers[f] = powers.get(f, 0) + sign * k
        found = _plus(found, {frozenset([(f, k) for f, k in powers.items() if k]): m * n**sign})
        if len(found) > _TERMS:
            return None
    return found


_ARITHMETIC: dict[Any, Callable[..., Polynomial | None]] = {
    ew.add: _plus,
    ew.subtract: lambda a, b: _plus(a, b, -1.0),
    ew.negative: lambda a: _plus({}, a, -1.0),
    ew.multiply: _times,
    ew.divide: lambda a, b: _times(a, b, -1) if len(b) == 1 else None,
}

__all__ = ["extrema"]
