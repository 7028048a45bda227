"""What the transforms of torch.func take and give: tensors as they are inside and outside of a transform, and what is
said of those that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.base.treespec import tree_map
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.levels import OUTSIDE, Level, running, unseen, without
from funcgrad.torch.tensor.tensor import CONJ, NEG, Tensor
from funcgrad.torch.tensor.traced import Argument, graph_value
from funcgrad.torch.tensor.values import new, tensor_of, wrapped
from funcgrad.torch.tensor.views import as_view_of, counter_of, share
from funcgrad.torch.texts import transforms as texts

# Into a transform.


def seen(x: Tensor) -> Any:
    """What a transform that is called now sees of a tensor."""
    return graph_value(x)


def standing_for(level: Level, x: Tensor, value: Any) -> Tensor:
    """A tensor inside of a transform with this value, in the place of an argument."""
    t: Tensor
    if type(value) is GraphTracer:  # as such it would be the argument itself
        t = new(Tensor)
        t._value, t._plain, t._level = value, False, level
    else:
        t = wrapped(value)
    if type(value) is np.ndarray:
        t._counter = counter_of(x)  # what is written into t is written into x
    t._argument = Argument(level, x)
    return t


def entering(args: Any) -> Callable[[Level], Any]:
    """How arguments that are not differentiated enter a transform that is about to be called.

    Gives a function of the transform: inside of it their tensors count as its own, so they may be written into.
    """
    values: dict[int, Any] = {}

    def look(x: Any) -> Any:
        if isinstance(x, Tensor):
            values[id(x)] = seen(x)
        return x

    args = tree_map(look, args)
    if not values:
        return lambda level: args
    return lambda level: tree_map(lambda x: standing_for(level, x, values[id(x)]) if id(x) in values else x, args)


# Out of a transform.


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
        return with_bits(tensor(value._value), x)
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
    found._lazy, found._plain = x._lazy, False
    return found


def tensor(value: Any) -> Any:
    """A raw value, or an array of the functional face, as a tensor of where a transform was called."""
    t = tensor_of(without(value, unseen()))
    t._level = running(t._level)
    return t


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


# Checks.


def picked(args: tuple, argnums: Any) -> tuple[int, ...]:
    """The positions that are differentiated, counted from the front."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = tuple([_position(n, len(args)) for n in ((argnums,) if isinstance(argnums, int) else argnums)])
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {found}")
    return found


def _position(n: Any, count: int) -> int:
    if not isinstance(n, int):
        raise RuntimeError(f"argnum must be int, got: {type(n)}")
    if not -count <= n < count:
        raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
    return n % count


def checked_primals(leaves: list) -> list:
    """The leaves of what a gradient is taken with respect to.

    Raises:
        ValueError: one is no tensor.
        RuntimeError: one is neither floating nor complex.
    """
    for x in leaves:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x._value.dtype.kind in "iub":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return leaves


def check_output(leaves: list, name: str) -> None:
    """Raise torch's error if the leaves of what a function returned can't be differentiated."""
    if not leaves or leaves == [None]:
        raise RuntimeError(texts.NO_OUTPUT.format(name=name, leaves=leaves))
    for o in leaves:
        if not isinstance(o, Tensor):
            raise RuntimeError(texts.OUTPUT_NO_TENSOR.format(name=name, kind=type(o)))


def with_aux(out: Any, name: str) -> tuple:
    """The pair (result, aux) that a function returned.

    Raises:
        RuntimeError: it is none.
    """
    if not isinstance(out, tuple) or len(out) != 2:
        raise RuntimeError(texts.NO_AUX.format(name=name))
    return out


def check_aux(leaves: list) -> None:
    """Raise torch's error if there is anything but tensors in the aux that a function returned."""
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
