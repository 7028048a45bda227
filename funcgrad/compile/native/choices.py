"""Choices between tapes in machine code: each is a plan, of which one is carried out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from funcgrad.compile.native.carries import Planner
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import Function
from funcgrad.compile.native.places import Place
from funcgrad.lax.branches import Branches

_INT = np.dtype(np.int64)


class Choice:
    """A choice.

    Arguments:
        branches: the tapes.
        given: where the number of the branch lies, and the operands of all.
        to: where the results go.
        plan: makes a plan of a tape.

    Attributes:
        own: the memory that it needs.
    """

    def __init__(self, branches: Branches, given: Sequence[Place], to: Sequence[Place], plan: Planner) -> None:
        self._number, self._plans = given[0], [plan(b.tape, given[1:], to) for b in branches.branches]
        self.own = [p.work for p in self._plans]

    def write(self, f: Function) -> None:
        """Write a block for each branch."""
        p, name, last = self._number, f"choice{f.fresh()}", len(self._plans) - 1
        number = convert(f, f.load(p.pointer(f), p.kind, 1), p.dtype, _INT)
        cases = " ".join([f"i64 {k}, label %{name}.{k}" for k in range(last)])
        f.line(f"switch {number}, label %{name}.{last} [{cases}]")
        for k, plan in enumerate(self._plans):
            f.label(f"{name}.{k}")
            plan.write(f)
            f.line(f"br label %{name}.end")
        f.label(f"{name}.end")
