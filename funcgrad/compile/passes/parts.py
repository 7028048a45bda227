"""Parts: what is added to the same part of an array of zeros is added up first; rows that make up an array are stacked.

The cotangent of an array of which parts were read, as of the gates of a circuit, is such a sum.
"""

from __future__ import annotations

import math
from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise, index, structural


@with_any(index.scatter_add)
def parts(tape: Tape) -> Tape:
    """The tape with sums of parts that have one term for each part."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    if e.primitive is not index.scatter_add or not math.prod(e.shape):
        return None
    if any(type(x) is not Equation or x.dtype != e.dtype for x in inputs):
        return None
    indices, shape = e.params["indices"], e.shape
    terms: dict[Any, Any] = {}
    first: dict[Any, Any] = {}
    for where, x in zip(indices, inputs, strict=True):
        key = _row(where, shape, x.shape) or (_named(where), x.shape)
        if key in terms:
            terms[key] = between(elementwise.add, e, (terms[key], x), x.shape, e.dtype)
        else:
            terms[key], first[key] = x, where
    axis = next(iter(terms))[0]
    rows = [(axis, k) for k in range(shape[axis])] if type(axis) is int else []
    if rows and terms.keys() == set(rows):
        made = between(structural.stack, e, tuple([terms[r] for r in rows]), shape, e.dtype, axis=axis)
        return made if e.dtype.kind not in "fc" else applied(elementwise.add, e, made, 0.0)  # no zero is negative
    if len(terms) == len(inputs):
        return None
    return applied(index.scatter_add, e, *terms.values(), indices=tuple(first.values()), shape=shape)


def _row(where: Any, shape: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, int] | None:
    """The axis and the number of the row that an index means; None if it means something else."""
    entries = where if type(where) is tuple else (where,)
    if len(entries) == len(shape):
        entries = tuple([slice(None) if k is Ellipsis else k for k in entries])
    axis = len(entries) - 1
    if axis < 0 or type(entries[-1]) is not int or any(type(k) is not slice or k != slice(None) for k in entries[:-1]):
        return None
    return (axis, entries[-1] % shape[axis]) if part == shape[:axis] + shape[axis + 1 :] else None


def _named(where: Any) -> str:
    """The same word for indices that mean the same part; arrays are known by what they are, not by their elements."""
    entries = where if type(where) is tuple else (where,)
    return " ".join([repr(k) if k is None or type(k) in (int, slice) else str(id(k)) for k in entries])


__all__ = ["parts"]
