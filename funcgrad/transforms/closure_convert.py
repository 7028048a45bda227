"""`closure_convert`: what a function closes over, as arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, TreeError
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.closing import close


def closure_convert(fun: Callable, *example_args: PyTree) -> tuple[Callable, list[Any]]:
    """A function that takes as further arguments what it closed over, and those values.

    Functions with derivative rules of their own, which may not close over values that are being differentiated, can
    take functions that do in this way.

    Arguments:
        fun: a function of pytrees of arrays, which may close over values that are being transformed. It is run once,
            now, on shapes and dtypes.
        example_args: arguments like those that it will be called with: structure, shapes and dtypes.

    Returns:
        `(converted, constants)`: `converted(*args, *constants)` equals `fun(*args)` and closes over no traced value.

    Raises:
        NoValueError: fun asks for a number that is not known.
        TreeError: converted gets arguments of another structure than the examples.

    Example:
        >>> def loss(a):
        ...     converted, constants = fg.closure_convert(lambda x: a * x, 1.0)
        ...     return converted(3.0, *constants)
        >>> fg.grad(loss)(2.0)
        Array(3., dtype=float64)

    Source: `jax.closure_convert` (https://docs.jax.dev/en/latest/_autosummary/jax.closure_convert.html).
    """
    if not callable(fun):
        raise ArgumentError(f"closure_convert takes a function, got {fun!r} of type {type(fun).__name__}")
    values, in_tree = input_values(example_args, "closure_convert")
    examples = [wrap(v) for v in values]
    body, constants, out_tree = close(
        lambda *xs: fun(*in_tree.unflatten(xs)), examples, "closure_convert", decides=False
    )

    def converted(*args: Any) -> PyTree:
        n = len(args) - len(constants)
        leaves, found = tree.flatten(args[:n])
        if n < 0 or found != in_tree:
            raise TreeError(
                f"The inputs to the closure produced by closure_convert must be arguments of the structure that the "
                f"examples had, {in_tree}, followed by {len(constants)} constants; got {tree.structure(args)}"
            )
        given = [x if isinstance(x, Array) else Array(x) for x in leaves]
        return out_tree.unflatten([wrap(o) for o in body(*args[n:], *given)])

    return converted, constants
