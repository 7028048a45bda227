"""Terms: terms of a sum that are the same product of the same factors are one term.

The derivative of `x * x * x` is `g*x*x + g*x*x + g*x*x`, each in another order, and so none of them is a common
subexpression. They become three times the first. A product in another order is the same to rounding, and infinite, nan
or zero in the same cases, unless a part of it leaves the range of floats. Terms of different signs stay, for what they
leave of an infinity is nan.
"""

from __future__ import annotations

from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, reads, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise

_MOST = 8  # factors of a product that is looked at

Term = tuple[float, Equation]


def terms(tape: Tape) -> Tape:
    """The tape with such sums shorter."""
    joined = {e: found for e, ts in _sums(tape).items() if (found := _collected(ts)) is not None}
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
    found: dict[Equation, list[Term]] = {}
    for e in tape.equations:
        if e.primitive not in (elementwise.add, elementwise.subtract) or not all(_like(i, e) for i in e.inputs):
            continue
        if e.dtype.char not in "fd":
            continue
        found[e] = []
        for i, sign in zip(e.inputs, (1.0, 1.0 if e.primitive is elementwise.add else -1.0), strict=True):
            inside = found.pop(i) if i in found and readers[i] == 1 else [(1.0, i)]
            found[e] += [(sign * c, t) for c, t in inside]
    return found


def _like(i: Any, e: Equation) -> bool:
    return type(i) is Equation and i.shape == e.shape and i.dtype == e.dtype


def _collected(ts: list[Term]) -> list[Term] | None:
    """The terms with those that are the same product as one; None if there are none."""
    same: dict[Any, list[tuple[float, Term]]] = {}
    for sign, t in ts:
        number, factors = _product(t)
        key = None if factors is None else (frozenset(factors.items()), sign * number > 0)
        same.setdefault((sign, t) if key is None or not number else key, []).append((number, (sign, t)))
    if not any(len({t for _, (_, t) in group}) > 1 for group in same.values()):
        return None
    found = []
    for group in same.values():
        number, (sign, t) = group[0]
        found.append((sign * sum([abs(n) for n, _ in group]) / abs(number) if number else sign, t))
    return found


def _product(e: Equation) -> tuple[float, dict[Equation, int] | None]:
    """A number and the factors, each with its power, whose product an equation is; no factors if there are too many."""
    number, factors = 1.0, dict[Equation, int]()
    waiting = [(e, 1)]
    while waiting:
        x, power = waiting.pop()
        p = x.primitive if x.dtype == e.dtype else None
        if p is elementwise.negative and type(x.inputs[0]) is Equation:
            number *= -1.0 if power % 2 else 1.0
            waiting.append((x.inputs[0], power))
        elif p is elementwise.square and type(x.inputs[0]) is Equation:
            waiting.append((x.inputs[0], 2 * power))
        elif p is elementwise.multiply and all(type(i) is Equation or type(i) in (int, float) for i in x.inputs):
            for i in x.inputs:
                if type(i) is Equation:
                    waiting.append((i, power))
                else:
                    number *= float(i) ** power
        else:
            factors[x] = factors.get(x, 0) + power
        if len(waiting) + len(factors) > _MOST:
            return 1.0, None
    return number, factors


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
