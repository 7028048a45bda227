"""Blocks of programs of numbers with loops: a loop over rows, and a list of rows; what they need of the writer.

A block is written when the whole program is known, so that a loop keeps only those numbers of its rows that are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from funcgrad.compile.numpy_backend.by_element import objects
from funcgrad.compile.numpy_backend.numbers import Block, Number, Scalars, indented, named
from funcgrad.compile.numpy_backend.row_lists import Kept, RowList, Rows, leaves, read_text
from funcgrad.core.tape import Tape
from funcgrad.lax.scan_body import Scan


class RowWriter(Protocol):
    """What a loop over rows needs of the writer of its program."""

    def inside(self) -> RowWriter: ...
    def variable(self) -> str: ...
    def results(self, tape: Tape, inputs: Sequence[Any]) -> list[Any]: ...
    def row(self, x: Rows, fetch: Callable[[Kept], np.ndarray], found: dict[int, np.ndarray]) -> np.ndarray: ...
    def assignments(self) -> list[str]: ...


class Item(Number):
    """A number of one row of a list."""

    __slots__ = ("place", "row", "source")

    def __init__(self, source: RowList, row: int, place: int) -> None:
        super().__init__("", ())
        self.source, self.row, self.place = source, row, place
        source.read.add(place)

    def expression(self) -> str:
        return f"{self.source.name}[{self.row}]{self.source.place(self.place)}"


class RowLoop(Block):
    """A loop over rows.

    Arguments:
        writer: of the program.
        scan: the steps; None for a loop that only reads rows.
        given: the elements of the constants and of the first carry.
        xs: the rows that a step reads.
        rows: the list of what the steps keep.

    Attributes:
        sums: rows that are added up.
        made: rows that are put into a list.
    """

    __slots__ = ("given", "inner", "last", "made", "rows", "scan", "sums", "totals", "xs")

    def __init__(
        self, writer: RowWriter, scan: Scan | None, given: Sequence[np.ndarray], xs: Sequence[Rows], rows: RowList
    ) -> None:
        self.inner = writer.inside()  # the writer itself would make a cycle
        self.scan, self.given, self.xs, self.rows = scan, given, xs, rows
        self.sums: list[Rows] = []
        self.totals: list[list[str]] = []
        self.made: list[Rows] = []
        first = given[scan.constants :] if scan else []
        self.last = [objects([writer.variable() for _ in range(x.size)], x.shape) for x in first]
        super().__init__(tuple([n for x in given for n in x.reshape(-1).tolist()]))
        self._read(xs)

    def _read(self, xs: Sequence[Rows]) -> None:
        """Make known that steps read these rows."""
        kept, numbers = leaves(xs)
        for x in kept:
            if x.source is not self.rows:
                x.source.read.update(x.places.reshape(-1).tolist())
        for n in numbers:
            n.reads += 2
        self.args = (*self.args, *numbers)

    def total(self, x: Rows) -> np.ndarray:
        """The elements of the sum of rows."""
        self._read([x])
        self.sums.append(x)
        self.totals.append([self.inner.variable() for _ in range(math.prod(x.shape[1:]))])
        return named(objects(self.totals[-1], x.shape[1:]))

    def make(self, x: Rows) -> None:
        """Put rows into the list."""
        self._read([x])
        self.made.append(x)

    def written(self, scalars: Scalars) -> str:
        backwards = self.scan is not None and self.scan.reverse
        inner = self.inner
        everything = [*self.xs, *self.sums, *self.made]
        kept = [x for x in leaves(everything)[0] if x.source is not self.rows]
        head, found = read_text(kept, backwards, inner.variable) if kept else (f"for _ in range({self._length}):", {})
        ys: list[np.ndarray] = []
        read: dict[int, np.ndarray] = {}

        def row(x: Kept) -> np.ndarray:
            if x.source is self.rows:
                flat = [n for y in ys for n in y.reshape(-1).tolist()]
                return objects([flat[k] for k in x.places.reshape(-1).tolist()], x.places.shape)
            expression = x.expression(backwards)
            return named(objects([found[expression, k] for k in x.places.reshape(-1).tolist()], x.places.shape))

        nexts: list[np.ndarray] = []
        lines = []
        if self.scan is not None:
            n = self.scan.constants
            carry = [named(x) for x in self.last]
            constants = [named(objects([m.text for m in x.reshape(-1).tolist()], x.shape)) for x in self.given[:n]]
            xs = [inner.row(x, row, read) for x in self.xs]
            outs = inner.results(self.scan.step.tape, [*constants, *carry, *xs])
            nexts, ys = outs[: self.scan.carry], outs[self.scan.carry :]
            lines += _together(self.last, self.given[n:])
        flat = [n for y in ys for n in y.reshape(-1).tolist()]
        keep = [flat[k] for k in sorted(self.rows.read)] if self.scan is not None else []
        keep += [n for x in self.made for n in inner.row(x, row, read).reshape(-1).tolist()]
        terms = [inner.row(x, row, read).reshape(-1).tolist() for x in self.sums]
        for x in [*[n for o in nexts for n in o.reshape(-1).tolist()], *keep, *[n for t in terms for n in t]]:
            x.reads += 2  # more than once, so it has a name
        body = inner.assignments()
        if keep:
            lines.append(f"{self.rows.name} = []")
            body.append(f"{self.rows.name}.append({_row_text(keep)})")
        for total, term in zip(self.totals, terms, strict=True):
            lines += [f"{t} = 0.0" for t in total]
            body += [f"{t} += {n.text}" for t, n in zip(total, term, strict=True)]
        body += _together(self.last, nexts)
        return "\n".join([*lines, head, *indented(body or ["pass"])])

    @property
    def _length(self) -> int:
        return self.scan.length if self.scan is not None else (*self.sums, *self.made)[0].length


class KnownRows(Block):
    """A list of rows whose numbers are known one by one.

    Arguments:
        name, rows: the variable, and the elements of each row.
    """

    __slots__ = ("name", "rows")

    def __init__(self, name: str, rows: Sequence[list[Number]]) -> None:
        super().__init__(tuple([n for row in rows for n in row]))
        self.name, self.rows = name, rows

    def written(self, scalars: Scalars) -> str:
        return f"{self.name} = [{', '.join(map(_row_text, self.rows))}]"


def _row_text(row: Sequence[Number]) -> str:
    texts = ", ".join([n.text for n in row])
    return texts if len(row) == 1 else f"({texts})"


def _together(names: Sequence[np.ndarray], values: Sequence[np.ndarray]) -> list[str]:
    """The line that gives variables new values, all at once."""
    pairs = [
        (a, n.text)
        for x, y in zip(names, values, strict=True)
        for a, n in zip(x.reshape(-1).tolist(), y.reshape(-1).tolist(), strict=True)
        if a != n.text
    ]
    return [f"{', '.join([a for a, _ in pairs])} = {', '.join([b for _, b in pairs])}"] if pairs else []
