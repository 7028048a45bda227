"""Fourier transforms of all lines of an array, as a function of batches of them.

A batch has as many lines as a register has lanes. It is brought into memory that stays in the cache, transformed there,
and brought to where it belongs, with the factor of the normalisation. All lines are computed alike, so a result depends
neither on the width of registers nor on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from funcgrad.compile.native.fourier import lines
from funcgrad.compile.native.fourier.butterflies import Pair
from funcgrad.compile.native.fourier.halves import mirror, put_together, swapped, take_apart
from funcgrad.compile.native.fourier.lines import COMPLEX, PAIRS, REAL, Apart, Lines, SideBySide
from funcgrad.compile.native.fourier.passes import Scratch, first, number, write_passes
from funcgrad.compile.native.fourier.radices import radices
from funcgrad.compile.native.ir import PARTS, SIZES, TYPES, Function, Module, Value
from funcgrad.compile.native.llvm import target
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import fft

PARAMETERS = (("x", "ptr"), ("y", "ptr"), ("work", "ptr"), ("start", "i64"), ("stop", "i64"))
_GAPS = 64  # numbers that would fit into the gaps of an array, and between two
_FULL, _TWICE = 24 << 10, 64 << 10  # bytes of a batch: the nearest cache holds no more, and half of so many
_LONGEST = 1 << 12  # numbers of a line, so that a batch stays in some cache
LONG = 1 << 16  # additions during which other threads of the program are let run
INVERSE = (fft.ifft, fft.irfft)


def takes(e: Equation) -> bool:
    """Whether an equation is a transform that is carried out in machine code."""
    if e.primitive not in (fft.fft, fft.ifft, fft.rfft, fft.irfft) or type(e.inputs[0]) is not Equation:
        return False
    x, n = e.inputs[0], e.params["n"]
    if x.dtype not in TYPES or x.dtype.kind not in "fc" or _part(x.dtype) != _part(e.dtype) or not math.prod(e.shape):
        return False
    if (e.primitive is fft.irfft and x.dtype.kind != "c") or not math.prod(x.shape):
        return False
    return n <= _LONGEST and radices(n) is not None


def _part(dtype: np.dtype) -> str:
    """The type of a part of a number."""
    return PARTS.get(TYPES[dtype], TYPES[dtype])


class Transform:
    """The transform of an equation as a function of a range of batches.

    Arguments:
        e: the equation.

    Attributes:
        name: of the function, whose parameters are `PARAMETERS`.
        batches: how many there are.
        room: the bytes of memory of its own that it needs.
        work: how many additions take as long.
    """

    def __init__(self, e: Equation) -> None:
        x, axis, self._n = e.inputs[0], e.params["axis"], e.params["n"]
        self._kind = _part(e.dtype)
        self._primitive, self._back = e.primitive, e.primitive in INVERSE
        self._factor = _scale(self._n, e.params["norm"], self._back)
        halved = self._n % 2 == 0 and e.primitive in (fft.rfft, fft.irfft)
        self._length = self._n // 2 if halved else self._n
        forms = [COMPLEX if a.dtype.kind == "c" else PAIRS if halved else REAL for a in (x, e)]
        self._given, self._goal = [Lines(shape_of(a), axis, form) for a, form in zip((x, e), forms, strict=True)]
        self._bins = self._n // 2 + 1
        inner, outer = self._given.inner, self._given.outer
        self._lanes = _lanes(self._length, outer * inner, SIZES[self._kind])
        self._size = 2 * self._lanes * SIZES[self._kind] * (max(self._length, self._bins) + _GAPS)
        self.room = 2 * self._size
        self._per_block = -(-inner // self._lanes)
        self.batches = outer * self._per_block if inner >= self._lanes else -(-outer * inner // self._lanes)
        self.work = 4 * math.prod(e.shape) * self._n.bit_length()
        key = (e.primitive.name, *x.shape, x.dtype.char, axis, self._n, e.params["norm"])
        self.name = ".".join(["fourier", *map(str, key)])

    def write(self, module: Module) -> None:
        """Add the function to a module, unless that of an equation like this one is there."""
        if self.name in module.functions:
            return
        f = Function(module, self.name, PARAMETERS, self._lanes)
        work = f.parameter("work")
        other = f.let(f"getelementptr i8, {work}, i64 {self._size}", "ptr", 1)
        one = Scratch(f, work, self._kind)
        last = Scratch(f, other, self._kind) if len(radices(self._length) or ()) % 2 else one

        def batch(wheres: Sequence[SideBySide | Apart]) -> None:
            count = self._bins if self._primitive is fft.irfft else self._length
            flip = swapped if self._primitive is fft.ifft else _same
            lines.read(f, self._given, wheres[0], first(self._length, one), count, flip)
            f.run(self._in_scratch(module), work, other)
            lines.write(f, self._goal, wheres[1], last, self._scaled(f))

        def step(b: Value, _: Sequence[Value]) -> list[Value]:
            self._placed(f, b, batch)
            return []

        f.loop(f.parameter("start"), f.parameter("stop"), 1, [], step)
        f.finish()

    def _scaled(self, f: Function) -> Callable[[Pair], Pair]:
        factor = f.constant(self._factor, self._kind)

        def change(x: Pair) -> Pair:
            if self._factor != 1:
                x = f.binary("fmul", x[0], factor), f.binary("fmul", x[1], factor)
            return swapped(x) if self._back else x

        return change

    def _placed(self, f: Function, b: Value, write: Callable[[Sequence[SideBySide | Apart]], None]) -> None:
        """Write a batch where its lines lie: side by side if there are enough of them that are neighbours."""
        arrays = [(self._given, f.parameter("x")), (self._goal, f.parameter("y"))]
        inner, wide = self._given.inner, self._lanes
        if inner < wide:
            begin = f.let(f"mul {b}, {wide}", "i64", 1)
            found = self._least(f, begin, self._given.outer * inner - 1)
            ids = [(f.let(f"udiv {k}, {inner}", "i64", 1), f.let(f"urem {k}, {inner}", "i64", 1)) for k in found]
            write([self._apart(f, base, of, ids) for of, base in arrays])
            return
        o = f.let(f"udiv {b}, {self._per_block}", "i64", 1)
        i = f.let(f"mul {f.let(f'urem {b}, {self._per_block}', 'i64', 1)}, {wide}", "i64", 1)
        name = f"batch{f.fresh()}"
        whole = f.compare("sle", i, number(inner - wide))
        f.line(f"br {whole}, label %{name}.whole, label %{name}.part")
        f.label(f"{name}.whole")
        write([SideBySide(f, of.start(f, base, o, i, self._kind), of, self._kind) for of, base in arrays])
        f.line(f"br label %{name}.end")
        f.label(f"{name}.part")
        if inner % wide:
            ids = [(o, k) for k in self._least(f, i, inner - 1)]
            write([self._apart(f, base, of, ids) for of, base in arrays])
        f.line(f"br label %{name}.end")
        f.label(f"{name}.end")

    def _least(self, f: Function, first: Value, last: int) -> list[Value]:
        """The numbers of the lines of a batch, which do not exceed the last one."""
        found = [f.let(f"add {first}, {k}", "i64", 1) for k in range(self._lanes)]
        return [f.select(f.compare("slt", k, number(last)), k, number(last)) for k in found]

    def _apart(self, f: Function, base: Value, of: Lines, ids: Sequence[tuple[Value, Value]]) -> Apart:
        return Apart(f, [of.start(f, base, o, i, self._kind) for o, i in ids], of, self._kind)

    def _in_scratch(self, module: Module) -> str:
        """The name of what transforms a batch in memory, a function of two places."""
        n, p = self._n, self._primitive
        name = f"fourier.{'complex' if p in (fft.fft, fft.ifft) else p.name}.{n}.{self._kind}.{self._lanes}"
        if name not in module.functions:
            f = Function(module, name, [("one", "ptr"), ("other", "ptr")], self._lanes, private=True)
            one, other = [Scratch(f, f.parameter(k), self._kind) for k in ("one", "other")]
            if p is fft.irfft:
                (take_apart if n % 2 == 0 else mirror)(f, n, first(self._length, one))
            last = write_passes(f, self._length, one, other)
            if p is fft.rfft and n % 2 == 0:
                put_together(f, n, last)
            f.finish()
        return name


def _lanes(length: int, lines: int, size: int) -> int:
    """How many lines are transformed at once: as many as there are lanes, unless there are fewer lines.

    Half as many, if they stay in the nearest cache then: 0.80 µs for 4 lines of 256 numbers, for 8 lines 1.83.
    """
    lanes = target().bytes // size
    while lanes > 2 and lanes >= 2 * lines:
        lanes //= 2
    return lanes // 2 if lanes > 2 and _FULL < 4 * length * lanes * size <= _TWICE else lanes


def _same(x: Pair) -> Pair:
    return x


def _scale(n: int, norm: str, back: bool) -> float:
    """The factor of a normalisation."""
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "backward") == back else 1.0


__all__ = ["LONG", "PARAMETERS", "Transform", "takes"]
