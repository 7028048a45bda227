"""Pytrees of tensors as the transforms of torch.func take and give them, and what they say of those they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.torch.levels import hidden, recorded_in_graph, without
from funcgrad.torch.modes import state
from funcgrad.torch.operation import tensor_of
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.traced import graph_value
from funcgrad.torch.views import as_view_of, share


def is_none(x: Any) -> bool:
    return x is None


def seen(x: Tensor) -> Any:
    """What a transform that is called now sees of a tensor."""
    return without(graph_value(x), hidden())


def values(outputs: Any) -> Any:
    """The raw values of a pytree of tensors.

    Raises:
        RuntimeError: a leaf is no tensor.
    """

    def value(x: Any) -> Any:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
        return graph_value(x)

    return tree.map(value, outputs, is_leaf=is_none)


def tensors(found: Any) -> Any:
    """Raw values, and arrays of the functional face, in a pytree as tensors of where the transform was called."""
    return tree.map(_tensor, found, is_leaf=is_none)


def _tensor(value: Any) -> Any:
    if not isinstance(value, (Array, np.ndarray, np.generic)):
        return value
    t = tensor_of(value)
    return t if recorded_in_graph() or state.transforms or not t.requires_grad else t.detach()


def shared(result: Any, inputs: list) -> Any:
    """A result that looks at the memory of an input is a view of it."""
    value = result._value
    if type(value) is np.ndarray and result._view is None and result._node is None:
        for x in inputs:
            if x is result:
                return result
            if isinstance(x, Tensor) and type(x._value) is np.ndarray and np.may_share_memory(x._value, value):
                view = share(x, value)
                as_view_of(view, x, None)
                return view
    return result


def spec(pytree: Any, indent: int = 0) -> str:
    """The structure of a pytree, as torch's errors show it."""
    if isinstance(pytree, dict):
        context, children = str(list(pytree)), list(pytree.values())
    elif isinstance(pytree, (tuple, list)):
        context, children = "None", list(pytree)
    else:
        return "*"
    inner = (",\n" + " " * (indent + 2)).join([spec(c, indent + 2) for c in children])
    return f"TreeSpec({type(pytree).__name__}, {context}, [{inner}])"


def picked(args: tuple, argnums: Any) -> tuple[tuple[int, ...], tuple]:
    """The positions that are differentiated, counted from the front, and the arguments there."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    if len(set(numbers)) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    for n in numbers:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    found = tuple([n % len(args) for n in numbers])
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return found, tuple([args[n] for n in found])


def of_picked(func: Callable, numbers: tuple[int, ...], args: tuple, kwargs: dict) -> Callable:
    """func as a function of the arguments at some positions, the others being as given."""

    def f(*chosen: Any) -> Any:
        replaced = list(args)
        for n, x in zip(numbers, chosen, strict=True):
            replaced[n] = x
        return func(*replaced, **kwargs)

    return f


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


def checked_output(out: Any, name: str) -> Any:
    """The result of a function that is differentiated.

    Raises:
        RuntimeError: it is empty or holds what is no tensor.
    """
    leaves = tree.leaves(out, is_leaf=is_none)
    if not leaves or leaves == [None]:
        shown = "[None]" if leaves else f"{out}"
        raise RuntimeError(f"{name}: Expected f to be a function that has non-empty output (got output = {shown})")
    for o in leaves:
        if not isinstance(o, Tensor):
            raise RuntimeError(f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(o)}")
    return out


def with_aux(out: Any, name: str) -> tuple:
    """The pair (result, aux) that a function returned.

    Raises:
        RuntimeError: it is none.
    """
    if not isinstance(out, tuple) or len(out) != 2:
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return out
