"""Tensors whose value is a tracer of the functional face: what they stand for, and writing into them.

A tracer has no memory to write to. The base gets a new value in which the part that the view shows is replaced, and
the views of it that are alive look at the new value. Where a view's elements lie in the base is found by pulling back
through the view operations, which are linear; so there is no rule for each of them here. What is written into an
argument of a transform is written into the tensor that was given, too.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.tree import structure
from funcgrad.torch.levels import VMAP, Level, batched_like, below, retraced
from funcgrad.torch.modes import no_grad
from funcgrad.torch.operation import GraphTracer, cast, raw, requires, wrapped
from funcgrad.transforms.vjp import record as record_vjp


class Argument:
    """What a tensor inside a transform stands for.

    Attributes:
        level: the transform.
        tensor: the argument that it was given.
        dim: for vmap the dimension of it along which the examples lie.
    """

    __slots__ = ("dim", "level", "tensor")

    def __init__(self, level: Level, tensor: Any, dim: int = 0) -> None:
        self.level, self.tensor, self.dim = level, tensor, dim

    def examples(self) -> Any:
        """The raw value that vmap sees one example of."""
        value = graph_value(self.tensor)
        return self.level.trace.tracer(np.moveaxis(value, self.dim, 0) if self.dim else value)

    def write(self, value: Any) -> Any:
        """Write a raw value of the level into the argument; gives what the level sees of it then."""
        inner = value._value if self.level.trace.own(value) else value
        with below(self.level):
            target = self.tensor.movedim(self.dim, 0) if self.dim else self.tensor
            target.copy_(wrapped(inner))
        return self.examples() if self.level.kind == VMAP else value


def graph_value(x: Any) -> Any:
    """What a transform sees of a tensor: its raw value, or the tensor itself if its history, or its tangent of
    forward-mode AD, is not to be lost."""
    value = raw(x)
    if isinstance(value, Array) or not (requires(x) or x._tangent is not None):
        return value
    return GraphTracer.of(x, value)


def copied(value: Any) -> Any:
    """A raw value whose memory is nobody else's."""
    if not isinstance(value, Array):
        return value.copy()
    inner = copied(value._value)
    if isinstance(value, GraphTracer):
        return GraphTracer.of(value._tensor, inner)
    return retraced(value, inner, copied)


def memory_shown(x: Any) -> Any:
    """An array that lies in memory as a tensor seems to, whose value is a tracer; None if it is contiguous.

    An argument of a transform lies there as what was given, one example of a batch as the first of them.
    """
    inner = x._value
    base = x if x._view is None else x._view.base
    if not inner.size:
        return None
    if base._argument is None:
        return None if base is x else _look(x, np.empty(base._value.shape, base._value.dtype))
    while isinstance(inner, Array):
        inner = inner._value
    return inner[(0,) * (inner.ndim - x._value.ndim)]


def register(view: Any) -> None:
    """Let the base know of a view, so that it is shown the new value when there is one."""
    base = view._view.base
    held = base.__dict__.setdefault("_traced_views", [])
    held[:] = [r for r in held if r() is not None]
    held.append(ref(view))


def write_traced(x: Any, new: Any) -> None:
    """Give x, and all that share its memory, a new value.

    Arguments:
        x: a tensor whose value is a tracer, or one that is about to be written a tracer into.
        new: what is written, a raw value that broadcasts to the shape of x.
    """
    shape, kind = x._value.shape, x._value.dtype
    new = cast(new, kind) if new.dtype != kind else new
    if new.shape != shape:
        new = fnp.broadcast_to(new, shape)
    if x._view is None:
        show(x, batched_like(new, x))
        return
    base = x._view.base
    new = batched_like(new, base)
    with no_grad():
        _, pullback, _ = record_vjp(lambda b: _look(x, b), [base._value], structure((0,)), False, "in-place")
        output = pullback.outputs[0][0]
        placed = pullback.pull({output: new})[0]
        covered = pullback.pull({output: np.ones(shape, kind)})[0]
        show(base, fnp.where(np.not_equal(covered, 0), placed, base._value))
        if not any(r() is x for r in base.__dict__.get("_traced_views", [])):
            x._value, x._plain = _look(x, base._value), False


def show(base: Any, value: Any) -> None:
    """Put a new value into a tensor, and let its views look at it."""
    if base._argument is not None:
        if base._counter is not None:  # the argument has the same, and what writes into it moves that on
            base._counter = list(base._counter)
        value = base._argument.write(value)
    base._value, base._plain, base._store = value, False, None
    for r in base.__dict__.get("_traced_views", []):
        view = r()
        if view is not None:
            view._value, view._plain = _look(view, value), False


def _look(view: Any, value: Any) -> Any:
    """What a view shows of a base with this value."""
    if view._view.replay is None:  # made when both were plain: its sizes and strides say what it shows
        from funcgrad.torch.views import restride

        view._view.replay = restride(view)
    with no_grad():
        return view._view.replay(wrapped(value))._value
