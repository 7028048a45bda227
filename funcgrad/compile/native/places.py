"""Places: where in memory the elements of an array lie, and how views of arrays are places in the same memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from funcgrad.compile.native.ir import SIZES, TYPES, Function, Value
from funcgrad.compile.native.regions import Region
from funcgrad.compile.numpy_backend.joins import plain_index
from funcgrad.core.tape import Equation
from funcgrad.ops import index, structural

Write = Callable[[Function], None]
"""Writes what is done to a function."""

VIEWS = (
    structural.reshape,
    structural.transpose,
    structural.broadcast_to,
    structural.flip,
    structural.diagonal,
    index.getitem,
)
"""The primitives that give their operand, or a part of it, in another order."""


class Place(NamedTuple):
    """Where the elements of an array lie.

    Attributes:
        region, offset: the place of the first one, in elements.
        shape, dtype: of the array.
        strides: how many elements lie between neighbours along each axis.
    """

    region: Region
    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def kind(self) -> str:
        """The type of an element in a register."""
        return TYPES[self.dtype]

    @property
    def rows(self) -> tuple[int, ...]:
        """The strides if the array had no gaps, row by row."""
        return by_rows(self.shape)

    def pointer(self, f: Function) -> Value:
        """Where the first element is."""
        return self.region.pointer(f, self.offset * SIZES[self.kind])

    def within(self, space: Sequence[int]) -> tuple[int, ...]:
        """The strides along the axes of a space to which the array is stretched."""
        more = len(space) - len(self.shape)
        return (0,) * more + tuple([0 if n == 1 else s for n, s in zip(self.shape, self.strides, strict=True)])

    def moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Place | None:
        """The place of what a function of NumPy gives, if that is a view of the array; else None."""
        ends = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low = sum([min(0, end) for end in ends])
        memory = np.empty(sum(map(abs, ends)) + 1, np.int8)  # an element is a byte here
        view = move(np.ndarray(self.shape, np.int8, memory, -low, self.strides))
        if not view.size:
            return Place(self.region, view.shape, self.dtype, view.strides, self.offset)
        if not np.may_share_memory(view, memory):
            return None
        first = view.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
        return Place(self.region, view.shape, self.dtype, view.strides, self.offset + low + first)

    def viewed(self, e: Equation) -> Place | None:
        """The place of what an equation with `is_view` makes of this array; None if it is no view of it."""
        if e.primitive is not index.getitem:
            return self.moved(lambda x: e.primitive.impl(x, **e.params))
        where: Any = plain_index(e.params["index"])
        return self.moved(lambda x: x[where])


class Room(Protocol):
    """Memory that an operation needs beside that of its operands and results."""

    def __call__(self, shape: Sequence[int], dtype: Any) -> Place:
        """Room for an array that nobody reads later."""

    def holding(self, x: np.ndarray) -> Place:
        """Where an array lies that is known when the code is written."""


class Make(Protocol):
    """Makes room for an operation, and gives what writes it."""

    def __call__(self, e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
        """From the equation, where its operands lie, and where its results go."""


def each(
    f: Function, batch: Sequence[int], places: Sequence[Place], body: Callable[[Sequence[Place]], None], ranks: int = 2
) -> None:
    """Write loops over stacks.

    Arguments:
        f, batch: the function to write to, and the axes of the stacks, to which they are stretched.
        places: the stacks; one may have no axes of these.
        body: writes what is done with the last axes of each.
        ranks: how many last axes are not of the stack, in those that have as many.
    """
    inner = [p._replace(region=Region(), shape=p.shape[-ranks:], strides=p.strides[-ranks:], offset=0) for p in places]
    outer = [p._replace(shape=p.shape[:-ranks], strides=p.strides[:-ranks]).within(batch) for p in places]

    if batch:
        _walk(f, batch, inner, [p.pointer(f) for p in places], outer, body)
    else:
        body(places)


def _walk(
    f: Function,
    batch: Sequence[int],
    places: Sequence[Place],
    pointers: Sequence[Value],
    strides: Sequence[Sequence[int]],
    body: Callable[[Sequence[Place]], None],
) -> None:
    """Write a loop over the first axis of stacks, in it one over the next, and in the last what is done with places."""
    if not batch:
        for p, pointer in zip(places, pointers, strict=True):
            p.region.base = pointer
        body(places)
        return

    def step(i: Value, _: Sequence[Value]) -> list[Value]:
        starts = zip(places, pointers, [s[0] for s in strides], strict=True)
        moved = [f.address(b, f.let(f"mul {i}, {s}", "i64", 1), p.kind) if s else b for p, b, s in starts]
        _walk(f, batch[1:], places, moved, [s[1:] for s in strides], body)
        return []

    f.loop(Value("0", "i64"), Value(str(batch[0]), "i64"), 1, [], step)


def routine(
    f: Function, title: str, places: Sequence[Place], write: Callable[[Function, Sequence[Place]], None]
) -> None:
    """Write a call of a function of places like these, which is written once for all of the same shapes and strides.

    Arguments:
        f: the function to write to.
        title: says what is done.
        places: with what; no two of them are the same memory if that matters to it.
        write: writes it.
    """
    kinds = [(p.kind, "x".join(map(str, p.shape)), "_".join(map(str, p.strides))) for p in places]
    name = ".".join([title, *[part for kind in kinds for part in kind]])
    if name not in f.module.functions:
        inner = Function(f.module, name, [(f"p{k}", "ptr") for k in range(len(places))], private=True)
        given = [p._replace(region=Region(), offset=0) for p in places]
        for k, p in enumerate(given):
            p.region.base = inner.parameter(f"p{k}")
        write(inner, given)
        inner.finish()
    f.run(name, *[p.pointer(f) for p in places])


def by_rows(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array of this shape that has no gaps."""
    return tuple([math.prod(shape[k + 1 :]) for k in range(len(shape))])


def array(region: Region, shape: Sequence[int], dtype: Any) -> Place:
    """The place of an array without gaps."""
    return Place(region, tuple(shape), np.dtype(dtype), by_rows(shape))


def is_view(e: Equation) -> bool:
    """Whether an equation gives its operand, or a part of it, in another order."""
    return e.primitive in VIEWS and (e.primitive is not index.getitem or plain_index(e.params["index"]) is not None)
