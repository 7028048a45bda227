"""What transforms take and give: pytrees of arrays, taken apart into leaves that are checked one by one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core import tree
from funcgrad.core.array import Array, snapshot, wrap
from funcgrad.core.trace import Trace, Tracer
from funcgrad.core.types import PYTHON_NUMBERS, PyTree
from funcgrad.errors import ArgumentError

float0 = np.dtype([("float0", np.void, 0)])
"""The dtype of the cotangent of an integer: it carries no information, as in JAX."""

_LEAVES = (Array, ndarray, np.generic, bool, int, float, complex)


def leaf_value(x: Any, where: Callable[[], str]) -> Any:
    if not isinstance(x, _LEAVES):
        hint = "; register its class as a pytree" if hasattr(x, "__dict__") else ""
        raise ArgumentError(
            f"{where()} must be an array or a number, but it is {x!r} of type {type(x).__name__}{hint}. "
            f"Close over values that are no arrays, e.g. lambda x: f(x, {x!r})"
        )
    try:
        return snapshot(x)[()] if type(x) in PYTHON_NUMBERS else snapshot(x)
    except ArgumentError as e:
        raise ArgumentError(f"{where()}: {e}") from None


def input_values(
    args: tuple,
    name: str,
    numbers: Sequence[int | str] | None = None,
    refuse: Callable[[Any, Any], str | None] | None = None,
) -> tuple[list[Any], Any]:
    """The leaves of the arguments of a transform as raw values or outer tracers, and their structure.

    Nobody else can write to the values: ndarrays are copied.

    Arguments:
        args: the arguments.
        name: of the transform, for messages.
        numbers: the positions of the arguments as the user counts them; by default 0, 1, …
        refuse: given a leaf and its dtype, says what is wrong with them, or None.

    Raises:
        ArgumentError: a leaf is no array, or refused; the message gives its place.
    """
    leaves, in_tree = tree.flatten(args)

    def place(k: int) -> str:
        return f"{name}: {tree.argument_place(tree.leaves_with_path(args)[k][0], numbers)}"

    values = []
    for k, x in enumerate(leaves):
        if type(x) is Array:
            value = x._value
        elif isinstance(x, Tracer):
            x._check_alive()
            value = x
        else:
            value = leaf_value(x, functools.partial(place, k))
        if refuse is not None and (problem := refuse(x, value.dtype)):
            raise ArgumentError(f"{place(k)} {problem}")
        values.append(value)
    return values, in_tree


def output_values(out: PyTree, name: str) -> tuple[list[Any], Any]:
    """The leaves of what the user's function returned, as Arrays and tracers, and their structure."""
    leaves, out_tree = tree.flatten(out)
    values = []
    for k, x in enumerate(leaves):
        if not isinstance(x, Array):
            x = wrap(leaf_value(x, functools.partial(_result_place, out, k, name)))
        values.append(x)
    return values, out_tree


def _result_place(out: PyTree, k: int, name: str) -> str:
    place = tree.keystr(tree.leaves_with_path(out)[k][0])
    return f"{name}: the result of the function{f' at {place}' if place else ''}"


def split_aux(out: Any, has_aux: bool, trace: Trace) -> tuple[PyTree, PyTree]:
    """What the user's function returned as (result, aux); aux as it is outside the trace, and None if there is none.

    Raises:
        ArgumentError: has_aux is true, and the function did not return a pair.
    """
    if not has_aux:
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise ArgumentError(
            f"{trace.transform}: with has_aux=True the function must return a pair (result, aux), got "
            f"{type(out).__name__}"
        )
    result, aux = out
    return result, tree.map(lambda x: wrap(x._value) if isinstance(x, Array) and trace.own(x) else x, aux)
