"""A tape as calls of NumPy: one line for each operation, one for each group of large ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count

import numpy as np

from funcgrad.compile.numpy_backend.groups import LARGE, Group, elementwise, operands_of
from funcgrad.compile.numpy_backend.liveness import Liveness, writes_late
from funcgrad.compile.numpy_backend.lowering import Names, expression, literal, statement
from funcgrad.compile.numpy_backend.pulls import Pulls
from funcgrad.compile.numpy_backend.schedule import Grouper, schedule
from funcgrad.compile.numpy_backend.target import GroupPart
from funcgrad.core.tape import Equation, Tape
from funcgrad.transforms.call import Call

_LONG = 100  # steps from which names are used again, so that small arrays are freed as well
_MANY = 4  # values that are freed at once rather than when their names are used again
_MUCH = 1 << 16  # bytes of all values from which they are, too
_OFTEN = 8  # uses from which it is worth stretching a small operand once
NOWHERE: Mapping[Equation, str] = {}


class ArrayLines:
    """The lines of the body of a function that carries out a tape.

    Arguments:
        tape: the program.
        own: inputs that the function may write over.
        places: the names of arrays into which values are to be computed; those of groups are not.
        names: what the lines refer to.
        tiled: writes a group down, with the members that are needed and the operands lent to it; gives its name too.
            None if nobody carries out a group that reads at other places.
        call: gives the name of a function that does what a Call does.
        alone: gives that of a function which a target has for an equation by itself, perhaps over its operand; or None.
        target: for whom smaller arrays are worth groups.

    Attributes:
        label: the names of values.
        lines: what has been written.
        results: how the results are written.
    """

    def __init__(
        self,
        tape: Tape,
        own: Collection[Equation],
        places: Mapping[Equation, str],
        names: Names,
        tiled: Callable[[Group, list[Equation], set[Equation]], tuple[str, GroupPart] | None],
        call: Callable[[Call], str],
        alone: Callable[[Equation, bool], str | None],
        target: Grouper | None = None,
    ) -> None:
        self.names, self._places, self._tiled, self._call, self._alone = names, places, tiled, call, alone
        self.lines: list[str] = []
        self.label = {e: f"v{k}" for k, e in enumerate(tape.inputs)}
        self._fresh = count(len(self.label)).__next__
        self._spare: list[str] = []  # names of values that nobody reads any more, for others
        plan = writes_late(schedule(tape, Pulls(tape, None if target is None else target.writes), target))
        self._frugal = len(plan) > _LONG or _bytes(tape) > _MUCH
        self._outputs = {o for o in tape.outputs if type(o) is Equation}
        self._live = Liveness(plan, self._outputs, own, places)
        self._given: set[Equation] = set()  # what earlier groups gave; a later one may compute it again for itself
        self._stretched = _stretched(plan)
        self._wide: dict[tuple[Equation, tuple[int, ...]], str] = {}
        for k, step in enumerate(plan):
            if isinstance(step, Group):
                self._forget(k, *self._group(k, step))
            elif step.picks is not None:  # it has been unpacked
                continue
            elif isinstance(step.dtype, tuple):
                self._forget(k, self._several(k, step))
            else:
                self._forget(k, self._single(k, step))
        self.results = [self.label[o] if type(o) is Equation else literal(o, "constant", names) for o in tape.outputs]

    def _named(self, e: Equation) -> str:
        self.label[e] = self._spare.pop() if self._spare else f"v{self._fresh()}"
        return self.label[e]

    def _group(self, k: int, group: Group) -> tuple[list[Equation], list[Equation]]:
        """Call a group. The operands that nobody reads any more; apart those whose memory a result has now."""
        read = self._live.read
        needed = [e for e in group.members if (e in self._outputs or e in read) and e not in self._given]
        self._given.update(needed)
        dead, lent = self._live.dead(k, operands_of(group)), self._live.lent(k, group)
        written = self._tiled(group, needed, lent)
        if written is None:
            dead += self._write_elsewhere(group)
            needed = [e for e in needed if e in group.members]
            written = self._tiled(group, needed, lent) if needed or group.reductions else None
        if written is None:
            return dead, []
        name, tiled = written
        call = f"{name}({', '.join(self.label[i] for i in tiled.operands)})"
        self.lines.append(f"{', '.join([self._named(e) for e in (*needed, *group.reductions)])}, = {call}")
        taken = tiled.taken.values()
        return [e for e in dead if e not in taken], [e for e in dead if e in taken]

    def _write_elsewhere(self, group: Group) -> list[Equation]:
        """Compute what a group would have read at other places before it; what nobody reads after the group."""
        sums = [r for r in group.reductions if r.inputs[0] in group.moves]
        for e in (*sorted(group.pulled, key=lambda e: e.number), *group.moves, *sums):
            self.lines.append(f"{self._named(e)} = {expression(e, self._arguments(e), self.names)}")
        gone = [*group.pulled, *[e for e in group.moves if e not in self._outputs and e not in self._live.read]]
        group.settle()
        return gone

    def _several(self, k: int, e: Equation) -> list[Equation]:
        """Compute what has several results; the operands that nobody reads any more."""
        dead, args = self._live.dead(k, e.inputs), self._arguments(e)
        if isinstance(e.primitive, Call):
            text = f"{self._call(e.primitive)}({', '.join(args)})"
        else:
            text = expression(e, args, self.names)
        found = self._live.results.get(e, [])
        parts = {r.picks: self._named(r) for r in found}
        targets = "".join([f"{parts.get(j, '_')}, " for j in range(len(e.dtype))]) if parts else ""
        self.lines.append(f"{targets}{'= ' if targets else ''}{text}")
        twice = [r for r in found if self.label[r] != parts[r.picks]]
        self.lines += [f"{self.label[r]} = {parts[r.picks]}" for r in twice]
        return dead

    def _single(self, k: int, e: Equation) -> list[Equation]:
        """Compute what has one result; the operands that nobody reads any more, without one that it is written over."""
        dead, args = self._live.dead(k, e.inputs), self._arguments(e)
        place, over = self._places.get(e), None
        if place is None:
            place, over = self._live.place(k, e, dead, self.label)
        name = self._alone(e, over is not None)
        if name is not None:
            where = self._named(e) if place is None else place if over is not None else f"{place}[...]"
            self.label[e] = where if place is None else place
            self.lines.append(f"{where}, = {name}({', '.join(args)})")
        elif place is None:
            self.lines.append(f"{self._named(e)} = {expression(e, args, self.names)}")
        else:
            self.label[e] = place
            self.lines.append(statement(e, args, place, self.names))
        return [i for i in dead if i is not over]

    def _arguments(self, e: Equation) -> list[str]:
        """The operands; those that are stretched often in their full width."""
        args = [self.label[i] if type(i) is Equation else literal(i, "constant", self.names) for i in e.inputs]
        for n, i in enumerate(e.inputs):
            key = (i, e.shape)
            if type(i) is not Equation or key not in self._stretched:
                continue
            if key not in self._wide:
                self._wide[key] = f"wide_{len(self._wide) + 1}"
                stretch = self.names.of(np.broadcast_to, "broadcast_to")
                self.lines.append(f"{self._wide[key]} = {stretch}({self.label[i]}, {e.shape!r}).copy()")
            args[n] = self._wide[key]
        return args

    def _forget(self, k: int, dead: list[Equation], taken: Sequence[Equation] = ()) -> None:
        """Let values go that nobody reads any more, or keep their memory or their names for others."""
        gone = [*self._live.keep(k, dead, self.label), *taken]
        unused = self._live.released()
        freed = [self.label[e] for e in gone if len(gone) >= _MANY or math.prod(e.shape) >= LARGE] + unused
        if freed:
            self.lines.append("del " + ", ".join(freed))
        if self._frugal:
            self._spare += [self.label[e] for e in gone] + unused


def _bytes(tape: Tape) -> int:
    sizes = [(e.shape, e.dtype) for e in tape.equations if not isinstance(e.dtype, tuple)]
    return sum([math.prod(shape) * dtype.itemsize for shape, dtype in sizes])


def _stretched(plan: list[Equation | Group]) -> set[tuple[Equation, tuple[int, ...]]]:
    """Operands that many small operations stretch to the same shape, which costs more than to compute with them."""
    counts: dict[tuple[Equation, tuple[int, ...]], int] = {}
    for e in plan:
        if isinstance(e, Group) or e.picks is not None or not elementwise(e):
            continue
        for i in e.inputs:
            if type(i) is Equation and i.shape != e.shape and i.shape and math.prod(e.shape) <= LARGE:
                counts[i, e.shape] = counts.get((i, e.shape), 0) + 1
    return {key for key, n in counts.items() if n >= _OFTEN}
