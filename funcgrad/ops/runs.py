"""Runs: numbers that come several times in a row, as those of the rows of a sparse matrix do.

np.add.at adds one value after the other, and each waits for the one before where they go to the same place. Where most
numbers are equal to the one before them, the values of a run are added up first: 576 000 values to 6000 places take
0.5 ms instead of 1.8.
"""

from __future__ import annotations

import numpy as np

_MANY = 1 << 12  # numbers from which it is worth looking
_SAMPLES = 64


def add_runs(numbers: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and the values that are to be added at them, with one value for each run if there are few runs.

    Arguments:
        numbers: one axis of integers.
        values: as many along the first axis.
    """
    n = len(numbers)
    if n < _MANY:
        return numbers, values
    some = np.arange(0, n - 1, n // _SAMPLES)
    if 2 * np.count_nonzero(numbers[some] == numbers[some + 1]) < len(some):
        return numbers, values
    starts = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    starts = np.concatenate([np.zeros(1, starts.dtype), starts])
    return numbers[starts], np.add.reduceat(values, starts, axis=0)


__all__ = ["add_runs"]
