"""Layouts: where the axis of the rows lies in the tiles of a group.

As a rule it comes first, as in the operands, and nothing has to be moved. But where the rows are narrow and an
operation stretches its operands within a row, as in `x[:, None, :] - y`, NumPy would loop over the few elements of the
last axis again and again. Then the tiles are turned: the row axis comes last, and a loop runs over all rows of a tile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.groups import ROW_REDUCTIONS, VIEWS, Group, cut
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import structural

# What NumPy takes, in ns: for an element, to begin another loop, and to move an element to where it lies otherwise.
_ELEMENT, _LOOP, _TURN = 0.2, 20.0, 1.5
_ROWS = 128  # of a tile, for the estimate


class Layout:
    """Where the row axis lies.

    Arguments:
        merged: how many leading axes of the group count as one, the row axis.
        last: whether the row axis comes last.
    """

    def __init__(self, merged: int, last: bool) -> None:
        self.merged, self.last = merged, last

    def shape(self, rows: Any, shape: Sequence[int]) -> tuple:
        """The shape of an array of that many rows, if the whole array is of this shape."""
        rest = tuple(shape[self.merged :])
        return (*rest, rows) if self.last else (rows, *rest)

    def axes(self, axes: Iterable[int]) -> tuple[int, ...]:
        """Axes within a row as axes of a tile."""
        return tuple([a - self.merged + (0 if self.last else 1) for a in axes])

    def permutation(self, axes: Sequence[int]) -> tuple[int, ...]:
        """A transposition within the rows, as one of a tile."""
        inside = self.axes(axes[self.merged :])
        return (*inside, len(inside)) if self.last else (0, *inside)

    def row_axis(self, shape: Sequence[int]) -> int:
        """The place of the row axis in a tile of an array of this shape."""
        return len(shape) - self.merged if self.last else 0

    def tile(self, name: str) -> str:
        """The rows from i to j, as Python."""
        return f"{name}[..., i:j]" if self.last else f"{name}[i:j]"

    def turned(self, x: np.ndarray) -> np.ndarray:
        """A view of an array whose row axis is the first, with the row axis in its place."""
        return x.transpose(*range(1, x.ndim), 0) if self.last else x

    def beside(self, x: Any) -> Any:
        """A view of what is the same for all rows, to be stretched along the row axis."""
        if not self.last or not isinstance(x, np.ndarray) or not x.ndim:
            return x
        first = next((n for n, size in enumerate(x.shape) if size != 1), x.ndim)
        return x.reshape(*x.shape[first:], 1)


def layout(group: Group, needed: Iterable[Equation]) -> Layout:
    """The layout in which a group takes less time.

    Arguments:
        group: the operations.
        needed: the members whose whole results are read outside.
    """
    first, last = Layout(group.merged(), False), Layout(group.merged(), True)
    members = list(group.members)
    if any(e.primitive is structural.roll for e in members):
        return first  # tiles of shifted rows are views
    if min(len(e.shape) for e in members) < first.merged or max(len(e.shape) for e in members) == first.merged:
        return first  # there is nothing but rows
    moved = {i: None for e in members for i in e.inputs if _comes_in(i, e, group)}
    turning = _TURN * sum([_width(x, first) for x in (*moved, *needed)]) * _ROWS
    costs = [sum([_cost(e, order, group) for e in members]) for order in (first, last)]
    return last if 1.2 * (costs[1] + turning) < costs[0] else first


def _comes_in(i: Any, e: Equation, group: Group) -> bool:
    return type(i) is Equation and i not in group.members and cut(i.shape, e)


def _width(x: Equation, order: Layout) -> int:
    return math.prod(x.shape[order.merged :])


def _cost(e: Equation, order: Layout, group: Group) -> float:
    """The ns that NumPy takes for a member on a tile."""
    if e.primitive in VIEWS:
        return 0.0
    if e.primitive in ROW_REDUCTIONS:
        return _reduction_cost(e, order)
    shape = order.shape(_ROWS, e.shape)
    patterns = []
    for i in e.inputs:
        given = shape_of(i)
        if cut(given, e):
            given = order.shape(_ROWS, given)
        elif order.last:
            given = (*given, 1)
        given = (1,) * (len(shape) - len(given)) + tuple(given[max(0, len(given) - len(shape)) :])
        patterns.append([a == b for a, b in zip(given, shape, strict=True)])
    return _loops(shape, patterns)


def _loops(shape: Sequence[int], patterns: list[list[bool]]) -> float:
    """The cost of an operation on all elements of a shape; the patterns tell along which axes an operand has them."""
    run, of_run = 1, None
    for n in reversed(range(len(shape))):
        if shape[n] == 1:
            continue
        kind = [p[n] for p in patterns]
        if of_run is not None and kind != of_run:
            break
        run, of_run = run * shape[n], kind
    elements = math.prod(shape)
    return elements * _ELEMENT + elements / run * _LOOP


def _reduction_cost(e: Equation, order: Layout) -> float:
    axis = e.params["axis"]
    axes = set(order.axes((axis,) if type(axis) is int else axis))
    shape = order.shape(_ROWS, e.inputs[0].shape)
    run = 1
    for n in reversed(range(len(shape))):
        if shape[n] != 1 and (n in axes) != (len(shape) - 1 in axes):
            break
        run *= shape[n]
    elements = math.prod(shape)
    return elements * _ELEMENT + elements / run * _LOOP


__all__ = ["Layout", "layout"]
