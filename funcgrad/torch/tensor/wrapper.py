"""A tensor inside transforms of torch.func: each that counts the tensor as its own wraps it once, as its text shows."""

from __future__ import annotations

import textwrap
from typing import Any

from funcgrad.core.array import Array
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.levels import OUTSIDE, VMAP, running, wrapping
from funcgrad.torch.tensor.tensor import plain_repr
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import share


def unwrapped(x: Any, level: Any) -> Any:
    """The tensor that the innermost transform which wraps x, of this level, has wrapped."""
    argument, value = x._argument, x._value
    if argument is not None and argument.level is level:
        return argument.tensor
    traced = isinstance(value, Array) and value._trace is level.trace
    t = wrapped(value._value) if traced else share(x, value)
    t._level = level.before[-1] if level.before else OUTSIDE
    return t


def wrapper_repr(x: Any) -> str:
    """The text of a tensor, which also names transforms that ended: such a tensor has left them."""
    ended, level = [], x._level
    while level is not running(level):
        if level.kind != VMAP:
            ended.append(level)
        level = level.before[-1] if level.before else OUTSIDE
    return _repr(x, [*wrapping(x), *reversed(ended)])


def _repr(x: Any, wrappers: list) -> str:
    if not wrappers:
        return plain_repr(x)
    level, value, argument, dim = wrappers[-1], x._value, x._argument, 0
    if argument is not None and argument.level is level:
        text, dim = wrapper_repr(argument.tensor), argument.dim
    else:
        traced = isinstance(value, Array) and value._trace is level.trace
        text = _repr(wrapped(value._value) if traced else x, wrappers[:-1])
    number = level.number if level in state.transforms else -2
    kind = f"BatchedTensor(lvl={number}, bdim={dim}" if level.kind == VMAP else f"GradTrackingTensor(lvl={number}"
    return f"{kind}, value=\n{textwrap.indent(text, '    ')}\n)"
