"""Terms: terms of a sum that are the same product of the same factors are one term.

The derivative of `x * x * x` is `g*x*x + g*x*x + g*x*x`, each in another order, and so none of them is a common
subexpression. They become three times the first. A product in another order is the same to rounding, and infinite, nan
or zero in the same cases, unless a part of it leaves the range of floats. Terms of different signs stay, for what they
leave of an infinity is nan.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, reads, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise

_MOST = 8  # factors of a product that is looked at
_HIGHEST = 1 << 16  # power of a factor

Term = tuple[float, Equation]


def terms(tape: Tape) -> Tape:
    """The tape with such sums shorter."""
    products = Products()
    joined = {e: found for e, ts in _sums(tape).items() if (found := _collected(ts, products)) is not None}
    if not joined:
        return tape
    now: dict[Equation, Any] = {}

    def rule(e: Equation, inputs: tuple) -> Any:
        now[e] = _sum(e, [(c, now.get(t, t)) for c, t in joined[e]]) if e in joined else with_inputs(e, inputs)
        return now[e]

    return rewrite(tape, rule)


def _sums(tape: Tape) -> dict[Equation, list[Term]]:
    """The sums that are no part of a longer one, with the sign of each term."""
    readers = reads(tape)
    found: dict[Equation, Signed] = {}
    for e in tape.equations:
        if e.primitive not in (elementwise.add, elementwise.subtract) or not all(_like(i, e) for i in e.inputs):
            continue
        if e.dtype.char not in "fd":
            continue
        x, y = [found.pop(i) if i in found and readers[i] == 1 else Signed(i) for i in e.inputs]
        found[e] = x.plus(y, 1.0 if e.primitive is elementwise.add else -1.0)
    return {e: ts.terms() for e, ts in found.items()}


class Signed:
    """Terms with signs, in order; a sum of n of them is made in about n steps, however it is put together."""

    __slots__ = ("_queue", "_sign")

    def __init__(self, e: Equation) -> None:
        self._sign, self._queue = 1.0, deque([(1.0, e)])

    def plus(self, other: Signed, sign: float) -> Signed:
        """These terms, and then those of another sum times a sign. Both are used up: the longer takes the shorter."""
        other._sign *= sign
        if len(self._queue) >= len(other._queue):
            to, terms, join = self, other.terms(), self._queue.extend
        else:
            to, terms, join = other, self.terms()[::-1], other._queue.extendleft
        join([(c * to._sign, t) for c, t in terms])
        return to

    def terms(self) -> list[Term]:
        return [(self._sign * c, t) for c, t in self._queue]


def _like(i: Any, e: Equation) -> bool:
    return type(i) is Equation and i.shape == e.shape and i.dtype == e.dtype


def _collected(ts: list[Term], products: Products) -> list[Term] | None:
    """The terms with those that are the same product as one; None if there are none."""
    same: dict[Any, list[tuple[float, Term]]] = {}
    for sign, t in ts:
        number, factors = products.of(t)
        key = None if factors is None else (frozenset(factors.items()), sign * number > 0)
        same.setdefault((sign, t) if key is None or not number else key, []).append((number, (sign, t)))
    if not any(len({t for _, (_, t) in group}) > 1 for group in same.values()):
        return None
    found = []
    for group in same.values():
        number, (sign, t) = group[0]
        found.append((sign * sum([abs(n) for n, _ in group]) / abs(number) if number else sign, t))
    return found


Product = tuple[float, dict[Equation, int] | None]


class Products:
    """For equations the number and the factors, each with its power, whose product they are; looked at once each.

    There are no factors where they are too many, or the number or a power is too large to tell products apart.
    """

    def __init__(self) -> None:
        self._known: dict[Equation, Product] = {}

    def of(self, e: Equation) -> Product:
        known, waiting = self._known, [e]
        while waiting:
            x = waiting[-1]
            if x in known:
                waiting.pop()
                continue
            inner = _operands(x)
            missing = [i for i in inner if type(i) is Equation and i not in known and i.dtype == x.dtype]
            if missing:
                waiting += missing
                continue
            known[x] = self._made(x, inner)
            waiting.pop()
        return known[e]

    def _made(self, e: Equation, inner: Sequence[Any]) -> Product:
        if not inner:
            return 1.0, {e: 1}
        number = -1.0 if e.primitive is elementwise.negative else 1.0
        factors: dict[Equation, int] = {}
        for i in inner:
            if type(i) is not Equation:
                number *= float(i)
                continue
            n, found = self._known[i] if i.dtype == e.dtype else (1.0, {i: 1})
            if found is None:
                return 1.0, None
            number *= n
            for x, power in found.items():
                factors[x] = factors.get(x, 0) + power
        small = len(factors) <= _MOST and max(factors.values()) <= _HIGHEST
        return (number, factors) if small and math.isfinite(number) else (1.0, None)


def _operands(e: Equation) -> Sequence[Any]:
    """What an equation is the product of; nothing if it is no product."""
    p, inputs = e.primitive, e.inputs
    if p is elementwise.negative and type(inputs[0]) is Equation:
        return inputs
    if p is elementwise.square and type(inputs[0]) is Equation:
        return inputs * 2
    if p is elementwise.multiply and all(type(i) is Equation or type(i) in (int, float) for i in inputs):
        return inputs
    return ()


def _sum(e: Equation, ts: list[Term]) -> Equation:
    ts = sorted(ts, key=lambda term: term[0] < 0)  # a term that is added comes first
    total: Any = None
    for k, (c, t) in enumerate(ts):
        size = abs(c)
        x = t if size == 1.0 else between(elementwise.multiply, e, (size, t), e.shape, e.dtype)
        if total is None:
            total = x if c > 0 else between(elementwise.negative, e, (x,), e.shape, e.dtype)
            continue
        make = elementwise.add if c > 0 else elementwise.subtract
        if k == len(ts) - 1:
            return applied(make, e, total, x)
        total = between(make, e, (total, x), e.shape, e.dtype)
    return total


__all__ = ["terms"]
