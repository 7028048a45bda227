"""Operations that compare elements with each other, as plain ones: argmax and argmin, sort and argsort of short lines.

The place of an element in order is the number of those that come before it, which is a sum over all of them: for lines
of up to a hundred elements less than to go back to Python for a sort.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.compile.native.replacements import Replacement
from funcgrad.core.tape import Equation
from funcgrad.ops import elementwise as ew
from funcgrad.ops import index, reduce, sort

_LONGEST = 128  # elements that are compared with each other
_INT, _BOOL = np.dtype(np.int64), np.dtype(bool)


def _argument(s: Replacement, x: Any, e: Equation) -> Equation:
    """The first place where the extremum is, or nan."""
    extremum = reduce.reduce_max if e.primitive is reduce.argmax else reduce.reduce_min
    line, axis = (x, e.params["axis"]) if e.params["axis"] is not None else (s.reshaped(x, (math.prod(x.shape),)), 0)
    n, dtype = line.shape[axis], line.dtype
    there = s.elementwise(ew.equal, _BOOL, line, s.reduced(extremum, dtype, line, [axis], keepdims=True))
    if dtype.kind == "f":
        there = s.elementwise(ew.logical_or, _BOOL, there, s.elementwise(ew.not_equal, _BOOL, line, line))
    numbers = np.arange(n).reshape((n,) + (1,) * (len(line.shape) - axis - 1))
    first = s.reduced(reduce.reduce_min, _INT, s.elementwise(index.where, _INT, there, numbers, n), [axis])
    return first if first.shape == e.shape else s.reshaped(first, e.shape)


def _sorted(s: Replacement, x: Any, e: Equation) -> Equation:
    """Elements, or their numbers, each at the place that it has in order."""
    axis, rank = e.params["axis"], len(x.shape)
    if x.dtype.kind == "c" or x.shape[axis] > _LONGEST:
        return e
    order = [*[k for k in range(rank) if k != axis], axis]
    lines = s.transposed(x, order)
    *others, n = lines.shape
    here, other = s.reshaped(lines, (*others, n, 1)), s.reshaped(lines, (*others, 1, n))
    later = s.elementwise(ew.logical_not, _BOOL, _before(s, here, other))
    earlier = s.elementwise(ew.logical_and, _BOOL, later, np.tri(n, k=-1, dtype=bool))
    before = s.elementwise(ew.logical_or, _BOOL, _before(s, other, here), earlier)
    places = s.reduced(reduce.reduce_sum, _INT, before, [len(others) + 1])
    what = lines if e.primitive is sort.sort else np.arange(n)
    params = {"shape": lines.shape, "axis": rank - 1, "unique": True}
    made = s.apply(index.scatter_along_axis, lines.shape, e.dtype, what, places, **params)
    return s.transposed(made, np.argsort(order).tolist())


def _before(s: Replacement, x: Equation, y: Equation) -> Equation:
    """Whether x comes before y, where nan comes last."""
    less = s.elementwise(ew.less, _BOOL, x, y)
    if x.dtype.kind != "f":
        return less
    only_y = s.elementwise(ew.greater, _BOOL, *[s.elementwise(ew.not_equal, _BOOL, z, z) for z in (y, x)])
    return s.elementwise(ew.logical_or, _BOOL, less, only_y)


ORDERS: dict[Any, Any] = {
    reduce.argmax: _argument,
    reduce.argmin: _argument,
    sort.sort: _sorted,
    sort.argsort: _sorted,
}
"""For each primitive what gives the equation in its place."""
