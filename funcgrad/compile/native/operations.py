"""Operations of plans that are no sweeps over elements: each is a step by itself, by the file of its family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.compile.native import factors, indices, joins, lines, systems
from funcgrad.compile.native.fourier import steps
from funcgrad.compile.native.places import Make
from funcgrad.core.tape import Equation

_FAMILIES: tuple[tuple[dict[Any, Make], Callable[[Equation], bool]], ...] = (
    (factors.FACTORS, factors.takes),
    (steps.TRANSFORMS, steps.takes),
    (joins.JOINS, joins.takes),
    (lines.LINES, lines.takes),
    (indices.INDICES, indices.takes),
    (systems.SYSTEMS, systems.takes),
)
"""For each family its primitives, and whether an equation of one is taken."""
LAPACK = frozenset([*factors.FACTORS, *systems.SYSTEMS])
"""The primitives that LAPACK carries out."""


def operation(e: Equation) -> Make | None:
    """What makes room for an equation and gives what writes it; None if it is no such operation, or not taken."""
    found = next(((made[e.primitive], takes) for made, takes in _FAMILIES if e.primitive in made), None)
    return found[0] if found is not None and found[1](e) else None
