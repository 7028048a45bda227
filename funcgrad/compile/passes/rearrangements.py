"""Rearrangements: what is moved, put together, taken apart and moved again is moved once.

NumPy copies an array where axes are put together that do not lie side by side, as between two contractions of one
state. Where the copy is only taken apart and moved and copied again, one reshape, one transpose and one reshape do all.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, reads, rewrite, with_any, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import structural


@with_any(structural.transpose)
def rearrangements(tape: Tape) -> Tape:
    """The tape with such movements as one."""
    counts = reads(tape)
    return rewrite(tape, functools.partial(_rule, counts))


def _rule(counts: dict[Any, int], e: Equation, inputs: tuple) -> Any:
    if inputs is e.inputs and e.primitive is not structural.reshape:
        return None
    new = with_inputs(e, inputs)
    found = _at_once(counts, new) or new
    counts[found] = counts.get(e, 0)
    return None if found is e else found


def _at_once(counts: dict[Any, int], e: Equation) -> Equation | None:
    """A reshape with the movements before it as one, if only it needs them; of as few axes as there can be."""
    again = e.inputs[0] if _is_reshape(e) else None
    before = _inside(structural.transpose, again, counts)
    if again is None or before is None or not math.prod(e.shape):
        return None
    moved = _inside(structural.reshape, before, counts) if _is_reshape(before) else None
    found = None if moved is None else _refined(moved, before, again)
    if found is None:
        kept = [a for a, n in enumerate(before.shape) if n > 1]
        found = before, [before.shape[a] for a in kept], [kept.index(a) for a in again.params["axes"] if a in kept]
    x, sizes, axes = found
    shape, order = merged(sizes, axes)
    if x is before and len(order) == len(before.shape):
        return None
    while _is_reshape(x):
        x = x.inputs[0]
    split = x if x.shape == shape else between(structural.reshape, e, (x,), shape, e.dtype, shape=shape, order="C")
    turned = between(structural.transpose, e, (split,), tuple([shape[a] for a in order]), e.dtype, axes=order)
    counts[turned] = 1
    return applied(structural.reshape, e, turned, shape=e.shape, order="C")


def _refined(moved: Equation, middle: Equation, again: Equation) -> tuple[Equation, list[int], list[int]] | None:
    """A transpose, a reshape and a transpose as one transpose: of what, of which axes and in which order."""
    parts = common_refinement(moved.shape, middle.shape) if moved.primitive is structural.transpose else None
    if parts is None or type(moved.inputs[0]) is not Equation:
        return None
    sizes, of_moved, of_middle = parts
    axes = moved.params["axes"]
    before = [q for a in range(len(axes)) for q in of_moved[axes.index(a)]]
    after = [q for m in again.params["axes"] for q in of_middle[m]]
    return moved.inputs[0], [sizes[q] for q in before], [before.index(q) for q in after]


def _is_reshape(e: Any) -> bool:
    return type(e) is Equation and e.primitive is structural.reshape and e.params.get("order", "C") == "C"


def _inside(primitive: Any, x: Any, counts: dict[Any, int]) -> Equation | None:
    """The operand of x, if x is an application of this primitive that nobody else reads."""
    if type(x) is not Equation or x.primitive is not primitive or counts.get(x) != 1:
        return None
    return x.inputs[0] if type(x.inputs[0]) is Equation else None


def common_refinement(x: Sequence[int], y: Sequence[int]) -> tuple[list[int], list[list[int]], list[list[int]]] | None:
    """Axes of which those of two shapes of the same elements are put together.

    Returns:
        Their lengths, and for each axis of x and of y which of them it is made of; those of length one of none.
        None if there are none: 2 × 3 and 3 × 2 have no axes in common.
    """
    sizes: list[int] = []
    parts: tuple[list[list[int]], list[list[int]]] = ([], [])
    rest = [1, 1]  # of the axis of x and of y that is being taken apart
    left = [list(reversed(x)), list(reversed(y))]
    while any(left) or rest != [1, 1]:
        for k in (0, 1):
            while rest[k] == 1 and left[k]:
                rest[k] = left[k].pop()
                parts[k].append([])
        n = min(rest)
        if rest[0] % n or rest[1] % n:
            return None
        if n == 1:
            continue
        for k in (0, 1):
            rest[k] //= n
            parts[k][-1].append(len(sizes))
        sizes.append(n)
    return sizes, *parts


def merged(shape: Sequence[int], axes: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The same transposition with axes that stay side by side as one: the shape before it, and the axes."""
    first = [a for n, a in enumerate(axes) if n == 0 or axes[n - 1] != a - 1]  # of each run of axes
    starts = sorted(first)
    ends = [*starts[1:], len(axes)]
    return (
        tuple([math.prod(shape[i:j]) for i, j in zip(starts, ends, strict=True)]),
        tuple([starts.index(a) for a in first]),
    )


__all__ = ["rearrangements"]
