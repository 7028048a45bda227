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
from funcgrad.core.trace import Tracer
from funcgrad.core.tree import structure
from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.base.storage import laid_out, pointer
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.levels import VMAP, Level, batched_like, below, grafted, retraced, running, unseen, without
from funcgrad.torch.tensor.values import cast, raw, tensor_of, wrapped
from funcgrad.transforms.jvp import JvpTracer
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
        with below(self.level):
            batch = self.tensor.movedim(self.dim, 0) if self.dim else self.tensor
        return self.level.trace.tracer(graph_value(batch))

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
    if isinstance(value, Array):
        return value
    return GraphTracer.of(x, value)


def outside(value: Any) -> Any:
    """A raw value, or an array of the functional face, as a tensor of where a transform was called."""
    t = tensor_of(without(value, unseen()))
    t._level = running(t._level)
    return t


def copied(value: Any) -> Any:
    """A raw value whose memory is nobody else's."""
    if not isinstance(value, Array):
        return value.copy()
    if not isinstance(value._value, (Array, np.ndarray, np.generic)):
        return value  # a symbol
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
    if not inner.size:
        return None
    return inner[(*(0,) * (inner.ndim - x._value.ndim), ...)]


def would_lie(x: Any) -> Any:
    """An array that lies in memory as a tensor would if nothing were traced; None for C order.

    What is drawn at random fills memory in that order, so a mask depends on it.
    """
    if not isinstance(x._value, Array):
        return x._value
    base = _owner(x)
    if base._laid is None:
        return memory_shown(x)
    if base is x:
        return base._laid
    try:
        return _look(x, base._laid)
    except RuntimeError:  # of that there is no such view: it would have been copied to C order
        return memory_shown(x)


def lay_out(result: Any, operands: tuple) -> None:
    """Note how the result of an elementwise operation would lie in memory."""
    tensors = [x for x in operands if hasattr(x, "_value")]
    memories = [would_lie(x) for x in tensors]
    if all(m is None or m.flags.c_contiguous for m in memories):
        return
    values = [
        np.empty(x._value.shape, x._value.dtype) if m is None else m for x, m in zip(tensors, memories, strict=True)
    ]
    laid = laid_out(np.empty(result._value.shape, result._value.dtype), values)
    if not laid.flags.c_contiguous:
        result._laid = laid


def offset_shown(x: Any) -> int:
    """Where in its storage a tensor begins, whose value is a tracer."""
    memory, base = memory_shown(x), _owner(x)
    if memory is None:
        return 0
    if base._argument is None:
        first = 0 if memory.base is None else pointer(memory.base)
        return (pointer(memory) - first) // memory.itemsize
    while base._argument is not None:
        base = _owner(base._argument.tensor)
    if isinstance(base._value, Array):
        return 0
    start: int = base._storage().pointer
    return (pointer(memory) - start) // memory.itemsize


# Sharing memory.


class Alias:
    """What a tensor, made by detach() for example, shares with another one.

    Attributes:
        of: the other tensor.
        cut: the levels at which they have histories of their own.
    """

    __slots__ = ("cut", "of")

    def __init__(self, of: Any, cut: tuple[float, ...]) -> None:
        self.of, self.cut = of, cut


def _owner(x: Any) -> Any:
    return x if x._view is None else x._view.base


def _remember(where: Any, name: str, t: Any) -> None:
    held = where.__dict__.setdefault(name, [])
    held[:] = [r for r in held if r() is not None]
    held.append(ref(t))


def _remembered(where: Any, name: str) -> list[Any]:
    return [t for r in where.__dict__.get(name, ()) if (t := r()) is not None]


def register(view: Any, x: Any) -> None:
    """Let the base know of a view of x, so that it is shown the new value when there is one."""
    levels = unseen()
    if levels or x._cut:
        view._cut = tuple({*levels, *x._cut})
    _remember(view._view.base, "_traced_views", view)


def link_alias(t: Any, x: Any, cut: tuple[float, ...]) -> None:
    """Let x, and t, which looks at the same memory, know of each other."""
    t._alias = Alias(x, cut)
    base = _owner(x)
    _remember(base, "_traced_aliases", t)


def is_shared_with_traced(x: Any) -> bool:
    """Whether a tensor, which is an ndarray itself, shares memory with one whose value is a tracer."""
    base = _owner(x)
    return isinstance(base._value, Array) or (
        base._alias is not None and isinstance(_owner(base._alias.of)._value, Array)
    )


# Writing.


def write_traced(x: Any, new: Any, levels: tuple[float, ...]) -> None:
    """Give x, and all that share its memory, a new value.

    Arguments:
        x: a tensor whose value is a tracer, or one that is about to be written a tracer into.
        new: what is written, a raw value that broadcasts to the shape of x.
        levels: those that do not see it, where histories stay.
    """
    shape, kind = x._value.shape, x._value.dtype
    new = cast(new, kind) if new.dtype != kind else new
    if new.shape != shape:
        new = fnp.broadcast_to(new, shape)
    _put(x, without(new, levels), levels, None)


def count_below(x: Any) -> None:
    """Let the tensors that x, just written into, stands for have its version, where they are there for x alone."""
    base = _owner(x)
    version = 0 if base._counter is None else base._counter[0]
    values = [base._value]
    while values:
        value = values.pop()
        if type(value) is GraphTracer:
            if value._tensor._counter is None and value._tensor._view is None:
                value._tensor._counter = [version]
        elif isinstance(value, Array):
            values.append(value._value)
            if isinstance(value, JvpTracer):
                values.append(value._tangent)


def _put(x: Any, new: Any, levels: tuple[float, ...], source: Any) -> None:
    """Write a raw value into x; at some levels, which do not see it, histories stay.

    Arguments:
        source: the tensor that was written into, if x shares memory with it.
    """
    base = _owner(x)
    new = batched_like(new, base)
    old = base._value
    if x is not base:
        visible = without(old, levels)
        _, pullback, _ = record_vjp(lambda b: _look(x, b), [visible], structure((0,)), False, "in-place")
        output = pullback.outputs[0][0]
        placed = pullback.pull({output: new})[0]
        covered = pullback.pull({output: np.ones(x._value.shape, x._value.dtype)})[0]
        new = fnp.where(np.not_equal(covered, 0), placed, visible)
        new = new if isinstance(new, Tracer) else np.array(new)
        base._operation = "CopySlices"
    _show(base, grafted(old, new, levels), source)
    if x is not base and all(v is not x for v in _remembered(base, "_traced_views")):
        x._set(value=_look(x, base._value))


def _show(base: Any, value: Any, source: Any) -> None:
    """Put a new value into a tensor; views of it, and what shares its memory otherwise, look at it."""
    if base._argument is not None:
        if base._counter is not None:  # the argument has the same, and what writes into it moves that on
            base._counter = list(base._counter)
        value = base._argument.write(value)
    base._set(value=value)
    base._store = None
    for view in _remembered(base, "_traced_views"):
        view._set(value=without(_look(view, value), view._cut))
        view._operation = "AsStridedBackward0"
    for t in _remembered(base, "_traced_aliases"):
        if t is not source:
            _show(t, grafted(t._value, without(t._alias.of._value, t._alias.cut), t._alias.cut), base)
    alias = base._alias
    if alias is not None and _owner(alias.of) is not source:
        with no_grad():
            _put(alias.of, without(value, alias.cut), alias.cut, base)


def _look(view: Any, value: Any) -> Any:
    """What a view shows of a base with this value."""
    if view._view.replay is None:  # made when both were plain: its sizes and strides say what it shows
        view._view.replay = view._view.remade(view)
    before, state.grad = state.grad, True  # what is looked at has its history, whatever is hidden now
    forward, state.forward_grad = state.forward_grad, True
    try:
        return view._view.replay(wrapped(value))._value
    finally:
        state.grad, state.forward_grad = before, forward
