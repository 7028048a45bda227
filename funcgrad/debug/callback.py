"""`debug.callback` and `debug.print`: look at values while a program that is being transformed runs.

Both see the values themselves: under grad, vjp and jvp those of the forward pass, under vmap those of one example after
the other. They stay on a tape although nobody reads a result of theirs, and act whenever the tape runs. What runs again
in the backward pass acts again: a checkpoint, and a recorded loop whose number of steps is not known.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from string import Formatter
from typing import Any

from funcgrad.core import tree
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, CallbackError
from funcgrad.transforms.arguments import split_arrays
from funcgrad.transforms.call import Call
from funcgrad.transforms.callback import ndarrays, one_by_one
from funcgrad.transforms.vmap import BatchTrace
from funcgrad.transforms.wraps import name_of


def callback(
    callback: Callable | None = None,
    *args: PyTree,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: PyTree,
) -> Any:
    """Call a function for its side effects, on concrete values.

    Arguments:
        callback: takes ndarrays; its result is dropped.
        args, kwargs: pytrees of arrays for the callback, and anything else, which is passed as it is.
        ordered, partitioned: accepted as in JAX; calls are in the order of the program here.

    Returns:
        None. Called without a callback, a function that takes one and its arguments: `callback(ordered=True)(f, x)`.

    Raises:
        ArgumentError: callback can't be called.

    Example:
        >>> seen = []
        >>> fg.grad(lambda x: (fg.debug.callback(seen.append, x), x * x)[1])(3.0)
        Array(6., dtype=float64)
        >>> seen
        [array(3.)]

    Source: `jax.debug.callback` (https://docs.jax.dev/en/latest/_autosummary/jax.debug.callback.html).
    """
    if callback is None and not args and not kwargs:
        return _call
    _call(callback, *args, **kwargs)
    return None


def _call(callback: Any, *args: PyTree, **kwargs: PyTree) -> None:
    if not callable(callback):
        raise ArgumentError(
            f"first argument to debug.callback must be callable, got {callback!r} of type {type(callback).__name__}"
        )
    values, whole = split_arrays((args, kwargs))

    def run(*xs: Any) -> None:
        a, k = whole(xs)
        callback(*a, **k)

    DebugCall(run, name_of(callback))(*values)


class DebugCall(Call):
    """The call of a function that only observes: it has no results, and so no derivative."""

    __slots__ = ()
    effect = True
    host = True

    def evaluate(self, *args: Any) -> list[Any]:
        self.body(*ndarrays(args))
        return []

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return []

    def linear(self, mask: Sequence[bool]) -> bool:
        return True

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return self(*primals), []

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        return self(*primals), None

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        return one_by_one(self, trace.size, args, mask), ()


class _Check(Formatter):
    """Fills a format string with nothing, so that a fault in it is reported at its place in the program."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return ""

    def check_unused_args(self, used: Any, args: Sequence[Any], kwargs: Any) -> None:
        places = [repr(x) for i, x in enumerate(args) if i not in used]
        names = [k for k in kwargs if k not in used]
        if places or names:
            kind, unused = ("keyword", names) if names else ("positional", places)
            raise CallbackError(
                f"Unused {kind} arguments to debug.print: {', '.join(unused)}. Put {{}} or {{name}} where each shall "
                f"stand. You may be passing an f-string, which is filled in before the values are known"
            )


def print(
    fmt: str,
    *args: PyTree,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: PyTree,
) -> None:
    """Print values while a program that is being transformed runs.

    Arguments:
        fmt: a text with replacement fields as for `str.format`; not an f-string.
        args, kwargs: pytrees of arrays (or anything else) for its fields.
        ordered, partitioned: accepted as in JAX.
        skip_format_check: whether arguments that the text does not mention are fine.

    Raises:
        CallbackError: the text does not mention an argument.
        KeyError, IndexError: the text mentions one that is not there.

    Example:
        >>> def f(x):
        ...     y = fnp.sin(x)
        ...     fg.debug.print("y = {y:.3f}", y=y)
        ...     return y
        >>> fg.grad(f)(0.5)
        y = 0.479
        Array(0.87758256, dtype=float64)

    Source: `jax.debug.print` (https://docs.jax.dev/en/latest/_autosummary/jax.debug.print.html).
    """
    if not isinstance(fmt, str):
        raise ArgumentError(f"debug.print takes a text first, expected str, got {fmt!r} of type {type(fmt).__name__}")
    if not skip_format_check:
        _Check().format(fmt, *args, **kwargs)

    def show(*a: Any, **k: Any) -> None:
        builtins.print(fmt.format(*tree.map(_shown, a), **tree.map(_shown, k)))

    _call(show, *args, **kwargs)


def _shown(x: Any) -> Any:
    """A scalar as a number, so that a format such as .3f applies."""
    return x[()] if getattr(x, "ndim", None) == 0 else x
