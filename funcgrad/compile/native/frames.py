"""Frames: where in an operand the lanes of a register are that look through a window, and which of them see it.

What is not seen is not read either, but an address is computed of it. It is kept near the operand, for a processor
takes long to find out that a masked load far from all memory reads nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
            The index, and the mask; None if all lanes see it.
        """
        f, along, mask = self._f, along and wide > 1, None
        i = self.plus(i, -run.low)
        if run.length < length:
            key = (i.text, run.length, wide, along)

            def within() -> Value:
                if along:  # as numbers without a sign those before the first are large
                    return f.compare("ult", spaced(f, i, 1, wide), f.constant(run.length, "i64", wide))
                return f.splat(f.compare("ult", i, Value(str(run.length), "i64")), wide)

            mask = self._once(("mask", *key), [i], within)
            low, high = (-wide, run.length) if along else (0, run.length - 1)

            def near() -> Value:
                at_least = f.intrinsic("smax", i, Value(str(low), "i64"))
                return f.intrinsic("smin", at_least, Value(str(high), "i64"))

            i = _ZERO if one else self._once(("near", *key), [i], near)
        if run.step != 1 and i != _ZERO:
            i = self._let("mul", i, str(run.step))
        return self.plus(i, run.start), mask

    def _once(self, key: tuple, index: list[Value], write: Callable[[], Value]) -> Value:
        return self._scopes.once(key, index, write)


def spaced(f: Function, first: Value, step: int, lanes: int) -> Value:
    """Places of lanes, at equal distances."""
    numbers = Value(f"<{', '.join([f'i64 {k * step}' for k in range(lanes)])}>", "i64", lanes)
    return f.binary("add", f.splat(first, lanes), numbers)
