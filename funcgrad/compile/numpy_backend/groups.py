"""Groups: operations on large arrays that are carried out together, tile by tile.

An operation on arrays that do not fit into a cache waits for memory. A group does all its operations on one tile, which
stays in the cache, before it goes on to the next, and so reads its operands once and writes its results once. A tile is
a run of rows, so whatever treats every row for itself can be a member: elementwise operations, reductions within a row
and their use in the same row (softmax, layer normalisation), movements within a row. The reductions over rows that a
group ends in are added up tile by tile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from funcgrad.compile.numpy_backend.windows import Window, windows
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
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
_MANY = 1 << 12  # elements from which a target sums up an array that is there
SUMS = (reduce.reduce_sum, reduce.reduce_max, reduce.reduce_min)
ROW_REDUCTIONS = (*SUMS, reduce.logsumexp, reduce.softmax, reduce.log_softmax)
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
            return not e.params.get("dtype") and bool(_axes(e)) and 0 not in _axes(e)
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
                k = min(k, *_axes(e))
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


def _axes(e: Equation) -> tuple[int, ...]:
    axis = e.params["axis"]
    return (axis,) if type(axis) is int else axis


def _common(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many entries two tuples have in common at the start."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _large(e: Equation, least: int) -> bool:
    return (elementwise(e) or rolled(e)) and math.prod(e.shape) >= least and e.shape[0] > 1 and e.dtype.kind in "fciub"


def _reduced(e: Equation, least: int) -> tuple[int, ...] | None:
    """The shape of the rows that an equation reduces, each to itself, if they are many; else None."""
    x = e.inputs[0] if e.primitive in ROW_REDUCTIONS else None
    if type(x) is not Equation or math.prod(x.shape) < least or x.shape[0] < 2 or x.dtype.kind not in "fciub":
        return None
    return None if e.params.get("dtype") or not _axes(e) or 0 in _axes(e) else x.shape


def _columns(e: Equation) -> bool:
    """Whether an equation sums up an array that is there along its first axes, or takes an extremum."""
    x = e.inputs[0] if e.primitive in SUMS else None
    if type(x) is not Equation or math.prod(x.shape) < _MANY or e.params.get("dtype") or not without_gaps(x):
        return False
    axes = e.params["axis"]
    return 0 < len(axes) < len(x.shape) and axes == tuple(range(len(axes))) and x.shape[0] > 1


def _small(e: Equation, least: int) -> bool:
    """Whether an equation is small enough to run after the group."""
    return (
        isinstance(e.primitive, Primitive)
        and not e.primitive.multiple
        and math.prod(e.shape) < least
        and all(math.prod(shape_of(i)) < least for i in e.inputs)
        and not isinstance(e.inputs[0] if e.inputs else None, tuple)
    )


_CHEAP = (ew.add, ew.subtract, ew.multiply, ew.negative, ew.square)


def _roots(e: Any, readers: dict[Equation, int], depth: int = 4) -> set[Equation]:
    """The large arrays that have to be read to compute e from them with a few cheap operations; e if there are none.

    An array that only e reads is not kept for that: e takes its memory.
    """
    if type(e) is not Equation or 8 * math.prod(e.shape) <= LARGE:
        return set()
    if depth == 0 or e.primitive not in _CHEAP or not _large(e, LARGE):
        return {e}
    large = [i for i in e.inputs if 8 * math.prod(shape_of(i)) > math.prod(e.shape)]
    roots: set[Equation] = set().union(*[_roots(i, readers, depth - 1) for i in large])
    made = [i for i in large if type(i) is Equation and i.plan is not None and i.shape == e.shape]
    taken = [i for i in made if i in roots and readers[i] == 1]
    return {e} if taken else roots


def _cheap(e: Equation, readers: dict[Equation, int]) -> bool:
    """Whether it costs less to compute a large array again than to write it and read it: one at most is read for it."""
    if e.primitive not in _CHEAP or not _large(e, LARGE):
        return False
    roots = _roots(e, readers)
    return e not in roots and len(roots) <= 1


def _recompute(e: Equation, group: Group, readers: dict[Equation, int], pulls: Pulls) -> None:
    """Make a result of another group a member of this one too, if that is cheaper than to read it."""
    if e in group.whole or e in group.members or not _cheap(e, readers):
        return
    if group.takes(e) and not any(pulls.elsewhere(e)):
        for i in e.inputs:
            if type(i) is Equation:
                _recompute(i, group, readers, pulls)
        group.add(e)


class Grouper(Protocol):
    """Who carries out groups of smaller arrays, too.

    Attributes:
        smallest: elements from which an array is worth a group.
    """

    smallest: int

    def writes(self, e: Equation) -> bool:
        """Whether an equation of large arrays, elementwise or one of `windows`, can be a member of a group."""

    def suits(self, group: Group) -> bool:
        """Whether a group of arrays that are not large shall be one."""


def schedule(tape: Tape, pulls: Pulls, target: Grouper | None = None) -> list[Equation | Group]:
    """The equations of a tape in the order in which they shall run, with groups where there are any.

    A group stays open while operations come that it can take, and is put in place when somebody else needs a result of
    it. So nothing in an open group depends on another one.

    Arguments:
        tape: the program.
        pulls: what of it is computed where it is read.
        target: who makes groups of what is left when the large ones are there.
    """
    plan = _Schedule([e for e in tape.equations if e not in pulls.pulled], LARGE, pulls).plan
    return plan if target is None else _Schedule(plan, target.smallest, pulls, target).plan


class _Schedule:
    """A plan under construction, and the groups that are open.

    Arguments:
        steps: equations, and groups that are left as they are.
        least: elements from which an array is worth a group.
        pulls: what is read at other places.
        target: who is asked whether a group shall be one.

    Attributes:
        plan: what has its place.
    """

    def __init__(
        self, steps: Sequence[Equation | Group], least: int, pulls: Pulls, target: Grouper | None = None
    ) -> None:
        self.plan: list[Equation | Group] = []
        self._least, self._pulls, self._target = least, pulls, target
        self._open: dict[tuple[int, ...], Group] = {}
        self._where: dict[Equation, Group] = {}  # the open group that gives a result, or after which it is computed
        self._waits: dict[Equation, dict[Group, None]] = {}  # the open groups that a small equation waits for
        self._readers: dict[Equation, int] = {}
        self._order = {step: n for n, step in enumerate(steps)}
        for step in steps:
            for i in operands_of(step):
                self._readers[i] = self._readers.get(i, 0) + 1
        for step in steps:
            if isinstance(step, Group):
                self._settle(operands_of(step))
                self.plan.append(step)
            else:
                self._take(step, operands_of(step))
        for group in dict.fromkeys(self._open.values()):
            self._close(group)

    def _take(self, e: Equation, operands: list[Equation]) -> None:
        """Put an equation into a group, or in its place."""
        _, there = self._pulls.elsewhere(e)
        if there:
            operands = [i for i in operands if i not in self._pulls.pulled and e not in self._pulls.moves]
        group, needed = self._group(e, operands, there)
        if group is None and needed:
            last = needed[-1]
            if last.has(operands) and len(operands) == 1 and last.ends_in(e):
                last.reductions[e] = None
                self._where[e] = last
                return
            if _small(e, self._least):
                self._wait(e, operands)
                return
        self._settle([*operands, *there], group)
        if group is None and self._target is not None and _columns(e):
            group = self._open.setdefault(e.inputs[0].shape, Group(e.inputs[0].shape))
            group.reductions[e] = None
            self._where[e] = group
            return
        large = _large(e, self._least) or e in self._pulls.moves
        rows = None if group is not None else e.shape if large else _reduced(e, self._least)
        if rows is not None:
            first = self._open.get(rows)
            if first is not None and not self._can_begin(first, e, there):
                self._close(first)
            group = self._open.setdefault(rows, Group(rows))
        if group is None:
            self.plan.append(e)
            return
        for i in operands if self._target is None and not rolled(e) else []:  # what is shifted is there as a whole
            if i not in there:
                _recompute(i, group, self._readers, self._pulls)
        group.add(e)
        if there:
            group.read_elsewhere(e, self._pulls)
        self._where[e] = group

    @staticmethod
    def _can_begin(group: Group, e: Equation, there: list[Equation]) -> bool:
        """Whether an open group computes nothing again that an equation needs as a whole."""
        return (not rolled(e) or group.takes(e)) and not any(i in group.members for i in there)

    def _group(self, e: Equation, operands: list[Equation], there: list[Equation]) -> tuple[Group | None, list[Group]]:
        """The open group that can take an equation, if there is one, and those that it needs in each tile."""
        needed = list(dict.fromkeys([self._where[i] for i in operands if i in self._where]))
        known = [g for g in needed if g.has(operands) and not any(g in self._waits.get(i, ()) for i in operands)]
        if len(needed) > 1 and elementwise(e) and known == needed and all(g.shape[:1] == e.shape[:1] for g in needed):
            self._join(needed)
            needed = known = needed[:1]
        return next((g for g in known if g.takes(e) and self._can_begin(g, e, there)), None), needed

    def _wait(self, e: Equation, operands: list[Equation]) -> None:
        """Let a small equation wait for all open groups that it needs: the terms of a loss are added up at the end."""
        waits: dict[Group, None] = {}
        for i in operands:
            waits.update(self._waits.get(i, {}))
            if i in self._where:
                waits[self._where[i]] = None
        last = next(reversed(waits))
        last.after[e] = None
        self._where[e], self._waits[e] = last, waits

    def _settle(self, operands: list[Equation], group: Group | None = None) -> None:
        """Put all groups in their places that give operands, but for one."""
        for i in operands:
            while (other := self._where.get(i, group)) is not group and other is not None:
                self._close(other)

    def _join(self, groups: list[Group]) -> None:
        """Make open groups one, the first."""
        first, *others = groups
        for other in others:
            first.join(other)
            self._open.update({shape: first for shape, g in self._open.items() if g is other})
            self._where.update({e: first for e in other.all() if self._where.get(e) is other})
        for e, waits in self._waits.items():
            self._waits[e] = dict.fromkeys([first if g in others else g for g in waits])

    def _close(self, group: Group) -> None:
        """Put a group in its place, and what waits for it."""
        for shape in [shape for shape, g in self._open.items() if g is group]:
            del self._open[shape]
        if self._target is None or self._target.suits(group):
            self.plan.append(group)
        else:
            self.plan.extend([*group.members, *group.reductions])
        waiting, group.after = sorted(group.after, key=self._order.__getitem__), {}
        for e in waiting:
            left = [g for g in self._waits.pop(e) if g is not group and g in self._open.values()]
            if left:
                left[-1].after[e] = None
                self._where[e], self._waits[e] = left[-1], dict.fromkeys(left)
            else:
                self.plan.append(e)
        for e in (*group.all(), *waiting):
            if self._where.get(e) is group:
                del self._where[e]


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


__all__ = ["LARGE", "ROW_REDUCTIONS", "SUMS", "VIEWS", "Group", "Grouper", "cut", "elementwise", "scalar", "schedule"]
