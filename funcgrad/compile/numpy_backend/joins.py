"""Joins: which parts of an array are which operands, or parts of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
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


PARTS: dict[Any, Callable[[Equation], list[Part]]] = {
    structural.concatenate: _concatenated,
    structural.stack: _stacked,
    structural.roll: _rolled,
    structural.pad: _padded,
}
"""The parts of the result of an equation; where there are none it is zero."""


def plain_index(where: Any) -> tuple | None:
    """An index without arrays, which gives an array even where it names one element; None if there is one."""
    entries = where if type(where) is tuple else (where,)
    if not all(e is None or e is Ellipsis or type(e) in (int, slice) for e in entries):
        return None
    return entries if any(e is Ellipsis for e in entries) else (*entries, Ellipsis)
