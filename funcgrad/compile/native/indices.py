"""Reading, writing and adding at indices, and along an axis at numbers: the primitives of ops/index.py as steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.accumulators import added, combine, reduction
from funcgrad.compile.native.ir import TYPES, Function, Unwritable
from funcgrad.compile.native.picks import Pick, along, picked
from funcgrad.compile.native.places import Make, Place, Room, Write
from funcgrad.compile.native.sweeps import Join, copy, fill, move
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import index as indexing
from funcgrad.ops import reduce

_LARGEST = 1 << 16  # elements that are read or written


def read(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """A part that an index names."""
    pick = picked(given[0], e.params["index"], given[1] if len(given) > 1 else None, room)
    return _read(pick, to[0])


def read_along(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """A part that has its own numbers along one axis."""
    x, numbers = given
    if e.primitive is indexing.take_along_axis:
        return _read(along(x, e.params["axis"], numbers, e.shape, room), to[0])
    axis = e.params["axis"] if len(x.shape) > 1 else 0
    if len(numbers.shape) + 1 != len(x.shape) > 1:
        raise Unwritable
    if len(x.shape) == 1:  # of which one or several elements are picked
        return _read(picked(x, indexing.HERE, _first(numbers), room), to[0])
    numbers, goal = [_with_axis(p, axis) for p in (numbers, to[0])]
    return _read(along(x, axis, numbers, goal.shape, room), goal)


def _read(pick: Pick, to: Place) -> Write:
    def write(f: Function) -> None:
        pick.write(f)
        move(f, to, pick.place, of_behind=pick.behind)

    return write


def sum_of_parts(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """An array of zeros to parts of which others are added."""
    parts = [_written(picked(to[0], i, None, room), g, added) for i, g in zip(e.params["indices"], given, strict=True)]

    def write(f: Function) -> None:
        fill(f, to[0], 0)
        for part in parts:
            part(f)

    return write


def counted(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """Weights in bins. What NumPy makes of a number that is none of a bin it may say itself."""
    numbers, weights = given
    part = _written(picked(to[0], indexing.HERE, _first(numbers), room, wraps=False), weights, added)

    def write(f: Function) -> None:
        fill(f, to[0], 0)
        part(f)

    return write


def changed(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """An array with other numbers in a part of it, or with these added to it, or the like."""
    x, v, numbers = given
    part = _written(picked(to[0], e.params["index"], numbers, room), v, _JOINED[e.primitive])

    def write(f: Function) -> None:
        if to[0] != x:
            copy(f, to[0], x)
        part(f)

    return write


def scattered_along(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """An array of zeros to elements of which, that have their own numbers along one axis, others are added."""
    x, numbers = given
    shape = np.broadcast_shapes(x.shape, numbers.shape)
    pick = along(to[0], e.params["axis"], numbers, shape, room)
    part = _written(pick, x, None if e.params["unique"] else added)

    def write(f: Function) -> None:
        fill(f, to[0], 0)
        part(f)

    return write


def _written(pick: Pick, v: Place, join: Join | None) -> Write:
    """What writes to a part, or adds to it, or the like."""
    more = len(v.shape) - len(pick.place.shape)  # axes of length one that an assignment leaves out
    v = v._replace(shape=v.shape[more:], strides=v.strides[more:]) if more > 0 else v

    def write(f: Function) -> None:
        pick.write(f)
        move(f, pick.place, v, join, to_behind=pick.behind)

    return write


def _first(p: Place) -> Place:
    """An array with one more axis in front."""
    return p._replace(shape=(1, *p.shape), strides=(0, *p.strides))


def _with_axis(p: Place, axis: int) -> Place:
    """An array with one more axis, of length one."""
    return p._replace(shape=(*p.shape[:axis], 1, *p.shape[axis:]), strides=(*p.strides[:axis], 0, *p.strides[axis:]))


def takes(e: Equation) -> bool:
    """Whether a pick is neither too long nor of dtypes that NumPy would not cast, or machine code has not."""
    if e.dtype not in TYPES or (e.dtype.kind == "c" and e.primitive in (indexing.index_min, indexing.index_max)):
        return False
    if e.primitive in _READS:
        return math.prod(e.shape) <= _LARGEST and dtype_of(e.inputs[0]) == e.dtype
    values = {indexing.scatter_add: e.inputs, indexing.scatter_along_axis: e.inputs[:1]}.get(e.primitive, e.inputs[1:2])
    return all(math.prod(shape_of(v)) <= _LARGEST and np.can_cast(dtype_of(v), e.dtype, "same_kind") for v in values)


INDICES: dict[Any, Make] = {
    indexing.getitem: read,
    indexing.gather: read,
    indexing.take_along_axis: read_along,
    indexing.pick_along_axis: read_along,
    indexing.scatter_add: sum_of_parts,
    indexing.scatter_along_axis: scattered_along,
    reduce.bincount: counted,
    indexing.index_set: changed,
    indexing.index_add: changed,
    indexing.index_min: changed,
    indexing.index_max: changed,
}
"""For each primitive what makes room for it and gives what writes it."""
CHANGES = (indexing.index_set, indexing.index_add, indexing.index_min, indexing.index_max)
"""Those that give their first operand with a part changed."""
_JOINED: dict[Any, Join | None] = {
    indexing.index_set: None,
    indexing.index_add: added,
    indexing.index_min: lambda f, dtype, a, b: combine(f, reduction(reduce.reduce_min, (), dtype), a, b),
    indexing.index_max: lambda f, dtype, a, b: combine(f, reduction(reduce.reduce_max, (), dtype), a, b),
}
_READS = (indexing.getitem, indexing.gather, indexing.take_along_axis, indexing.pick_along_axis)
