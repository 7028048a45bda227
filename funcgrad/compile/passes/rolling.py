"""Rolling: what a Python loop wrote down step by step becomes a scan, and so does its derivative.

The blocks of a loop (passes/blocks.py) become one step. What other equations read of a block becomes a row of a result
of the scan: where these are the blocks of a loop in their turn, as those of the derivative are, whose first reads the
last one of the loop, they take the array as it is, from its end if need be. So a tape of any length costs what its
recording costs, and the passes see one step.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from funcgrad.compile.passes.blocks import CARRIED, CONSTANT, LOCAL, ROW, Blocks, blocks, read_after, type_in
from funcgrad.compile.passes.runs import FEWEST, Record, runs
from funcgrad.compile.rewrite import with_inputs
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation, Symbol, Tape, equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.ops import index, reduce, structural
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.results import Projection

LEAST = 200  # equations that are worth a loop


def rolled(tape: Tape) -> Tape:
    """The tape with its repetitions as scans."""
    if len(tape) < LEAST:
        return tape
    record = Record(tape)
    found = _loops(record)
    if not found:
        return tape
    writer = _Writer(tape, record)
    at = 0
    for loop in found:
        writer.copy(tape.equations[at : loop.start])
        writer.scan(loop)
        at = loop.stop
    writer.copy(tape.equations[at:])
    outputs = [writer.value(o) for o in tape.outputs]
    effects = [writer.value(o) for o in tape.effects]
    return Tape(tape.inputs, outputs, tape.in_tree, tape.out_tree, symbolic=True, effects=effects)


def _loops(record: Record) -> list[Blocks]:
    """The loops of a program in order, the longest where several overlap."""
    found: list[Blocks] = []
    for run in runs(record):
        for other in found:  # what is left of it
            if run.start < other.stop and other.start < run.stop:
                before, after = other.start - run.start, run.stop - other.stop
                run = run._replace(stop=other.start) if before > after else run._replace(start=other.stop)
        if run.stop - run.start < max(FEWEST * run.period, LEAST):
            continue
        loop = blocks(record, run)
        if loop is not None and loop.stop - loop.start >= LEAST:
            found.append(loop)
    return sorted(found, key=lambda b: b.start)


class _Writer:
    """The new tape.

    Attributes:
        env: what the values of the old one are there.
        rows: for values of the old one of which arrays they are a row, and which row.
    """

    def __init__(self, tape: Tape, record: Record) -> None:
        self.record, self.number = record, count().__next__
        self.env: dict[Equation, Any] = {i: i for i in tape.inputs}
        self.rows: dict[int, list[tuple[Any, int]]] = {}

    def emit(self, primitive: Any, inputs: tuple, shape: tuple[int, ...], dtype: Any, /, **params: Any) -> Equation:
        """A new equation."""
        return equation(self.number(), Symbol(primitive, len(inputs)), inputs, params, (), shape, dtype)

    def value(self, x: Any) -> Any:
        """An operand as it is on the new tape."""
        if type(x) is not Equation:
            return x
        place = self.record.places[x]
        x = self.record.values[place]
        if x not in self.env:
            array, k = self.rows[place][0]
            self.env[x] = self.emit(index.getitem, (array,), x.shape, x.dtype, index=k)
        return self.env[x]

    def _first(self, place: int, dtype: np.dtype) -> Any:
        """What is carried into a loop, or is a row there: on the new tape, with a dtype of its own."""
        x = self.value(self.record.value(place))
        return dtype.type(x) if type(x) is float else x

    def copy(self, equations: Sequence[Equation]) -> None:
        """Equations that belong to no loop."""
        for e in equations:
            place = self.record.places[e]
            if self.record.values[place] is not e:  # computed before
                continue
            if e.primitive is structural.stack and e.params["axis"] == 0 and len(e.inputs) >= FEWEST:
                places = self._places(e)
                if all(type(i) is Equation for i in e.inputs) and self._source(places) is not None:
                    self.env[e] = self._joined(places, e.dtype)
                    continue
            if e.primitive is index.scatter_add and len(e.inputs) >= FEWEST:
                self.env[e] = self._scattered(e)
                continue
            new = self.env[e] = with_inputs(e, tuple([self.value(i) for i in e.inputs]), self.number())
            row = self.record.rows[place - self.record.first]
            if row >= 0 and len(e.shape) == len(shape_of(e.inputs[0])) - 1 and type(new.inputs[0]) is Equation:
                self.rows.setdefault(place, []).append((new.inputs[0], int(row)))

    def _places(self, e: Equation) -> list[int]:
        k = self.record.places[e] - self.record.first
        return self.record.reads[self.record.starts[k] : self.record.starts[k + 1]].tolist()

    def scan(self, loop: Blocks) -> None:
        """The loop that takes the place of blocks."""
        record, p, n = self.record, loop.period, loop.count
        first, last = record.first + loop.start, record.first + loop.stop - p
        self.copy([record.values[place] for place in loop.before])
        inner = _Step(record, loop)
        wanted: dict[int, list[int]] = {}  # what the other equations read, by its place in a block and by blocks
        for place in read_after(record, loop):
            if record.values[place] not in self.env:
                wanted.setdefault((place - first) % p, []).append((place - first) // p)
        rows = [self._row_of(loop, key, i.dtype) for key, i in inner.rows.items()]
        backwards = sum([step < 0 for _, step in rows]) * 2 > len(rows)
        xs = [self._directed(array, (step < 0) != backwards) for array, step in rows]
        carried = {q: i for (q, _), i in reversed(inner.carried.items()) if type(q) is int}  # one input for each
        firsts = [self._first(init, i.dtype) for (_, init), i in inner.carried.items()]
        nexts = [inner.next(source) for source, _ in inner.carried]
        finals = {q: k for k, (q, _) in enumerate(inner.carried) if type(q) is int}
        for q, ks in wanted.items():
            if ks == [n - 1] and q not in finals:  # carried, so that no rows are kept
                finals[q] = len(firsts)
                o = inner.env[q]
                inner.inputs.append(equation(0, None, (), {}, (), o.shape, o.dtype))
                firsts.append(np.zeros(o.shape, o.dtype)[()])
                nexts.append(o)
        ys: list[tuple[int, int]] = []  # the place in a block, and whether it is that of the block before
        outs: list[Equation] = []
        for q, ks in wanted.items():
            if ks != [n - 1]:
                if q in carried:
                    ys.append((q, 1))
                    outs.append(carried[q])
                if q not in carried or n - 1 in ks:
                    ys.append((q, 0))
                    outs.append(inner.env[q])
        carries = [*inner.carried.values(), *inner.inputs]
        tape = Tape(
            [*inner.constants.values(), *carries, *inner.rows.values()], [*nexts, *outs], None, None, symbolic=True
        )
        body = Scan(TapeBody(tape), len(inner.constants), len(carries), n, backwards)
        operands = (*[self.value(record.value(c)) for c in inner.constants], *firsts, *xs)
        shapes = (*[o.shape for o in nexts], *[(n, *o.shape) for o in outs])
        dtypes = tuple([o.dtype for o in (*nexts, *outs)])
        plan = Symbol(ControlFlow(body, "scan"), len(operands))
        made = equation(self.number(), plan, operands, {}, (), shapes, dtypes)

        def part(j: int) -> Equation:
            return equation(self.number(), Projection(made, j), (made,), {"index": j}, (), shapes[j], dtypes[j])

        for q, k in finals.items():
            if n - 1 in wanted.get(q, ()):
                self.env[record.values[last + q]] = part(k)
        for j, (q, late) in enumerate(ys, len(nexts)):
            array = part(j)
            for k in range(n):
                place = first + q + p * (k - late)
                if late and not k:  # what the first block read, of whatever kind
                    place = next(init for key, init in inner.carried if key == q)
                self.rows.setdefault(place, []).append((array, n - 1 - k if backwards else k))

    def _row_of(self, loop: Blocks, key: tuple, dtype: np.dtype) -> tuple[Any, int]:
        """The array of the rows that the blocks read, and the direction in which they do."""
        if key[0] == "rows":  # of an array that all of them read
            _, q, place = key
            numbers = loop.rows[:, q].tolist()
            return self._part(self.value(self.record.value(place)), numbers[0], numbers[1] - numbers[0], loop.count)
        places = loop.reads[:, key[1]].tolist()
        source = self._source(places)
        if source is not None:
            return self._part(*source, loop.count)
        return self._joined(places, dtype), 1

    def _source(self, places: Sequence[int]) -> tuple[Any, int, int] | None:
        """The array of which values are the rows, the first row, and the distance to the next one."""
        if len(places) < 2:
            return None
        for array, k in self.rows.get(places[0], ()):
            for other, j in self.rows.get(places[1], ()):
                if other is array and abs(j - k) == 1:
                    wanted = [(array, k + i * (j - k)) for i in range(len(places))]
                    if all(w in self.rows.get(place, ()) for w, place in zip(wanted, places, strict=True)):
                        return array, k, j - k
        return None

    def _part(self, array: Any, k: int, step: int, length: int) -> tuple[Any, int]:
        """Rows of an array, from the row k in steps, in the order in which they lie there; and the direction."""
        if step < 0:
            k, step, direction = k + step * (length - 1), -step, -1
        else:
            direction = 1
        shape = shape_of(array)
        if (k, step, length) == (0, 1, shape[0]):
            return array, direction
        stop = k + step * (length - 1) + 1
        rows = slice(k, stop, None if step == 1 else step)
        if type(array) is not Equation:
            return raw(array)[rows], direction
        return self.emit(index.getitem, (array,), (length, *shape[1:]), array.dtype, index=rows), direction

    def _directed(self, array: Any, turned: bool) -> Any:
        """An array whose rows are in the opposite order if that is asked for."""
        if not turned:
            return array
        rows = slice(None, None, -1)
        if type(array) is not Equation:
            return array[rows]
        return self.emit(index.getitem, (array,), array.shape, array.dtype, index=rows)

    def _joined(self, places: Sequence[int], dtype: np.dtype) -> Any:
        """An array whose rows are these values: from parts of arrays, as far as they are rows, and one by one."""
        values = [self.record.value(place) for place in places]
        if all(type(x) is not Equation for x in values):
            return np.stack([raw(x) for x in values]).astype(dtype, copy=False)
        shape = shape_of(values[0])
        parts: list[Any] = []
        at = 0
        while at < len(places):
            stop = at + 1
            for array, k in self.rows.get(places[at], ()):
                for other, j in self.rows.get(places[at + 1], ()) if at + 1 < len(places) else ():
                    if other is array and abs(j - k) == 1:
                        end = at + 2
                        while end < len(places) and (array, k + (j - k) * (end - at)) in self.rows.get(places[end], ()):
                            end += 1
                        if end > stop:
                            stop, found = end, (array, k, j - k)
            if stop > at + 1:
                part, direction = self._part(*found, stop - at)
                parts.append(self._directed(part, direction < 0))
                at = stop
            else:
                alone: list[Any] = []
                while at < len(places) and len(alone) < 64 and (not alone or len(self.rows.get(places[at], ())) == 0):
                    alone.append(self._first(places[at], dtype))
                    at += 1
                parts.append(self.emit(structural.stack, tuple(alone), (len(alone), *shape), dtype, axis=0))
        if len(parts) == 1:
            return parts[0]
        return self.emit(structural.concatenate, tuple(parts), (len(places), *shape), dtype, axis=0)

    def _scattered(self, e: Equation) -> Equation:
        """A sum of rows at places in an array: those at one place are added up first, successive ones at once."""
        gs: list[Any] = []
        places: list[Any] = []
        by_array: dict[Equation, dict[int, tuple[Any, Equation]]] = {}
        for place, g, at in zip(self._places(e), e.inputs, e.params["indices"], strict=True):
            source = self.rows.get(place, []) if type(g) is Equation else []
            array = source[0][0] if source else None
            if array is None or type(at) is not int or source[0][1] in by_array.get(array, ()):
                gs.append(self.value(g))
                places.append(at)
            else:
                by_array.setdefault(array, {})[source[0][1]] = at, g
        for array, rows in by_array.items():
            ks, one = np.array(sorted(rows)), shape_of(array)[1:]
            ats = np.array([rows[k][0] for k in ks])
            change = np.diff(ats)
            together = len(ks) >= FEWEST and (np.diff(ks) == 1).all() and (change == change[0]).all()
            if together and change[0] == 0 and array.dtype == e.dtype:
                part, _ = self._part(array, int(ks[0]), 1, len(ks))
                gs.append(self.emit(reduce.reduce_sum, (part,), one, array.dtype, axis=(0,)))
                places.append(int(ats[0]))
            elif together and abs(change[0]) == 1 and one == e.shape[1:]:
                part, _ = self._part(array, int(ks[0]), 1, len(ks))
                gs.append(self._directed(part, change[0] < 0))
                places.append(slice(int(ats.min()), int(ats.max()) + 1))
            else:
                gs += [self.value(g) for _, g in rows.values()]
                places += [at for at, _ in rows.values()]
        return self.emit(index.scatter_add, tuple(gs), e.shape, e.dtype, indices=tuple(places), shape=e.params["shape"])


class _Step:
    """The block that stands for all.

    Attributes:
        constants: the inputs for values from outside, by their places.
        carried: for values of the block before, by their places in it and what the first block reads instead; for
            those of the one before that, by the input for the later ones in the place of the place, and so on.
        rows: for rows.
        inputs: for what is carried only to be there in the end.
        env: what the equations of the block are, by their places in it.
    """

    def __init__(self, record: Record, loop: Blocks) -> None:
        self.record, self.loop = record, loop
        self.constants: dict[int, Equation] = {}
        self.carried: dict[tuple[Any, int], Equation] = {}
        self.rows: dict[tuple, Equation] = {}
        self.inputs: list[Equation] = []
        self.env: list[Equation] = []
        self._by_values: dict[Any, Any] = {}
        rows = [k for k in np.flatnonzero(loop.kinds == ROW).tolist() if (loop.reads[:, k] >= 0).all()]
        self._shifted = {loop.reads[:-1, k].tobytes(): k for k in rows}
        m = loop.count // 2
        start = loop.start + m * loop.period
        self.base, offset = record.first + start, record.starts[start]
        for q in range(loop.period):
            e = record.values[self.base + q]
            slots = range(record.starts[start + q] - offset, record.starts[start + q + 1] - offset)
            if loop.rows[0, q] != loop.rows[1, q]:
                self.env.append(self._row(e, q, slots[0]))
            else:
                self.env.append(with_inputs(e, tuple([self._operand(int(k), m, e) for k in slots])))

    def _operand(self, slot: int, m: int, e: Equation) -> Any:
        kind, place = self.loop.kinds[slot], int(self.loop.reads[m, slot])
        if kind == LOCAL:
            return self.env[place - self.base]
        if kind == CARRIED:
            late, q = divmod(place - self.base, self.loop.period)
            key: Any = q
            for first in self.loop.reads[:-late, slot][::-1].tolist():  # what is read late is handed on
                key = (key, first)
                found = self._input(self.carried, key, self.record.value(place), e)
            return found
        if kind == CONSTANT:
            x = self.record.value(place)
            return x if type(x) is not Equation else self._input(self.constants, place, x, e)
        later = self._shifted.get(self.loop.reads[1:, slot].tobytes())
        if later is None or self.loop.reads[1:, later].tobytes() in self._shifted:
            return self._row_input(slot, self.record.value(place), e)[1]
        # What this operand is, the other one was a step before: so it is handed on, and one array is kept, not two.
        source, _ = self._row_input(later, self.record.value(int(self.loop.reads[m, later])), e)
        return self._input(self.carried, (source, int(self.loop.reads[0, slot])), self.record.value(place), e)

    def next(self, source: Any) -> Equation:
        """What the next step finds in the place of an input that is carried."""
        if type(source) is int:
            return self.env[source]
        return self.rows[source] if source in self.rows else self.carried[source]

    def _row_input(self, slot: int, x: Any, e: Equation) -> tuple[Any, Equation]:
        """The input for an operand that is a row, one for all that are the same, and its key."""
        key = self._by_values.setdefault((self.loop.reads[:, slot].tobytes(), type_in(x, e)), ("values", slot))
        return key, self._input(self.rows, key, x, e)

    def _input(self, among: dict, key: Any, like: Any, reader: Equation) -> Equation:
        if key not in among:
            shape, dtype = type_in(like, reader) or (shape_of(like), dtype_of(like))
            among[key] = equation(0, None, (), {}, (), shape, dtype)
        return among[key]

    def _row(self, e: Equation, q: int, slot: int) -> Equation:
        """An equation that reads the next row of an array in each block."""
        array, at = e.inputs[0], e.params["index"]
        rest = at[1:] if type(at) is tuple else ()
        key = ("rows", q, int(self.loop.reads[0, slot]))
        row = equation(0, None, (), {}, (), shape_of(array)[1:], e.dtype)
        self.rows[key] = row
        if not rest:
            return row
        return equation(e.number, e.plan, (row,), {"index": rest}, (), e.shape, e.dtype)
