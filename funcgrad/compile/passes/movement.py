"""Movement: reshapes, transposes, broadcasts and casts that undo each other, or do nothing, go.

A stack of one array, as an index of one array is, becomes a reshape, and so does an index that only adds axes.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import index, structural
from funcgrad.ops.elementwise import add, positive

_IDENTITIES = (structural.stop, structural.name, positive)
_MOVES = (structural.reshape, structural.transpose, structural.broadcast_to, structural.astype)


@with_any(*_IDENTITIES, *_MOVES, structural.stack, index.getitem, index.scatter_add)
def movement(tape: Tape) -> Tape:
    """The tape with chains of movements made short."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    p = e.primitive
    if p in _IDENTITIES:
        return inputs[0] if p is not positive or type(inputs[0]) is Equation else None
    if p is structural.stack and len(inputs) == 1 and type(inputs[0]) is Equation and inputs[0].shape:
        return applied(structural.reshape, e, inputs[0], shape=e.shape, order="C")
    if p is index.getitem and type(inputs[0]) is Equation and _only_new_axes(e.params["index"]):
        return applied(structural.reshape, e, inputs[0], shape=e.shape, order="C")
    if p is index.scatter_add and len(inputs) == 1 and type(inputs[0]) is Equation and e.dtype.kind in "fc":
        (where,) = e.params["indices"]
        if math.prod(inputs[0].shape) == math.prod(e.shape) and _only_new_axes(where):
            found = between(structural.reshape, e, inputs, e.shape, e.dtype, shape=e.shape, order="C")
            return applied(add, e, found, 0.0)  # like a sum that starts from zero it has no -0.0
    if p not in _MOVES:
        return None
    x = inputs[0]
    if type(x) is not Equation:
        return None
    inner = x.primitive
    if p is structural.astype:
        return x if x.dtype == e.dtype else None
    if p is structural.reshape:
        if e.params.get("order", "C") != "C":
            return None
        if x.shape == e.shape:
            return x
        if inner is structural.reshape and x.params.get("order", "C") == "C":
            return applied(p, e, x.inputs[0], **e.params)
    elif p is structural.transpose:
        axes = e.params["axes"]
        if axes == tuple(range(len(axes))):
            return x
        if _in_order([a for a in axes if x.shape[a] != 1]):  # only axes of length one change places
            return applied(structural.reshape, e, x, shape=e.shape, order="C")
        if inner is structural.transpose:
            first = x.params["axes"]
            both = tuple([first[a] for a in axes])
            return x.inputs[0] if both == tuple(range(len(both))) else applied(p, e, x.inputs[0], axes=both)
    elif p is structural.broadcast_to:
        if x.shape == e.shape:
            return x
        if inner is structural.broadcast_to and shape_of(x.inputs[0]) is not None:
            return applied(p, e, x.inputs[0], **e.params)
    return None


def _only_new_axes(where: Any) -> bool:
    """Whether an index takes an array as it is, with more axes of length one."""
    where = where if type(where) is tuple else (where,)
    return all(i is None or i is Ellipsis or (type(i) is slice and i == slice(None)) for i in where)


def _in_order(axes: list[int]) -> bool:
    return all(a < b for a, b in pairwise(axes))
