"""Picks: parts of arrays that are named by arrays of numbers, for reading, for writing and for adding to them.

Such a part is a place, and for each of its elements how many elements behind that it is: the sum of what the numbers
mean. Numbers that are known are summed up when the code is written. Others are looked at first, and if one of them is
out of bounds the program is left to NumPy, which raises the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native.accumulators import added, combine, reduction
from funcgrad.compile.native.calls import leave_unless
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import TYPES, Function, Unwritable, Value
from funcgrad.compile.native.places import Make, Place, Room, Write
from funcgrad.compile.native.sweeps import Access, Join, Sweep, copy, fill, move
from funcgrad.compile.numpy_backend.joins import plain_index
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import index as indexing
from funcgrad.ops import reduce

_INT, _BOOL = np.dtype(np.int64), np.dtype(bool)
LARGEST = 1 << 16  # elements that are read or written


class Pick(NamedTuple):
    """A part of an array.

    Attributes:
        place: where it is but for the arrays of numbers.
        behind: how many elements behind it each element is; None if that is it.
        write: writes what finds that out.
    """

    place: Place
    behind: Place | None
    write: Write


class _Axis(NamedTuple):
    """An axis of an array along which numbers say where elements are: its length, and how far these are apart."""

    length: int
    stride: int


def picked(x: Place, index: Any, numbers: Place | None, room: Room, wraps: bool = True) -> Pick:
    """The part of an array that an index names, as NumPy has it.

    Arguments:
        x, index: the array and the index, in which HERE stands for the next of the arrays of `numbers`.
        numbers: where these lie, one behind the other.
        room: for how many elements behind others they are.
        wraps: whether negative numbers count from the end; else they are out of bounds.
    """
    plain = plain_index(index)
    if plain is not None:
        return Pick(_view(x, plain), None, _nothing)
    entries = _entries(index)
    block = indexing.block_of(entries, len(x.shape), 0 if numbers is None else len(numbers.shape) - 1)
    rest = tuple([0 if type(e) in (str, np.ndarray) else e for e in entries])
    first = _view(x, rest if any(e is Ellipsis for e in rest) else (*rest, Ellipsis))
    known: Any = 0
    asked = list[_Axis]()
    for e, axis in zip(entries, _axes(x, entries), strict=True):
        if axis is None:
            continue
        if type(e) is str:
            asked.append(axis)
        elif type(e) is np.ndarray:
            known = known + _inside(e, axis.length) * axis.stride
    shape = np.broadcast_shapes(np.shape(known), () if numbers is None else numbers.shape[1:])
    write: Write
    if numbers is None:
        behind = room.holding(np.broadcast_to(known, shape).astype(_INT))
        write = _nothing
    else:
        fixed = room.holding(np.asarray(known)) if np.ndim(known) else None
        behind, write = _summed(numbers, asked, fixed, shape, room, wraps)
    k, ones = block.start, (0,) * len(shape)
    before, after = first.strides[:k], first.strides[k:]
    place = first._replace(shape=(*first.shape[:k], *shape, *first.shape[k:]), strides=(*before, *ones, *after))
    strides = ((0,) * len(before), behind.strides, (0,) * len(after))
    return Pick(place, behind._replace(shape=place.shape, strides=tuple([s for part in strides for s in part])), write)


def along(x: Place, axis: int, numbers: Place, shape: Sequence[int], room: Room) -> Pick:
    """The part of an array that has for each place on the other axes its own numbers along one.

    Arguments:
        x, axis: the array and the axis, along which the part may have another length.
        numbers: of the elements; with as many axes, which are stretched.
        shape: of the part.
        room: as for `picked`.
    """
    one = numbers._replace(shape=(1, *numbers.shape), strides=(0, *numbers.strides))
    behind, write = _summed(one, [_Axis(x.shape[axis], x.strides[axis])], None, numbers.shape, room)
    strides = tuple([0 if k == axis else s for k, s in enumerate(x.within(x.shape))])
    return Pick(x._replace(shape=tuple(shape), strides=strides), behind, write)


def _summed(
    numbers: Place, axes: Sequence[_Axis], fixed: Place | None, shape: Sequence[int], room: Room, wraps: bool = True
) -> tuple[Place, Write]:
    """How many elements behind others those are that numbers name, and what finds it out."""
    behind, flag = room(shape, _INT), room((), _BOOL)
    rows = [numbers.moved(lambda x, k=k: x[k, ...]) for k in range(len(axes))]  # type: ignore[misc]  # k is bound
    outside = reduction(reduce.reduce_max, shape, _BOOL)
    arrays: dict[Any, Access] = {k: Access(row, row.within(shape)) for k, row in enumerate(rows) if row is not None}
    arrays |= {"behind": Access(behind, behind.strides), outside: Access(flag, (0,) * len(shape))}
    if fixed is not None:
        arrays["fixed"] = Access(fixed, fixed.within(shape))

    def write(f: Function) -> None:
        def body(sweep: Sweep) -> Sequence[Value]:
            total = None if fixed is None else sweep.spread(sweep.read("fixed"))
            wrong = f.constant(False, "i1", sweep.lanes)
            for k, (length, stride) in enumerate(axes):
                i = sweep.spread(convert(f, sweep.read(k), numbers.dtype, _INT))
                n = f.like(length, i)
                if wraps:
                    i = f.select(f.compare("slt", i, f.like(0, i)), f.binary("add", i, n), i)
                wrong = f.binary("or", wrong, f.compare("uge", i, n))
                i = f.binary("mul", i, f.like(stride, i))
                total = i if total is None else f.binary("add", total, i)
            assert total is not None, "there are numbers"
            sweep.write("behind", total)
            return [wrong]

        Sweep(f, shape, arrays).run(body, [outside])
        leave_unless(f, f.compare("eq", f.load(flag.pointer(f), "i1", 1), f.constant(False, "i1", 1)))

    return behind, write


def _view(x: Place, index: tuple) -> Place:
    found = x.moved(lambda a: a[index])
    assert found is not None, "an index without arrays gives a view"
    return found


def _entries(index: Any) -> tuple[Any, ...]:
    """The entries of an index; truth values as the numbers of those that hold."""
    found: list[Any] = []
    for e in index if type(index) is tuple else (index,):
        masks = type(e) is bool or (type(e) is np.ndarray and e.dtype.kind == "b")
        if masks and not np.ndim(e):
            raise Unwritable
        found += e.nonzero() if masks else [e]
    return tuple(found)


def _axes(x: Place, entries: Sequence[Any]) -> list[_Axis | None]:
    """The axis of the array that each entry of an index is about, if it is one."""
    found: list[_Axis | None] = []
    axis, left = 0, sum([e is not None and e is not Ellipsis for e in entries])
    for e in entries:
        if e is Ellipsis:
            axis = len(x.shape) - left
        found.append(None if e is None or e is Ellipsis else _Axis(x.shape[axis], x.strides[axis]))
        if found[-1] is not None:
            axis, left = axis + 1, left - 1
    return found


def _inside(numbers: np.ndarray, length: int) -> np.ndarray:
    """Numbers along an axis, counted from its beginning."""
    numbers = numbers.astype(_INT)
    numbers = np.where(numbers < 0, numbers + length, numbers)
    if not numbers.size or numbers.min() < 0 or numbers.max() >= length:
        raise Unwritable
    return numbers


def _nothing(f: Function) -> None:
    """What is known when the code is written takes no time."""


# Primitives.


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
        return math.prod(e.shape) <= LARGEST and dtype_of(e.inputs[0]) == e.dtype
    values = {indexing.scatter_add: e.inputs, indexing.scatter_along_axis: e.inputs[:1]}.get(e.primitive, e.inputs[1:2])
    return all(math.prod(shape_of(v)) <= LARGEST and np.can_cast(dtype_of(v), e.dtype, "same_kind") for v in values)


PICKS: dict[Any, Make] = {
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
