"""Elementwise operations on short rows: `x[:, None, :] - y`, as in distances between all pairs of points.

NumPy's inner loop ends where an operand is stretched, and each loop takes as long to begin as thirty elements take. Of
rows of 10 doubles, 1000 × 25 of them, the difference takes 315 µs. If x is repeated, which copies rows as they are, and
y subtracted in place, the loops are as long as y, and it takes 128; of rows of 2, 1000 × 100 of them, 90 for 890.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

_SHORT = 64  # elements that are no short row any more
_LARGE = 1 << 13  # elements of a result from which it is worth it
_IN_PLACE = frozenset({np.add, np.subtract, np.multiply, np.divide})


def broadcast(primitive: Any, a: ndarray, b: ndarray) -> Any:
    """What a primitive with two operands gives for arrays of different shapes.

    Arguments:
        primitive: whose `infix` it is.
        a, b: the operands.
    """
    f = primitive.impl
    if (1 in a.shape or 1 in b.shape) and f in _IN_PLACE and a.dtype is b.dtype and a.dtype.char in "fdFD":
        if a.ndim >= b.ndim:
            out = _repeated(a, b)
            if out is not None:
                return f(out, b, out)
        if b.ndim >= a.ndim:
            out = _repeated(b, a)
            if out is not None:
                return f(a, out, out)
    return primitive.infix(a, b)


def _repeated(x: ndarray, other: ndarray) -> ndarray | None:
    """x as wide as the result if that makes the loops longer; None if not, or if the shapes do not match.

    It does if x is stretched along one axis behind the first one, and `other` is not stretched behind the first one.
    """
    shape, rest = x.shape, other.shape
    short = len(shape) - len(rest)
    if shape.count(1) != 1 or not shape or shape[0] == 1 or short > 1 or not rest:
        return None
    axis = shape.index(1)
    n = rest[axis - short]
    if n == 1 or shape[1:axis] + shape[axis + 1 :] != rest[1 - short : axis - short] + rest[axis + 1 - short :]:
        return None
    if not short and rest[0] not in (1, shape[0]):
        return None
    row = shape[-1] if axis < len(shape) - 1 else n
    if row >= _SHORT or x.size * n < _LARGE or not (x.flags.c_contiguous and other.flags.c_contiguous):
        return None
    return np.repeat(x, n, axis)
