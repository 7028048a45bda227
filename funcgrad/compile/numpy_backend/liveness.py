"""Liveness: when a value is read for the last time, and whose memory can then take another result.

Memory that has just been read is in the cache, and asking for more of it is a good part of what NumPy's operations on
small arrays cost. So a result is written over an operand that nobody reads any more, or into another array that has
been given up, if it fits; and a group writes over the rows of operands that it reads last. What lies in the memory of
another value, as a transpose does, keeps that memory alive.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.groups import LARGE, Group, elementwise, operands_of
from funcgrad.compile.numpy_backend.lowering import NO_GAPS, takes
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, fft, index, structural
from funcgrad.ops import elementwise as ew

_JOINS = (structural.concatenate, structural.stack)
_VIEWS = (structural.reshape, structural.transpose, structural.flip, index.getitem, index.gather)
WRITES = (index.index_set, index.index_add)
"""The primitives that give their first operand with a part changed: in place, if nobody reads it any more."""
_PARTS = (ew.real, ew.imag)  # which are views, but not of each byte
_FFTS = (fft.fft, fft.ifft, fft.rfft, fft.irfft)
_FRESH = (contract.matmul, *_JOINS, *WRITES, *_FFTS, structural.roll, index.scatter_add, index.pick_along_axis)
_SPARE = 2  # arrays of one kind that are kept for later
Kind = tuple[tuple[int, ...], np.dtype, str]


class Liveness:
    """What a plan reads, and where.

    Arguments:
        plan: the steps of a program, in order.
        outputs: the results, which live on.
        own: inputs that may be written over, for the caller has given them up.
        placed: values that have places of their own.

    Attributes:
        read: the equations that another step reads than the one that computes them.
        results: the parts that are read of equations that have several results.
    """

    def __init__(
        self,
        plan: Sequence[Equation | Group],
        outputs: set[Equation],
        own: Collection[Equation] = (),
        placed: Collection[Equation] = (),
    ) -> None:
        self.outputs, self._own = outputs, set(own)
        self.read: set[Equation] = set()
        self.results: dict[Equation, list[Equation]] = {}
        self._last: dict[Equation, int] = {}  # the step that reads a value by its name last
        self._owner: dict[Equation, Equation] = {e: e for e in own}  # in whose memory a value lies
        self._held: dict[Equation, float] = {}  # the step that reads the memory of an owner last
        self._order: dict[Equation, str] = dict.fromkeys(own, "C")  # of the memory: by rows or columns, if known
        self._wanted: dict[Kind, int] = {}
        self._free: dict[Kind, list[str]] = {}
        self._unused: list[str] = []  # the names of arrays that were kept for later, and now are not needed
        for k, step in enumerate(plan):
            if isinstance(step, Group):
                self._reads(k, operands_of(step))
                self._owner.update({e: e for e in step.members})
                self._order.update(dict.fromkeys(step.members, "C"))
            elif step.picks is not None:
                self.results.setdefault(step.inputs[0], []).append(step)
            else:
                self._reads(k, [i for i in step.inputs if type(i) is Equation])
                self._place_of(step)
                kind = self._kind(step) if can_write(step) and step not in placed else None
                if kind is not None:
                    self._wanted[kind] = self._wanted.get(kind, 0) + 1
        for o in outputs:
            self._held[self._owner.get(o, o)] = math.inf

    def _reads(self, k: int, operands: Sequence[Equation]) -> None:
        for i in operands:
            self._last[i] = k
            self.read.add(i)
            if i in self._owner:
                owner = self._owner[i]
                self._held[owner] = max(k, self._held.get(owner, k))

    def _place_of(self, e: Equation) -> None:
        """Where the result of an equation lies."""
        p = e.primitive
        x = e.inputs[0] if e.inputs and type(e.inputs[0]) is Equation else None
        known = isinstance(p, Primitive) and not isinstance(e.dtype, tuple)
        fresh = (elementwise(e) and p not in _PARTS) or p in _FRESH or takes(e)
        if known and (fresh or p.name.startswith("reduce_") or not e.shape):
            self._owner[e] = e  # where there are no axes NumPy gives a number of its own
            self._order[e] = self._order_of(e, x)
        elif known and p in _VIEWS:
            if x is not None and x in self._owner:
                self._owner[e] = self._owner[x]
            if x is not None and p is structural.transpose and len(e.shape) == 2:
                self._order[e] = {"C": "F", "F": "C"}.get(self._order.get(x, ""), "")
        else:  # which may give a view of an operand, or keep it
            for i in e.inputs:
                if type(i) is Equation and i in self._owner:
                    self._held[self._owner[i]] = math.inf

    def _order_of(self, e: Equation, x: Equation | None) -> str:
        if elementwise(e):
            orders = {self._order.get(i, "") for i in e.inputs if type(i) is Equation and i.shape == e.shape}
            return orders.pop() if len(orders) == 1 else ""
        if e.primitive in WRITES or e.primitive in _FFTS:
            order = "" if x is None else self._order.get(x, "")
            return order if e.primitive in WRITES or order == "C" else ""
        return "C" if e.primitive is contract.matmul or e.primitive in _JOINS or takes(e) else ""

    def _given_up(self, k: int, e: Equation) -> bool:
        """Whether nobody reads the memory of a value after a step, by whatever name."""
        return self._owner.get(e) is e and self._held.get(e) == k

    def lent(self, k: int, group: Group) -> set[Equation]:
        """The operands of a group that it may write over, row by row, when it has read them."""
        operands = dict.fromkeys(operands_of(group))
        owners = [self._owner[i] for i in operands if i in self._owner]
        return {
            i
            for i in operands
            if i in self._owner
            and i not in group.whole
            and self._held.get(self._owner[i]) == k
            and owners.count(self._owner[i]) == 1
            and math.prod(i.shape) == math.prod(self._owner[i].shape)
        }

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

    def place(
        self, k: int, e: Equation, dead: Sequence[Equation], label: dict[Equation, str]
    ) -> tuple[str | None, Equation | None]:
        """The name of an array that can take the result of e, and which operand it is; None for none.

        Arguments:
            k, e: the step, an equation.
            dead: those of its operands that nobody reads any more.
            label: the names of all values.
        """
        if e.primitive in WRITES:
            i = e.inputs[0]
            if type(i) is not Equation or i not in dead or not self._given_up(k, i) or self._order.get(i) != "C":
                return None, None
            return label[i], i
        if not can_write(e):
            return None, None
        kind = self._kind(e)
        if kind is not None:
            self._wanted[kind] -= 1
        if e.primitive is not contract.matmul:
            for i in dead:
                if i.shape == e.shape and i.dtype == e.dtype and self._given_up(k, i):
                    self._drop(kind)
                    return label[i], i
        if kind is None:
            return None, None
        found = self._free[kind].pop() if self._free.get(kind) else None
        self._drop(kind)
        return found, None

    def _drop(self, kind: Kind | None) -> None:
        """Give back arrays that were kept, if there will be no use for them."""
        free = self._free.get(kind, []) if kind is not None else []
        while kind is not None and len(free) > self._wanted[kind]:
            self._unused.append(free.pop())

    def released(self) -> list[str]:
        """The names of arrays that were kept for later, and are not needed any more: each is given once."""
        names, self._unused = self._unused, []
        return names

    def keep(self, k: int, dead: list[Equation], label: dict[Equation, str]) -> list[Equation]:
        """Keep the memory of dead values for which there will be use; those for which there is none."""
        rest = []
        for e in dead:
            small = e.shape and math.prod(e.shape) < LARGE  # others are given back at once
            kind = self._kind(e) if small and self._given_up(k, e) else None
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
        for i in operands_of(step):
            run(i)
        if not isinstance(step, Group) and step.primitive in WRITES:
            waiting[step] = None
        else:
            found.append(step)
    return [*found, *waiting]


def can_write(e: Equation) -> bool:
    """Whether the result of an equation can be written into an array that is there."""
    if e.picks is not None or isinstance(e.dtype, tuple) or not math.prod(e.shape) or not e.shape:
        return False
    p = e.primitive
    if p is contract.matmul:
        x, y = e.inputs
        small = len(shape_of(x)) <= 2 and len(shape_of(y)) <= 2 and e.dtype.char in "fdFD"
        known = all(type(i) in (Equation, np.ndarray) for i in (x, y))
        return small and known and dtype_of(x) == dtype_of(y) == e.dtype
    if p in (fft.fft, fft.ifft):
        x = e.inputs[0]
        return type(x) is Equation and x.shape == e.shape and x.dtype == e.dtype
    if not elementwise(e) or p in NO_GAPS or e.params or not isinstance(p.impl, np.ufunc) or p.impl.nout != 1:
        return False
    return any(type(i) is Equation and i.shape == e.shape for i in e.inputs)
