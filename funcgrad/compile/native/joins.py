"""Joins: arrays that are made of parts, each of which is an operand or goes on top of what is there."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native.places import plain_index
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import index, structural


class Part(NamedTuple):
    """A part of an array.

    Attributes:
        operand: the number of the operand that is written there.
        where: the part, an index.
        of: what is read of the operand, an index.
        adds: whether it is added to what is there.
    """

    operand: int
    where: tuple
    of: tuple = (Ellipsis,)
    adds: bool = False


Parts = Callable[[Equation], list[Part] | None]
"""The parts of the result of an equation, in order; None if they are not known when the code is written."""


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


def _scattered(e: Equation) -> list[Part] | None:
    places = [plain_index(i) for i in e.params["indices"]]
    return [Part(k, where, adds=True) for k, where in enumerate(places) if where is not None] if all(places) else None


def _changed(e: Equation) -> list[Part] | None:
    where = plain_index(e.params["index"])
    if where is None or e.inputs[2] is not None:
        return None
    return [Part(0, (Ellipsis,)), Part(1, where, adds=e.primitive is index.index_add)]


JOINS: dict[Any, Parts] = {
    structural.concatenate: _concatenated,
    structural.stack: _stacked,
    structural.roll: _rolled,
    structural.pad: _padded,
    index.scatter_add: _scattered,
    index.index_set: _changed,
    index.index_add: _changed,
}
FROM_ZERO = (structural.pad, index.scatter_add)
"""Those that are zero where no part is."""


def part(where: tuple) -> Callable[[np.ndarray], np.ndarray]:
    """What takes a part of an array, as an array."""
    return lambda x: x[where if Ellipsis in where else (*where, Ellipsis)]
