"""Groups: operations on large arrays that are carried out together, tile by tile.

An operation on arrays that do not fit into a cache waits for memory. A group does all its operations on one tile, which
stays in the cache, before it goes on to the next, and so reads its operands once and writes its results once. A tile is
a run of rows, so whatever treats every row for itself can be a member: elementwise operations, reductions within a row
and their use in the same row (softmax, layer normalisation), movements within a row. The reductions over rows that a
group ends in are added up tile by tile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from funcgrad.compile.numpy_backend.windows import Window, windows
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import (
    activation,
    complex_parts,
    error_functions,
    gamma,
    index,
    logistic,
    multiply_add,
    random_bits,
    reduce,
    structural,
)
from funcgrad.ops import elementwise as ew
from funcgrad.ops import erf_inv as inverse

if TYPE_CHECKING:
    from funcgrad.compile.numpy_backend.pulls import Pulls

LARGE = 1 << 14  # elements from which an array is worth tiles
SUMS = (reduce.reduce_sum, reduce.reduce_max, reduce.reduce_min)
ROW_REDUCTIONS = (*SUMS, reduce.logsumexp, reduce.softmax, reduce.log_softmax)
CHEAP = (ew.add, ew.subtract, ew.multiply, ew.negative, ew.square)
"""What costs less to compute again than to read."""
VIEWS = (structural.reshape, structural.transpose, structural.broadcast_to)
ELEMENTWISE = {
    *(index.where, structural.astype, structural.truncate, multiply_add.multiply_add),
    *(activation.relu, activation.relu_backward, logistic.logistic, logistic.sigmoid, logistic.sigmoid_backward),
    *(
        error_functions.erf,
        error_functions.erfc,
        gamma.lgamma,
        gamma.digamma,
        inverse.erf_inv,
        random_bits.threefry2x32,
        ew.real,
        ew.imag,
        complex_parts.complex_of,
    ),
}
"""Members that are no ufuncs."""


def elementwise(e: Equation) -> bool:
    """Whether an equation computes each element of its result from one element of each operand."""
    p = e.primitive
    if not isinstance(p, Primitive) or p.multiple:
        return False
    return p in ELEMENTWISE or (isinstance(p.impl, np.ufunc) and p.impl.signature is None)


def rolled(e: Equation) -> bool:
    """Whether an equation shifts an array along one axis, all the way round.

    Along the rows it reads other rows than it gives, so it can be a member only if its operand is there as a whole.
    """
    return e.primitive is structural.roll and len(e.params["axes"]) == 1 and type(e.inputs[0]) is Equation


class Group:
    """Operations that treat every row for itself, in order, and the reductions over rows that they end in.

    Attributes:
        shape: of the first member; all have its first axis, along which rows are counted.
        members: the operations, in order.
        whole: what members shift, or read at other places, which is there as a whole.
        moves: members that read their operands at other places (windows.py).
        pulled: what is computed where members read it (pulls.py).
        reductions: the sums and extrema over rows.
        after: small operations that need results of the group, and wait until it has run.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.members: dict[Equation, None] = {}
        self.whole: set[Equation] = set()
        self.moves: dict[Equation, None] = {}
        self.pulled: dict[Equation, None] = {}
        self.reductions: dict[Equation, None] = {}
        self.after: dict[Equation, None] = {}

    def add(self, e: Equation) -> None:
        """Make an equation a member."""
        self.members[e] = None
        if rolled(e):
            self.whole.add(e.inputs[0])

    def read_elsewhere(self, e: Equation, pulls: Pulls) -> None:
        """Let a member read at other places what it shall."""
        pulled, there = pulls.elsewhere(e)
        self.pulled.update(dict.fromkeys(pulled))
        self.whole.update(there)
        if e in pulls.moves:
            self.moves[e] = None

    def settle(self) -> None:
        """Read what would have been computed here, at other places, as operands that are there."""
        self.reductions = {r: None for r in self.reductions if r.inputs[0] not in self.moves}
        self.members = {e: None for e in self.members if e not in self.moves}
        self.moves, self.pulled = {}, {}

    def join(self, other: Group) -> None:
        """Take over what another group does, which neither depends on this one nor this one on it."""
        self.members.update(other.members)
        self.whole |= other.whole
        self.moves.update(other.moves)
        self.pulled.update(other.pulled)
        self.reductions.update(other.reductions)
        self.after.update(other.after)

    def all(self) -> tuple[Equation, ...]:
        """All that it gives."""
        return (*self.members, *self.reductions, *self.after)

    def has(self, operands: list[Equation]) -> bool:
        """Whether those of the operands that the group gives are known in each tile."""
        return not any(i in self.reductions or i in self.after for i in operands)

    def takes(self, e: Equation) -> bool:
        """Whether an equation can be a member: it needs no more of the others than the same rows."""
        shape, inside = e.shape, [i for i in e.inputs if type(i) is Equation and i in self.members]
        if not shape or shape[0] != self.shape[0] or not math.prod(shape):
            return False
        p = e.primitive
        if elementwise(e):
            return (bool(inside) or shape == self.shape) and all(
                len(i.shape) == len(shape) and i.shape[0] == shape[0] for i in inside
            )
        if rolled(e):
            return not inside if e.params["axes"] == (0,) else bool(inside) or shape == self.shape
        if len(inside) != 1 or len(e.inputs) != 1:
            return False
        if p in ROW_REDUCTIONS:
            return not e.params.get("dtype") and bool(axes_of(e)) and 0 not in axes_of(e)
        if p is structural.reshape:
            return e.params.get("order", "C") == "C"
        if p is structural.broadcast_to:
            return len(inside[0].shape) == len(shape) and inside[0].shape[0] == shape[0]
        return p is structural.transpose and e.params["axes"][0] == 0

    def ends_in(self, e: Equation) -> bool:
        """Whether an equation is a sum, or an extremum, over the rows of a member."""
        return (
            e.primitive in SUMS
            and e.inputs[0] in self.members
            and not e.params.get("dtype")
            and 0 in e.params["axis"]
            and math.prod(e.inputs[0].shape) > 0
        )

    def keep(self, needed: Iterable[Equation]) -> None:
        """Leave out members that nobody reads: those that another group computes again for itself."""
        wanted = {*needed, *[i for r in self.reductions for i in r.inputs]}
        for e in reversed(list(self.members)):
            if e in wanted:
                wanted.update([i for i in e.inputs if type(i) is Equation])
            else:
                del self.members[e]

    def merged(self) -> int:
        """How many leading axes all have in common, which can be counted as one."""
        k = len(self.shape)
        for e in (*self.members, *self.pulled):
            k = min(k, 1 + _common(e.shape[1:], self.shape[1:]))
            if e.primitive in ROW_REDUCTIONS:
                k = min(k, *axes_of(e))
            elif rolled(e):
                k = min(k, e.params["axes"][0] or k)
            elif e.primitive is structural.transpose:
                k = min(k, _common(e.params["axes"], tuple(range(len(e.shape)))))
            if e in self.moves or (e in self.pulled and not elementwise(e)):
                k = min([k, *[_unmoved(e, w) for w in windows(e) or ()]])
                continue
            for i in e.inputs:
                shape = shape_of(i)
                if cut(shape, e):
                    whole = without_gaps(i) or i in self.pulled
                    k = min(k, 1 + _common(shape[1:], self.shape[1:]) if whole else 1)
                else:
                    k = min(k, len(e.shape) - len(shape) + (1 if shape and shape[0] == 1 else 0))
        for r in self.reductions:
            axis = r.params["axis"]
            k = min(k, next((n for n in range(len(axis) + 1) if n not in axis), k))
        return max(k, 1)


def cut(shape: tuple[int, ...], e: Equation) -> bool:
    """Whether an operand of this shape is read row by row by e."""
    if e.primitive in ROW_REDUCTIONS or e.primitive in VIEWS:
        return True
    return len(shape) == len(e.shape) and shape[0] == e.shape[0] and shape[0] > 1


def without_gaps(x: Any) -> bool:
    """Whether the elements of an operand lie one after the other, as far as can be seen from what made it.

    Axes of a non-contiguous array cannot be merged without a copy.
    """
    if type(x) is not Equation or x.plan is None:
        return True
    p = x.primitive
    if p is index.getitem:
        entries = x.params["index"]
        entries = entries if type(entries) is tuple else (entries,)
        rest = [i for i in entries[1:] if i != slice(None)] if all(type(i) in (int, slice) for i in entries) else []
        step = entries[0].step if entries and type(entries[0]) is slice else None
        return not rest and step in (None, 1) and without_gaps(x.inputs[0])
    return p is structural.reshape or p not in (*VIEWS, structural.flip)


def _unmoved(e: Equation, w: Window) -> int:
    """How many leading axes can be counted as one: whole ones behind the first, which may be moved."""
    if not w.runs[0].plain:
        return 1
    there = zip(w.runs, e.shape, shape_of(e.inputs[w.operand]), strict=True)
    moved = [k for k, (run, n, m) in enumerate(there) if k and (run != (0, n, 0, 1, 1) or n != m)]
    return moved[0] if moved else len(w.runs)


def axes_of(e: Equation) -> tuple[int, ...]:
    """The axes that a reduction is over."""
    axis = e.params["axis"]
    return (axis,) if type(axis) is int else axis


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many entries two tuples have in common at the start."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def operands_of(step: Equation | Group) -> list[Equation]:
    """The equations that a step reads, as often as it reads them."""
    if not isinstance(step, Group):
        return [i for i in step.inputs if type(i) is Equation]
    members = (*step.members, *step.pulled, *step.reductions)
    found = [i for e in members for i in e.inputs if type(i) is Equation]
    return [i for i in found if i not in step.members and i not in step.pulled]


def scalar(x: Any) -> Any:
    """The one number that a constant holds everywhere, if it is a stretched one; else the constant."""
    if isinstance(x, np.ndarray) and x.ndim and x.size and not any(x.strides):
        return x[(0,) * x.ndim]
    return x


__all__ = ["CHEAP", "LARGE", "ROW_REDUCTIONS", "SUMS", "VIEWS", "Group", "axes_of", "cut", "elementwise", "scalar"]
