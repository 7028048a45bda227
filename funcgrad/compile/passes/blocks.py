"""Blocks: whether the repetitions in a run are the steps of one loop, and how they are wired.

An operand is of one of four kinds. It is *local* if each block reads it from itself, at the same place; *carried* if
each reads it from the block before, or from one a little earlier, and the first ones from outside; *constant* if all
read the same value from outside; and otherwise a *row*, if all read it from outside, each another one. Blocks at both
ends whose operands are of other kinds than those in the middle do not belong to the loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from funcgrad.compile.passes.runs import FEWEST, Record, Run
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of

LOCAL, CARRIED, CONSTANT, ROW, UNKNOWN = range(5)
LATEST = 4  # blocks after which a value is read


@dataclass
class Blocks:
    """Steps of a loop on a tape.

    Attributes:
        start, period, count: the place of the first one, counted in equations; how long each is; how many there are.
        kinds: of the operands of a block.
        reads: what they are, for each block and operand, as in a record.
        rows: for each block and equation the number of the row that it reads.
        before: the numbers of equations of the first block that the other ones read, and that come before the loop.
    """

    start: int
    period: int
    count: int
    kinds: np.ndarray
    reads: np.ndarray
    rows: np.ndarray
    before: list[int] = field(default_factory=list)

    @property
    def stop(self) -> int:
        """The place after the last one."""
        return self.start + self.period * self.count


def blocks(record: Record, run: Run) -> Blocks | None:
    """The steps that a run consists of; None if it is no loop."""
    p = run.period
    start = run.start + _narrowest(record, run)
    n = (run.stop - start) // p
    if n < FEWEST or record.effects[start : start + n * p].any():
        return None
    first, last = record.starts[start], record.starts[start + n * p]
    reads = record.reads[first:last].reshape(n, -1)
    rows = record.rows[start : start + n * p].reshape(n, p)
    base = record.first + start + p * np.arange(n)[:, None]
    apart, m = reads - base, n // 2
    still = reads[m] == reads[m + 1]
    moves = (apart[m] == apart[m + 1]) & (reads[m] >= record.first + start)
    kinds = np.select(
        [still, moves & (apart[m] >= 0), moves & (apart[m] >= -LATEST * p), ~moves],
        [CONSTANT, LOCAL, CARRIED, ROW],
        UNKNOWN,
    )
    moving = np.flatnonzero(rows[m] != rows[m + 1])  # equations that read another row in each block
    arrays = record.starts[start + moving] - first
    if (kinds == UNKNOWN).any() or (kinds[arrays] != CONSTANT).any():
        return None
    fits = np.where(kinds == CONSTANT, reads == reads[m], reads < record.first + start)
    fits = np.where((kinds == LOCAL) | (kinds == CARRIED), apart == apart[m], fits)
    fits_rows = rows - rows[m] == (np.arange(n) - m)[:, None] * (rows[m + 1] - rows[m])
    inside = fits[:, kinds != CARRIED].all(axis=1) & fits_rows.all(axis=1)
    goes_on = fits.all(axis=1) & inside
    k = m
    while k and inside[k - 1] and goes_on[k]:
        k -= 1
    if not goes_on[k + 1 : m + 1].all():
        return None
    stop = m
    while stop < n and goes_on[stop]:
        stop += 1
    if stop - k < FEWEST:
        return None
    found = Blocks(start + k * p, p, stop - k, kinds, reads[k:stop], rows[k:stop])
    if not _same_types(record, found):  # of what the first block reads and of what the others do
        found = Blocks(start + (k + 1) * p, p, stop - k - 1, kinds, reads[k + 1 : stop], rows[k + 1 : stop])
    outside = np.unique(found.reads[:, (kinds == CONSTANT) | (kinds == ROW)])
    inside_all = set(outside[outside >= record.first + found.start].tolist())
    if found.count < FEWEST or not _same_types(record, found) or not _before(record, found, inside_all):
        return None
    if not all(isinstance(record.values[place].dtype, np.dtype) for place in read_after(record, found)):
        return None  # several results in one
    return found


def read_after(record: Record, found: Blocks) -> list[int]:
    """What of the blocks is read behind them, in order."""
    read = np.concatenate((record.reads[record.starts[found.stop] :], record.results))
    return np.unique(read[(read >= record.first + found.start) & (read < record.first + found.stop)]).tolist()


def _before(record: Record, found: Blocks, places: set[int]) -> bool:
    """Whether what all blocks read of the first one can be computed before them. `found.before` is that, in order."""
    known: set[int] = set()
    for place in range(record.first + found.start, record.first + found.start + found.period):
        k = place - record.first
        operands = record.reads[record.starts[k] : record.starts[k + 1]].tolist()
        if record.places[record.values[place]] == place and all(
            i < record.first + found.start or i in known for i in operands
        ):
            known.add(place)
    wanted = [place for place in places if place in known]
    for place in wanted:
        k = place - record.first
        operands = record.reads[record.starts[k] : record.starts[k + 1]].tolist()
        wanted += [i for i in operands if i in known and i not in wanted]
    found.before = sorted(wanted)
    return places <= known


def _narrowest(record: Record, run: Run) -> int:
    """Where in a block the fewest values are still needed: there it is cut from the next one."""
    p = run.period
    middle = run.start + p * ((run.stop - run.start) // p // 2)
    start, stop = middle - p, min(middle + 2 * p, run.stop)
    reads = record.reads[record.starts[start] : record.starts[stop]] - record.first
    readers = np.repeat(np.arange(start, stop), np.diff(record.starts[start : stop + 1]))
    last = np.zeros(stop - start, int)
    inside = reads >= start
    np.maximum.at(last, reads[inside] - start, readers[inside] - start)
    # A value at k that is read last at l is needed at all cuts after k and up to l.
    crossing = np.zeros(stop - start + 1, int)
    k = np.flatnonzero(last)
    np.add.at(crossing, k + 1, 1)
    np.add.at(crossing, last[k] + 1, -1)
    needed = np.cumsum(crossing)[p : 2 * p]
    spare = (run.stop - run.start) % p
    return min(range(p), key=lambda k: (needed[k], k > spare, k))


def _same_types(record: Record, found: Blocks) -> bool:
    """Whether what is carried, or is a row, has one shape and dtype in all blocks."""
    starts = record.starts[found.start : found.start + found.period + 1]
    for k in np.flatnonzero((found.kinds == CARRIED) | (found.kinds == ROW)):
        reader = record.values[record.first + found.start + int(np.searchsorted(starts - starts[0], k, "right")) - 1]
        places = found.reads[: LATEST + 1, k] if found.kinds[k] == CARRIED else found.reads[:, k]
        types = {type_in(record.value(place), reader) for place in places.tolist()}
        if len(types) > 1 or None in types:
            return False
    return True


def type_in(x: Any, reader: Equation) -> tuple[tuple[int, ...], np.dtype] | None:
    """Shape and dtype of an operand; None for what no loop carries.

    That is several results in one, and Python's numbers, but floats beside arrays of floats, whose dtype they take on.
    """
    if type(x) is Equation:
        return (x.shape, x.dtype) if isinstance(x.dtype, np.dtype) else None
    if type(x) is not float:
        return None if isinstance(x, (int, complex)) else (shape_of(x), dtype_of(x))
    beside = {i.dtype for i in reader.inputs if type(i) is Equation}
    return ((), reader.dtype) if reader.dtype.kind == "f" and beside <= {reader.dtype} else None
