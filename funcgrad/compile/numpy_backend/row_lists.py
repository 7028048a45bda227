"""Rows in lists: what the steps of a loop on Python's numbers keep, as other loops of the same function read it.

Between two loops of numbers no array is made. A step puts the numbers that somebody reads into a list, as a tuple, and
a loop that reads them takes the tuples apart. What is computed of whole rows in between is computed where it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.numbers import Number
from funcgrad.core.tape import Equation

DEEPEST = 32  # operations on rows that are computed where the last one is read


class UnsuitedError(Exception):
    """A program that cannot be written as loops of numbers."""


class RowList:
    """A list of tuples of numbers, or of numbers if there is just one in each place.

    Arguments:
        name: the variable.
        width: how many numbers there are for a row.
        read: those that are in the list; those that somebody reads, if the list is still to be made.
    """

    __slots__ = ("name", "read", "width")

    def __init__(self, name: str, width: int, read: Iterable[int] = ()) -> None:
        self.name, self.width, self.read = name, width, set(read)

    def place(self, k: int) -> str:
        """The part of an expression that takes a number from a row."""
        return "" if len(self.read) == 1 else f"[{sorted(self.read).index(k)}]"


class Kept:
    """Rows in a list.

    Arguments:
        source: the list.
        places: the numbers of the elements of a row.
        start, length: the first row, and how many there are.
        flipped: whether the rows lie in the list from the last to the first. Then `start` counts from its end.
        whole: how long the list is.
    """

    __slots__ = ("flipped", "length", "places", "source", "start", "whole")
    depth = 0

    def __init__(self, source: RowList, places: np.ndarray, start: int, length: int, flipped: bool, whole: int) -> None:
        self.source, self.places, self.start, self.length = source, places, start, length
        self.flipped, self.whole = flipped, whole

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.length, *self.places.shape)

    def part(self, rows: slice) -> Kept:
        """Some of the rows, one after the other."""
        start, stop, step = rows.indices(self.length)
        length = len(range(start, stop, step))
        if abs(step) != 1 or not length:
            raise UnsuitedError
        if step == 1:
            return Kept(self.source, self.places, self.start + start, length, self.flipped, self.whole)
        first = self.start + start - length + 1  # the lowest row, of which the list is read the other way
        return Kept(self.source, self.places, self.whole - first - length, length, not self.flipped, self.whole)

    def of_each(self, change: Callable[[np.ndarray], Any]) -> Kept:
        """The same rows, in which elements have been moved about or picked."""
        return Kept(self.source, np.asarray(change(self.places)), self.start, self.length, self.flipped, self.whole)

    def number(self, row: int) -> int:
        """Where in the list a row is."""
        return self.whole - 1 - self.start - row if self.flipped else self.start + row

    def expression(self, backwards: bool) -> str:
        """What a loop runs over to read these rows, from the first or from the last one on."""
        first = self.number(self.length - 1) if self.flipped else self.number(0)
        all_of_it = self.length == self.whole
        text = self.source.name if all_of_it else f"{self.source.name}[{first}:{first + self.length}]"
        return f"reversed({text})" if backwards != self.flipped else text


class Computed:
    """Rows that are computed where they are read.

    Arguments:
        e: the operation on whole arrays.
        args: its operands: rows, and the elements of what is the same for all rows.
    """

    __slots__ = ("args", "depth", "e")

    def __init__(self, e: Equation, args: Sequence[Any]) -> None:
        self.e, self.args = e, args
        self.depth = 1 + max([a.depth for a in args if is_rows(a)])
        if self.depth > DEEPEST:
            raise UnsuitedError

    @property
    def shape(self) -> tuple[int, ...]:
        return self.e.shape

    @property
    def length(self) -> int:
        return self.e.shape[0]


Rows = Kept | Computed


def is_rows(x: Any) -> bool:
    """Whether the value of an equation is rows."""
    return isinstance(x, (Kept, Computed))


def leaves(rows: Iterable[Rows]) -> tuple[list[Kept], list[Number]]:
    """The lists that rows are read from, each once, and the numbers that they are computed of."""
    kept: list[Kept] = []
    numbers: list[Number] = []
    waiting = list(rows)
    seen = set()
    while waiting:
        x = waiting.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, Kept):
            kept.append(x)
            continue
        for a in x.args:
            if is_rows(a):
                waiting.append(a)
            else:
                numbers += a.reshape(-1).tolist()
    return kept, numbers


def part_of(x: Rows, rows: slice) -> Rows:
    """Some of the rows, one after the other."""
    if isinstance(x, Kept):
        return x.part(rows)
    args = [part_of(a, rows) if is_rows(a) else a for a in x.args]
    length = next(a.length for a in args if is_rows(a))
    e = Equation()
    e.number, e.plan, e.params, e.residuals = x.e.number, x.e.plan, x.e.params, ()
    e.inputs, e.shape, e.dtype = x.e.inputs, (length, *x.e.shape[1:]), x.e.dtype
    return Computed(e, args)


def read_text(kept: Sequence[Kept], backwards: bool, name: Callable[[], str]) -> tuple[str, dict[Any, str]]:
    """The head of a loop that reads rows, and the names that the numbers have in it.

    Arguments:
        kept: what is read, all of one length.
        backwards: whether the last rows come first.
        name: gives a new one.

    Returns:
        The text, and for each list, the way in which it is read, and each number that is read of it the name.
    """
    found: dict[str, tuple[RowList, dict[int, str]]] = {}
    names: dict[Any, str] = {}
    for x in kept:
        expression = x.expression(backwards)
        _, there = found.setdefault(expression, (x.source, {}))
        for k in x.places.reshape(-1).tolist():
            names[expression, k] = there[k] = there.get(k) or name()
    targets = []
    for source, there in found.values():
        texts = [there.get(k, "_") for k in sorted(source.read)]
        several = len(texts) > 1 and len(found) > 1
        targets.append(f"({', '.join(texts)})" if several else ", ".join(texts))
    rows = ", ".join(found)
    return f"for {', '.join(targets)} in {rows if len(found) == 1 else f'zip({rows})'}:", names
