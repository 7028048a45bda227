"""`debug.callback` and `debug.print`: look at values while a program that is being transformed runs.

Both see the values themselves: under grad, vjp and jvp those of the forward pass, under vmap those of one example after
the other. They stay on a tape although nobody reads a result of theirs, and act whenever the tape runs.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from string import Formatter
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import wrap
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.call import Call
from funcgrad.transforms.callback import ndarrays
from funcgrad.transforms.vmap import BatchTrace


def callback(
    callback: Callable, *args: PyTree, ordered: bool = False, partitioned: bool = False, **kwargs: PyTree
) -> None:
    """Call a function for what it does, with the values that its arguments have.

    Arguments:
        callback: takes ndarrays (read-only); its result is dropped.
        args, kwargs: pytrees of arrays for the callback, and anything else, which is passed as it is.
        ordered, partitioned: accepted as in JAX; calls are in the order of the program here.

    Example:
        >>> import funcgrad as fg
        >>> seen = []
        >>> fg.grad(lambda x: (fg.debug.callback(seen.append, x), x * x)[1])(3.0)
        Array(6., dtype=float64)
        >>> seen
        [array(3.)]

    Source: `jax.debug.callback`.
    """
    if not callable(callback):
        raise ArgumentError(f"debug.callback takes a function, got {callback!r} of type {type(callback).__name__}")
    leaves, structure = tree.flatten((args, kwargs))
    arrays = [hasattr(x, "dtype") and hasattr(x, "shape") for x in leaves]
    values, _ = input_values(tuple([x for x, a in zip(leaves, arrays, strict=True) if a]), "debug.callback")

    def run(*xs: Any) -> None:
        given = iter(xs)
        a, k = structure.unflatten([next(given) if is_array else x for x, is_array in zip(leaves, arrays, strict=True)])
        callback(*a, **k)

    DebugCall(run, getattr(callback, "__name__", "callback"))(*values)


class DebugCall(Call):
    """The call of a function that looks on: it has no results, and so no derivative."""

    __slots__ = ()
    effect = True

    def evaluate(self, *args: Any) -> list[Any]:
        self.body(*ndarrays(args))
        return []

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return []

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return self(*primals), []

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        return self(*primals), None

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        for i in range(trace.size):
            self(*[wrap(x[i]) if m else x for x, m in zip(args, mask, strict=True)])
        return [], ()


class _Strict(Formatter):
    """str.format that refuses arguments which the text does not mention."""

    def check_unused_args(self, used: Any, args: Sequence[Any], kwargs: Any) -> None:
        unused = [repr(k) for k in [*range(len(args)), *kwargs] if k not in used]
        if unused:
            raise ArgumentError(
                f"debug.print: the text does not use the arguments {', '.join(unused)}; put {{}} or {{name}} where "
                f"each shall stand. A text with f'...' is filled in before the values are known"
            )


_formatter = _Strict()


def print(fmt: str, *args: PyTree, ordered: bool = False, partitioned: bool = False, **kwargs: PyTree) -> None:
    """Print values while a program that is being transformed runs.

    Arguments:
        fmt: a text with replacement fields as for `str.format`; not an f-string.
        args, kwargs: pytrees of arrays (or anything else) for its fields.
        ordered, partitioned: accepted as in JAX.

    Raises:
        ArgumentError: the text does not mention an argument.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
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
        raise ArgumentError(f"debug.print takes a text first, got {fmt!r} of type {type(fmt).__name__}")
    names = [name for _, name, _, _ in Formatter().parse(fmt) if name is not None]
    _formatter.check_unused_args(_mentioned(names), args, kwargs)

    def show(*a: Any, **k: Any) -> None:
        builtins.print(_formatter.format(fmt, *tree.map(_shown, a), **tree.map(_shown, k)))

    callback(show, *args, **kwargs)


def _mentioned(names: list[str]) -> set[Any]:
    """The arguments that replacement fields name: `{}` counts up, `{0}`, `{a.b}`, `{a[0]}`."""
    heads = [n.split(".")[0].split("[")[0] for n in names]
    count = iter(range(len(heads)))
    return {next(count) if h == "" else int(h) if h.isdigit() else h for h in heads}


def _shown(x: Any) -> Any:
    """A scalar as a number, so that a format such as .3f applies."""
    return x[()] if getattr(x, "ndim", None) == 0 else x
