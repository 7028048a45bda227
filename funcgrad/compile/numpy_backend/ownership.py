"""Ownership: which operands a step may write over, for nobody reads their memory afterwards, in whatever shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

from funcgrad.compile.numpy_backend.groups import Group, elementwise
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.ops import contract, index, structural
from funcgrad.transforms.results import Projection

_VIEWS = (structural.reshape, structural.transpose, structural.flip, index.getitem)
_FRESH = (contract.matmul, structural.concatenate, structural.stack, structural.roll)


class Ownership:
    """Whose memory the values of a plan lie in.

    Arguments:
        plan: the steps of a program, in order.
        outputs: the results, which live on.
    """

    def __init__(self, plan: Sequence[Equation | Group], outputs: set[Equation]) -> None:
        self._owner: dict[Equation, Equation] = {}  # the value in whose memory another lies, if the program made it
        self._last: dict[Equation, float] = {}  # the step that reads the memory of an owner last
        for k, step in enumerate(plan):
            if isinstance(step, Group):
                for e in (*step.members, *step.reductions):
                    self._read(k, [i for i in e.inputs if type(i) is Equation and i not in step.members])
                self._owner.update({e: e for e in step.members})
            else:
                self._read(k, [i for i in step.inputs if type(i) is Equation])
                self._place(step)
        for o in outputs:
            self._last[self._owner.get(o, o)] = math.inf

    def _read(self, k: int, operands: Sequence[Equation]) -> None:
        for i in operands:
            if i in self._owner:
                self._last[self._owner[i]] = max(k, self._last.get(self._owner[i], k))

    def _place(self, e: Equation) -> None:
        p = e.primitive
        known = isinstance(p, Primitive) and not isinstance(e.plan, Projection) and not isinstance(e.dtype, tuple)
        if known and (elementwise(e) or p in _FRESH or p.name.startswith("reduce_")):
            self._owner[e] = e
        elif known and p in _VIEWS:
            if type(e.inputs[0]) is Equation and e.inputs[0] in self._owner:
                self._owner[e] = self._owner[e.inputs[0]]
        else:  # which may give a view of an operand, or keep it
            for i in e.inputs:
                if type(i) is Equation and i in self._owner:
                    self._last[self._owner[i]] = math.inf

    def lent(self, k: int, group: Group) -> set[Equation]:
        """The operands of a group that it may write over, row by row, when it has read them."""
        operands = dict.fromkeys(
            [i for e in group.members for i in e.inputs if type(i) is Equation and i not in group.members]
        )
        owners = [self._owner[i] for i in operands if i in self._owner]
        return {
            i
            for i in operands
            if i in self._owner
            and self._last.get(self._owner[i]) == k
            and owners.count(self._owner[i]) == 1
            and math.prod(i.shape) == math.prod(self._owner[i].shape)
        }
