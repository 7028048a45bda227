"""The code of a group: a loop over the rows of chunks, and in it the nests of a row.

Where rows are numbers or narrow, the lanes of a register are rows; elsewhere they lie along the last axis of a row.
Sums in lanes go to a fixed number of partial sums, 64 bytes of them, however wide registers are: with fewer lanes
there are several accumulators that take turns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import combine, fold, identity
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.composites import expanded
from funcgrad.compile.native.elementwise import emit, takes
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Module, Value
from funcgrad.compile.native.llvm import target
from funcgrad.compile.native.nests import Nest, Nests, reduction
from funcgrad.compile.numpy_backend.groups import SUMS, VIEWS, Group, cut, elementwise, scalar
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation, Symbol, equation
from funcgrad.core.types import PYTHON_NUMBERS, dtype_of, shape_of
from funcgrad.ops import structural

PARAMETERS = (
    ("operands", "ptr"),
    ("outs", "ptr"),
    ("parts", "ptr"),
    ("work", "ptr"),
    ("start", "i64"),
    ("stop", "i64"),
)
_PARTIAL = 64  # bytes of partial sums
_NARROW = 16  # elements of the last axis below which rows are the lanes
_MOST = 1 << 15  # elements of a row that lie in memory at once
_ZERO = Value("0", "i64")
Index = Sequence[Value]


class Unwritable(Exception):  # noqa: N818  # no error: it only says that NumPy shall do it
    """A group cannot be written."""


class Rows:
    """The function of a group.

    Arguments:
        module: to which it is added.
        group, needed, title: the operations, those whose values are results, and the name of the function.

    Attributes:
        length: the number of rows.
        parts: how many partial sums there are where the lanes are rows; a chunk is a multiple of as many rows.
        sources: what it reads: equations, and constant arrays.
        places: of each reduction over rows, where its parts lie: first byte, how many numbers, lanes of each.
        part_bytes, work: bytes of the parts of a chunk, and of the memory of a row.
    """

    def __init__(self, module: Module, group: Group, needed: Sequence[Equation], title: str) -> None:
        self.merged = group.merged()
        self.length = math.prod(group.shape[: self.merged])
        self._now = expanded(group.members)
        self._inside = dict.fromkeys(self._now.values())
        self._needed = [self._now[e] for e in needed]
        spaces = [e.shape[self.merged :] for e in self._inside]
        self.across = max([s[-1] if s else 0 for s in spaces]) < _NARROW
        self._sums = {r: self._within(r) for r in group.reductions}
        kept = set()
        for e in self._inside:
            self._check(e)
            if self._needs_memory(e):
                kept.add(e.inputs[0])
        self.nests = Nests(self._inside, self._needed, self._sums, self.merged, kept & set(self._inside))
        kinds = [e.dtype for e in self._inside] + [dtype_of(i) for e in self._inside for i in e.inputs]
        item = max([SIZES[TYPES[k]] for k in map(np.dtype, kinds) if k in TYPES])
        self.parts = _PARTIAL // item
        self.lanes = min(self.parts, max(1, target().bytes // item))
        self.f = Function(module, title, PARAMETERS, self.lanes)
        self.sources: list[Any] = []
        self.places: dict[Equation, tuple[int, int, int]] = {}
        self.part_bytes = self.work = 0
        self._at: dict[Any, int] = {}  # where in the memory of a row a value lies
        self._gathered: dict[int, Any] = {}
        self._known: dict[Any, Value] = {}
        self._row = self._first = _ZERO
        self._mask: Value | None = None
        self._nest: Nest | None = None
        self._narrow = False  # whether a single element of what lies in memory is asked for

    def _within(self, r: Equation) -> Equation:
        """What is left of a reduction over rows when each row has been reduced: a member, perhaps a new one."""
        x, axes = self._now[r.inputs[0]], tuple([a for a in r.params["axis"] if a >= self.merged])
        if not axes:
            return x
        shape = tuple([n for k, n in enumerate(x.shape) if k not in axes])
        e = equation(x.number, Symbol(r.primitive, 1), (x,), {"axis": axes}, (), shape, r.dtype)
        self._inside[e] = None
        return e

    def _check(self, e: Equation) -> None:
        """Refuse what cannot be written."""
        if e.primitive in SUMS or e.primitive in VIEWS:
            fine = all(dtype_of(i) in TYPES for i in e.inputs)
        else:
            fine = elementwise(e) and takes(e)
        if e.primitive is structural.transpose and not self.across:
            fine = fine and e.params["axes"][-1] == len(e.shape) - 1
        if not fine:
            raise Unwritable

    def _space(self, e: Equation) -> tuple[int, ...]:
        return tuple(e.shape[self.merged :])

    def _needs_memory(self, e: Equation) -> bool:
        """Whether a member reads its operand at other places than it gives, which lanes can do in memory alone."""
        if e.primitive is not structural.reshape or self.across:
            return False
        a, b = self._space(e), self._space(e.inputs[0])
        return not (_squeezed(a) == _squeezed(b) and a[-1:] == b[-1:])

    # The loops.

    def write(self, unit: int) -> None:
        """Write the function, for chunks of so many rows."""
        f = self.f
        for r, e in self._sums.items():
            lanes, size = self.parts if self.across else 1, math.prod(self._space(e))
            self.places[r] = (self.part_bytes, size, lanes)
            self.part_bytes += -(-size * lanes * r.dtype.itemsize // 64) * 64
        numbers = [r for r, e in self._sums.items() if not self._space(e)]
        rows = [r for r in self._sums if r not in numbers]

        def chunk(c: Value, _: Any) -> list[Value]:
            first = f.let(f"mul i64 {c.text}, {unit}", "i64", 1)
            last = f.intrinsic("smin", f.let(f"add i64 {first.text}, {unit}", "i64", 1), Value(str(self.length), "i64"))
            part = f.let(f"mul i64 {c.text}, {self.part_bytes}", "i64", 1)
            self._part = f.let(f"getelementptr i8, ptr %parts, {part}", "ptr", 1)
            for r in rows:
                self._clear(r)
            stop, step = last, 1
            if self.across:  # up to a multiple of the partial sums, so that the accumulators are in order at the end
                more = f.let(f"sub i64 {last.text}, {first.text}", "i64", 1)
                more = f.let(f"add i64 {more.text}, {self.parts - 1}", "i64", 1)
                more = f.let(f"and i64 {more.text}, {-self.parts}", "i64", 1)
                stop, step = f.let(f"add i64 {first.text}, {more.text}", "i64", 1), self.lanes
            turns = self.parts // self.lanes if self.across else 1
            lanes = self.lanes if self.across else 1
            carry = [f.constant(identity(r), TYPES[r.dtype], lanes) for r in numbers for _ in range(turns)]

            def row(i: Value, carried: Sequence[Value]) -> list[Value]:
                self._row, self._first = i, first
                self._mask = f.first(f.binary("sub", last, i)) if self.across else None
                self._added: dict[Equation, Value] = {}
                self._known = {}
                self._gather()
                for nest in self.nests.order:
                    self._loops(nest)
                after: list[Value] = []
                for n, r in enumerate(numbers):
                    mine = carried[n * turns : (n + 1) * turns]
                    after += [*mine[1:], combine(f, r, mine[0], self._added[r])]
                return after

            found = f.loop(first, stop, step, carry, row)
            for n, r in enumerate(numbers):
                for k in range(turns):
                    at = f.let(f"getelementptr i8, ptr {self._part.text}, i64 {self.places[r][0]}", "ptr", 1)
                    place = f.address(at, Value(str(k * lanes), "i64"), TYPES[r.dtype])
                    f.store(found[n * turns + k], place)
            return []

        f.loop(f.parameter("start"), f.parameter("stop"), 1, [], chunk)
        f.finish()

    def _clear(self, r: Equation) -> None:
        """Set the parts of a reduction to where it starts."""
        f, (at, size, lanes) = self.f, self.places[r]
        base = f.let(f"getelementptr i8, ptr {self._part.text}, i64 {at}", "ptr", 1)
        start = f.constant(identity(r), TYPES[r.dtype], 1)

        def one(i: Value, _: Any) -> list[Value]:
            f.store(start, f.address(base, i, TYPES[r.dtype]))
            return []

        f.loop(_ZERO, Value(str(size * lanes), "i64"), 1, [], one)

    def _gather(self) -> None:
        """Where rows are the lanes, turn the narrow rows of the operands round, into the memory of the rows."""
        for e in self._inside:
            for x in e.inputs:
                if self.across and self._is_rows(x, e) and shape_of(x)[self.merged :]:
                    self._gathered[id(x)] = x
        for x in self._gathered.values():
            self._turn(x)

    def _turn(self, x: Any) -> None:
        f, size, kind = self.f, math.prod(shape_of(x)[self.merged :]), TYPES[np.dtype(dtype_of(x))]
        base, place, start = self._source(x), self._memory(("turned", id(x)), size, kind), self._linear_rows(size)

        def one(i: Value, _: Any) -> list[Value]:
            self._put(f.gather(base, f.binary("add", start, f.splat(i)), kind, self._mask), place, i)
            return []

        f.loop(_ZERO, Value(str(size), "i64"), 1, [], one)

    def _linear_rows(self, size: int) -> Value:
        """Where in an array the rows of the lanes begin."""
        f = self.f
        numbers = Value(f"<{', '.join([f'i64 {k * size}' for k in range(self.lanes)])}>", "i64", self.lanes)
        first = f.let(f"mul {self._row}, {size}", "i64", 1)
        return f.binary("add", f.splat(first), numbers) if self.lanes > 1 else first

    def _loops(self, nest: Nest) -> None:
        """Write a nest."""
        f, space, self._nest = self.f, nest.space, nest
        last = len(space) - 1
        outer = [k for k in range(len(space)) if k not in nest.axes]
        inner = sorted(nest.axes)
        reduced = nest.reductions
        lane = not self.across and bool(space) and space[-1] > 1
        turning = lane and last in inner
        turns = self.parts // self.lanes if turning else 1
        wide = self.lanes if self.across or lane else 1

        unit = self.parts if turning else self.lanes
        walk = partial(self._walk, space, (last, unit) if lane else None)

        def innermost(index: dict[int, Value], carry: Sequence[Value]) -> Sequence[Value]:
            at = [index[k] for k in range(len(space))]
            self._known = {}
            after: list[Value] = []
            for n, r in enumerate(reduced):
                x = self._summand(r, r.inputs[0], at, wide)
                mine = carry[n * turns : (n + 1) * turns]
                after += [*mine[1:], combine(f, r, mine[0], x)]
            self._give(nest, at)
            return after

        def middle(index: dict[int, Value], carry: Sequence[Value]) -> Sequence[Value]:
            if not nest.axes:
                return innermost(index, carry)
            start = [f.constant(identity(r), TYPES[r.dtype], wide) for r in reduced for _ in range(turns)]
            found = walk(inner, index, start, innermost)
            for n, r in enumerate(reduced):
                total = list(found[n * turns : (n + 1) * turns])
                x = fold(f, r, total) if turning else total[0]
                kept = outer if not r.params.get("keepdims") else list(range(len(space)))
                at = [index.get(k, _ZERO) for k in kept]
                shape = [1 if k in nest.axes else space[k] for k in kept]
                self._put(x, self._keep(r), self._linear(at, shape))
            return carry

        walk(outer, {}, [], middle)
        self._nest = None

    def _walk(
        self,
        space: Sequence[int],
        vector: tuple[int, int] | None,
        axes: list[int],
        index: dict[int, Value],
        carry: Sequence[Value],
        body: Callable,
    ) -> Sequence[Value]:
        """Write loops over axes around a body; what is carried after the last step.

        Arguments:
            space: the lengths of all axes.
            vector: the axis along which lanes lie, and of what its steps are made a multiple.
            axes: those to walk along, the outermost first.
            index, carry: where the loops around it stand, and what they carry.
            body: writes what is done for an index.
        """
        if not axes:
            return body(index, carry)
        f, k, rest = self.f, axes[0], axes[1:]
        n = space[k]
        if n == 1:
            return self._walk(space, vector, rest, {**index, k: _ZERO}, carry, body)
        unit = vector[1] if vector is not None and vector[0] == k else 0

        def step(i: Value, carried: Sequence[Value]) -> Sequence[Value]:
            mask = self._mask
            if unit:
                self._mask = f.first(f.let(f"sub i64 {n}, {i.text}", "i64", 1)) if n % unit else None
            after = self._walk(space, vector, rest, {**index, k: i}, carried, body)
            self._mask = mask
            return after

        stop = -(-n // unit) * unit if unit else n
        return f.loop(_ZERO, Value(str(stop), "i64"), self.lanes if unit else 1, carry, step)

    def _summand(self, r: Equation, e: Equation, at: Index, wide: int) -> Value:
        """What goes into a reduction; it changes nothing in lanes beyond the end."""
        value = self._value(e, at) if e in self._inside else self._read(e, at, self._space(e))
        x = self._wide(convert(self.f, value, e.dtype, r.dtype), wide)
        if self._mask is None or wide == 1:
            return x
        return self.f.select(self._mask, x, self.f.constant(identity(r), x.kind, x.lanes))

    def _wide(self, x: Value, lanes: int) -> Value:
        return self.f.splat(x, lanes) if x.lanes < lanes else x

    def _give(self, nest: Nest, at: Index) -> None:
        """Write what a step of a nest gives: last, for a result may lie over what is read."""
        f = self.f
        lane = self.across or (bool(nest.space) and nest.space[-1] > 1)
        wide = self.lanes if lane else 1
        writes = [(e, self._value(e, at)) for e in nest.kept]
        for e, x in writes:
            self._put(self._wide(x, wide), self._keep(e), self._linear(at, nest.space))
        for e in nest.given:
            x = self._wide(self._value(e, at), wide)
            base, size = self._out(e), math.prod(nest.space)
            place = self._linear(at, nest.space)
            if self.across and size > 1:
                f.scatter(x, base, f.binary("add", self._linear_rows(size), f.splat(place)), self._mask)
            else:
                f.store(x, f.address(base, self._in_rows(place, size), TYPES[e.dtype]), self._mask if lane else None)
        for r in nest.sums:
            e = self._sums[r]
            x = self._summand(r, e, at, wide)
            if not nest.space:
                self._added[r] = x
                continue
            first, _, lanes = self.places[r]
            place = self._linear(at, nest.space)
            if lanes > 1:
                turn = f.let(f"sub i64 {self._row.text}, {self._first.text}", "i64", 1)
                turn = f.let(f"and i64 {turn.text}, {self.parts - 1}", "i64", 1)
                place = f.let(f"mul {place}, {lanes}", "i64", 1)
                place = f.let(f"add {place}, {turn.text}", "i64", 1)
            base = f.let(f"getelementptr i8, ptr {self._part.text}, i64 {first}", "ptr", 1)
            where, mask = f.address(base, place, x.kind), None if self.across else self._mask
            mask = mask if wide > 1 else None
            f.store(combine(f, r, f.load(where, x.kind, wide, mask), x), where, mask)

    # Values.

    def _value(self, e: Equation, at: Index) -> Value:
        """The value of a member at a place in the row."""
        key = (e, tuple([i.text for i in at]))
        if key not in self._known:
            self._known[key] = self._computed(e, at)
        return self._known[key]

    def _computed(self, e: Equation, at: Index) -> Value:
        if reduction(e) or (e in self.nests.kept and (self._nest is None or e not in self._nest.kept)):
            return self._load_kept(e, self._linear(at, self._space(e)))
        if e.primitive in VIEWS:
            return self._viewed(e, at)
        return emit(self.f, e, [self._argument(x, e, at) for x in e.inputs])

    def _load_kept(self, e: Equation, place: Value) -> Value:
        space = self._space(e)
        wide = self.across or (bool(space) and space[-1] > 1 and not self._narrow)
        return self._get(self._keep(e), place, TYPES[e.dtype], self.lanes if wide else 1)

    def _viewed(self, e: Equation, at: Index) -> Value:
        """A movement within the row: its operand at another place."""
        x, a, b = e.inputs[0], self._space(e), tuple(shape_of(e.inputs[0])[self.merged :])
        if e.primitive is structural.transpose:
            where: list[Value] = [_ZERO] * len(at)
            for k, axis in enumerate(e.params["axes"][self.merged :]):
                where[axis - self.merged] = at[k]
        elif e.primitive is structural.broadcast_to:
            where = [_ZERO if n == 1 else i for n, i in zip(b, at, strict=True)]
        elif _squeezed(a) == _squeezed(b) and (self.across or a[-1:] == b[-1:]):
            rest = iter([i for n, i in zip(a, at, strict=True) if n != 1])
            where = [_ZERO if n == 1 else next(rest) for n in b]
        elif self.across:
            where = self._split(self._linear(at, a), b)
        else:
            place, self._narrow = self._linear(at, a), not a or a[-1] == 1
            if x in self._inside:
                found = self._load_kept(x, place)
            else:
                found = self._load(x, place, math.prod(b), 1 if self._narrow else self.lanes)
            self._narrow = False
            return found
        return self._value(x, where) if x in self._inside else self._read(x, where, b)

    def _split(self, place: Value, shape: Sequence[int]) -> list[Value]:
        """A place in a row as an index of this shape."""
        found = []
        for n in reversed(shape):
            found.append(self.f.let(f"urem {place}, {n}", "i64", 1) if n > 1 else _ZERO)
            place = self.f.let(f"udiv {place}, {n}", "i64", 1) if n > 1 else place
        return found[::-1]

    def _argument(self, x: Any, e: Equation, at: Index) -> Value | None:
        """An operand of an elementwise member."""
        if type(x) is not Equation:
            x = raw(x)
            if type(x) in PYTHON_NUMBERS or not np.ndim(x):
                return None
            one = scalar(x)
            if one is not x:
                return self.f.constant(one, TYPES[np.dtype(x.dtype)], 1)
        shape = shape_of(x)
        if type(x) is Equation and x in self._inside:
            return self._value(x, [_ZERO if n == 1 else i for n, i in zip(self._space(x), at, strict=True)])
        if self._is_rows(x, e):
            space = tuple(shape[self.merged :])
            return self._read(x, [_ZERO if n == 1 else i for n, i in zip(space, at, strict=True)], space)
        space = tuple(shape[max(0, len(shape) - len(at)) :])
        where = [_ZERO if n == 1 else i for n, i in zip(space, at[len(at) - len(space) :], strict=True)]
        wide = not self.across and bool(space) and space[-1] > 1
        base, kind = self._source(x), TYPES[np.dtype(dtype_of(x))]
        place = self.f.address(base, self._linear(where, space), kind)
        return self.f.load(place, kind, self.lanes if wide else 1, self._mask if wide else None)

    def _is_rows(self, x: Any, e: Equation) -> bool:
        """Whether an operand from outside has rows."""
        if type(x) is Equation and x in self._inside:
            return False
        return cut(shape_of(x), e)

    def _read(self, x: Any, at: Index, space: tuple[int, ...]) -> Value:
        """An operand that has rows."""
        place = self._linear(at, space)
        if self.across and space:
            return self._get(self._at["turned", id(x)], place, TYPES[np.dtype(dtype_of(x))], self.lanes)
        wide = self.across or (bool(space) and space[-1] > 1)
        return self._load(x, place, math.prod(space), self.lanes if wide else 1)

    def _load(self, x: Any, place: Value, size: int, lanes: int) -> Value:
        kind = TYPES[np.dtype(dtype_of(x))]
        where = self.f.address(self._source(x), self._in_rows(place, size), kind)
        return self.f.load(where, kind, lanes, self._mask if lanes > 1 else None)

    # Addresses.

    def _linear(self, at: Index, shape: Sequence[int]) -> Value:
        """The place of an element within a row."""
        f, place, stride = self.f, _ZERO, 1
        for i, n in zip(reversed(at), reversed(shape), strict=True):
            if i != _ZERO and n > 1:
                one = i if stride == 1 else f.let(f"mul {i}, {stride}", "i64", 1)
                place = one if place == _ZERO else f.let(f"add {place}, {one.text}", "i64", 1)
            stride *= n
        return place

    def _in_rows(self, place: Value, size: int) -> Value:
        row = self._row if size == 1 else self.f.let(f"mul {self._row}, {size}", "i64", 1)
        return row if place == _ZERO else self.f.let(f"add {row}, {place.text}", "i64", 1)

    def _source(self, x: Any) -> Value:
        n = next((n for n, s in enumerate(self.sources) if s is x), len(self.sources))
        if n == len(self.sources):
            self.sources.append(x)
        return self.f.load(self.f.address(self.f.parameter("operands"), Value(str(n), "i64"), "ptr"), "ptr", 1)

    def _out(self, e: Equation) -> Value:
        n = self._needed.index(e)
        return self.f.load(self.f.address(self.f.parameter("outs"), Value(str(n), "i64"), "ptr"), "ptr", 1)

    def _memory(self, key: Any, size: int, kind: str) -> int:
        """Where in the memory of a row a value lies."""
        if key not in self._at:
            lanes = self.lanes if self.across else 1
            if size * lanes > _MOST:
                raise Unwritable
            self._at[key] = self.work
            self.work += -(-(size * lanes + self.parts) * SIZES[kind] // 64) * 64
        return self._at[key]

    def _keep(self, e: Equation) -> int:
        return self._memory(e, math.prod(self._space(e)), TYPES[e.dtype])

    def _where(self, at: int, place: Value, kind: str) -> Value:
        f = self.f
        base = f.let(f"getelementptr i8, ptr %work, i64 {at}", "ptr", 1)
        if self.across and place != _ZERO:
            place = f.let(f"mul {place}, {self.lanes}", "i64", 1)
        return f.address(base, place, kind)

    def _put(self, x: Value, at: int, place: Value) -> None:
        self.f.store(x, self._where(at, place, x.kind))

    def _get(self, at: int, place: Value, kind: str, lanes: int) -> Value:
        return self.f.load(self._where(at, place, kind), kind, lanes)


def _squeezed(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple([n for n in shape if n != 1])
