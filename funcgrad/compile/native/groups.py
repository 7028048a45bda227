"""Groups in machine code: how a group becomes a function of chunks of rows, and how that is called.

A chunk is a fixed number of rows. Each has a place of its own for its part of every reduction over rows, and the parts
are combined in a fixed order: so the result depends neither on the number of threads nor on the width of registers.
Python calls a builtin function, which reads the arrays, makes the results and goes through all chunks; where there are
threads for it, a function of Python's hands the chunks out to them.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import combine, ordered
from funcgrad.compile.native.calls import Entry, builtin, others_running
from funcgrad.compile.native.ir import TYPES, Function, Module, Unwritable, Value, readable
from funcgrad.compile.native.layout import Layout, writable
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.memory import ZERO
from funcgrad.compile.native.rows import PARAMETERS, Rows
from funcgrad.compile.numpy_backend.groups import VIEWS, Group
from funcgrad.compile.numpy_backend.threads import pool
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of

_THREADED = 1 << 22  # additions from which threads are worth waking, which takes some 50 microseconds
_MOVED = 4  # additions that take as long as reading or writing an element
CHUNK = 1 << 15  # elements of the widest member in a chunk
_LONG = 1 << 13  # elements from which other threads of the program are let run meanwhile
_ALIGNED = 64  # bytes of which memory is a multiple


class NativeGroup:
    """A group as functions of a module.

    Arguments:
        module: to which they are added.
        group: the operations.
        needed: the members whose whole results somebody outside reads.
        title: the name of the function.
        lent: the operands whose memory it may write over.

    Attributes:
        operands: the equations outside that it reads.
        taken: for needed members the operand whose memory they take.
        text: says what it is.
    """

    def __init__(
        self, module: Module, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
    ) -> None:
        self.title, self.needed, self.sums = title, list(needed), list(group.reductions)
        layout = Layout(group, needed)
        rows = Rows(module, layout, title)
        self._widest = max([math.prod(shape) for shape in (group.shape, *[e.shape for e in group.members])])
        unit = layout.block * max(1, CHUNK * layout.length // self._widest // layout.block)
        self.chunks = -(-layout.length // unit)
        rows.write(unit)
        self._memory = rows.memory
        self.operands = [x for x in self._memory.sources if type(x) is Equation]
        self._constants = [np.ascontiguousarray(raw(x)) for x in self._memory.sources if type(x) is not Equation]
        moved = sum([math.prod(shape_of(x)) for x in (*self._memory.sources, *needed)])
        self._work = layout.work + _MOVED * moved
        self.taken = layout.over(needed, [x for x in self.operands if x in lent])
        names = ", ".join([str(e.primitive) for e in (*group.members, *group.reductions)])
        code = readable(module.functions[title])
        self.text = f"{title} does on {layout.length} rows, in machine code: {names}\n{code}"
        self._adds_up = self.chunks > 1 and bool(self.sums)
        if self._adds_up:
            self._write_sums(module)
        self._write_entry(module)

    def _write_sums(self, module: Module) -> None:
        """Write what combines the parts of all chunks into those of the first: by pairs, and pairs of these."""
        f, memory, step = Function(module, f"{self.title}.sums", [("parts", "ptr")], 64 // 8), self._memory, 1
        while step < self.chunks:

            def pair(i: Value, _: Any, step: int = step) -> list[Value]:
                one = f.let(f"mul {i}, {memory.part_bytes}", "i64", 1)
                two = f.let(f"add {one}, {step * memory.part_bytes}", "i64", 1)
                chunks = [f.let(f"getelementptr i8, ptr %parts, {at}", "ptr", 1) for at in (one, two)]
                for r in self.sums:
                    f.loop(ZERO, Value(str(memory.places[r][1]), "i64"), f.lanes, [], combined(r, chunks))
                return []

            def combined(r: Equation, chunks: list[Value]) -> Callable:
                def some(i: Value, _: Any) -> list[Value]:
                    places = [memory.part(f, c, r, i) for c in chunks]
                    found = [f.load(place, TYPES[r.dtype]) for place in places]
                    f.store(combine(f, r, *found), places[0])
                    return []

                return some

            f.loop(ZERO, Value(str(self.chunks - step), "i64"), 2 * step, [], pair)
            step *= 2
        f.finish()

    def _write_entry(self, module: Module) -> None:
        """Write what Python calls."""
        inputs = [(x.shape, x.dtype) for x in self.operands]
        results = [*self.needed, *self.sums]
        entry, memory = Entry(module, f"{self.title}.call", inputs, len(results)), self._memory
        f, data, constants = entry.f, iter(entry.data), itertools.count()
        lengths = (len(memory.sources), len(self.needed))
        tables = [f.let(f"alloca ptr, i64 {max(1, n)}", "ptr", 1) for n in lengths]
        for n, x in enumerate(memory.sources):
            where = next(data) if type(x) is Equation else entry.kept_array(next(constants))
            f.store(where, f.address(tables[0], Value(str(n), "i64"), "ptr"))
        entry.begin_results()
        made = {k: self._put(entry, k, e) for k, e in enumerate(results) if e.shape}
        for k in range(len(self.needed)):
            f.store(made[k], f.address(tables[1], Value(str(k), "i64"), "ptr"))
        room = entry.memory(self.chunks * memory.part_bytes + memory.work_bytes, _ALIGNED)
        work = f.let(f"getelementptr i8, {room.place}, i64 {self.chunks * memory.part_bytes}", "ptr", 1)
        with others_running(f, self._widest >= _LONG):
            chunks = f"{ZERO}, i64 {self.chunks}"
            f.line(f"call void @{self.title}({', '.join(map(str, (*tables, room.place, work)))}, {chunks})")
            if self._adds_up:
                f.line(f"call void @{self.title}.sums({room.place})")
        numbers = {}
        for k, r in enumerate(self.sums, len(self.needed)):
            if r.shape:
                size = memory.places[r][1] * np.dtype(r.dtype).itemsize
                entry.copy(made[k], memory.part(f, room.place, r, ZERO), size)
            else:
                numbers[k] = f.load(memory.part(f, room.place, r, ZERO), TYPES[r.dtype], 1)
        entry.release(room)
        for k, x in numbers.items():
            entry.put(k, [x], (), np.dtype(results[k].dtype))
        entry.finish()

    def _put(self, entry: Entry, k: int, e: Equation) -> Value:
        """Make a result that has axes; where its numbers go."""
        if e in self.taken:
            return entry.put_argument(k, self.operands.index(self.taken[e]))
        return entry.put_array(k, e.shape, e.dtype)

    def function(self, library: Library) -> Callable[..., Any]:
        """What carries the group out: a function of the raw operands, which gives the results."""
        count = min(pool.size, self.chunks) if self._work >= _THREADED else 1
        run = self._in_ranges(library, count)
        if count > 1:
            return run
        inputs = [(x.shape, np.dtype(x.dtype)) for x in self.operands]
        return builtin(library, f"{self.title}.call", inputs, run, self._constants)

    def _in_ranges(self, library: Library, count: int) -> Callable[..., tuple]:
        """The function that does it in so many ranges of chunks, each in a thread."""
        kinds = [ctypes.c_int64 if kind == "i64" else ctypes.c_void_p for _, kind in PARAMETERS]
        code = ctypes.CFUNCTYPE(None, *kinds)(library.address(self.title))
        add_up = (
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address(f"{self.title}.sums")) if self._adds_up else None
        )
        edges = [self.chunks * n // count for n in range(count + 1)]
        ranges, memory = list(itertools.pairwise(edges)), self._memory
        dtypes = [x.dtype for x in self.operands]
        over = [self.operands.index(self.taken[e]) if e in self.taken else None for e in self.needed]

        def run(*operands: Any) -> tuple:
            given = [np.ascontiguousarray(x, kind) for x, kind in zip(operands, dtypes, strict=True)]
            varying, fixed = iter(given), iter(self._constants)
            sources = [next(varying) if type(x) is Equation else next(fixed) for x in memory.sources]
            outs = [
                np.empty(e.shape, e.dtype) if k is None else given[k] for e, k in zip(self.needed, over, strict=True)
            ]
            parts = np.empty((self.chunks, memory.part_bytes), np.uint8)
            ins, results = _addresses(sources), _addresses(outs)

            def work(start: int, stop: int) -> Any:
                room = np.empty(memory.work_bytes, np.uint8)
                code(ins, results, parts.ctypes.data, room.ctypes.data, start, stop)
                return library  # which has to live as long

            pool.run(work, ranges)
            if add_up is not None:
                add_up(parts.ctypes.data)
            return (*outs, *[self._sum(r, parts[0]) for r in self.sums])

        return run

    def _sum(self, r: Equation, part: np.ndarray) -> Any:
        """A reduction over rows, from the part that holds it in the end."""
        at, size = self._memory.places[r]
        kind = np.dtype(r.dtype)
        found = part[at : at + size * kind.itemsize].view(kind)
        return found.reshape(r.shape).copy() if r.shape else found[0]


def _addresses(arrays: Sequence[np.ndarray]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*[x.ctypes.data for x in arrays])


def group_part(
    module: Module, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
) -> NativeGroup | None:
    """A group as a function of the module; None if NumPy shall carry it out.

    Arguments:
        module: to which the function is added.
        group: the operations.
        needed: the members whose whole results somebody outside reads.
        title: the name of the function.
        lent: the operands whose memory it may write over.

    Returns:
        An object with `operands`, `taken`, `text` and `function(library)`, as target.py says.
    """
    if not all(e.dtype in TYPES for e in group.all()):
        return None
    try:
        return NativeGroup(module, group, needed, title, lent)
    except Unwritable:
        return None


def group_suits(group: Group) -> bool:
    """Whether a group of small arrays saves calls of NumPy."""
    count = sum([e.primitive not in VIEWS for e in (*group.members, *group.reductions)])
    fine = all(map(writable, group.members)) and all(map(ordered, group.reductions))
    return (count > 1 or not group.members) and fine and all(e.dtype in TYPES for e in group.all())


__all__ = ["NativeGroup", "group_part", "group_suits"]
