"""The transforms of torch.func that run at this moment: what they see of a tensor, and what they forbid.

Each has a level, the outermost the lowest. A tensor belongs to the level of the transform whose tracer its value is, or
that ran innermost when the tensor was made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.scope import Scope
from funcgrad.core.trace import DeadTrace, Tracer
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.overloads import ARITHMETIC, COMPUTED_FIRST, REFUSALS, overload, too_small
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import transforms as texts
from funcgrad.torch.texts import writing as writing_texts
from funcgrad.transforms.jvp import JvpTracer
from funcgrad.transforms.vjp import VjpTracer
from funcgrad.transforms.vmap import BatchTracer

GRAD, JVP, VMAP = "grad", "jvp", "vmap"
GRAPH_LEVEL = 0.5  # torch's own graph lies between evaluation and every transform

_REFUSED = {
    "indexing with a mask": texts.MASK_IN_VMAP,
    "masked_select": texts.MASKED_SELECT_IN_VMAP,
    "allclose": texts.ALLCLOSE_IN_VMAP,
}


class Level(Scope):
    """A transform while it runs its function; a scope.

    Arguments:
        kind: GRAD (which vjp is, too), JVP or VMAP.
        trace: its trace on the functional face.
        randomness: of a vmap: "error", "same" or "different".

    Attributes:
        number: the level, that of the trace.
        grad, forward: whether gradients, and forward derivatives, were recorded where it was called.
        seen: whether they were there, and wherever the transforms around it were called.
    """

    __slots__ = (
        "before", "before_errors", "entered", "errors", "forward", "grad", "hooks", "kind", "number", "randomness",
        "seen", "slow", "trace",
    )  # fmt: skip

    def __init__(self, kind: str, trace: Any, randomness: str = "error") -> None:
        self.entered = 0
        self.kind, self.trace, self.number, self.randomness = kind, trace, trace.level, randomness

    def __enter__(self) -> Level:
        complete()
        self.before, self.grad, self.forward = state.transforms, state.grad, state.forward_grad
        self.slow = state.slow
        self.seen = self.grad and self.forward and (not self.before or self.before[-1].seen)
        self.hooks, self.before_errors = state.hooks_disabled, np.geterr()
        self.entered, self.errors = 1, np.errstate(all="ignore")
        self.errors.__enter__()
        state.transforms = (*self.before, self)
        state.slow = True
        if self.kind == GRAD:
            state.grad, state.hooks_disabled = not state.inference, texts.NO_HOOKS
        elif self.kind == JVP:
            state.forward_grad = True
        return self

    def leave(self, *error: object) -> None:
        state.transforms, state.grad, state.forward_grad = self.before, self.grad, self.forward
        state.hooks_disabled = self.hooks
        state.slow = self.slow
        if error:
            self.errors.__exit__(*error)
        else:  # that may have been called already, and can't be called twice
            np.seterr(**self.before_errors)
        self.entered = 0


class _Outside:
    """The level of tensors that no transform had a hand in."""

    kind, number, before = "", 0, ()


OUTSIDE = _Outside()


class below(Scope):  # noqa: N801  (a context manager)
    """Within it, only the transforms outside of a level count as running."""

    def __init__(self, level: Level) -> None:
        self.level = level

    def __enter__(self) -> None:
        self.before = state.transforms
        self.entered += 1
        state.transforms = self.level.before
        state.settle()

    def leave(self, *error: object) -> None:
        state.transforms = self.before
        state.settle()
        self.entered -= 1


def check_no_hooks() -> None:
    """Raise torch's error if hooks on saved tensors are on, which transforms in reverse mode do not allow."""
    if state.pack_hooks:
        raise RuntimeError(texts.NO_HOOKS)


def unsupported(name: str, also: str = "") -> RuntimeError:
    """The error of a method of tensors that can't be called inside a transform."""
    return RuntimeError(texts.UNSUPPORTED.format(name=name, also=also))


# What transforms see.


def recorded_in_graph() -> bool:
    """Whether operations are recorded in torch's own graph, below all transforms."""
    return state.grad and all(level.grad for level in state.transforms if level.kind == GRAD)


def unseen() -> tuple[float, ...]:
    """The levels that do not see what happens now, with that of torch's own graph.

    no_grad hides it from gradients, `_set_fwd_grad_enabled(False)` from forward derivatives: from all that are being
    taken, up to a transform that was itself called where they were hidden and switched them on.
    """
    grad, forward = state.grad, state.forward_grad
    if grad and forward and (not state.transforms or state.transforms[-1].seen):
        return ()
    found: list[float] = []
    for level in reversed(state.transforms):
        if level.kind == GRAD:
            if not grad:
                found.append(level.number)
            grad = grad and level.grad
        elif level.kind == JVP:
            if not forward:
                found.append(level.number)
            forward = forward and level.forward
    return tuple(found) if grad else (*found, GRAPH_LEVEL)


def derivative_levels() -> tuple[float, ...]:
    """The levels at which derivatives are taken, with that of torch's own graph."""
    return (*[level.number for level in state.transforms if level.kind != VMAP], GRAPH_LEVEL)


def without(value: Any, levels: tuple[float, ...]) -> Any:
    """A raw value as it is where some levels do not see it."""
    if not levels or not isinstance(value, Array) or value._trace.level < min(levels):
        return value
    inner = without(value._value, levels)
    if value._trace.level in levels:
        return inner
    if inner is value._value:
        return value
    return retraced(value, inner, lambda tangent: without(tangent, levels))


def retraced(value: Any, inner: Any, tangent: Callable[[Any], Any]) -> Any:
    """A tracer that stands for another value one level down, with its place in a graph, or its tangent changed."""
    if isinstance(value, VjpTracer):
        return value._trace.tracer(inner, value._eqn)
    if isinstance(value, JvpTracer):
        return value._trace.tracer(inner, tangent(value._tangent))
    return value._trace.tracer(inner)


def grafted(old: Any, new: Any, levels: tuple[float, ...]) -> Any:
    """A new raw value in the place of an old one, with the history that the old one has at some levels.

    There the data are replaced unseen, as no_grad and detach() have it.
    """
    if not levels or not isinstance(old, Array):
        return new
    trace = old._trace
    if trace.symbolic:  # a symbol has no history below it
        return new
    if trace.level == GRAPH_LEVEL:
        if GRAPH_LEVEL not in levels:
            return new
        np.copyto(old._value, new)
        return old
    if trace.level in levels:
        return retraced(old, grafted(old._value, new, levels), lambda tangent: tangent)
    if isinstance(new, Array) and new._trace is trace:
        inner = grafted(old._value, new._value, levels)
        return retraced(new, inner, lambda tangent: grafted(old._tangent, tangent, levels))
    if isinstance(new, Array) and new._trace.level > trace.level:
        return retraced(new, grafted(old, new._value, levels), lambda tangent: tangent)
    if isinstance(old, BatchTracer):
        return trace.tracer(grafted(old._value, np.broadcast_to(new, old._value.shape), levels))
    return grafted(old._value, new, levels)


def alive(value: Any) -> Any:
    """A raw value without the tracers of transforms that have ended.

    Raises:
        RuntimeError: it stood for a batch.
    """
    while isinstance(value, Tracer) and type(value._trace) is DeadTrace:
        if isinstance(value, BatchTracer):
            raise RuntimeError(texts.ESCAPED)
        value = value._value
    return value


def differentiated(value: Any) -> bool:
    """Whether a raw value is a tracer of a gradient that is being taken innermost."""
    return isinstance(value, VjpTracer)


def is_symbol(value: Any) -> bool:
    """Whether a raw value stands for one that is known only when a compiled function runs."""
    while isinstance(value, Array):
        if value._trace.symbolic:
            return True
        value = value._value
    return False


def is_argument(value: Any) -> bool:
    """Whether a raw value is an argument of the function whose gradient is being taken: a leaf of that level."""
    return isinstance(value, VjpTracer) and value._eqn.plan is None


def taken_apart(value: Any) -> tuple[Any, list[Any]]:
    """What lies under the batches that a raw value stands for, and their traces, the innermost first."""
    traces = []
    while isinstance(value, BatchTracer):
        traces.append(value._trace)
        value = value._value
    return value, traces


def by_examples(value: Any, find: Callable[[np.ndarray, int], Any]) -> Any:
    """What an operation without derivatives finds in the values alone, of all examples at once.

    Arguments:
        value: a raw value.
        find: is given an ndarray and how many of its first dimensions are batches, which its result has, too.
    """
    traces = []
    while isinstance(value, Array):
        if isinstance(value, BatchTracer):
            traces.append(value._trace)
        value = value._value
    return put_together(find(value, len(traces)), traces)


def put_together(value: Any, traces: list[Any]) -> Any:
    """The reverse of `taken_apart`."""
    for trace in reversed(traces):
        value = trace.tracer(value)
    return value


def batched_at(x: Any, number: int) -> bool:
    """Whether a tensor is one example of the batch of the vmap of this level."""
    value = getattr(x, "_value", None)
    while isinstance(value, Array):
        if value._trace.level == number:
            return True
        value = value._value
    return False


def batch_count(values: Any) -> int:
    """How many vmaps raw values are batches of, which have so many dimensions more in memory."""
    found = set()
    for value in values:
        while isinstance(value, Array):
            if isinstance(value, BatchTracer):
                found.add(value._trace.level)
            value = value._value
    return len(found)


def check_first_example(x: Any, y: Any) -> None:
    """Raise torch's error where one operand of two is a batch of no numbers: it looks at the first for its dtype."""
    for level in reversed(state.transforms):
        if level.kind == VMAP and not level.trace.size:
            alone = [hasattr(a, "_value") and not a._value.ndim and batched_at(a, level.number) for a in (x, y)]
            if alone[0] != alone[1]:
                around = [b.trace.size for b in batches_of(x if alone[0] else y) if b.number < level.number]
                raise IndexError(texts.FIRST_OF_NOTHING.format(sizes=[*around, 0], dim=len(around)))
            return


def batched(x: Any) -> bool:
    """Whether a tensor is one example of the batch of any vmap."""
    return any(level.kind == VMAP and batched_at(x, level.number) for level in state.transforms)


def running(level: Any) -> Any:
    """The innermost transform that still runs of those in which `level` ran, with itself; OUTSIDE if none does."""
    while level is not OUTSIDE and level not in state.transforms:
        level = level.before[-1] if level.before else OUTSIDE
    return level


def home(x: Any) -> Any:
    """The innermost transform that ran when the memory of a tensor was made."""
    return x._level if x._home is None else x._home


def wrapping(x: Any) -> list[Any]:
    """The transforms that run and see a tensor as one of theirs, the innermost last.

    Gradients, and forward derivatives, count all that is made inside; vmap only what differs between examples.
    """
    made = running(x._level).number
    return [
        level
        for level in state.transforms
        if (batched_at(x, level.number) if level.kind == VMAP else level.number <= made)
    ]


def hidden_memory(x: Any) -> bool:
    """Whether what NumPy is to look at has no memory: a new tensor that looks at x would be wrapped."""
    return any(level.kind != VMAP for level in state.transforms) or bool(wrapping(x))


def usable(value: Any) -> Any:
    """A raw value as a tensor may have it: rules give arrays that can't be written to, or with negative strides."""
    if isinstance(value, Array):
        return value
    value = np.asarray(value)
    return value if value.flags.writeable and all(s >= 0 for s in value.strides) else value.copy()


def batches_of(x: Any) -> list[Level]:
    """The vmaps in which a tensor stands for a batch, the outermost first."""
    return [level for level in state.transforms if level.kind == VMAP and batched_at(x, level.number)]


def batch_sizes(tensors: Any) -> list[int]:
    """The sizes of all batches that some of these tensors stand for, the outermost first, as they lie in memory."""
    if not state.batches:
        return []
    return [
        level.trace.size
        for level in state.transforms
        if level.kind == VMAP and any(batched_at(x, level.number) for x in tensors)
    ]


def batched_in(value: Any, levels: list[Level]) -> Any:
    """A raw value as one that stands for a batch in these vmaps, also where its examples are all the same."""
    if not levels:
        return value
    *outer, top = levels
    if isinstance(value, Array):
        if value._trace is top.trace:
            return top.trace.tracer(batched_in(value._value, outer)) if outer else value
        if value._trace.level > top.number:
            return retraced(value, batched_in(value._value, levels), lambda tangent: batched_in(tangent, levels))
    inner = batched_in(value, outer)
    return top.trace.tracer(np.broadcast_to(inner, (top.trace.size, *inner.shape)))


def batched_like(value: Any, x: Any) -> Any:
    """A raw value as that of a tensor that stands for a batch in those vmaps in which x does."""
    return batched_in(value, batches_of(x))


# What they forbid.


def check_write(x: Any, name: str, args: tuple = (), named: dict[str, Any] | None = None, leaf: bool = True) -> None:
    """Raise torch's error if a tensor may not be written into. The innermost transform has its say first.

    Arguments:
        x: the tensor.
        name: of the method that writes.
        args, named: its other arguments.
        leaf: whether a leaf is refused, too.
    """
    others = (*args, *named.values()) if named else args
    refusal = None
    own, in_view, recorded = _owner(x), x._view is not None, leaf and state.grad
    for level in reversed(state.transforms):
        if level.kind == VMAP:
            refusal = _refusal_of_batch(level, x, name, others) or refusal
        elif running(home(own)).number < level.number:
            raise RuntimeError(texts.CAPTURED_WRITTEN.format(overload=overload(name, args, named)))
        argument = own._argument
        entered = argument is not None and argument.level is level  # own stands for what the transform was given
        if level.kind == GRAD:
            if entered and recorded and is_argument(own._value):
                raise _leaf_is_written(in_view)
            recorded = recorded and level.grad
        if entered:  # what is written goes on into that
            inner = argument.tensor
            in_view = in_view or level.kind == JVP or argument.dim != 0 or inner._view is not None
            own = _owner(inner)
    if recorded and own is not _owner(x) and own._requires:
        raise _leaf_is_written(in_view)
    if refusal is not None:
        raise refusal


def _refusal_of_batch(level: Level, x: Any, name: str, others: tuple) -> RuntimeError | None:
    """Raise what a vmap refuses: results of a batch in a tensor that all examples share, operands in x's own memory.

    Methods that compute before they write are refused after all other checks: of those the error is given back.
    """
    kind = REFUSALS.get(name)
    if batched_at(x, level.number):
        if kind in (ARITHMETIC, COMPUTED_FIRST):
            _check_apart(x, others, level.number)
        return None
    if not any(batched_at(o, level.number) for o in others):
        return None
    around = [b.trace.size for b in state.transforms if any(b in batches_of(o) for o in others)]
    text = too_small(name, x, others, around)
    if text and kind != COMPUTED_FIRST:
        raise RuntimeError(text)
    return RuntimeError(text) if text else None


def _check_apart(x: Any, others: tuple, number: int) -> None:
    """Raise torch's error if an operand is, for all examples of a vmap together, the memory of which x is one."""
    for o in others:
        if getattr(o, "_value", None) is not None and not batched_at(o, number):
            a, b = _memory(x._value), _memory(o._value)
            if a.size and b.size and np.may_share_memory(a, b):
                raise RuntimeError(memory_texts.SAME_MEMORY)


def _memory(value: Any) -> Any:
    while isinstance(value, Array):
        value = value._value
    return value


def _owner(x: Any) -> Any:
    """The tensor whose memory x looks at."""
    return x if x._view is None else x._view.base


def _leaf_is_written(in_view: bool) -> RuntimeError:
    return RuntimeError(writing_texts.VIEW_OF_LEAF_WRITTEN if in_view else writing_texts.LEAF_WRITTEN)


def check_not_batched(name: str, *tensors: Any) -> None:
    """Raise torch's error of an operation whose result has no shape of its own until values are known."""
    if state.transforms and any(batched(x) for x in tensors):
        raise RuntimeError(_REFUSED.get(name) or texts.DYNAMIC_SHAPE.format(name=name))


def check_no_vmap(name: str) -> None:
    """Raise torch's error of an operation that vmap does not know, whatever its operands."""
    if state.batches:
        raise RuntimeError(f"vmap: we do not yet support aten::{name}. Please file an issue")


def check_no_fallback(name: str, *tensors: Any, view: bool = True) -> None:
    """Raise torch's error of an operation that can't be batched, if a tensor is."""
    if state.transforms and any(batched(x) for x in tensors):
        more = "the fallback path doesn't work on out= or view ops." if view else "We could not generate a fallback."
        raise RuntimeError(texts.NO_BATCHING_RULE.format(name=name, end=";" if view else ".", more=more))
