"""How far NumPy's loops go in one piece over rows that have gaps between them, or that are stretched.

A ufunc copies such operands into buffers if several rows fit into one, and loops over these. Its loop over a row where
it lies takes half the time, so buffers are as long as a row while large arrays are computed. Short rows stay as they
are: to begin a loop for each costs more. Least times in µs of x[1:, :-1] - x[:-1, 1:] and of a + a[0] on 32,000
doubles, with NumPy 2.4 on an AMD EPYC, by the length of the rows:

| | 100 | 255 | 500 | 1000 | 4000 |
|---|---|---|---|---|---|
| NumPy's buffers | 25, 13 | 22, 12 | 19, 12 | 18, 12 | 8, 13 |
| buffers of one row | 21, 16 | 14, 10 | 9, 9 | 8, 8 | 8, 8 |
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

_SHORT, _LONG = 200, 1 << 12  # rows that NumPy's own buffers suit: many short ones, and no two long ones
_UNIT = 16  # of which the length of buffers is a multiple


def buffer_for(row: int) -> int | None:
    """The length of buffers for rows of a length; None if NumPy's own is as good."""
    return -(-row // _UNIT) * _UNIT if _SHORT <= row <= _LONG else None


@contextlib.contextmanager
def buffers_of(size: int | None) -> Iterator[None]:
    """Have ufuncs use buffers of this length in what is done inside."""
    if size is None:
        yield
        return
    before = np.setbufsize(size)
    try:
        yield
    finally:
        np.setbufsize(before)


__all__ = ["buffer_for", "buffers_of"]
