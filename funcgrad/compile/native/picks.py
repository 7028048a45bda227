"""Picks: parts of arrays that are named by arrays of numbers, for reading, for writing and for adding to them.

Such a part is a place, and for each of its elements how many elements behind that it is: the sum of what the numbers
mean. Numbers that are known are summed up when the code is written. Others are looked at first, and if one of them is
out of bounds the program is left to NumPy, which raises the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native.accumulators import reduction
from funcgrad.compile.native.calls import leave_unless
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import Function, Unwritable, Value
from funcgrad.compile.native.places import Place, Room, Write
from funcgrad.compile.native.sweeps import Access, Sweep
from funcgrad.compile.numpy_backend.joins import plain_index
from funcgrad.ops import index as indexing
from funcgrad.ops import reduce

_INT, _BOOL = np.dtype(np.int64), np.dtype(bool)


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
