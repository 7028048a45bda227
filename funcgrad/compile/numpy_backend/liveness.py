"""Liveness: when a value is read for the last time, and whose memory can then take another result.

Memory that has just been read is in the cache, and asking for more of it is a good part of what NumPy's operations on
small arrays cost. So a result is written over an operand that nobody reads any more, or into another array that has
been given up, if it fits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.groups import Group, elementwise
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, index, structural
from funcgrad.transforms.results import Projection

_JOINS = (structural.concatenate, structural.stack)
WRITES = (index.index_set, index.index_add)
"""The primitives that give their first operand with a part changed: in place, if nobody reads it any more."""
_FRESH = (contract.matmul, *_JOINS, *WRITES, index.gather, index.pick_along_axis)
_SPARE = 2  # arrays of one kind that are kept for later
Kind = tuple[tuple[int, ...], np.dtype, str]


class Liveness:
    """What a plan reads, and where.

    Arguments:
        plan: the steps of a program, in order.
        outputs: the results, which live on.
        own: inputs that may be written over, for the caller has given them up.

    Attributes:
        read: the equations that another step reads than the one that computes them.
        results: the parts that are read of equations that have several results.
    """

    def __init__(
        self, plan: Sequence[Equation | Group], outputs: set[Equation], own: Collection[Equation] = ()
    ) -> None:
        self.outputs, self._own = outputs, set(own)
        self.read: set[Equation] = set()
        self.results: dict[Equation, list[Equation]] = {}
        self._last: dict[Equation, int] = {}
        self._order: dict[Equation, str] = {}  # of the memory: by rows or by columns, where that is known
        shown: set[Equation] = set()  # to something that may keep a view
        for k, step in enumerate(plan):
            for e in (*step.members, *step.reductions) if isinstance(step, Group) else (step,):
                if isinstance(e.plan, Projection):
                    self.results.setdefault(e.inputs[0], []).append(e)
                    continue
                for i in e.inputs:
                    if type(i) is Equation and not (isinstance(step, Group) and i in step.members):
                        self._last[i] = k
                        self.read.add(i)
                        if not isinstance(step, Group) and not _only_reads(e):
                            shown.add(i)
        self._owners = self._with_memory(plan, shown)
        self._wanted: dict[Kind, int] = {}
        for step in plan:
            kind = self._kind(step) if not isinstance(step, Group) and can_write(step) else None
            if kind is not None:
                self._wanted[kind] = self._wanted.get(kind, 0) + 1
        self._free: dict[Kind, list[str]] = {}

    def _with_memory(self, plan: Sequence[Equation | Group], shown: set[Equation]) -> set[Equation]:
        """The values that have memory of their own, of which nobody holds a view."""
        found = set(self._own)
        self._order.update(dict.fromkeys(found, "C"))
        for step in plan:
            if isinstance(step, Group):
                found.update([e for e in step.members if e.shape])
                self._order.update(dict.fromkeys(step.members, "C"))
                continue
            if isinstance(step.plan, Projection) or isinstance(step.dtype, tuple) or not step.shape:
                continue
            p = step.primitive
            if elementwise(step):
                orders = {self._order.get(i, "") for i in step.inputs if type(i) is Equation and i.shape == step.shape}
                self._order[step] = orders.pop() if len(orders) == 1 else ""
                found.add(step)
            elif p in WRITES:
                self._order[step] = self._order.get(step.inputs[0], "") if type(step.inputs[0]) is Equation else ""
                found.add(step)
            elif p is contract.matmul or p in _JOINS:
                self._order[step] = "C"
                found.add(step)
            elif p is structural.transpose and len(step.shape) == 2:
                before = self._order.get(step.inputs[0], "") if type(step.inputs[0]) is Equation else ""
                self._order[step] = {"C": "F", "F": "C"}.get(before, "")
        return found - shown - self.outputs

    def _kind(self, e: Equation) -> Kind | None:
        order = self._order.get(e, "")
        return (e.shape, e.dtype, order) if order else None

    def dead(self, k: int, operands: Sequence[Any]) -> list[Equation]:
        """The operands of a step that nobody reads after it; the caller's own are not among them."""
        return [
            e
            for e in dict.fromkeys([i for i in operands if type(i) is Equation])
            if self._last.get(e) == k and e not in self.outputs and (e.plan is not None or e in self._own)
        ]

    def place(self, e: Equation, dead: list[Equation], label: dict[Equation, str]) -> str | None:
        """The name of an array that can take the result of e, if there is one.

        Arguments:
            e: the equation.
            dead: those of its operands that nobody reads any more; one that is used is taken from the list.
            label: the names of all values.
        """
        if e.primitive in WRITES:
            i = e.inputs[0]
            if type(i) is not Equation or i not in dead or i not in self._owners or self._order.get(i) != "C":
                return None
            dead.remove(i)
            return label[i]
        if not can_write(e):
            return None
        kind = self._kind(e)
        if kind is not None:
            self._wanted[kind] -= 1
        if e.primitive is not contract.matmul:
            for i in dead:
                if i in self._owners and i.shape == e.shape and i.dtype == e.dtype:
                    dead.remove(i)
                    return label[i]
        return self._free[kind].pop() if kind is not None and self._free.get(kind) else None

    def keep(self, dead: list[Equation], label: dict[Equation, str]) -> list[Equation]:
        """Keep the memory of dead values for which there will be use; those for which there is none."""
        rest = []
        for e in dead:
            kind = self._kind(e) if e in self._owners else None
            if kind is not None and len(self._free.get(kind, ())) < min(_SPARE, self._wanted.get(kind, 0)):
                self._free.setdefault(kind, []).append(label[e])
            else:
                rest.append(e)
        return rest


def writes_late(plan: Sequence[Equation | Group]) -> list[Equation | Group]:
    """The plan with changes of arrays right before the first step that reads the changed one.

    What reads the array as it was comes before then, and the change can be made in place.
    """
    found: list[Equation | Group] = []
    waiting: dict[Any, None] = {}

    def run(e: Any) -> None:
        if e in waiting:
            del waiting[e]
            found.append(e)

    for step in plan:
        for e in (*step.members, *step.reductions) if isinstance(step, Group) else (step,):
            for i in e.inputs:
                if type(i) is Equation:
                    run(i)
        if not isinstance(step, Group) and step.primitive in WRITES:
            waiting[step] = None
        else:
            found.append(step)
    return [*found, *waiting]


def can_write(e: Equation) -> bool:
    """Whether the result of an equation can be written into an array that is there."""
    if isinstance(e.plan, Projection) or isinstance(e.dtype, tuple) or not math.prod(e.shape) or not e.shape:
        return False
    p = e.primitive
    if p is contract.matmul:
        x, y = e.inputs
        small = len(shape_of(x)) <= 2 and len(shape_of(y)) <= 2 and e.dtype.char in "fdFD"
        return small and type(x) is type(y) is Equation and dtype_of(x) == dtype_of(y) == e.dtype
    if not elementwise(e) or e.params or not isinstance(p.impl, np.ufunc) or p.impl.nout != 1:
        return False
    return any(type(i) is Equation and i.shape == e.shape for i in e.inputs)


def _only_reads(e: Equation) -> bool:
    """Whether an equation gives no view of its operands."""
    p = e.primitive
    if isinstance(e.dtype, tuple) or not isinstance(p, Primitive):
        return False
    if p is index.getitem:
        return e.shape == ()  # NumPy gives a number of its own
    return elementwise(e) or p in _FRESH or p.name.startswith("reduce_")
