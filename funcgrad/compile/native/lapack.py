"""What calls of LAPACK share: matrices in double precision, by columns, and integers that it takes by reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from funcgrad.compile.native.blas import blas
from funcgrad.compile.native.ir import SIZES, Function, Value
from funcgrad.compile.native.places import Place, Room
from funcgrad.compile.native.sweeps import fill

LONG = 100  # rows from which other threads may run meanwhile
FLOAT, COMPLEX = np.dtype(np.float64), np.dtype(np.complex128)
"""The dtypes that it computes in, as NumPy's linalg has it."""
_INT = np.dtype(np.int64)


class Integers:
    """Memory for integers.

    Arguments:
        room: makes room for them.
        count: how many there are.

    Attributes:
        kind: their type.
    """

    def __init__(self, room: Room, count: int) -> None:
        found = blas()
        assert found is not None, "there is a LAPACK"
        self.kind, self._place = found.integer, room((count,), _INT)

    def at(self, f: Function, *xs: int) -> list[Value]:
        """Where these integers are, and one more, in which LAPACK says how it went."""
        start, size = self._place.pointer(f), SIZES[self.kind]
        places = [f.let(f"getelementptr i8, {start}, i64 {size * k}", "ptr", 1) for k in range(len(xs) + 1)]
        for x, place in zip(xs, places, strict=False):
            f.store(Value(str(x), self.kind), place)
        return places

    def is_zero(self, f: Function, place: Value) -> Value:
        """Whether there is a zero."""
        return f.compare("eq", f.load(place, self.kind, 1), f.constant(0, self.kind, 1))


def by_columns(room: Room, shape: Sequence[int], dtype: np.dtype = FLOAT) -> Place:
    """Room for a matrix column by column."""
    m, n = shape
    return room((n, m), dtype)._replace(shape=(m, n), strides=(1, m))


def identity(f: Function, to: Place) -> None:
    """Write the identity matrix."""
    fill(f, to, 0.0)
    fill(f, to._replace(shape=to.shape[:1], strides=(sum(to.strides),)), 1.0)
