"""Sweeps: loops over an index space that read and write arrays wherever they lie, and reduce along axes.

Lanes lie along the last axis. Axes that all arrays run through alike count as one, so the loops are as long as can be.
Sums in lanes go to 64 bytes of partial sums (accumulators.py), so they are the same however wide registers are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native import paces
from funcgrad.compile.native.accumulators import added, combine, fold, identity
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.elementwise import emit
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Value
from funcgrad.compile.native.llvm import target
from funcgrad.compile.native.places import Place, routine
from funcgrad.compile.numpy_backend.groups import scalar
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation
from funcgrad.core.types import PYTHON_NUMBERS
from funcgrad.ops.reduce import reduced_shape

_PARTIAL = 64  # bytes of partial sums
Body = Callable[["Sweep"], Sequence[Value]]
Join = Callable[[Function, np.dtype, Value, Value], Value]
"""Makes one number of a dtype of two."""


class Access(NamedTuple):
    """An array in a sweep.

    Attributes:
        place: where it lies.
        strides: how many elements a step along each axis of the space goes on; 0 where it is stretched, or reduced.
    """

    place: Place
    strides: tuple[int, ...]


class Sweep:
    """Loops over an index space.

    Arguments:
        f: the function to write to.
        space: the lengths of the axes.
        arrays: what is read and written, by any key.
        turn: the key of an array; where it varies along the last axis, elements take their turn one after the other.
    """

    def __init__(self, f: Function, space: Sequence[int], arrays: Mapping[Any, Access], turn: Any = None) -> None:
        self.f, self._arrays = f, arrays
        self._space, self._strides = _joined(space, {key: a.strides for key, a in arrays.items()})
        self._base = {key: a.place.pointer(f) for key, a in arrays.items()}
        last = self._space[-1] if self._space else 1
        item = max([SIZES[a.place.kind] for a in arrays.values()])
        self._parts = 1 if turn in arrays and self._step(turn) else min(_PARTIAL // item, 1 << (last - 1).bit_length())
        self.lanes = min(self._parts, max(1, target().bytes // item))
        self._at: Sequence[Value] = ()
        self._mask: Value | None = None

    def run(self, body: Body, reductions: Sequence[Equation] = ()) -> None:
        """Write the loops.

        Arguments:
            body: writes what is done at a place; it gives what goes into each reduction.
            reductions: whose results go to the arrays of the same keys.
        """
        self._body, self._reductions = body, reductions
        strides = [self._strides[r] for r in reductions]
        self._starts = [len(s) - _trailing_zeros(s) for s in strides]  # the axis from which on all are reduced
        self._turns = self._parts // self.lanes if any(k < len(self._space) for k in self._starts) else 1
        for r, s, start in zip(reductions, strides, self._starts, strict=True):
            if 0 in s[:start]:
                place = self._arrays[r].place
                fill(self.f, place, identity(r))
        lanes, self.f.lanes = self.f.lanes, self.lanes
        self._walk(0, (), [[] for _ in reductions])
        self.f.lanes = lanes

    def read(self, key: Any, behind: Value | None = None) -> Value:
        """The elements of an array here, or so many elements behind; one number if it is the same in all lanes."""
        f, kind, stride = self.f, self._arrays[key].place.kind, self._step(key)
        where = self._linear(key)
        if behind is not None:
            if behind.lanes > 1:
                return f.gather(self._base[key], self._apart(where, stride, behind), kind, self._mask)
            where = f.binary("add", where, behind)
        if self.lanes == 1 or stride == 0:
            return f.load(f.address(self._base[key], where, kind), kind, 1)
        if stride == 1:
            return f.load(f.address(self._base[key], where, kind), kind, self.lanes, self._mask)
        if paces.near(stride):
            return paces.load(f, self._lowest(key, where, stride), stride, kind, self.lanes, self._mask)
        return f.gather(self._base[key], self._spread(where, stride), kind, self._mask)

    def write(self, key: Any, x: Value, behind: Value | None = None) -> None:
        """Write the elements of an array here, or so many elements behind."""
        f, stride = self.f, self._step(key)
        where = self._linear(key)
        x = self.spread(x)
        if behind is not None:
            if behind.lanes > 1:
                f.scatter(x, self._base[key], self._apart(where, stride, behind), self._mask)
                return
            where = f.binary("add", where, behind)
        if self.lanes == 1 or stride == 1:
            f.store(x, f.address(self._base[key], where, x.kind), self._mask)
        elif paces.near(stride):
            paces.store(f, x, self._lowest(key, where, stride), stride, self._mask)
        else:
            f.scatter(x, self._base[key], self._spread(where, stride), self._mask)

    def spread(self, x: Value) -> Value:
        """A number that is the same in all lanes in each of them."""
        return x if x.lanes == self.lanes else self.f.splat(x, self.lanes)

    def _step(self, key: Any) -> int:
        strides = self._strides[key]
        return strides[-1] if strides else 0

    def _lowest(self, key: Any, where: Value, stride: int) -> Value:
        """The address of that of the elements here which lies first in memory."""
        f, low = self.f, paces.lowest(stride, self.lanes)
        first = where if low == 0 else f.let(f"add {where}, {low}", "i64", 1)
        return f.address(self._base[key], first, self._arrays[key].place.kind)

    def _linear(self, key: Any) -> Value:
        """How many elements behind the first one the loops stand."""
        f, place = self.f, Value("0", "i64")
        for i, s in zip(self._at, self._strides[key], strict=True):
            if s and i.text != "0":
                one = i if s == 1 else f.let(f"mul {i}, {s}", "i64", 1)
                place = one if place.text == "0" else f.let(f"add {place}, {one.text}", "i64", 1)
        return place

    def _spread(self, where: Value, stride: int) -> Value:
        numbers = ", ".join([f"i64 {k * stride}" for k in range(self.lanes)])
        return self.f.binary("add", self.f.splat(where, self.lanes), Value(f"<{numbers}>", "i64", self.lanes))

    def _apart(self, where: Value, stride: int, behind: Value) -> Value:
        return self.f.binary("add", self._spread(where, stride), behind)

    def _walk(self, k: int, at: Sequence[Value], carry: list[list[Value]]) -> list[list[Value]]:
        """Write the loops over axes from the k-th on; what is carried after the last step: partial sums."""
        if k == len(self._space):
            return self._here(at, carry)
        f, n = self.f, self._space[k]
        begin = [j for j, start in enumerate(self._starts) if start == k]
        for j in begin:
            r = self._reductions[j]
            carry[j] = [f.constant(identity(r), TYPES[r.dtype], self.lanes)] * self._turns
        last = k == len(self._space) - 1
        unit = self.lanes * self._turns if last else 1
        whole = n - n % unit
        sizes = [len(c) for c in carry]

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            return [x for c in self._walk(k + 1, (*at, i), cut(now, sizes)) for x in c]

        if whole:
            start, stop = Value("0", "i64"), Value(str(whole), "i64")
            carry = cut(f.loop(start, stop, self.lanes if last else 1, [x for c in carry for x in c], step), sizes)
        for i in range(whole, whole + unit if whole < n else 0, self.lanes):
            valid = [i + lane < n for lane in range(self.lanes)]
            if not any(valid):
                carry = [[*c[1:], *c[:1]] for c in carry]
                continue
            if not all(valid):
                text = ", ".join([f"i1 {'true' if v else 'false'}" for v in valid])
                self._mask = Value(f"<{text}>", "i1", self.lanes)
            carry = self._walk(k + 1, (*at, Value(str(i), "i64")), carry)
            self._mask = None
        for j in begin:
            self._at = (*at, *[Value("0", "i64")] * (len(self._space) - k))
            self._put(j, fold(f, self._reductions[j], carry[j]))
            carry[j] = []
        return carry

    def _here(self, at: Sequence[Value], carry: list[list[Value]]) -> list[list[Value]]:
        """Write what is done at a place."""
        f, after = self.f, []
        self._at = at
        for j, (x, r, sums) in enumerate(zip(self._body(self), self._reductions, carry, strict=True)):
            x = self.spread(x)
            if not sums:
                self._put(j, x)
                after.append(sums)
                continue
            if self._mask is not None:
                x = f.select(self._mask, x, f.like(identity(r), x))
            after.append([*sums[1:], combine(f, r, sums[0], x)])
        return after

    def _put(self, j: int, x: Value) -> None:
        """Write the result of a reduction, or add it to what is there."""
        f, r = self.f, self._reductions[j]
        strides = self._strides[r]
        adds = 0 in strides[: self._starts[j]]
        if x.lanes > 1:
            self.write(r, combine(f, r, self.read(r), x) if adds else x)
            return
        place = f.address(self._base[r], self._linear(r), x.kind)
        f.store(combine(f, r, f.load(place, x.kind, 1), x) if adds else x, place)


def copy(f: Function, to: Place, of: Place, adds: bool = False) -> None:
    """Write one array, stretched to the shape of another, to its place, or add it to what is there."""
    routine(
        f, "add" if adds else "copy", (to, of), lambda f, places: move(f, places[0], places[1], added if adds else None)
    )


def move(
    f: Function,
    to: Place,
    of: Place,
    join: Join | None = None,
    to_behind: Place | None = None,
    of_behind: Place | None = None,
) -> None:
    """Write the lines of `copy`.

    Arguments:
        f, to, of: as there.
        join: makes what is written of what is there and what is read.
        to_behind, of_behind: how many elements behind its place each element is written, or read; stretched like `of`.
            Elements may be written to one place several times; they are in order.
    """
    places = {"to": to, "of": of, "to_behind": to_behind, "of_behind": of_behind}
    arrays = {key: Access(p, p.within(to.shape)) for key, p in places.items() if p is not None}

    def body(sweep: Sweep) -> Sequence[Value]:
        to_at, of_at = [sweep.read(key) if key in arrays else None for key in ("to_behind", "of_behind")]
        x = convert(f, sweep.read("of", of_at), of.dtype, to.dtype)
        if join is not None:
            old = sweep.read("to", to_at)
            x = join(f, to.dtype, old, f.splat(x, old.lanes) if x.lanes < old.lanes else x)
        sweep.write("to", x, to_at)
        return ()

    Sweep(f, to.shape, arrays, turn="to_behind").run(body)


def fill(f: Function, to: Place, x: Any) -> None:
    """Write one number everywhere."""

    def body(sweep: Sweep) -> Sequence[Value]:
        sweep.write("to", f.constant(x, to.kind, sweep.lanes))
        return ()

    Sweep(f, to.shape, {"to": Access(to, to.within(to.shape))}).run(body)


def compute(
    f: Function,
    space: tuple[int, ...],
    members: Sequence[Equation],
    reductions: Sequence[Equation],
    place: Callable[[Any], Place],
    stored: Mapping[Equation, Place],
) -> None:
    """Write elementwise equations of one shape, and reductions of arrays of that shape, as one sweep.

    Arguments:
        f, space: the function to write to, and the shape.
        members, reductions: the equations, in their order.
        place: where what they read lies.
        stored: where the values of members go that are read elsewhere, and those of all reductions.
    """
    inside = set(members)
    arrays: dict[Any, Access] = {}
    for e in (*members, *reductions):
        for i in e.inputs:
            if in_memory(i) and not (type(i) is Equation and i in inside) and id(i) not in arrays:
                found = place(i)
                arrays[id(i)] = Access(found, found.within(space))
    for e, to in stored.items():
        arrays[e] = Access(to, to.within(space) if e in inside else _kept(e, to))

    def body(sweep: Sweep) -> Sequence[Value]:
        values: dict[Equation, Value] = {}
        read: dict[int, Value] = {}

        def argument(x: Any) -> Value | None:
            if type(x) is Equation and x in values:
                return values[x]
            if in_memory(x):
                if id(x) not in read:
                    read[id(x)] = sweep.read(id(x))
                return read[id(x)]
            one = scalar(raw(x))
            return f.constant(one, TYPES[one.dtype], 1) if hasattr(x, "shape") and x.shape else None

        for e in members:
            values[e] = emit(f, e, [argument(i) for i in e.inputs])
            if e in stored:
                sweep.write(e, values[e])
        found = []
        for r in reductions:
            x: Any = argument(r.inputs[0])
            found.append(convert(f, x, r.inputs[0].dtype, r.dtype))
        return found

    Sweep(f, space, arrays).run(body, reductions)


def in_memory(x: Any) -> bool:
    """Whether an operand is read from memory, and is no number that stands in the code."""
    if type(x) is Equation:
        return True
    x = raw(x)
    return type(x) not in PYTHON_NUMBERS and bool(x.shape) and scalar(x) is x


def _kept(r: Equation, to: Place) -> tuple[int, ...]:
    """The strides of the result of a reduction along the axes of its operand."""
    axes, space = r.params["axis"], r.inputs[0].shape
    rest = iter([s for k, s in enumerate(to.strides) if not (r.params.get("keepdims") and k in axes)])
    assert to.shape == reduced_shape(space, axes, bool(r.params.get("keepdims"))), "it has the shape of a result"
    return tuple([0 if k in axes else next(rest) for k in range(len(space))])


def _joined(
    space: Sequence[int], strides: Mapping[Any, tuple[int, ...]]
) -> tuple[list[int], dict[Any, tuple[int, ...]]]:
    """The space and the strides with neighbouring axes as one where all arrays allow it, and without those of one."""
    axes = [k for k, n in enumerate(space) if n != 1]
    lengths = [space[k] for k in axes]
    steps = {key: [s[k] for k in axes] for key, s in strides.items()}
    k = 0
    while k + 1 < len(lengths):
        n = lengths[k + 1]
        if all(s[k] == n * s[k + 1] for s in steps.values()):
            lengths[k : k + 2] = [lengths[k] * n]
            for s in steps.values():
                del s[k]
        else:
            k += 1
    return lengths, {key: tuple(s) for key, s in steps.items()}


def _trailing_zeros(strides: Sequence[int]) -> int:
    return next((n for n, s in enumerate(reversed(strides)) if s), len(strides))


def cut(flat: Sequence[Value], sizes: Sequence[int]) -> list[list[Value]]:
    """A list in parts of these sizes."""
    found, at = [], 0
    for n in sizes:
        found.append(list(flat[at : at + n]))
        at += n
    return found
