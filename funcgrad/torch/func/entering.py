"""Into a transform of torch.func: the arguments as the transform sees them, those it differentiates and the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base.treespec import tree_map
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.levels import Level
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import Argument, graph_value
from funcgrad.torch.tensor.values import new, wrapped
from funcgrad.torch.tensor.views import counter_of


def standing_for(level: Level, x: Tensor, value: Any) -> Tensor:
    """A tensor inside of a transform with this value, in the place of an argument."""
    t: Tensor
    if type(value) is GraphTracer:  # as such it would be the argument itself
        t = new(Tensor)
        t._set(value=value)
        t._level = level
    else:
        t = wrapped(value)
    if type(value) is np.ndarray:
        t._counter = counter_of(x)  # what is written into t is written into x
    t._argument = Argument(level, x)
    return t


def chosen(args: tuple, numbers: tuple[int, ...] | None) -> tuple:
    """The arguments at these positions; None: all of them."""
    return args if numbers is None else tuple([args[n] for n in numbers])


def entering_but(args: tuple, kwargs: dict, numbers: tuple[int, ...] | None) -> Callable[[Level, Any], tuple]:
    """How all but the chosen arguments enter a transform that is about to be called.

    Returns:
        A function of the transform and of what stands for the chosen ones, which gives args and kwargs inside.
    """
    if numbers is None:
        return lambda level, given: (given, kwargs)
    others = _entering((args, kwargs)) if kwargs or len(numbers) < len(args) else None

    def enter(level: Level, given: Any) -> tuple:
        inside, named = (args, kwargs) if others is None else others(level)
        replaced = list(inside)
        for n, x in zip(numbers, given, strict=True):
            replaced[n] = x
        return replaced, named

    return enter


def _entering(args: Any) -> Callable[[Level], Any]:
    """How arguments that are not differentiated enter a transform that is about to be called.

    Gives a function of the transform: inside of it their tensors count as its own, so they may be written into.
    """
    values: dict[int, Any] = {}

    def look(x: Any) -> Any:
        if isinstance(x, Tensor):
            values[id(x)] = graph_value(x)
        return x

    args = tree_map(look, args)
    if not values:
        return lambda level: args
    return lambda level: tree_map(lambda x: standing_for(level, x, values[id(x)]) if id(x) in values else x, args)
