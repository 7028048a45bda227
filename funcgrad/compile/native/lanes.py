"""How the lanes of a register lie: along the last axis of a row, or each in a row of its own.

Along the last axis operands are read as they are, but a short axis leaves lanes empty, and a sum of a row ends with the
lanes of one register being added up. Where lanes are rows nothing of this costs anything, but what has rows of several
elements has to be turned round when it is read or given.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from funcgrad.compile.numpy_backend.groups import SUMS, VIEWS, cut
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import structural

CHEAP = {ew.add, ew.subtract, ew.multiply, ew.negative, ew.square, ew.maximum, ew.minimum, ew.equal}
CHEAP |= {structural.astype, structural.roll}
COSTLY = 10  # what another operation costs, where a cheap one costs 1
_FOLD = 12  # what it costs to add up the lanes of a register
_TURN = 2  # what it costs to read an element that lies across, or to write it
_LANES = 8
MOST = 1 << 15  # bytes of a row that lie in memory at once where lanes are rows


def cost_of(e: Equation) -> int:
    """What an operation costs by itself."""
    return 0 if e.primitive in VIEWS else 1 if e.primitive in CHEAP or e.primitive in SUMS else COSTLY


def rows_are_lanes(members: Iterable[Equation], needed: Sequence[Equation], merged: int) -> bool:
    """Whether each lane shall be a row.

    Arguments:
        members: the operations; reductions within a row are plain sums and extrema.
        needed: those whose values are results.
        merged: how many leading axes count as one, the rows.
    """
    members = list(members)
    along = across = 0.0
    for e in members:
        shape = (e.inputs[0] if e.primitive in SUMS else e).shape[merged:]
        size, last = math.prod(shape), shape[-1] if shape else 1
        if size == 1:
            continue  # these are computed for several rows at once in any case
        along += cost_of(e) * size // last * -(-last // _LANES)
        across += cost_of(e) * size / _LANES
        if e.primitive in SUMS and len(e.inputs[0].shape) - 1 in e.params["axis"]:
            along += _FOLD * size // last
        if e.primitive is structural.transpose and e.params["axes"][-1] != len(e.shape) - 1:
            along = math.inf  # it would take lanes apart
        if e.primitive is structural.roll:
            across = math.inf  # rows are read that lie elsewhere
    turned = sum([math.prod(shape_of(x)[merged:]) for x in turned_operands(members, merged)])
    turned += sum([n for n in [math.prod(e.shape[merged:]) for e in needed] if n > 1])
    return across + _TURN * turned < along


def turned_operands(members: Collection[Equation], merged: int) -> list[Any]:
    """The operands from outside that have rows of several elements."""
    inside, found = set(members), {}
    for e in members:
        for x in e.inputs:
            outside = not (type(x) is Equation and x in inside)
            if outside and cut(shape_of(x), e) and math.prod(shape_of(x)[merged:]) > 1:
                found[id(x)] = x
    return list(found.values())
