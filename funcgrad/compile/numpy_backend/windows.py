"""Windows: operations that give elements of their operands at other places, as slices, pads and joins do.

Along each axis a run of indices of the result reads a run of indices of an operand. So such an operation need not be
carried out at all: who computes an element of what comes of it can tell which elements that takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from funcgrad.compile.numpy_backend.joins import PARTS, Part, plain_index
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import index, structural

_MOST = 32  # windows of one result
_SHARE = 4  # part of an array that is changed, from which it is rather written anew than changed in its place


class Run(NamedTuple):
    """Indices along an axis.

    Attributes:
        low, length: of the result, so many from `low` on.
        start, step: of the operand, what the first of them reads, and how far it is to what the next one reads.
        every: how far it is from one to the next in the result.
    """

    low: int
    length: int
    start: int
    step: int
    every: int = 1

    @property
    def plain(self) -> bool:
        """Whether neighbours read neighbours."""
        return self.step == self.every == 1


class Window(NamedTuple):
    """A part of a result that shows a part of an operand.

    Attributes:
        operand: the number of the operand.
        runs: the indices along each axis.
        adds: whether it is added to what the windows before it have given, not put in its place.
    """

    operand: int
    runs: tuple[Run, ...]
    adds: bool = False


def windows(e: Equation) -> list[Window] | None:
    """The windows of an equation; None if it is no such operation, or none that is known."""
    found = _KINDS[e.primitive](e) if isinstance(e.primitive, Primitive) and e.primitive in _KINDS else None
    if not found or len(found) > _MOST or not math.prod(e.shape):
        return None
    operands = [e.inputs[w.operand] for w in found]
    fits = all(len(shape_of(x)) == len(e.shape) and dtype_of(x) == e.dtype for x in operands)
    return found if fits and any(type(x) is Equation for x in operands) else None


def from_zero(e: Equation) -> bool:
    """Whether the result is zero where it shows no operand, and whatever is added there is added to that."""
    return e.primitive in (structural.pad, index.scatter_add)


def is_view(e: Equation) -> bool:
    """Whether NumPy gives it without a copy."""
    return e.primitive in (index.getitem, structural.flip)


def _slices(where: Any, shape: Sequence[int]) -> list[range] | None:
    """What an index takes along each axis; None if it is not made of slices."""
    entries = plain_index(where)
    if entries is None or any(i is None or type(i) is int for i in entries):
        return None
    at = entries.index(Ellipsis)
    more = len(shape) - len(entries) + 1
    every = [*entries[:at], *[slice(None)] * more, *entries[at + 1 :]]
    if more < 0 or len(every) != len(shape) or Ellipsis in every:
        return None
    return [range(*s.indices(n)) for s, n in zip(every, shape, strict=True)]


def _taken(e: Equation) -> list[Window] | None:
    shape = shape_of(e.inputs[0])
    found = _slices(e.params["index"], shape)
    return None if found is None else [Window(0, tuple([_run(range(len(r)), r) for r in found]))]


def _flipped(e: Equation) -> list[Window]:
    axes = {a % len(e.shape) for a in e.params["axes"]}
    return [Window(0, tuple([Run(0, n, n - 1, -1) if k in axes else Run(0, n, 0, 1) for k, n in enumerate(e.shape)]))]


def _joined(e: Equation) -> list[Window] | None:
    if e.primitive is structural.roll and len(e.params["axes"]) == 1:
        return None  # which groups carry out
    return _all([_of_part(e, p) for p in PARTS[e.primitive](e)])


def _scattered(e: Equation) -> list[Window] | None:
    parts = [(k, plain_index(where)) for k, where in enumerate(e.params["indices"])]
    return _all([None if where is None else _of_part(e, Part(k, where), True) for k, where in parts])


def _changed(e: Equation) -> list[Window] | None:
    where = plain_index(e.params["index"]) if e.inputs[2] is None else None
    if where is None:
        return None
    made = _all([_of_part(e, Part(0, (Ellipsis,))), _of_part(e, Part(1, where), e.primitive is index.index_add)])
    changed = sum([math.prod([r.length for r in w.runs]) for w in (made or ())[1:]])
    return made if _SHARE * changed >= math.prod(e.shape) else None


def _all(found: Sequence[Window | None]) -> list[Window] | None:
    """Windows that show something; None if one of them is not known."""
    if None in found:
        return None
    return [w for w in found if w is not None and all(r.length for r in w.runs)]


def _of_part(e: Equation, part: Part, adds: bool = False) -> Window | None:
    """A part of an array that goes to a part of the result."""
    shape = shape_of(e.inputs[part.operand])
    where, of = _slices(part.where, e.shape), _slices(part.of, shape)
    if where is None or of is None or [len(r) for r in where] != [len(r) for r in of]:
        return None
    return Window(part.operand, tuple([_run(to, x) for to, x in zip(where, of, strict=True)]), adds)


def _run(to: range, of: range) -> Run:
    """The indices `of` an operand at indices of the result, which are counted upwards."""
    if len(to) < 2:
        return Run(to.start, len(to), of.start, 1)
    return Run(to.start, len(to), of.start, of.step, to.step) if to.step > 0 else _run(to[::-1], of[::-1])


_KINDS: dict[Any, Callable[[Equation], list[Window] | None]] = {
    index.getitem: _taken,
    structural.flip: _flipped,
    structural.concatenate: _joined,
    structural.roll: _joined,
    structural.pad: _joined,
    index.scatter_add: _scattered,
    index.index_set: _changed,
    index.index_add: _changed,
}
