"""Sums of products: factors that are the same in all terms go out, and products that are there already go in.

The derivatives of Σ z², where z = (x - m) h, sum the terms g (x - m) h h and g (x - m) (x - m) h. Since z and z² have
been computed, these are the sum of g z, times h, and, where h multiplies it again, the sum of g z²: one product of
large arrays each, which a dot forms and adds at once, in the place of three.

A factor leaves a sum only where it stays in it as well, in one of the products that are there: an infinity or nan of it
meets every term as before. Products in another order are the same to rounding, unless a part of one leaves the range of
floats; a sum that is zero may be so with another sign.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import reduce, structural

_MOST = 8  # powers of factors in a product that is looked at
_KNOWN = 8  # products with one factor that are kept in mind
_PRODUCTS = (ew.multiply, ew.square, ew.negative, ew.divide)


class _Product(NamedTuple):
    """A number times powers of equations."""

    number: float
    powers: dict[Equation, int]

    def times(self, other: _Product, sign: int = 1) -> _Product:
        """The product with another, or the quotient."""
        powers = dict(self.powers)
        for x, n in other.powers.items():
            powers[x] = powers.get(x, 0) + sign * n
        return _Product(self.number * other.number**sign, powers)


class _Sum(NamedTuple):
    """A sum as it shall be: what is multiplied in it, and what by after it."""

    inside: list[Equation]
    outside: dict[Equation, int]
    number: float


def sums(tape: Tape) -> Tape:
    """The tape with fewer products in sums."""
    if reduce.reduce_sum not in tape.primitives or not any(_is_total(e) for e in tape.equations):
        return tape
    found = _Found(tape)
    if not found.sums:
        return tape
    now: dict[Equation, Any] = {}

    def rule(e: Equation, inputs: tuple) -> Any:
        if e in found.sums:
            total, wanted = found.sums[e]
            known = _Sum(
                [now.get(x, x) for x in wanted.inside],
                {now.get(x, x): n for x, n in wanted.outside.items()},
                wanted.number,
            )
            now[e] = _written(e, total, known)
        else:
            now[e] = with_inputs(e, inputs)
        return now[e]

    return rewrite(tape, rule)


def _is_total(e: Equation) -> bool:
    x = e.inputs[0] if e.primitive is reduce.reduce_sum else None
    return type(x) is Equation and x.primitive in _PRODUCTS and x.dtype == e.dtype and not e.params.get("dtype")


class _Found:
    """The sums of a tape that can be had with fewer products.

    Attributes:
        sums: for a sum, or the product of a sum with what goes into it, that sum and what it shall be.
    """

    def __init__(self, tape: Tape) -> None:
        self.sums: dict[Equation, tuple[Equation, _Sum]] = {}
        self._products: dict[Equation, _Product] = {}
        self._readers: dict[Any, list[Equation]] = {o: [o] for o in tape.outputs if type(o) is Equation}
        for e in tape.equations:
            if e.primitive in _PRODUCTS and e.dtype.char in "fd" and (found := self._product(e)) is not None:
                self._products[e] = found
            for i in dict.fromkeys([i for i in e.inputs if type(i) is Equation]):
                self._readers.setdefault(i, []).append(e)
        totals = [e for e in tape.equations if _is_total(e) and e.inputs[0] in self._products]
        free = {e for e in totals if self._invariant(e) or self._factor(e) is not None}
        self._own = self._only_for(free, tape)
        self._with: dict[Equation, list[Equation]] = {}  # for a factor, products with it that several read, or others
        for e, product in self._products.items():
            if (e not in self._own or len(self._readers[e]) > 1) and _degree(product.powers) > 1:
                for x in product.powers:
                    known = self._with.setdefault(x, [])
                    if len(known) < _KNOWN:
                        known.append(e)
        for e in totals:
            if e in free:
                self._look_at(e)

    def _product(self, e: Equation) -> _Product | None:
        """The product that an equation is; None if it is too long, or has other factors than arrays of its dtype."""
        found = _Product(-1.0 if e.primitive is ew.negative else 1.0, {})
        for n, i in enumerate(e.inputs):
            if type(i) is Equation:
                if i.dtype != e.dtype:
                    return None
                part = self._of(i)
            elif type(i) in (int, float) and i and math.isfinite(i):
                part = _Product(float(i), {})
            else:
                return None
            found = found.times(part, -1 if n and e.primitive is ew.divide else 1)
        if e.primitive is ew.square:
            found = found.times(found)
        fine = 0 < _degree(found.powers) <= _MOST and found.number and math.isfinite(found.number)
        return found if fine and all(found.powers.values()) else None

    def _of(self, x: Equation) -> _Product:
        return self._products.get(x) or _Product(1.0, {x: 1})

    def _invariant(self, total: Equation) -> bool:
        """Whether a sum has factors that are the same in all terms."""
        return any(_same(x, total) for x in self._products[total.inputs[0]].powers)

    def _factor(self, total: Equation) -> Equation | None:
        """By what alone a sum is multiplied, if that can be in each of its terms."""
        readers, axes = self._readers.get(total, []), total.params["axis"]
        if len(readers) != 1 or readers[0].primitive is not ew.multiply or readers[0].shape != total.shape:
            return None
        if axes != tuple(range(len(axes))) and not total.params.get("keepdims"):
            return None
        x, y = readers[0].inputs
        other = y if x is total else x
        return other if type(other) is Equation and other is not total and other.dtype == total.dtype else None

    def _only_for(self, free: set[Equation], tape: Tape) -> set[Equation]:
        """The products that nobody but these sums reads, directly or by way of others."""
        found: set[Equation] = set()
        for e in reversed(tape.equations):
            if e in self._products and all(r in free or (r in found and r is not e) for r in self._readers.get(e, ())):
                found.add(e)
        return found

    def _look_at(self, total: Equation) -> None:
        """Keep a sum that is had with fewer products."""
        before, waiting = set(), [total.inputs[0]]
        while waiting:
            e = waiting.pop()
            if e in self._own and e not in before and math.prod(e.shape) == math.prod(total.inputs[0].shape):
                before.add(e)
                waiting += [i for i in e.inputs if type(i) is Equation]
        product, factor = self._products[total.inputs[0]], self._factor(total)
        wholes = [(total, product)]
        if factor is not None:
            wholes.insert(0, (self._readers[total][0], product.times(self._of(factor))))
        for shared in (False, True):  # what only these sums read is best not made at all
            for e, whole in wholes:
                found = self._covered(total, whole, shared)
                if found is not None and len(found.inside) - 1 < len(before - {*found.inside}):
                    self.sums[e] = total, found
                    return

    def _covered(self, total: Equation, product: _Product, shared: bool) -> _Sum | None:
        """A product by those that are there already, and what is left that is the same in all terms."""
        outside = {x: n for x, n in product.powers.items() if n and _same(x, total)}
        left = {x: n for x, n in product.powers.items() if n and x not in outside}
        number, inside, kept = product.number, [], set()
        shape = total.inputs[0].shape
        while left:
            met = dict.fromkeys([q for x in left for q in self._with.get(x, ()) if q.shape == shape])
            known = [q for q in met if q is not total.inputs[0] and (shared or q not in self._own)]
            best, most = None, (1, 0)
            for q in known:
                powers = self._products[q].powers
                parts = [(n, left.get(x, outside.get(x, 0))) for x, n in powers.items()]
                if q.number < total.number and all(0 < n <= m or 0 > n >= m for n, m in parts):
                    gain = _degree({x: n for x, n in powers.items() if x in left}), _degree(powers)
                    if gain > most:
                        best, most = q, gain
            if best is None:
                x, n = next(iter(left.items()))
                if n < 0:
                    return None
                taken = _Product(1.0, {x: 1})
                inside.append(x)
            else:
                taken = self._products[best]
                inside.append(best)
            number /= taken.number
            for x, n in taken.powers.items():
                part = left if x in left else outside
                part[x] -= n
                kept.add((x, n > 0))
                if not part[x]:
                    del part[x]
        safe = all((x, n > 0) in kept and abs(n) <= 2 for x, n in outside.items())
        return _Sum(inside, outside, number) if safe and np.broadcast_shapes(*map(shape_of, inside)) == shape else None


def _degree(powers: dict[Equation, int]) -> int:
    return sum(map(abs, powers.values()))


def _same(x: Equation, total: Equation) -> bool:
    """Whether a factor of what is summed is the same in all terms of each sum."""
    shape = total.inputs[0].shape
    own = (1,) * (len(shape) - len(x.shape)) + tuple(x.shape)
    return all(own[a] == 1 for a in total.params["axis"]) and any(shape[a] > 1 for a in total.params["axis"])


def _written(e: Equation, total: Equation, wanted: _Sum) -> Equation:
    """A sum, times what goes out of it, in the place of e."""
    terms: Any = None
    for x in wanted.inside:
        shape = x.shape if terms is None else np.broadcast_shapes(terms.shape, x.shape)
        if terms is None:
            terms = x
        elif terms is x:
            terms = between(ew.square, e, (x,), shape, e.dtype)
        else:
            terms = between(ew.multiply, e, (terms, x), shape, e.dtype)
    axes = total.params["axis"]
    kept = reduce.reduced_shape(total.inputs[0].shape, axes, True)
    leading = axes == tuple(range(len(axes))) and all(len(x.shape) <= len(total.shape) for x in wanted.outside)
    keepdims = bool(total.params.get("keepdims")) or not leading
    found = between(
        reduce.reduce_sum,
        e,
        (terms,),
        kept if keepdims else total.shape,
        e.dtype,
        axis=axes,
        **({"keepdims": True} if keepdims else {}),
    )
    for x, n in wanted.outside.items():
        for _ in range(abs(n)):
            found = between(ew.multiply if n > 0 else ew.divide, e, (found, x), found.shape, e.dtype)
    if wanted.number == -1.0:
        found = between(ew.negative, e, (found,), found.shape, e.dtype)
    elif wanted.number != 1.0:
        found = between(ew.multiply, e, (wanted.number, found), found.shape, e.dtype)
    return found if found.shape == e.shape else applied(structural.reshape, e, found, shape=e.shape, order="C")


__all__ = ["sums"]
