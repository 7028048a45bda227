"""Operations that go along one axis: cumulative sums and products, recurrences; and the search in ordered numbers.

Each step of a cumulative operation is a sweep over the other axes, which reads what the one before it has written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import added
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.complex_arithmetic import COMPLEX
from funcgrad.compile.native.ir import TYPES, Function, Value
from funcgrad.compile.native.places import Make, Place, Room, Write
from funcgrad.compile.native.regions import Region
from funcgrad.compile.native.sweeps import Access, Sweep, copy, fill
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of
from funcgrad.ops import cumulative, sort

_LARGEST = 1 << 16  # elements


def _multiplied(f: Function, dtype: np.dtype, a: Value, b: Value) -> Value:
    if dtype.kind == "c":
        return COMPLEX[np.multiply](f, a, b)
    return f.binary("fmul" if dtype.kind == "f" else "and" if dtype.kind == "b" else "mul", a, b)


def accumulated(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The sums or the products of all elements up to each, or a recurrence: b[k] and the one before it times a[k]."""
    axis, reverse = e.params["axis"], e.params["reverse"]
    rows = [_rows(p, axis, reverse) for p in (*given, to[0])]

    def combine(f: Function, before: Value, *xs: Value) -> Value:
        if e.primitive is cumulative.recurrence:
            return added(f, e.dtype, xs[1], _multiplied(f, e.dtype, xs[0], before))
        return (added if e.primitive is cumulative.cumsum else _multiplied)(f, e.dtype, before, *xs)

    def write(f: Function) -> None:
        starts = [p.pointer(f) for p in rows]
        steps = [p._replace(region=Region(), shape=p.shape[1:], strides=p.strides[1:], offset=0) for p in rows]
        *operands, now = steps
        before = now._replace(region=Region())
        arrays = {k: Access(p, p.within(now.shape)) for k, p in enumerate((*operands, now, before))}

        def body(sweep: Sweep) -> Sequence[Value]:
            xs = [convert(f, sweep.read(k), p.dtype, e.dtype) for k, p in enumerate(operands)]
            last = sweep.read(len(operands) + 1)
            sweep.write(
                len(operands), combine(f, last, *[f.splat(x, last.lanes) if x.lanes < last.lanes else x for x in xs])
            )
            return ()

        def step(i: Value, _: Sequence[Value]) -> list[Value]:
            for p, start, whole in zip(steps, starts, rows, strict=True):
                p.region.base = _element(f, start, i, whole)
            before.region.base = _element(f, starts[-1], f.binary("sub", i, f.constant(1, "i64", 1)), rows[-1])
            Sweep(f, now.shape, arrays).run(body)
            return []

        for p, start in zip(steps, starts, strict=True):
            p.region.base = start
        copy(f, now, operands[-1])
        f.loop(f.constant(1, "i64", 1), f.constant(rows[-1].shape[0], "i64", 1), 1, [], step)

    return write


def _rows(p: Place, axis: int, reverse: bool) -> Place:
    """An array with an axis in front, from its end if wanted."""
    turned = p.moved(lambda x: np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0))
    assert turned is not None, "these are views"
    return turned


def _element(f: Function, start: Value, i: Value, p: Place) -> Value:
    return f.address(start, f.let(f"mul {i}, {p.strides[0]}", "i64", 1), p.kind)


def shifted(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """Elements some places on, and a number where there are none."""
    n, by, before = e.shape[e.params["axis"]], e.params["by"], (slice(None),) * e.params["axis"]
    here, there = slice(max(by, 0), n + min(by, 0)), slice(max(-by, 0), n - max(by, 0))
    goal, source = [p.moved(lambda x, s=s: x[(*before, s)]) for p, s in ((to[0], here), (given[0], there))]  # type: ignore[misc]

    def write(f: Function) -> None:
        fill(f, to[0], e.params["fill"])
        if goal is not None and source is not None and 0 not in goal.shape:
            copy(f, goal, source)

    return write


def searched(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The places at which numbers are to be inserted in others that are in order, found by halving."""
    a, v = given
    dtype, n, left = np.result_type(a.dtype, v.dtype), a.shape[0], e.params["side"] == "left"
    arrays = {
        "a": Access(a, (0,) * len(e.shape)),
        "v": Access(v, v.within(e.shape)),
        "to": Access(to[0], to[0].strides),
    }

    def write(f: Function) -> None:
        def body(sweep: Sweep) -> Sequence[Value]:
            x = sweep.spread(convert(f, sweep.read("v"), v.dtype, dtype))
            place = f.constant(0, "i64", sweep.lanes)
            for step in [1 << k for k in reversed(range(n.bit_length()))]:
                further = f.binary("add", place, f.like(step, place))
                inside = f.compare("sle", further, f.like(n, place))
                at = f.binary("sub", f.select(inside, further, f.like(1, place)), f.like(1, place))
                y = convert(f, sweep.read("a", f.binary("mul", at, f.like(a.strides[0], at))), a.dtype, dtype)
                passed = (
                    _before(f, dtype, y, x)
                    if left
                    else f.binary("xor", _before(f, dtype, x, y), f.constant(True, "i1", x.lanes))
                )
                place = f.select(f.binary("and", inside, passed), further, place)
            sweep.write("to", place)
            return ()

        Sweep(f, e.shape, arrays).run(body)

    return write


def _before(f: Function, dtype: np.dtype, a: Value, b: Value) -> Value:
    """Whether a comes before b in order, where nan comes last."""
    if dtype.kind != "f":
        return f.compare("slt" if dtype.kind == "i" else "ult", a, b)
    some = f.binary("and", f.compare("ord", a, a), f.compare("uno", b, b))
    return f.binary("or", f.compare("olt", a, b), some)


def takes(e: Equation) -> bool:
    """Whether lines are neither too long nor of dtypes that machine code has not."""
    if math.prod(e.shape) > _LARGEST or e.dtype not in TYPES or any(dtype_of(i) not in TYPES for i in e.inputs):
        return False
    if e.primitive is sort.searchsorted:
        dtype = np.result_type(*[dtype_of(i) for i in e.inputs])
        return dtype in TYPES and dtype.kind != "c"
    return all(np.can_cast(dtype_of(i), e.dtype, "same_kind") for i in e.inputs)


LINES: dict[Any, Make] = {
    cumulative.cumsum: accumulated,
    cumulative.cumprod: accumulated,
    cumulative.recurrence: accumulated,
    cumulative.shift: shifted,
    sort.searchsorted: searched,
}
"""For each primitive what makes room for it and gives what writes it."""
