"""Runs: where a program repeats itself, as the record of a `for` loop does.

Equations are compared by what they do, not by what they read. Positions at which the same equations begin vote for the
distance between them; a distance p for which equation i is like equation i + p all along a stretch makes that stretch
a run of blocks of p equations. The wiring decides whether the blocks are the steps of a loop (passes/blocks.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.passes.common_subexpressions import frozen
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import index

FEWEST = 8  # blocks
_CONTEXT = 4  # equations that must be alike for a vote
_LAGS = 8  # repetitions of a context that are looked at
_PERIODS = 32  # distances that are tried


class Run(NamedTuple):
    """Equations from `start` to `stop` of which each is like the one `period` later."""

    start: int
    stop: int
    period: int


class Record:
    """A tape as arrays of numbers.

    Attributes:
        likes: for each equation a number that those have in common that do the same.
        rows: for each equation that reads one row of an array its number, -1 for others.
        reads: what the operands of all equations are, one equation after the other: inputs of the tape from 0 on, then
            the equations; constants from -1 downwards.
        starts: where in `reads` the operands of an equation begin, and where the last ones end.
        values: the inputs and equations, in that order.
        constants: the constants; the one of number -1 is the first.
        places: the numbers of inputs and equations; one that computes what another one did before has the number of
            that, so `reads` holds the first of equal ones alone.
        effects: for each equation whether it does something beside computing.
    """

    def __init__(self, tape: Tape) -> None:
        self.values: list[Equation] = [*tape.inputs, *tape.equations]
        self.constants: list[Any] = []
        self.places = {e: k for k, e in enumerate(self.values)}
        self._known: dict[Any, int] = {}
        kinds: dict[Any, int] = {}
        likes, rows, reads, starts = [], [], [], [0]
        done: dict[Any, int] = {}
        for place, e in enumerate(tape.equations, len(tape.inputs)):
            row, params = _row(e)
            p = e.primitive
            like = kinds.setdefault((id(p), e.picks, len(e.inputs), e.shape, e.dtype, params), len(kinds))
            operands = [self.places[i] if type(i) is Equation else self._constant(i) for i in e.inputs]
            if isinstance(p, Primitive):
                self.places[e] = done.setdefault((like, row, *operands), place)
            likes.append(like)
            rows.append(row)
            reads += operands
            starts.append(len(reads))
        self.first = len(tape.inputs)
        self.likes, self.rows, self.reads, self.starts = map(np.array, (likes, rows, reads, starts))
        self.effects = np.zeros(len(likes), bool)
        self.effects[[self.places[e] - self.first for e in tape.effects]] = True
        self.results = np.array([self.places[o] for o in tape.outputs if type(o) is Equation], int)

    def _constant(self, x: Any) -> int:
        key = (float, x) if type(x) is float and x else frozen(x)
        if key not in self._known:
            self.constants.append(x)
            self._known[key] = -len(self.constants)
        return self._known[key]

    def value(self, place: int) -> Any:
        """The equation, input or constant of this number."""
        return self.values[place] if place >= 0 else self.constants[-1 - place]


def runs(record: Record) -> list[Run]:
    """The runs of a program, the longest first; they may overlap."""
    likes = record.likes
    found = []
    for p in _periods(likes):
        alike = np.concatenate(([False], likes[:-p] == likes[p:], [False]))
        edges = np.flatnonzero(alike[1:] != alike[:-1]).reshape(-1, 2)
        long = edges[:, 1] - edges[:, 0] >= (FEWEST - 1) * p
        found += [Run(a, b + p, p) for a, b in edges[long].tolist()]
    return sorted(found, key=lambda r: (r.start - r.stop, r.period))


def _periods(likes: np.ndarray) -> list[int]:
    """The distances between equal stretches that occur most often."""
    if len(likes) <= FEWEST:
        return []
    contexts = likes.astype(np.uint64)
    for k in range(1, _CONTEXT):  # a polynomial, modulo 2 ** 64
        later = np.concatenate((likes[k:], np.zeros(k, likes.dtype))).astype(np.uint64)
        contexts = contexts * np.uint64(6364136223846793005) + later
    order = np.argsort(contexts, kind="stable")
    ranked = contexts[order]
    votes: np.ndarray = np.zeros(len(likes), int)
    for lag in range(1, _LAGS + 1):
        same = ranked[lag:] == ranked[:-lag]
        votes += np.bincount((order[lag:] - order[:-lag])[same], minlength=len(likes))
    best = np.argsort(-votes, kind="stable")[:_PERIODS]
    return [int(p) for p in best if votes[p] >= FEWEST and p * FEWEST <= len(likes)]


def _row(e: Equation) -> tuple[int, Any]:
    """The number of the row that an equation reads, and its other parameters; -1 if it reads no row."""
    params = e.params
    if not params:
        return -1, None
    if e.primitive is index.getitem and len(e.inputs) == 1:
        at = params["index"]
        shape = np.shape(e.inputs[0]) if type(e.inputs[0]) is not Equation else e.inputs[0].shape
        rest = at[1:] if type(at) is tuple else ()
        head = at[0] if type(at) is tuple and at else at
        if type(head) is int and len(shape) and shape[0] >= FEWEST:
            return head % shape[0], ("row", frozen(rest))
    return -1, frozen(params)
