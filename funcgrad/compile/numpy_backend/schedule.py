"""The schedule of a program: its equations in the order in which they run, with groups where there are any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from funcgrad.compile.numpy_backend.groups import (
    CHEAP,
    LARGE,
    ROW_REDUCTIONS,
    SUMS,
    Group,
    axes_of,
    elementwise,
    operands_of,
    rolled,
    without_gaps,
)
from funcgrad.compile.numpy_backend.pulls import Pulls
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of

_MANY = 1 << 12  # elements from which a target sums up an array that is there


def _large(e: Equation, least: int) -> bool:
    return (elementwise(e) or rolled(e)) and math.prod(e.shape) >= least and e.shape[0] > 1 and e.dtype.kind in "fciub"


def _reduced(e: Equation, least: int) -> tuple[int, ...] | None:
    """The shape of the rows that an equation reduces, each to itself, if they are many; else None."""
    x = e.inputs[0] if e.primitive in ROW_REDUCTIONS else None
    if type(x) is not Equation or math.prod(x.shape) < least or x.shape[0] < 2 or x.dtype.kind not in "fciub":
        return None
    return None if e.params.get("dtype") or not axes_of(e) or 0 in axes_of(e) else x.shape


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


def _roots(e: Any, readers: dict[Equation, int], depth: int = 4) -> set[Equation]:
    """The large arrays that have to be read to compute e from them with a few cheap operations; e if there are none.

    An array that only e reads is not kept for that: e takes its memory.
    """
    if type(e) is not Equation or 8 * math.prod(e.shape) <= LARGE:
        return set()
    if depth == 0 or e.primitive not in CHEAP or not _large(e, LARGE):
        return {e}
    large = [i for i in e.inputs if 8 * math.prod(shape_of(i)) > math.prod(e.shape)]
    roots: set[Equation] = set().union(*[_roots(i, readers, depth - 1) for i in large])
    made = [i for i in large if type(i) is Equation and i.plan is not None and i.shape == e.shape]
    taken = [i for i in made if i in roots and readers[i] == 1]
    return {e} if taken else roots


def _cheap(e: Equation, readers: dict[Equation, int]) -> bool:
    """Whether it costs less to compute a large array again than to write it and read it: one at most is read for it."""
    if e.primitive not in CHEAP or not _large(e, LARGE):
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


__all__ = ["Grouper", "schedule"]
