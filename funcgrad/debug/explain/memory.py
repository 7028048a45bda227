"""Which lines make the arrays that reverse mode keeps for the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.scope import scoped
from funcgrad.core.tape import Equation
from funcgrad.core.trace import Trace, observer
from funcgrad.core.types import PyTree
from funcgrad.debug.explain.places import Place
from funcgrad.debug.explain.record import Recording
from funcgrad.debug.watch import Observed, mixed
from funcgrad.draw.graph import size_text
from funcgrad.transforms.vjp import VjpTrace, vjp


class Residual(NamedTuple):
    """What one line makes that is kept for the backward pass.

    Attributes:
        place: the line; None for arguments and constants.
        bytes: of all its arrays together; memory that several of them share counts once.
        arrays: how many there are.
        made: by which operations; "argument" and "constant" for what no operation made.
        kept: for the rules of which operations.
    """

    place: Place | None
    bytes: int
    arrays: int
    made: tuple[str, ...]
    kept: tuple[str, ...]

    def __str__(self) -> str:
        where = self.place if self.place is not None else " and ".join(f"{m}s" for m in self.made)
        return f"{size_text(self.bytes):>9}  {where}"


class _Makers(Recording):
    """Notes which line makes which memory. It is the observer of a run of vjp.

    Attributes:
        makers: by the owner of the memory of a result: line and name of the operation that made it first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.makers: dict[int, tuple[Place | None, str]] = {}
        self._alive: list[Any] = []  # so that no owner's id is used twice

    def adopt(self, trace: Trace) -> None:
        if type(trace) is VjpTrace:
            trace.__class__ = mixed(Observed, VjpTrace)

    def operation(self, trace: Trace, primitive: Any, args: tuple, run: Callable, whole: bool = True) -> Any:
        out = run()
        place = self.place()
        for o in out if isinstance(out, (tuple, list)) else (out,):
            owner = owner_of(o)
            if owner is not None and id(owner) not in self.makers:
                self.makers[id(owner)] = place and place.line_alone, primitive.name
                self._alive.append(owner)
        return out


@scoped
def _observed(makers: _Makers) -> Iterator[None]:
    before = observer.get()
    observer.set(makers)
    try:
        yield
    finally:
        observer.set(before)


def owner_of(x: Any) -> Any:
    """The ndarray that owns the memory of an array; None of what is no array."""
    while isinstance(x, Array):
        x = x._value
    if isinstance(x, np.ndarray):
        while isinstance(x.base, np.ndarray):
            x = x.base
        return x
    return x if isinstance(x, np.generic) else None


def residuals(f: Callable, primals: Sequence[PyTree]) -> list[Residual]:
    """What reverse mode keeps of a function, by the line that makes it, the largest first."""
    makers = _Makers()
    with _observed(makers):
        arguments = [wrap(x) for x in primals]
        _, pullback = vjp(f, *arguments)
    given = {id(owner_of(x)) for x in arguments}
    found: dict[Any, tuple[dict[int, Any], set[str], set[str]]] = {}
    seen: set[int] = set()
    for e in reversed(pullback.equations):
        for owner in _owners(e):
            place, name = makers.makers.get(id(owner), (None, "argument" if id(owner) in given else "constant"))
            key = place if place is not None else name
            arrays, made, kept = found.setdefault(key, ({}, set(), set()))
            made.add(name)
            kept.add(e.primitive.name)
            if id(owner) not in seen:
                seen.add(id(owner))
                arrays[id(owner)] = owner
    lines = [
        Residual(
            key if isinstance(key, Place) else None,
            sum(a.nbytes for a in arrays.values()),
            len(arrays),
            tuple(sorted(made)),
            tuple(sorted(kept)),
        )
        for key, (arrays, made, kept) in found.items()
    ]
    return sorted(lines, key=lambda r: -r.bytes)


def _owners(e: Equation) -> Iterator[Any]:
    for r in e.residuals:
        for x in r if type(r) is tuple else (r,):
            owner = owner_of(x)
            if owner is not None:
                yield owner
