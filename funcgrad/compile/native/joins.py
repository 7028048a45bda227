"""Joins: arrays that are made of parts, each of which is an operand, or a part of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.ir import TYPES, Function, Unwritable
from funcgrad.compile.native.places import Make, Place, Room, Write
from funcgrad.compile.native.sweeps import copy, fill
from funcgrad.compile.numpy_backend.joins import PARTS, plain_index
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of
from funcgrad.ops import structural


def joined(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """An array of parts; where there are none it is zero."""
    moves = []
    for operand, where, of in PARTS[e.primitive](e):
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
    index: Any = plain_index(where)
    return lambda x: x[index]


JOINS: dict[Any, Make] = dict.fromkeys(PARTS, joined)
"""For each primitive what gives what writes it."""
