"""The text of a tensor, as torch prints it.

Each transform of torch.func that counts a tensor as its own wraps it once, and the text shows that.
"""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.errors import NoValueError
from funcgrad.torch.base.dtypes import get_default_dtype
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.printing import has_default_dtype, tensor_text
from funcgrad.torch.tensor.levels import OUTSIDE, VMAP, running, wrapping
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.tensor import CONJ, NEG, Tensor
from funcgrad.torch.tensor.values import wrapped

PRINTED_AS_TENSOR: list[type] = [Tensor]
"""The classes whose texts begin with "tensor"; those of others begin with their names."""


@member_of(Tensor, name="__repr__")
def _text(self: Any, *, tensor_contents: Any = None) -> str:
    if isinstance(self._value, Array) or state.transforms:
        return _with_ended(self)
    return _plain(self)


def _plain(t: Any) -> str:
    """The text of a tensor as it is outside of all transforms."""
    value, name = t._value, t.dtype.name
    if isinstance(value, Array):
        try:
            value = np.asarray(value._concrete("the text of a tensor"))
        except NoValueError:  # only its shape is known, as that of a tangent in linearize
            if state.awaited is not None:  # what is written down once is not to hold a text of that run
                raise
            return f"tensor(..., size={tuple(value.shape)}, dtype={t.dtype})"
    if t._lazy:
        value = np.conj(value) if t._lazy & CONJ else value
        value = -value if t._lazy & NEG else value
    try:
        node = t._made_by()
        grad_fn_name = None if node is None else type(node).__name__
    except RuntimeError:  # a view whose base was written into where that is not followed
        grad_fn_name = "Invalid"
    return tensor_text(
        value,
        dtype_name=name,
        is_default_dtype=has_default_dtype(name, get_default_dtype().name),
        requires_grad=t._linked(),
        grad_fn_name=grad_fn_name,
        tangent_text=None if t._tangent is None else _tangent(t._tangent),
        class_name="tensor" if type(t) in PRINTED_AS_TENSOR else type(t).__name__,
    )


def _tangent(t: Any) -> str:
    try:
        return f"{t}"
    except RuntimeError:  # its values are not known
        return _text(t)


def _with_ended(x: Any) -> str:
    """The text of a tensor, which also names transforms that ended: such a tensor has left them."""
    ended, level = [], x._level
    while level is not running(level):
        if level.kind != VMAP:
            ended.append(level)
        level = level.before[-1] if level.before else OUTSIDE
    return _within(x, [*wrapping(x), *reversed(ended)])


def _within(x: Any, wrappers: list) -> str:
    """The text of a tensor inside of these transforms, the innermost last."""
    if not wrappers:
        return _plain(x)
    level, value, argument, dim = wrappers[-1], x._value, x._argument, 0
    if argument is not None and argument.level is level:
        text, dim = _with_ended(argument.tensor), argument.dim
    else:
        traced = isinstance(value, Array) and value._trace is level.trace
        text = _within(wrapped(value._value) if traced else x, wrappers[:-1])
    number = level.number if level in state.transforms else -2
    kind = f"BatchedTensor(lvl={number}, bdim={dim}" if level.kind == VMAP else f"GradTrackingTensor(lvl={number}"
    return f"{kind}, value=\n{textwrap.indent(text, '    ')}\n)"
