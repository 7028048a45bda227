"""The lines of an array along one axis: where they lie, and how a batch of them is brought into lanes and back.

Along the last axis the numbers of a line are neighbours: blocks of as many as a register holds are turned round. Along
another axis those of neighbouring lines are, as lanes want them. What is left over is read number by number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from funcgrad.compile.native.fourier.butterflies import Pair
from funcgrad.compile.native.fourier.passes import Scratch, number
from funcgrad.compile.native.ir import Function, Value

COMPLEX, PAIRS, REAL = range(3)
"""What counts as one complex number of a line: one; two real ones that follow each other; a real one."""


class Lines:
    """The lines of an array without gaps.

    Arguments:
        shape, axis: of the array, and along which axis lines run.
        form: what counts as a complex number.

    Attributes:
        outer, inner: how many lines there are before and after the axis.
        whole: how many complex numbers a line has; there may be a real one beyond.
        rest: whether there is.
        step: how many parts of numbers lie between one complex number and the next.
        gap: how many between its parts.
    """

    def __init__(self, shape: Sequence[int], axis: int, form: int) -> None:
        self.outer, self._length, self.inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
        self.form, self._item = form, 2 if form == COMPLEX else 1
        self.whole, self.rest = divmod(self._length, 2) if form == PAIRS else (self._length, 0)
        self.gap = self.inner if form == PAIRS else 1
        self.step = self.inner * (1 if form == REAL else 2)

    def start(self, f: Function, base: Value, o: Value, i: Value, kind: str) -> Value:
        """Where a line begins: the i-th of the o-th block."""
        block = f.let(f"mul {o}, {self._length * self.inner}", "i64", 1)
        place = f.let(f"add {block}, {i.text}", "i64", 1)
        return f.address(base, f.let(f"mul {place}, {self._item}", "i64", 1), kind)


class SideBySide:
    """Lines that are neighbours, so that a register is read at once."""

    def __init__(self, f: Function, start: Value, lines: Lines, kind: str) -> None:
        self._f, self._start, self._lines, self._kind = f, start, lines, kind

    def _place(self, k: Value, gap: int) -> Value:
        f = self._f
        place = f.let(f"mul {k}, {self._lines.step}", "i64", 1)
        return f.address(self._start, f.let(f"add {place}, {gap}", "i64", 1) if gap else place, self._kind)

    def read(self, k: Value, both: bool) -> Pair:
        """The k-th complex number of each line, or just its real part."""
        f, wide = self._f, self._f.lanes
        if self._lines.form == COMPLEX:
            found = f.load(self._place(k, 0), self._kind, 2 * wide)
            return f.chosen(found, range(0, 2 * wide, 2)), f.chosen(found, range(1, 2 * wide, 2))
        re = f.load(self._place(k, 0), self._kind)
        return re, f.load(self._place(k, self._lines.gap), self._kind) if both else f.like(0.0, re)

    def write(self, k: Value, x: Pair, both: bool) -> None:
        """Write the k-th complex number of each line, or just its real part."""
        f, wide = self._f, self._f.lanes
        if self._lines.form == COMPLEX:
            mixed = f.chosen(x[0], [n for j in range(wide) for n in (j, wide + j)], x[1])
            f.store(mixed, self._place(k, 0))
            return
        f.store(x[0], self._place(k, 0))
        if both:
            f.store(x[1], self._place(k, self._lines.gap))


class Apart:
    """Lines that lie anywhere: each lane has an address of its own. Lanes without a line do what the last one does."""

    def __init__(self, f: Function, starts: Sequence[Value], lines: Lines, kind: str) -> None:
        self._f, self._starts, self._lines, self._kind = f, starts, lines, kind

    def _places(self, k: Value, gap: int = 0) -> list[Value]:
        f = self._f
        place = f.let(f"mul {k}, {self._lines.step}", "i64", 1)
        place = f.let(f"add {place}, {gap}", "i64", 1) if gap else place
        return [f.address(s, place, self._kind) for s in self._starts]

    def read(self, k: Value, both: bool) -> Pair:
        """The k-th complex number of each line, or just its real part."""
        re = self._joined(self._places(k))
        return re, self._joined(self._places(k, self._lines.gap)) if both else self._f.like(0.0, re)

    def _joined(self, places: Sequence[Value]) -> Value:
        f = self._f
        made = Value("poison", self._kind, f.lanes)
        for n, place in enumerate(places):
            one = f.load(place, self._kind, 1)
            made = f.let(f"insertelement {made}, {one}, i32 {n}", self._kind)
        return made

    def write(self, k: Value, x: Pair, both: bool) -> None:
        """Write the k-th complex number of each line, or just its real part."""
        f = self._f
        for part, gap in zip(x, (0, self._lines.gap) if both else (0,), strict=False):
            for n, place in enumerate(self._places(k, gap)):
                f.store(f.chosen(part, [n]), place)

    @property
    def block(self) -> int:
        """How many complex numbers of a line make a register; 0 if they are no neighbours."""
        return self._f.lanes // 2 if self._lines.inner == 1 and self._lines.form != REAL else 0

    def read_block(self, k: Value) -> list[Pair]:
        """The complex numbers from the k-th on, in each line, as many as make a register."""
        found = _turned(self._f, [self._f.load(place, self._kind) for place in self._places(k)])
        return list(zip(found[::2], found[1::2], strict=True))

    def write_block(self, k: Value, xs: Sequence[Pair]) -> None:
        """Write as many from the k-th on."""
        rows = _turned(self._f, [part for x in xs for part in x])
        for row, place in zip(rows, self._places(k), strict=True):
            self._f.store(row, place)


def _turned(f: Function, rows: Sequence[Value]) -> list[Value]:
    """Rows as columns: as many registers as they have lanes."""
    made, wide, d = list(rows), len(rows), 1
    while d < wide:
        for i in range(wide):
            if not i & d:
                a, b = made[i], made[i + d]
                made[i] = f.chosen(a, [wide + n - d if n & d else n for n in range(wide)], b)
                made[i + d] = f.chosen(a, [wide + n if n & d else n + d for n in range(wide)], b)
        d *= 2
    return made


Change = Callable[[Pair], Pair]


def read(f: Function, lines: Lines, where: SideBySide | Apart, z: Scratch, n: int, change: Change) -> None:
    """Bring n complex numbers of a batch of lines into memory side by side, with zeros beyond the end of the lines."""
    count, done = min(n, lines.whole), 0
    if isinstance(where, Apart) and where.block:
        done = count // where.block * where.block

        def some(k: Value, _: Sequence[Value]) -> list[Value]:
            to = z.at(k)
            for j, x in enumerate(where.read_block(k)):
                to.store(change(x), j)
            return []

        f.loop(number(0), number(done), where.block, [], some)

    def one(both: bool) -> Callable[..., list[Value]]:
        def step(k: Value, _: Sequence[Value]) -> list[Value]:
            z.at(k).store(change(where.read(k, both)))
            return []

        return step

    def nothing(k: Value, _: Sequence[Value]) -> list[Value]:
        zero = f.constant(0.0, z.kind)
        z.at(k).store((zero, zero))
        return []

    f.loop(number(done), number(count), 1, [], one(lines.form != REAL))
    if lines.rest and count < n:
        one(False)(number(count), [])
        count += 1
    if count < n:
        f.loop(number(count), number(n), 1, [], nothing)


def write(f: Function, lines: Lines, where: SideBySide | Apart, z: Scratch, change: Change) -> None:
    """Bring a batch of lines from memory side by side to where it belongs."""
    done = 0
    if isinstance(where, Apart) and where.block:
        done = lines.whole // where.block * where.block

        def some(k: Value, _: Sequence[Value]) -> list[Value]:
            of = z.at(k)
            where.write_block(k, [change(of.load(j)) for j in range(where.block)])
            return []

        f.loop(number(0), number(done), where.block, [], some)

    def one(k: Value, _: Sequence[Value]) -> list[Value]:
        where.write(k, change(z.at(k).load()), lines.form != REAL)
        return []

    f.loop(number(done), number(lines.whole), 1, [], one)


__all__ = ["COMPLEX", "PAIRS", "REAL", "Apart", "Lines", "SideBySide", "read", "write"]
