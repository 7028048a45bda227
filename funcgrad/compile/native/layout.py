"""The layout of a group: what its rows are, how lanes lie, which nests there are, what is kept of how many rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import ordered
from funcgrad.compile.native.composites import expanded
from funcgrad.compile.native.elementwise import takes
from funcgrad.compile.native.ir import PARTS, SIZES, TYPES, Unwritable
from funcgrad.compile.native.lanes import MOST, cost_of, rows_are_lanes, turned_operands
from funcgrad.compile.native.llvm import target
from funcgrad.compile.native.memory import PARTIAL
from funcgrad.compile.native.nests import Nest, Nests
from funcgrad.compile.numpy_backend.groups import ROW_REDUCTIONS, SUMS, VIEWS, Group, elementwise, rolled
from funcgrad.compile.numpy_backend.windows import windows
from funcgrad.core.tape import Equation, Symbol, equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import structural

_BLOCK = 1 << 17  # bytes that a block of rows keeps
_LONGEST = 256  # rows in a block
_MOST_ALONG = 1 << 18  # bytes of a row that lie in memory at once


class Layout:
    """How a group is going to be written.

    Arguments:
        group: the operations.
        needed: those whose values are results.

    Attributes:
        merged: how many leading axes count as one, the rows.
        length: the number of rows.
        members: the operations, composites taken apart.
        given: the members whose values are results.
        pulled, whole: what is computed where members read it, and what is read at other places.
        sums: for each reduction over rows what is left to add up, a member.
        across: whether lanes are rows, not elements of the last axis.
        nests: how the members become loops.
        turned: the operands whose rows are laid across first.
        kept: what lies in memory, how many elements of a row, and of which type.
        parts: how many partial sums there are.
        lanes: how many elements a register holds.
        block: how many rows are treated together; a chunk is a multiple of them.
        work: how many additions take as long.
        aligned: whether there is always a multiple of the partial sums.
    """

    def __init__(self, group: Group, needed: Sequence[Equation]) -> None:
        self.merged = group.merged()
        self.length = math.prod(group.shape[: self.merged])
        now = expanded(group.members)
        self.members = dict.fromkeys(now.values())
        self.sums = {r: self._within(r, now) for r in group.reductions}
        self.given = [now[e] for e in needed]
        self.pulled, self.whole = group.pulled, group.whole
        reads_elsewhere = bool(group.pulled or group.moves)
        self.across = not reads_elsewhere and rows_are_lanes(self.members, self.given, self.merged)
        for e in self.members:
            self._check(e)
        if not all(map(ordered, group.reductions)):
            raise Unwritable
        moved = {e.inputs[0] for e in self.members if self._needs_memory(e)} & set(self.members)
        self.nests = Nests(self.members, self.given, self.sums, self.merged, moved)
        self.turned = turned_operands(list(self.members), self.merged) if self.across else []
        self.kept: list[tuple[Any, int, str]]
        self.kept = [(e, math.prod(self.space(e)), TYPES[e.dtype]) for e in self.members if e in self.nests.kept]
        self.kept += [(id(x), math.prod(self.space(x)), TYPES[np.dtype(dtype_of(x))]) for x in self.turned]
        every = (*self.members, *self.pulled)
        kinds = [e.dtype for e in every] + [dtype_of(i) for e in every for i in e.inputs if i is not None]
        types = [TYPES[k] for k in map(np.dtype, kinds) if k in TYPES]
        item = max([SIZES[PARTS.get(t, t)] for t in types])
        self.parts = PARTIAL // item
        self.lanes = min(self.parts, max(1, target().bytes // item))
        self.block = self._rows_of_a_block(sum([size * SIZES[kind] for _, size, kind in self.kept]))
        self.work = sum([math.prod(e.shape) * cost_of(e) for e in self.members])
        self.aligned = not self.length % self.parts and not self.block % self.parts

    def space(self, x: Any) -> tuple[int, ...]:
        """The shape of a row of what has rows."""
        return tuple(shape_of(x)[self.merged :])

    def length_of(self, x: Any) -> int:
        """The number of rows of what has rows, perhaps others than the group."""
        return math.prod(shape_of(x)[: self.merged])

    def _within(self, r: Equation, now: dict[Equation, Equation]) -> Equation:
        """What is left of a reduction over rows when each row has been reduced: a member, perhaps a new one."""
        x, axes = r.inputs[0], tuple([a for a in r.params["axis"] if a >= self.merged])
        if x in now:
            x = now[x]
        else:  # an operand is summed as it is: a member that does nothing stands for it
            params = {"shape": x.shape, "order": "C"}
            x = equation(x.number, Symbol(structural.reshape, 1), (x,), params, (), x.shape, x.dtype)
            self.members[x] = None
        if not axes:
            return x
        shape = tuple([n for k, n in enumerate(x.shape) if k not in axes])
        e = equation(x.number, Symbol(r.primitive, 1), (x,), {"axis": axes}, (), shape, r.dtype)
        self.members[e] = None
        return e

    def _check(self, e: Equation) -> None:
        """Refuse what cannot be written."""
        apart = e.primitive is structural.transpose and e.params["axes"][-1] != len(e.shape) - 1
        if not writable(e) or (apart and not self.across) or (e.primitive is structural.roll and self.across):
            raise Unwritable

    def _needs_memory(self, e: Equation) -> bool:
        """Whether a member reads its operand at other places than it gives, which lanes can do in memory alone."""
        if e.primitive is structural.roll:
            return e.params["axes"][0] == len(e.shape) - 1 >= self.merged
        if e.primitive is not structural.reshape or self.across:
            return False
        return not alike(self.space(e), self.space(e.inputs[0]))

    def _rows_of_a_block(self, size: int) -> int:
        """How many rows keep so much each that a block stays in the cache."""
        if size > (MOST if self.across else _MOST_ALONG):
            raise Unwritable
        rows = min(_BLOCK // max(1, size), _LONGEST, -(-self.length // self.parts) * self.parts)
        whole = rows // self.parts * self.parts
        return whole or (self.parts if self.across else max(1, rows))

    def over(self, needed: Sequence[Equation], lent: Collection[Equation]) -> dict[Equation, Equation]:
        """For results, the lent operands over which they can be written: whose rows have been read by then."""
        found: dict[Equation, Equation] = {}
        for e, given in zip(needed, self.given, strict=True):
            free = [x for x in lent if x not in found.values() and (x.shape, x.dtype) == (e.shape, e.dtype)]
            over = next((x for x in free if self._read_before(x, given)), None)
            if over is not None:
                found[e] = over
        return found

    def _read_before(self, x: Equation, e: Equation) -> bool:
        """Whether all is read of the rows of an operand when those of a result are written."""
        space, order = self.space(x), self.nests.order
        if x in self.whole:
            return False
        if self.across and math.prod(space) > 1:
            return True  # it has been turned round
        readers = {m for m in self.members if any(i is x for i in m.inputs)}
        moving = [m for m in self.members if m.primitive in (*VIEWS, structural.roll)]
        moved = {i for m in moving for i in (m, *self.nests.made_of(m))}  # what is computed for other places too
        if not readers or readers & moved:
            return False
        last = max(k for k, nest in enumerate(order) if readers & self.nests.computed(nest))
        gives = next(k for k, nest in enumerate(order) if e in nest.given)
        return last < gives or (last == gives and order[gives].space == space and not self._moved(x, order[gives]))

    def _moved(self, x: Equation, nest: Nest) -> bool:
        """Whether a nest reads another element of an operand than it is at, by what it computes of it."""
        reached, computed = {x}, self.nests.computed(nest)
        for m in self.members:
            if m in computed and not reached.isdisjoint([i for i in m.inputs if type(i) is Equation]):
                if m.primitive in (*VIEWS, structural.roll):
                    return True
                reached.add(m)
        return False


def writable(e: Equation) -> bool:
    """Whether there is machine code for a member."""
    if e.primitive in ROW_REDUCTIONS or e.primitive in VIEWS:
        plain = e.primitive in VIEWS or e.primitive in SUMS or e.dtype.kind == "f"
        return plain and all(dtype_of(i) in TYPES for i in e.inputs) and ordered(e)
    if rolled(e) or windows(e) is not None:
        return dtype_of(e.inputs[0]) in TYPES
    return elementwise(e) and takes(e)


def last_of(shape: Sequence[int]) -> int:
    """The length of the last axis."""
    return shape[-1] if shape else 1


def squeezed(shape: Sequence[int]) -> tuple[int, ...]:
    """A shape without axes of one element."""
    return tuple([n for n in shape if n != 1])


def alike(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes differ in axes of one element alone, and lanes lie alike."""
    return squeezed(a) == squeezed(b) and last_of(a) == last_of(b)
