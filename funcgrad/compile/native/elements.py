"""The elements of a group: the code that gives the value of a member, or of an operand, at a place in a row."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import added
from funcgrad.compile.native.elementwise import emit
from funcgrad.compile.native.frames import Frames, spaced
from funcgrad.compile.native.ir import TYPES, Function, Value
from funcgrad.compile.native.layout import Layout, alike, last_of, squeezed
from funcgrad.compile.native.memory import ZERO, Index, Memory, linear, plus, split, steps, times
from funcgrad.compile.native.nests import Nest, reduction
from funcgrad.compile.native.scopes import Scopes
from funcgrad.compile.numpy_backend.groups import VIEWS, cut, rolled, scalar
from funcgrad.compile.numpy_backend.windows import Run, Window, from_zero, windows
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation
from funcgrad.core.types import PYTHON_NUMBERS, dtype_of, shape_of
from funcgrad.ops import structural


class Elements:
    """The values of a group, where the loops around them stand.

    Arguments:
        f: the function that is written.
        layout: how it is written.

    Attributes:
        memory: where values lie.
    """

    _row: Value  # the number of the row, or of the first one of the lanes
    _here: Value  # the same, within the block
    _wide: int  # the lanes of a value

    def __init__(self, f: Function, layout: Layout) -> None:
        self._layout, self._f = layout, f
        self._scopes = Scopes(f)
        self.memory = Memory(f, self._scopes, layout.given, layout.block, layout.across)
        self._frames = Frames(f, self._scopes)
        self._known: dict[Any, Value] = {}
        self._mask: Value | None = None
        self._by_rows = False  # whether the lanes of the nest that is written are rows
        self._nest: Nest | None = None
        self._elsewhere = False  # whether the row is another one than that which is written

    def _value(self, e: Equation, at: Index) -> Value:
        """The value of a member at a place in the row."""
        key = (e, self._row.text, self._mask, tuple([i.text for i in at]))
        if key not in self._known:
            self._known[key] = self._computed(e, at)
        return self._known[key]

    def _computed(self, e: Equation, at: Index) -> Value:
        if reduction(e) or (e in self._layout.nests.kept and (self._nest is None or e not in self._nest.kept)):
            space = self._layout.space(e)
            return self._load_kept(e, linear(self._f, at, space), last_of(space) > 1)
        if e.primitive in VIEWS:
            return self._viewed(e, at)
        if rolled(e):
            return self._rolled(e, at)
        if (shown := windows(e)) is not None:
            return self._shown(e, shown, at)
        return emit(self._f, e, [self._argument(x, e, at) for x in e.inputs])

    def _load_kept(self, e: Equation, place: Value, along: bool) -> Value:
        kind = TYPES[e.dtype]
        where = self.memory.kept(e, place, self._here, math.prod(self._layout.space(e)), kind)
        return self._f.load(where, kind, self._f.lanes if self._by_rows or along else 1)

    def _viewed(self, e: Equation, at: Index) -> Value:
        """A movement within the row: its operand at another place."""
        x, a, b = e.inputs[0], self._layout.space(e), tuple(shape_of(e.inputs[0])[self._layout.merged :])
        if e.primitive is structural.transpose:
            where: list[Value] = [ZERO] * len(at)
            for k, axis in enumerate(e.params["axes"][self._layout.merged :]):
                where[axis - self._layout.merged] = at[k]
        elif e.primitive is structural.broadcast_to:
            where = [ZERO if n == 1 else i for n, i in zip(b, at, strict=True)]
        elif squeezed(a) == squeezed(b) and (self._by_rows or alike(a, b)):
            rest = iter([i for n, i in zip(a, at, strict=True) if n != 1])
            where = [ZERO if n == 1 else next(rest) for n in b]
        elif self._by_rows:
            where = split(self._f, linear(self._f, at, a), b)
        else:
            place, along = linear(self._f, at, a), last_of(a) > 1
            if x in self._layout.members:
                return self._load_kept(x, place, along)
            return self._load(x, [place], (math.prod(b),), self._f.lanes if along else 1)
        return self._value(x, where) if x in self._layout.members else self._read(x, where, b)

    def _rolled(self, e: Equation, at: Index) -> Value:
        """An operand shifted along an axis: what comes before its begin is its end."""
        f, x, space, merged = self._f, e.inputs[0], self._layout.space(e), self._layout.merged
        (shift,), (axis,), size = e.params["shift"], e.params["axes"], math.prod(space)
        if axis < merged:
            length, lanes = self._layout.length, self._f.lanes if self._by_rows or last_of(space) > 1 else 1
            shift, place, base = (
                shift * math.prod(e.shape[1:merged]) % length,
                linear(f, at, space),
                self.memory.source(x),
            )

            def of_row(row: Value) -> Value:
                return f.address(base, plus(f, times(f, row, size), place), TYPES[e.dtype])

            if self._by_rows:
                return self._joined(self._row, shift, length, of_row, TYPES[e.dtype])
            return f.load(of_row(self._wrapped(self._row, shift, length)), TYPES[e.dtype], lanes, self._mask)
        k, n = axis - merged, e.shape[axis]
        if n == 1 or k < len(space) - 1:
            at = [self._wrapped(i, shift % n, n) if j == k and n > 1 else i for j, i in enumerate(at)]
            return self._value(x, at) if x in self._layout.members else self._read(x, at, space)

        def of_element(i: Value) -> Value:
            place = linear(f, [*at[:-1], i], space)
            if x in self._layout.members:
                return self.memory.kept(x, place, self._here, size, TYPES[e.dtype])
            return f.address(self.memory.source(x), plus(f, times(f, self._row, size), place), TYPES[e.dtype])

        return self._joined(at[-1], shift % n, n, of_element, TYPES[e.dtype])

    def _wrapped(self, i: Value, shift: int, n: int) -> Value:
        """The place from which an element comes."""
        f = self._f
        before = f.let(f"sub i64 {i.text}, {shift}", "i64", 1)
        return f.select(f.compare("slt", before, ZERO), f.let(f"add {before}, {n}", "i64", 1), before)

    def _joined(self, i: Value, shift: int, n: int, where: Callable[[Value], Value], kind: str) -> Value:
        """Elements from where they are, and those of the lanes that would be before the begin from the end.

        No address is far from the array, not even where no lane is read: a processor takes long to find that out.
        """
        f = self._f
        before = f.let(f"sub i64 {i.text}, {shift}", "i64", 1)
        after = f.let(f"add {before}, {n}", "i64", 1)
        some = f.compare("slt", before, ZERO)
        others = f.compare("sgt", before, Value(str(-f.lanes), "i64"))
        early = f.first(f.let(f"sub i64 0, {before.text}", "i64", 1))
        late = f.binary("xor", early, f.like(True, early))
        masks = [m if self._mask is None else f.binary("and", m, self._mask) for m in (early, late)]
        places = (f.select(some, after, before), f.select(others, before, after))
        return f.select(early, *[f.load(where(p), kind, f.lanes, m) for p, m in zip(places, masks, strict=True)])

    def _argument(self, x: Any, e: Equation, at: Index) -> Value | None:
        """An operand of an elementwise member."""
        if type(x) is not Equation:
            x = raw(x)
            if type(x) in PYTHON_NUMBERS or not np.ndim(x):
                return None
            one = scalar(x)
            if one is not x:
                return self._f.constant(one, TYPES[np.dtype(x.dtype)], 1)
        shape = shape_of(x)
        if self._computes(x):
            return self._value(x, _stretched(self._layout.space(x), at))
        if cut(shape, e):
            space = tuple(shape[self._layout.merged :])
            return self._read(x, _stretched(space, at), space)
        space = tuple(shape[max(0, len(shape) - len(at)) :])
        return self._beside(x, _stretched(space, at[len(at) - len(space) :]), space)

    def _beside(self, x: Any, at: Index, space: tuple[int, ...]) -> Value:
        """An operand that is the same for all rows."""
        f, kind = self._f, TYPES[np.dtype(dtype_of(x))]
        along = self._wide > 1 and not self._by_rows and last_of(space) > 1

        def write() -> Value:
            where = f.address(self.memory.source(x), linear(f, at, space), kind)
            found = f.load(where, kind, f.lanes if along else 1, self._mask if along else None)
            return f.splat(found) if self._by_rows else found

        if self._elsewhere and along:
            return write()  # behind a mask
        return self._scopes.once((id(x), tuple([i.text for i in at]), self._by_rows, along), at, write)

    def _computes(self, x: Any) -> bool:
        return type(x) is Equation and (x in self._layout.members or x in self._layout.pulled)

    def _shown(self, e: Equation, shown: Sequence[Window], at: Index) -> Value:
        """What windows show: their operands at other places, where there are any."""
        f, kind, zero = self._f, TYPES[e.dtype], from_zero(e)
        if self._wide > 1 and not self._by_rows and last_of(self._layout.space(e)) == 1:
            return self._one(lambda: self._shown(e, shown, at))
        total = f.constant(0, kind, self._wide)
        for w in shown:
            x, seen = self._through(e, w, at)
            if not w.adds:
                total = x if seen is None else f.select(seen, x, total)
                continue
            if zero and seen is not None:
                x = f.select(seen, x, f.like(0, x))
            after = added(f, e.dtype, total, x)
            total = after if zero or seen is None else f.select(seen, after, total)
        return total

    def _one(self, write: Callable[[], Value]) -> Value:
        """A number that is the same in all lanes."""
        before, self._wide, self._mask = (self._wide, self._mask), 1, None
        found = write()
        self._wide, self._mask = before
        return found

    def _through(self, e: Equation, w: Window, at: Index) -> tuple[Value, Value | None]:
        """What an operand is behind a window, and where the window is, if it is not everywhere."""
        f, merged, x = self._f, self._layout.merged, e.inputs[w.operand]
        behind = self._layout.space(x)
        inner = math.prod(e.shape[1:merged])
        low, length, start, *pace = w.runs[0]
        first = Run(low * inner, length * inner, start * inner, *pace)
        seen = [self._frames.seen(self._row, first, self._layout.length_of(e), False, self._wide, self._by_rows)]
        for k, (i, run, n, m) in enumerate(zip(at, w.runs[merged:], self._layout.space(e), behind, strict=True)):
            along = k == len(at) - 1 and not self._by_rows
            seen.append(self._frames.seen(i, run, n, m == 1, self._wide, along))
        masks = dict.fromkeys([m for _, m in seen if m is not None])
        mask = functools.reduce(lambda a, b: f.binary("and", a, b), masks) if masks else None
        before = self._row, self._mask, self._elsewhere
        if mask is not None:
            self._mask = mask if self._mask is None else f.binary("and", mask, self._mask)
        self._row, self._elsewhere = seen[0][0], True
        place = [i for i, _ in seen[1:]]
        found = self._value(x, place) if self._computes(x) else self._read(x, place, behind)
        self._row, self._mask, self._elsewhere = before
        return self._spread(found), mask

    def _read(self, x: Any, at: Index, space: tuple[int, ...]) -> Value:
        """An operand that has rows."""
        f, size, kind = self._f, math.prod(space), TYPES[np.dtype(dtype_of(x))]
        if self._layout.across and size > 1:
            return f.load(self.memory.kept(id(x), linear(f, at, space), self._here, size, kind), kind, f.lanes)
        return self._load(x, at, space, self._wide if self._by_rows or last_of(space) > 1 else 1)

    def _load(self, x: Any, at: Index, space: tuple[int, ...], lanes: int) -> Value:
        f, size, kind = self._f, math.prod(space), TYPES[np.dtype(dtype_of(x))]
        row: Value = self._row
        if self._by_rows and size > 1 and row.lanes < lanes:  # a column
            row = spaced(f, row, 1, lanes)
        terms = [(row, size), *steps(at, space)]
        return self._frames.read(self.memory.source(x), terms, kind, lanes, self._mask if lanes > 1 else None)

    def _spread(self, x: Value) -> Value:
        return self._f.splat(x, self._wide) if x.lanes < self._wide else x


def _stretched(shape: Sequence[int], at: Index) -> list[Value]:
    """An index into what is stretched to where the index belongs."""
    return [ZERO if n == 1 else i for n, i in zip(shape, at, strict=True)]
