"""Pulls: large values that are never there as a whole, for who reads them computes the elements that it wants.

A slice, a pad or a join costs but arithmetic of indices where it is read. What is elementwise is computed again there
as well, if it is read once, or costs little. NumPy cannot do this; a target can that writes loops over elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from funcgrad.compile.numpy_backend.groups import CHEAP, LARGE, elementwise
from funcgrad.compile.numpy_backend.windows import Window, is_view, windows
from funcgrad.compile.rewrite import readers
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape

_COSTLY = 10  # what other operations cost, where these cost one
_LITTLE = 4  # the cost up to which a value with several readers is likely to be computed again
_TOGETHER = 16  # the cost of all times up to which it is rather computed again than written and read


class Pulls:
    """What a program need not have as a whole.

    Arguments:
        tape: the program.
        writes: whether a target takes an equation as a member of a group; None if there is no target.

    Attributes:
        pulled: what is computed where it is read.
        moves: members of groups that read their operands at other places.
    """

    def __init__(self, tape: Tape, writes: Callable[[Equation], bool] | None) -> None:
        self.pulled: set[Equation] = set()
        self.moves: dict[Equation, list[Window]] = {}
        for e in tape.equations if writes is not None else ():
            found = windows(e) if _large(e) or _small_view(e) else None
            if found is not None and writes is not None and writes(e):
                self.moves[e] = found
        if not self.moves or writes is None:
            return
        self._writes = writes
        self._outputs = {o for o in tape.outputs if type(o) is Equation}
        self._readers = readers(tape.equations)
        self._times: dict[Equation, int] = {}  # how often an element of what is pulled is computed
        costs = self._costs(tape)
        for e in reversed(tape.equations):
            times = self._wanted(e)
            if times is not None and (times == 1 or costs[e] * times <= _TOGETHER):
                self.pulled.add(e)
                self._times[e] = times
        self.moves = {e: w for e, w in self.moves.items() if e in self.pulled or not is_view(e)}

    def elsewhere(self, e: Equation) -> tuple[list[Equation], list[Equation]]:
        """What is computed where an equation reads it, and what that reads of what is there."""
        if not self.moves:
            return [], []
        wanted = [i for i in e.inputs if type(i) is Equation and (i in self.pulled or e in self.moves)]
        pulled: dict[Equation, None] = {}
        there: dict[Equation, None] = {}
        while wanted:
            i = wanted.pop()
            if i not in self.pulled:
                there[i] = None
            elif i not in pulled:
                pulled[i] = None
                wanted += [k for k in i.inputs if type(k) is Equation]
        return list(pulled), list(there)

    def _costs(self, tape: Tape) -> dict[Equation, int]:
        """What it costs to compute an element of a value from those that are likely to be there."""
        costs: dict[Equation, int] = {}

        def operand(i: Any) -> int:
            if type(i) is not Equation or costs.get(i, 1) <= _LITTLE:
                return costs.get(i, 1) if type(i) is Equation else 0
            return 1 if i in self._outputs or len(self._readers[i]) > 1 else costs[i]

        for e in tape.equations:
            if e in self.moves:
                costs[e] = sum([1 + operand(e.inputs[w.operand]) for w in self.moves[e]])
            elif _large(e) and elementwise(e):
                costs[e] = (1 if e.primitive in CHEAP else _COSTLY) + sum([operand(i) for i in e.inputs])
        return costs

    def _wanted(self, e: Equation) -> int | None:
        """How often each element would be computed if the value were pulled; None if it cannot be."""
        mine = self._readers.get(e, ())
        if e in self._outputs or not mine or not (e in self.moves or (self._elementwise(e) and _fits(e))):
            return None
        times = 0
        for r in mine:
            if r in self.moves and (r in self.pulled or not is_view(r)):
                through = [w for w in self.moves[r] if r.inputs[w.operand] is e]
                if not all(run.plain for w in through for run in w.runs):
                    return None  # a register cannot be read with steps
                times += len(through) * self._times.get(r, 1)
            elif self._elementwise(r) and (len(r.shape), r.shape[0]) == (len(e.shape), e.shape[0]):
                if e not in self.moves and r not in self.pulled:
                    return None  # it is a member of the same group
                times += self._times.get(r, 1)
            else:
                return None
        return times

    def _elementwise(self, e: Equation) -> bool:
        return _large(e) and elementwise(e) and self._writes(e)


def _large(e: Equation) -> bool:
    """Whether an equation gives an array that is worth a group, and whose rows can be told apart."""
    if not isinstance(e.primitive, Primitive) or e.primitive.multiple or e.picks is not None:
        return False
    return math.prod(e.shape) >= LARGE and e.shape[0] > 1 and e.dtype.kind in "fciub"


def _small_view(e: Equation) -> bool:
    """Whether an equation shows a few elements of an array, as the borders that something large may have."""
    return isinstance(e.primitive, Primitive) and is_view(e) and bool(e.shape) and e.dtype.kind in "fciub"


def _fits(e: Equation) -> bool:
    """Whether the operands of an elementwise equation have its rows, or are the same for all rows."""
    shapes = [i.shape for i in e.inputs if type(i) is Equation]
    return all(len(s) < len(e.shape) or s[0] == e.shape[0] for s in shapes)
