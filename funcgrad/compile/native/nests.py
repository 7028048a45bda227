"""Nests: how the operations of a group become loops over the elements of a row.

A loop nest goes once over an index space within the row and does there all that can be done: what is elementwise is
computed where it is read, in registers, and movements are arithmetic of indices. Only a reduction within the row has to
be finished before it is read, and lies in memory from then on; so does what would be computed again at some cost.
Nests are carried out level by level, and nests of one level and one space are one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from funcgrad.compile.native.lanes import cost_of
from funcgrad.compile.numpy_backend.groups import SUMS, elementwise
from funcgrad.core.tape import Equation
from funcgrad.ops import structural

_WORTH = 4  # the cost from which a value is rather kept than computed again
_ELSEWHERE = (structural.transpose, structural.roll)  # they read other elements than they give


class Nest:
    """Loops over one index space of a row.

    Attributes:
        space: the lengths of the axes.
        axes: those along which its reductions go; these loops are the innermost.
        kept: members whose values are written to the memory of the row.
        given: members whose values are written to results.
        reductions: members that are reductions within the row.
        sums: reductions over rows whose summands are taken here.
    """

    def __init__(self, space: tuple[int, ...], axes: tuple[int, ...]) -> None:
        self.space, self.axes = space, axes
        self.kept: list[Equation] = []
        self.given: list[Equation] = []
        self.reductions: list[Equation] = []
        self.sums: list[Equation] = []


def reduction(e: Equation) -> bool:
    """Whether a member is a reduction within the row."""
    return e.primitive in SUMS


class Nests:
    """The nests of a group.

    Arguments:
        members: in their order; the reductions are plain sums and extrema.
        needed: those whose whole values are results.
        sums: for each reduction over rows what is left to add up, a member of the shape of its result.
        merged: how many leading axes count as one, the rows.
        kept: members that are read from memory however cheap they are.

    Attributes:
        order: the nests, in the order in which they are carried out.
        kept: the members that lie in the memory of the row when their nests have been carried out.
    """

    def __init__(
        self,
        members: Iterable[Equation],
        needed: Sequence[Equation],
        sums: dict[Equation, Equation],
        merged: int,
        kept: Iterable[Equation],
    ) -> None:
        self._members, self._needed, self._sums, self._merged = list(members), needed, sums, merged
        self._inside = set(self._members)
        self.kept = set(kept)
        while True:
            self.order = self._ordered()
            more = self._worth_keeping()
            if not more:
                break
            self.kept |= more
        self.kept |= {e for e in self._members if reduction(e)}

    def space(self, e: Equation) -> tuple[int, ...]:
        """The shape of a row."""
        return tuple(e.shape[self._merged :])

    def _operands(self, e: Equation) -> list[Equation]:
        """The operands that are members."""
        return [i for i in e.inputs if type(i) is Equation and i in self._inside]

    def _ordered(self) -> list[Nest]:
        """The nests if the members of `kept` are kept."""
        level: dict[Equation, int] = {}
        waits: set[Equation] = set()  # what cannot be had from operands alone
        for e in self._members:
            found = 0
            for i in self._operands(e):
                if i in waits:
                    same = self._same(i, e)
                    found = max(found, level[i] + (0 if same else 1))
                    waits.add(e)
            if reduction(e) or e in self.kept:
                waits.add(e)
            level[e] = found
        nests: dict[tuple, Nest] = {}

        def at(n: int, space: tuple[int, ...], axes: tuple[int, ...] = ()) -> Nest:
            if not axes:  # it can be done in the loops of a reduction over the same space
                axes = next((k[2] for k in nests if k[:2] == (n, space)), ())
            return nests.setdefault((n, space, axes), Nest(space, axes))

        for e in self._members:
            if reduction(e):
                axes = tuple([a - self._merged for a in e.params["axis"]])
                at(level[e], self.space(e.inputs[0]), axes).reductions.append(e)
        for e in self._members:
            if e in self.kept:
                at(level[e], self.space(e)).kept.append(e)
        for e in self._needed:
            at(level[e] + reduction(e), self.space(e)).given.append(e)
        for r, e in self._sums.items():
            key = (level[e] + reduction(e), self.space(e), ())  # sums over rows go along no other axis
            nests.setdefault(key, Nest(*key[1:])).sums.append(r)
        return [nests[k] for k in sorted(nests, key=lambda k: k[0])]

    def _same(self, i: Equation, e: Equation) -> bool:
        """Whether i is at hand in the step of the loops in which e is computed."""
        return not reduction(i) and (reduction(e) or (self.space(i) == self.space(e) and e.primitive not in _ELSEWHERE))

    def _worth_keeping(self) -> set[Equation]:
        """Members that several nests would compute, or one too often, at some cost."""
        cost: dict[Equation, int] = {}
        for e in self._members:
            if reduction(e) or e in self.kept:
                cost[e] = 0
            else:
                cost[e] = cost_of(e) + sum([cost[i] for i in self._operands(e)])
        times: dict[Equation, int] = {}
        for nest in self.order:
            for e in self.computed(nest) - set(nest.reductions):
                wide = math.prod(nest.space) > math.prod(self.space(e))
                times[e] = times.get(e, 0) + (2 if wide else 1)
        found = {e for e, n in times.items() if n > 1 and elementwise(e) and cost[e] >= _WORTH} - self.kept
        return {e for e in found if not found & self.made_of(e)}  # what is made of them may be cheap then

    def cost(self, nest: Nest) -> int:
        """What a step of a nest costs."""
        return sum([cost_of(e) for e in self.computed(nest)])

    def made_of(self, e: Equation) -> set[Equation]:
        """The members that are computed where e is."""
        found: set[Equation] = set()
        wanted = self._operands(e)
        while wanted:
            i = wanted.pop()
            if i not in found and i not in self.kept and not reduction(i):
                found.add(i)
                wanted += self._operands(i)
        return found

    def computed(self, nest: Nest) -> set[Equation]:
        """The members that a nest computes."""
        wanted = [*nest.kept, *nest.given, *[self._sums[r] for r in nest.sums]]
        wanted = [e for e in wanted if not reduction(e)] + [r.inputs[0] for r in nest.reductions]
        found: set[Equation] = set()
        while wanted:
            e = wanted.pop()
            if e not in found and e in self._inside and not reduction(e) and (e not in self.kept or e in nest.kept):
                found.add(e)
                wanted += self._operands(e)
        return found | set(nest.reductions)
