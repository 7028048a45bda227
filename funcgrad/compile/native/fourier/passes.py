"""The passes of a transform: lines that lie side by side in memory, one in each lane.

Stockham's order: a pass reads one array and writes another one, and what the last one writes is in its place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from funcgrad.compile.native.fourier.butterflies import Pair, times, transform
from funcgrad.compile.native.fourier.radices import radices
from funcgrad.compile.native.fourier.roots import roots
from funcgrad.compile.native.ir import SIZES, Function, Module, Value

_ALIKE = 1 << 11  # bytes: what lies multiples of them apart wants the same few places of the nearest cache
_LINE = 64  # bytes


class Scratch:
    """Complex numbers of several lines side by side: of each all real parts, then all imaginary parts.

    Arguments:
        f, base: the function that reads and writes them, and where they begin.
        kind: the type of a part.
        block: how many follow each other before there is a gap; 0 if there are no gaps.
    """

    def __init__(self, f: Function, base: Value, kind: str, block: int = 0) -> None:
        self._f, self._base, self.kind, self.block = f, base, kind, block

    @property
    def bytes(self) -> int:
        """Of one number of each line."""
        return 2 * self._f.lanes * SIZES[self.kind]

    @property
    def gap(self) -> int:
        """How many would lie in a gap: as much as a line of the cache."""
        return max(1, _LINE // self.bytes) if self.block else 0

    def read_by(self, n: int, r: int) -> Scratch:
        """The same memory, for n numbers that a pass reads by a radix: what it reads together wants other places."""
        block = n // r
        return Scratch(self._f, self._base, self.kind, 0 if block * self.bytes % _ALIKE else block)

    def plain(self) -> Scratch:
        """The same memory without gaps."""
        return Scratch(self._f, self._base, self.kind)

    def at(self, k: Value) -> Scratch:
        """Those from the k-th on, until there is a gap."""
        f = self._f
        if self.block:
            gaps = f.let(f"mul {f.let(f'udiv {k}, {self.block}', 'i64', 1)}, {self.gap}", "i64", 1)
            k = f.let(f"add {k}, {gaps.text}", "i64", 1)
        return self.behind(k)

    def behind(self, k: Value) -> Scratch:
        """Those from the k-th on if there were no gaps before."""
        f = self._f
        return Scratch(f, f.address(self._base, f.let(f"mul {k}, {2 * f.lanes}", "i64", 1), self.kind), self.kind)

    def load(self, k: int = 0) -> Pair:
        """The k-th of each line."""
        f = self._f
        return f.load(self._part(2 * k), self.kind), f.load(self._part(2 * k + 1), self.kind)

    def store(self, x: Pair, k: int = 0) -> None:
        """Write the k-th of each line."""
        self._f.store(x[0], self._part(2 * k))
        self._f.store(x[1], self._part(2 * k + 1))

    def _part(self, n: int) -> Value:
        offset = n * self.bytes // 2
        return self._f.let(f"getelementptr i8, {self._base}, i64 {offset}", "ptr", 1) if n else self._base


def number(k: int) -> Value:
    """An integer that is known."""
    return Value(str(k), "i64")


def first(n: int, z: Scratch) -> Scratch:
    """How n numbers lie in memory that `write_passes` is given."""
    return z.read_by(n, (*(radices(n) or ()), 1)[0])


def write_passes(f: Function, n: int, one: Scratch, other: Scratch) -> Scratch:
    """Write the transform of lines of n numbers, which lie as `first` says; where the result lies, without gaps."""
    done, rs = 1, radices(n) or ()
    for k, r in enumerate(rs):
        rest = n // done // r
        _pass(f, r, rest, done, one.read_by(n, r), other.read_by(n, rs[k + 1]) if rest > 1 else other.plain())
        one, other = other, one
        done *= r
    return one.plain()


def _pass(f: Function, r: int, rest: int, done: int, x: Scratch, y: Scratch) -> None:
    """One pass: transforms of r numbers that are `rest` times `done` apart, and their factors."""

    def block(p: Value, _: Sequence[Value]) -> list[Value]:
        base = f.let(f"mul {p}, {done}", "i64", 1)
        to = f.let(f"mul {p}, {done * r}", "i64", 1)
        if y.block:
            gaps = f.let(f"udiv {p}, {y.block // done // r}", "i64", 1)
            to = f.let(f"add {to}, {f.let(f'mul {gaps}, {y.gap}', 'i64', 1).text}", "i64", 1)
        row = _factors(f, x.kind, r, rest, p) if rest > 1 else None

        def step(q: Value, _: Sequence[Value]) -> list[Value]:
            given, goal = [s.behind(f.let(f"add {b}, {q.text}", "i64", 1)) for s, b in ((x, base), (y, to))]

            def put(k: int, z: Pair) -> None:
                goal.store(times(f, z, load_factor(f, row, x.kind, k - 1)) if k and row else z, done * k)

            transform(f, r, lambda j: given.load((done * rest + x.gap) * j), put)
            return []

        f.loop(number(0), number(done), 1, [], step)
        return []

    f.loop(number(0), number(rest), 1, [], block)


def _factors(f: Function, kind: str, r: int, rest: int, p: Value) -> Value:
    """Where exp(-2πi p k / (r rest)) are, for each k from 1 on."""
    powers = roots(r * rest)[np.outer(np.arange(rest), np.arange(1, r))]
    table = constants(f.module, f"fourier.factors.{r}.{rest}.{kind}", powers, kind)
    return f.address(table, f.let(f"mul {p}, {2 * (r - 1)}", "i64", 1), kind)


def load_factor(f: Function, row: Value, kind: str, k: int) -> Pair:
    """The k-th of the complex numbers from here on, in all lanes."""
    size = SIZES[kind]
    where = [f.let(f"getelementptr i8, {row}, i64 {(2 * k + part) * size}", "ptr", 1) for part in (0, 1)]
    re, im = [f.splat(f.load(w, kind, 1)) for w in where]
    return re, im


def constants(module: Module, name: str, values: np.ndarray, kind: str) -> Value:
    """A table of complex numbers in the module."""
    if name not in module.declared:
        f = Function(module, name)
        flat = np.ascontiguousarray(values).view(np.float64).ravel()
        inner = ", ".join([str(f.constant(x, kind)) for x in flat])
        module.declared[name] = f"@{name} = private constant [{len(flat)} x {kind}] [{inner}]"
    return Value(f"@{name}", "ptr")
