"""Where the values of a group lie: operands and results, what is kept of a block of rows, the parts of sums.

What a block keeps has one number for each row of it, one after the other, where lanes are rows; elsewhere the rows of a
value lie one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from funcgrad.compile.native.ir import PARTS, SIZES, TYPES, Function, Value
from funcgrad.compile.native.scopes import Scopes
from funcgrad.core.tape import Equation

PARTIAL = 64  # bytes of partial sums, however wide registers are
ZERO = Value("0", "i64")
Index = Sequence[Value]


class Memory:
    """The addresses that a function of blocks of rows uses.

    Arguments:
        f: the function; its parameters are `operands`, `outs`, `parts` and `work`.
        scopes: its loops.
        outs: the equations whose values are results.
        block: how many rows there are in a block.
        across: whether lanes are rows.

    Attributes:
        outs: the equations whose values are results.
        sources: what is read from outside, in the order of `operands`.
        places: of each reduction over rows, where its part lies: first byte, how many numbers.
        part_bytes, work_bytes: of the parts of a chunk, and of what is kept of a block.
    """

    def __init__(self, f: Function, scopes: Scopes, outs: Sequence[Equation], block: int, across: bool) -> None:
        self._f, self._scopes, self._block, self._across = f, scopes, block, across
        self.outs = outs
        self.sources: list[Any] = []
        self.places: dict[Equation, tuple[int, int]] = {}
        self.part_bytes = self.work_bytes = 0
        self._kept: dict[Any, int] = {}

    def source(self, x: Any) -> Value:
        """Where an operand begins."""
        n = next((n for n, s in enumerate(self.sources) if s is x), len(self.sources))
        if n == len(self.sources):
            self.sources.append(x)
        return self._pointer("operands", n)

    def out(self, e: Equation) -> Value:
        """Where a result begins."""
        return self._pointer("outs", self.outs.index(e))

    def _pointer(self, table: str, n: int) -> Value:
        f = self._f
        where = Value(str(n), "i64")
        return self._scopes.once((table, n), (), lambda: f.load(f.address(f.parameter(table), where, "ptr"), "ptr", 1))

    def keep(self, keys: Collection[tuple[Any, int, str]]) -> None:
        """Make room for values of which a row has so many elements of a type."""
        for key, size, kind in keys:
            self._kept[key] = self.work_bytes
            # a register may be read, never written, beyond the end
            self.work_bytes += _padded(size * self._block * SIZES[kind], kind) + _register(kind)

    def kept(self, key: Any, place: Value, row: Value, size: int, kind: str) -> Value:
        """Where an element of a kept value is.

        Arguments:
            key: of the value.
            place, row: of the element in the row, and of the row in the block.
            size, kind: how many elements a row has, and their type.
        """
        f = self._f
        base = f.let(f"getelementptr i8, ptr %work, i64 {self._kept[key]}", "ptr", 1)
        if self._across or size == 1:
            place = plus(f, times(f, place, self._block), row)
        else:
            place = plus(f, times(f, row, size), place)
        return f.address(base, place, kind)

    def add_parts(self, sums: dict[Equation, int]) -> None:
        """Make room for the parts of reductions of so many numbers each."""
        for r, size in sums.items():
            self.places[r] = (self.part_bytes, size)
            self.part_bytes += _padded(size * SIZES[TYPES[r.dtype]], TYPES[r.dtype])

    def part(self, f: Function, chunk: Value, r: Equation, place: Value) -> Value:
        """Where the part of a reduction is, within those of a chunk: lines of any function."""
        base = f.let(f"getelementptr i8, {chunk}, i64 {self.places[r][0]}", "ptr", 1)
        return f.address(base, place, TYPES[r.dtype])


def _padded(size: int, kind: str) -> int:
    """So many bytes, in whole registers."""
    return -(-size // _register(kind)) * _register(kind)


def _register(kind: str) -> int:
    """The bytes of a register, or of the pair that holds complex numbers."""
    return 2 * PARTIAL if kind in PARTS else PARTIAL


def plus(f: Function, a: Value, b: Value) -> Value:
    """The sum of two places."""
    if ZERO in (a, b):
        return b if a == ZERO else a
    return f.let(f"add {a}, {b.text}", "i64", 1)


def times(f: Function, a: Value, n: int) -> Value:
    """A place in steps of n."""
    return a if a == ZERO or n == 1 else f.let(f"mul {a}, {n}", "i64", 1)


def steps(at: Index, shape: Sequence[int]) -> list[tuple[Value, int]]:
    """The indices of an element of an array without gaps, and how far it is from one to the next."""
    return [(i, math.prod(shape[k + 1 :])) for k, i in enumerate(at) if shape[k] > 1]


def linear(f: Function, at: Index, shape: Sequence[int]) -> Value:
    """The place of an element in an array without gaps."""
    place, stride = ZERO, 1
    for i, n in zip(reversed(at), reversed(shape), strict=True):
        if n > 1:
            place = plus(f, place, times(f, i, stride))
        stride *= n
    return place


def split(f: Function, place: Value, shape: Sequence[int]) -> list[Value]:
    """A place as an index of an array without gaps."""
    found = []
    for n in reversed(shape):
        found.append(f.let(f"urem {place}, {n}", "i64", 1) if n > 1 else ZERO)
        place = f.let(f"udiv {place}, {n}", "i64", 1) if n > 1 else place
    return found[::-1]
