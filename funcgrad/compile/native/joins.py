"""Joins: arrays that are made of parts, each of which is an operand, or a part of one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native.ir import TYPES, Function, Unwritable
from funcgrad.compile.native.places import Make, Place, Room, Write
from funcgrad.compile.native.sweeps import copy, fill
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import structural


class Part(NamedTuple):
    """A part of an array.

    Attributes:
        operand: the number of the operand that is written there.
        where: the part, an index.
        of: what is read of the operand, an index.
    """

    operand: int
    where: tuple
    of: tuple = (Ellipsis,)


def _concatenated(e: Equation) -> list[Part]:
    before = (slice(None),) * e.params["axis"]
    ends = itertools.accumulate([shape_of(i)[e.params["axis"]] for i in e.inputs], initial=0)
    return [Part(k, (*before, slice(a, b))) for k, (a, b) in enumerate(itertools.pairwise(ends)) if b > a]


def _stacked(e: Equation) -> list[Part]:
    before = (slice(None),) * e.params["axis"]
    return [Part(k, (*before, k, Ellipsis)) for k in range(len(e.inputs))]


def _rolled(e: Equation) -> list[Part]:
    pieces: list[list[tuple[slice, slice]]] = []
    for axis, n in enumerate(e.shape):
        pairs = zip(e.params["shift"], e.params["axes"], strict=True)
        shift = sum([s for s, a in pairs if a == axis]) % n
        whole = [(slice(shift, n), slice(0, n - shift)), (slice(0, shift), slice(n - shift, n))]
        pieces.append(whole if shift else [(slice(None), slice(None))])
    found = [zip(*choice, strict=True) for choice in itertools.product(*pieces)]
    return [Part(0, where, of) for where, of in found]


def _padded(e: Equation) -> list[Part]:
    shape = shape_of(e.inputs[0])
    return [Part(0, tuple([slice(low, low + n) for n, (low, _) in zip(shape, e.params["widths"], strict=True)]))]


def joined(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """An array of parts; where there are none it is zero."""
    moves = []
    for operand, where, of in _PARTS[e.primitive](e):
        goal, source = to[0].moved(_part(where)), given[operand].moved(_part(of))
        if goal is None or source is None or len(source.shape) > len(goal.shape):
            raise Unwritable
        moves.append((goal, source))

    def write(f: Function) -> None:
        if e.primitive is structural.pad:
            fill(f, to[0], 0)
        for goal, source in moves:
            copy(f, goal, source)

    return write


def takes(e: Equation) -> bool:
    """Whether parts become what NumPy makes of them."""
    return e.dtype in TYPES and all(np.can_cast(dtype_of(i), e.dtype, "same_kind") for i in e.inputs)


def _part(where: tuple) -> Callable[[np.ndarray], np.ndarray]:
    """What takes a part of an array, as an array."""
    return lambda x: x[where if Ellipsis in where else (*where, Ellipsis)]


_PARTS: dict[Any, Callable[[Equation], list[Part]]] = {
    structural.concatenate: _concatenated,
    structural.stack: _stacked,
    structural.roll: _rolled,
    structural.pad: _padded,
}
"""The parts of the result of an equation."""
JOINS: dict[Any, Make] = dict.fromkeys(_PARTS, joined)
"""For each primitive what gives what writes it."""
