"""Frames: where in an operand the lanes of a register are that look through a window, and which of them see it.

What is not seen is not read either, but an address is computed of it. It is kept near the operand, for a processor
takes long to find out that a masked load far from all memory reads nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from funcgrad.compile.native import paces
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.scopes import Scopes
from funcgrad.compile.numpy_backend.windows import Run

_ZERO = Value("0", "i64")


class Frames:
    """The indices that a function computes with.

    An index is known as another one and a constant, where it is such a sum: so the addresses of neighbours are those of
    one of them, and constants that stand in the instructions.

    Arguments:
        f: the function to write to.
        scopes: its loops.
    """

    def __init__(self, f: Function, scopes: Scopes) -> None:
        self._f, self._scopes = f, scopes
        self._sums: dict[str, tuple[Value, int]] = {}
        self._paces: dict[str, tuple[Value, int]] = {}

    def plus(self, i: Value, n: int) -> Value:
        """An index and a constant."""
        if n == 0:
            return i
        base, more = self.apart(i)
        if base == _ZERO:
            return Value(str(more + n), "i64")
        made = self._let("add", base, str(more + n))
        self._sums[made.text] = base, more + n
        return made

    def apart(self, i: Value) -> tuple[Value, int]:
        """An index as another one, or zero, and a constant."""
        return self._sums.get(i.text, (i, 0)) if i.text.startswith("%") else (_ZERO, int(i.text))

    def place(self, terms: Iterable[tuple[Value, int]]) -> tuple[Value, int]:
        """The sum of indices in steps: what is written in the outermost loops that it can be, and a constant."""
        total, constant = _ZERO, 0
        for i, step in terms:
            base, more = self.apart(i)
            constant += more * step
            if base != _ZERO:
                one = base if step == 1 else self._let("mul", base, str(step))
                total = one if total == _ZERO else self._let("add", total, one)
        return total, constant

    def read(self, base: Value, terms: Sequence[tuple[Value, int]], kind: str, lanes: int, mask: Value | None) -> Value:
        """Elements of an array, of which one index may be one for each lane; none where the mask does not hold."""
        f = self._f
        own = next(((i, step) for i, step in terms if i.lanes > 1), None)
        if own is None:
            return f.load(self.address(base, terms, kind), kind, lanes, mask)
        first, pace = self._paces.get(own[0].text, (_ZERO, 0))
        if own[1] == 1 and paces.near(pace):
            low = self.plus(first, paces.lowest(pace, lanes))
            where = self.address(base, [(low if i is own[0] else i, step) for i, step in terms], kind)
            return paces.load(f, where, pace, kind, lanes, mask)
        rest, constant = self.place([(i, step) for i, step in terms if i.lanes == 1])
        places = f.binary("mul", own[0], f.like(own[1], own[0]))
        places = f.binary("add", places, f.splat(f.let(f"add {rest}, {constant}", "i64", 1), lanes))
        return f.gather(base, places, kind, mask)

    def _let(self, operation: str, a: Value, b: Value | str) -> Value:
        """An operation on indices, once."""
        index, text = ([a, b], b.text) if isinstance(b, Value) else ([a], b)
        return self._once((operation, a.text, text), index, lambda: self._f.let(f"{operation} {a}, {text}", "i64", 1))

    def address(self, base: Value, terms: Iterable[tuple[Value, int]], kind: str) -> Value:
        """The address of an element of an array."""
        f, (at, constant) = self._f, self.place(terms)
        where = self._once(("address", base.text, at.text), [base, at], lambda: f.address(base, at, kind))
        return f.address(where, Value(str(constant), "i64"), kind) if constant else where

    def seen(self, i: Value, run: Run, length: int, one: bool, wide: int, along: bool) -> tuple[Value, Value | None]:
        """The index in an operand that an index of the result shows, or one near it; the lanes that see it.

        Arguments:
            i, run: the index, and what it shows.
            length: of the axis, in the result.
            one: whether the operand has one element along it, which is read as a number.
            wide: how many lanes there are.
            along: whether they lie along this axis.

        Returns:
            The index, one for each lane if they are not one after the other; and the mask, None if all lanes see it.
        """
        f, along, mask = self._f, along and wide > 1, None
        i = self.plus(i, -run.low)
        each = along and not run.plain  # every lane has an index of its own
        at = self._once(("lanes", i.text, wide), [i], lambda: spaced(f, i, 1, wide)) if along else i
        if run.length < length:
            key = (at.text, run.length, run.every, wide)

            def within() -> Value:  # as numbers without a sign those before the first are large
                found = f.compare("ult", at, f.like((run.length - 1) * run.every + 1, at))
                if run.every > 1:
                    rest = f.binary("urem", at, f.like(run.every, at))
                    found = f.binary("and", found, f.compare("eq", rest, f.like(0, at)))
                return f.splat(found, wide) if found.lanes < wide else found

            mask = self._once(("mask", *key), [i], within)
            low, high = (-wide, run.length) if along else (0, run.length - 1)

            def near() -> Value:
                first = f.binary("sdiv", i, f.like(run.every, i)) if run.every > 1 else i
                at_least = f.intrinsic("smax", first, Value(str(low), "i64"))
                return f.intrinsic("smin", at_least, Value(str(high), "i64"))

            i = _ZERO if one else i if each else self._once(("near", *key, along), [i], near)
        if each:
            counts = f.binary("udiv", at, f.like(run.every, at)) if run.every > 1 else at
            found = f.binary("add", f.binary("mul", counts, f.like(run.step, at)), f.like(run.start, at))
            if run.every == 1:
                self._paces[found.text] = self.plus(self._let("mul", i, str(run.step)), run.start), run.step
            return found, mask
        if run.step != 1 and i != _ZERO:
            i = self._let("mul", i, str(run.step))
        return self.plus(i, run.start), mask

    def _once(self, key: tuple, index: list[Value], write: Callable[[], Value]) -> Value:
        return self._scopes.once(key, index, write)


def spaced(f: Function, first: Value, step: int, lanes: int) -> Value:
    """Places of lanes, at equal distances."""
    numbers = Value(f"<{', '.join([f'i64 {k * step}' for k in range(lanes)])}>", "i64", lanes)
    return f.binary("add", f.splat(first, lanes), numbers)
