"""Out of a transform of torch.func: what its function returned, as it is outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.tensor.levels import OUTSIDE, Level, running
from funcgrad.torch.tensor.tensor import CONJ, NEG, Tensor
from funcgrad.torch.tensor.traced import outside
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import as_view_of, share


def left(level: Level, xs: list) -> list:
    """Tensors that a function returned, as they are outside of the transform of this level, which has ended."""
    found: dict[int, Any] = {}
    for x in xs:
        if id(x) not in found:
            found[id(x)] = _left(level, x)
    return [found[id(x)] for x in xs]


def _left(level: Level, x: Tensor) -> Any:
    argument, value = x._argument, x._value
    if argument is not None and argument.level is level:
        return argument.tensor
    if isinstance(value, Array) and value._trace is level.trace:
        return with_bits(outside(value._value), x)
    if x._level is level:
        x._level = running(level)
    return x


def unwrapped(x: Any, level: Any) -> Any:
    """The tensor that the innermost transform which wraps x, of this level, has wrapped."""
    argument, value = x._argument, x._value
    if argument is not None and argument.level is level:
        return argument.tensor
    traced = isinstance(value, Array) and value._trace is level.trace
    t = wrapped(value._value) if traced else share(x, value)
    t._level = level.before[-1] if level.before else OUTSIDE
    return t


def with_bits(t: Any, x: Any) -> Any:
    """The value of t, which is that of x, with the bits of lazy conjugation and negation that x has.

    t itself stays as it is: it may be an argument that came through unchanged.
    """
    changed = x._lazy ^ t._lazy
    if not changed:
        return t
    if t.requires_grad:
        t = t.conj() if changed & CONJ else t
        return t._neg_view() if changed & NEG else t
    found = share(t, t._value)
    found._set(lazy=x._lazy)
    return found


def shared(result: Any, inputs: list) -> Any:
    """A result that looks at the memory of an input is a view of it."""
    value = result._value
    if type(value) is np.ndarray and result._view is None and result._node is None:
        for x in inputs:
            if x is result:
                return result
            if isinstance(x, Tensor) and type(x._value) is np.ndarray and np.may_share_memory(x._value, value):
                view = with_bits(share(x, value), result)
                as_view_of(view, x, None)
                return view
    return result
