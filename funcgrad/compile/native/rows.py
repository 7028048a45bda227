"""The code of a group: a loop over chunks and blocks of rows, and in it the nests, each for all rows of a block.

Where a nest has one element in a row the lanes of a register are rows; how they lie in the others lanes.py says. Sums
in lanes go to a fixed number of partial sums, 64 bytes of them, however wide registers are: with fewer lanes there are
several accumulators that take turns. They are added up at the end of a block, and the sums of the blocks one after the
other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import combine, fold, identity
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.elements import Elements
from funcgrad.compile.native.ir import TYPES, Function, Module, Value
from funcgrad.compile.native.layout import Layout
from funcgrad.compile.native.memory import ZERO, Index, linear, steps, times
from funcgrad.compile.native.nests import Nest
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of

PARAMETERS = (
    ("operands", "ptr"),
    ("outs", "ptr"),
    ("parts", "ptr"),
    ("work", "ptr"),
    ("start", "i64"),
    ("stop", "i64"),
)
_WIDE = 64  # elements of a row from which its sums need not stay in registers: memory is not waited for
_SHORT = 12  # the cost of a step that is written twice


class Rows(Elements):
    """The function of a group.

    Arguments:
        module: to which it is added.
        layout: how it is written.
        title: its name.
    """

    def __init__(self, module: Module, layout: Layout, title: str) -> None:
        super().__init__(Function(module, title, PARAMETERS, layout.lanes), layout)
        self.memory.keep(layout.kept)
        self.memory.add_parts({r: math.prod(layout.space(e)) for r, e in layout.sums.items()})

    def write(self, unit: int) -> None:
        """Write the function, for chunks of so many rows."""
        f, memory, length = self._f, self.memory, Value(str(self._layout.length), "i64")

        def chunk(c: Value, _: Any) -> list[Value]:
            first = times(f, c, unit)
            last = f.intrinsic("smin", f.let(f"add {first}, {unit}", "i64", 1), length)
            self._part = f.let(f"getelementptr i8, ptr %parts, {times(f, c, memory.part_bytes)}", "ptr", 1)
            for r in self._layout.sums:
                self._clear(r)
            f.loop(first, last, self._layout.block, [], lambda row, _: block(row, last))
            return []

        def block(row: Value, last: Value) -> list[Value]:
            rest = f.let(f"sub {last}, {row.text}", "i64", 1)
            self._first, self._count = row, f.intrinsic("smin", rest, Value(str(self._layout.block), "i64"))
            for x in self._layout.turned:
                self._turn(x)
            for nest in self._layout.nests.order:
                self._write(nest)
            return []

        f.loop(f.parameter("start"), f.parameter("stop"), 1, [], chunk)
        f.finish()

    def _clear(self, r: Equation) -> None:
        """Set the parts of a reduction to where it starts."""
        f, size = self._f, self.memory.places[r][1]
        start = f.constant(identity(r), TYPES[r.dtype])

        def some(i: Value, _: Any) -> list[Value]:
            f.store(start, self.memory.part(f, self._part, r, i))
            return []

        f.loop(ZERO, Value(str(size), "i64"), f.lanes, [], some)

    def _over_rows(self, carry: Sequence[Value], body: Callable[[Sequence[Value]], Sequence[Value]]) -> list[Value]:
        """Write a loop over the rows of a block; what is carried after the last step."""
        f, stop, step = self._f, self._count, 1
        if self._by_rows:
            step = f.lanes
            if (
                not self._layout.aligned
            ):  # up to a multiple of the partial sums, so that accumulators are in order at the end
                more = f.let(f"add {stop}, {self._layout.parts - 1}", "i64", 1)
                stop = f.let(f"and {more}, {-self._layout.parts}", "i64", 1)

        def one(i: Value, carried: Sequence[Value]) -> Sequence[Value]:
            mask = self._mask
            if self._by_rows:
                self._mask = None if self._layout.aligned else f.first(f.binary("sub", self._count, i))
            self._here, self._row = i, f.let(f"add {self._first}, {i.text}", "i64", 1)
            with self._scopes.inside(i):
                self._scopes.depends(self._row, [i.text])
                after = body(carried)
            self._mask = mask
            return after

        return f.loop(ZERO, stop, step, carry, one)

    def _turn(self, x: Any) -> None:
        """Lay the elements of the rows of an operand across, into the memory of the block."""
        f, size, kind = self._f, math.prod(shape_of(x)[self._layout.merged :]), TYPES[np.dtype(dtype_of(x))]
        base = self.memory.source(x)
        self._by_rows = True

        def rows(_: Any) -> list[Value]:
            start = self._places(size)

            def one(i: Value, _: Any) -> list[Value]:
                found = f.gather(base, f.binary("add", start, f.splat(i)), kind, self._mask)
                f.store(found, self.memory.kept(id(x), i, self._here, size, kind))
                return []

            return f.loop(ZERO, Value(str(size), "i64"), 1, [], one)

        self._over_rows([], rows)

    def _places(self, size: int) -> Value:
        """Where in an array the rows of the lanes begin."""
        f = self._f
        numbers = Value(f"<{', '.join([f'i64 {k * size}' for k in range(f.lanes)])}>", "i64", f.lanes)
        first = times(f, self._row, size)
        return f.binary("add", f.splat(first), numbers) if f.lanes > 1 else first

    def _write(self, nest: Nest) -> None:
        """Write a nest."""
        self._nest, self._by_rows = nest, self._layout.across or math.prod(nest.space) == 1
        self._wide = self._f.lanes if self._by_rows or nest.space[-1] > 1 else 1
        outer = [k for k in range(len(nest.space)) if k not in nest.axes]
        sums_alone = nest.sums and not (nest.kept or nest.given or nest.reductions)
        if self._by_rows or (sums_alone and math.prod(nest.space) < _WIDE):
            self._walk(outer, {}, [], lambda index, _: self._add_up(nest, index))
        else:
            self._over_rows([], lambda _: self._walk(outer, {}, [], lambda index, _: self._step(nest, index, True)))
        self._nest = None

    def _add_up(self, nest: Nest, index: dict[int, Value]) -> list[Value]:
        """Write what is done for one element of all rows; sums over rows stay in registers."""
        f = self._f
        turns = self._layout.parts // f.lanes if self._by_rows else 1
        start = [f.constant(identity(r), TYPES[r.dtype], self._wide) for r in nest.sums for _ in range(turns)]

        def row(carried: Sequence[Value]) -> list[Value]:
            self._step(nest, index, False)
            after: list[Value] = []
            for n, r in enumerate(nest.sums):
                mine = carried[n * turns : (n + 1) * turns]
                x = self._summand(r, self._layout.sums[r], self._at(nest, index))
                after += [*mine[1:], combine(f, r, mine[0], x)]
            return after

        found = self._over_rows(start, row)
        for n, r in enumerate(nest.sums):
            mine = found[n * turns : (n + 1) * turns]
            self._to_part(nest, r, index, fold(f, r, mine) if self._by_rows else mine[0])
        return []

    def _step(self, nest: Nest, index: dict[int, Value], sums: bool) -> list[Value]:
        """Write what is done for one element of a row, or some that lie along: sums over rows too, if that is said."""
        self._known = {}
        if nest.axes:
            self._reduce(nest, index)
        else:
            self._give(nest, self._at(nest, index))
        for r in nest.sums if sums else ():
            self._to_part(nest, r, index, self._summand(r, self._layout.sums[r], self._at(nest, index)))
        return []

    def _at(self, nest: Nest, index: dict[int, Value]) -> list[Value]:
        return [index[k] for k in range(len(nest.space))]

    def _to_part(self, nest: Nest, r: Equation, index: dict[int, Value], x: Value) -> None:
        """Add to what the rows before have given."""
        f = self._f
        where = self.memory.part(f, self._part, r, linear(f, self._at(nest, index), nest.space))
        mask = None if self._by_rows else self._mask
        f.store(combine(f, r, f.load(where, x.kind, x.lanes, mask), x), where, mask)

    def _reduce(self, nest: Nest, index: dict[int, Value]) -> None:
        """Write the loops of reductions within a row."""
        f, space, inner = self._f, nest.space, sorted(nest.axes)
        turning = not self._by_rows and self._wide > 1 and inner[-1] == len(space) - 1
        turns = self._layout.parts // f.lanes if turning else 1
        start = [f.constant(identity(r), TYPES[r.dtype], self._wide) for r in nest.reductions for _ in range(turns)]

        def innermost(index: dict[int, Value], carry: Sequence[Value]) -> Sequence[Value]:
            self._known = {}
            after: list[Value] = []
            for n, r in enumerate(nest.reductions):
                mine = carry[n * turns : (n + 1) * turns]
                after += [*mine[1:], combine(f, r, mine[0], self._summand(r, r.inputs[0], self._at(nest, index)))]
            self._give(nest, self._at(nest, index))
            return after

        found = self._walk(inner, index, start, innermost)
        self._known = {}
        for n, r in enumerate(nest.reductions):
            total = list(found[n * turns : (n + 1) * turns])
            keep = r.params.get("keepdims")
            left = [k for k in range(len(space)) if k not in inner or keep]
            shape = [1 if k in inner else space[k] for k in left]
            self._put(r, fold(f, r, total) if turning else total[0], [index.get(k, ZERO) for k in left], shape)

    def _walk(
        self, axes: list[int], index: dict[int, Value], carry: Sequence[Value], body: Callable
    ) -> Sequence[Value]:
        """Write loops over axes around a body; what is carried after the last step.

        Arguments:
            axes: those to walk along, the outermost first.
            index, carry: where the loops around it stand, and what they carry.
            body: writes what is done for an index.
        """
        if not axes:
            return body(index, carry)
        assert self._nest is not None, "there are axes in nests alone"
        f, k, rest, n = self._f, axes[0], axes[1:], self._nest.space[axes[0]]
        if n == 1:
            return self._walk(rest, {**index, k: ZERO}, carry, body)
        along = not self._by_rows and k == len(self._nest.space) - 1
        unit = (self._layout.parts if k in self._nest.axes else f.lanes) if along else 1
        stride, end = f.lanes if along else 1, -(-n // unit) * unit
        # a step that is short is written twice, once for the end, so that the others need no masks
        short = end > n and self._layout.nests.cost(self._nest) <= _SHORT
        last = n // unit * unit if short else end

        def step(i: Value, carried: Sequence[Value]) -> Sequence[Value]:
            mask = self._mask
            if end > n and not (short and i.text.startswith("%")):
                self._mask = f.below(n - int(i.text)) if short else f.first(f.let(f"sub i64 {n}, {i.text}", "i64", 1))
            with self._scopes.inside(i):
                after = self._walk(rest, {**index, k: i}, carried, body)
            self._mask = mask
            return after

        if last:
            carry = f.loop(ZERO, Value(str(last), "i64"), stride, carry, step)
        for at in range(last, end, stride):
            carry = step(Value(str(at), "i64"), carry)
        return carry

    def _summand(self, r: Equation, e: Equation, at: Index) -> Value:
        """What goes into a reduction; it changes nothing in lanes beyond the end."""
        x = self._value(e, at) if e in self._layout.members else self._read(e, at, self._layout.space(e))
        x = self._spread(convert(self._f, x, e.dtype, r.dtype))
        if self._mask is None or self._wide == 1:
            return x
        return self._f.select(self._mask, x, self._f.constant(identity(r), x.kind, x.lanes))

    def _give(self, nest: Nest, at: Index) -> None:
        """Write what a step of a nest gives: last, for a result may lie over what is read."""
        f = self._f
        for r in nest.sums:
            self._value(self._layout.sums[r], at)
        for e, x in [(e, self._value(e, at)) for e in nest.kept]:
            self._put(e, self._spread(x), at, nest.space)
        for e, x in [(e, self._value(e, at)) for e in nest.given]:
            base, size = self.memory.out(e), math.prod(nest.space)
            if self._by_rows and size > 1:
                place = linear(f, at, nest.space)
                f.scatter(self._spread(x), base, f.binary("add", self._places(size), f.splat(place)), self._mask)
            else:
                where = self._frames.address(base, [(self._row, size), *steps(at, nest.space)], TYPES[e.dtype])
                f.store(self._spread(x), where, self._mask)

    def _put(self, e: Equation, x: Value, at: Index, shape: Sequence[int]) -> None:
        """Write to the memory of the block."""
        where = self.memory.kept(e, linear(self._f, at, shape), self._here, math.prod(shape), x.kind)
        self._f.store(x, where, None if self._by_rows else self._mask)
