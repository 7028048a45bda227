"""`saved_residuals`: what reverse mode keeps of a function for its backward pass, and where that is from.

The forward pass is written down as a tape whose results are the residuals. So each of them is an input, a constant, or
what some operation gives.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.tape import Equation
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, type_text
from funcgrad.ops import structural
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.closing import close
from funcgrad.transforms.vjp import Pullback, vjp


def saved_residuals(f: Callable, *args: PyTree, **kwargs: PyTree) -> list[tuple[ShapeDtypeStruct, str]]:
    """What reverse mode keeps of a function for its backward pass.

    Arguments:
        f: a function of pytrees of arrays.
        args, kwargs: its arguments.

    Returns:
        A list with shape and dtype of each residual, and in words where it comes from: an argument, a constant, an
        operation. What several operations keep is listed once.

    Raises:
        ArgumentError: an argument or the result has a leaf that is no array.

    Example:
        >>> from funcgrad.ad_checkpoint import saved_residuals
        >>> saved_residuals(lambda x, y: fnp.sin(x) * y, 1.0, 2.0)
        [(ShapeDtypeStruct(shape=(), dtype=float64), 'from the argument x'),
         (ShapeDtypeStruct(shape=(), dtype=float64), 'from the argument y'),
         (ShapeDtypeStruct(shape=(), dtype=float64), 'output of sin')]

    Source: the function of that name behind `jax.ad_checkpoint.print_saved_residuals`.
    """
    return [(kind, source) for kind, source, _ in _residuals(f, args, kwargs)]


def print_saved_residuals(f: Callable, *args: PyTree, **kwargs: PyTree) -> None:
    """Print a table of what reverse mode keeps of a function: type, where it comes from, and what for.

    Arguments:
        f, args, kwargs: as for `saved_residuals`.

    Example:
        >>> from funcgrad.ad_checkpoint import print_saved_residuals
        >>> print_saved_residuals(lambda x, y: fnp.sin(x) * y, 1.0, 2.0)
        float64[] from the argument x, for sin
        float64[] from the argument y, for multiply
        float64[] output of sin, for multiply

    Source: `jax.ad_checkpoint.print_saved_residuals`.
    """
    for kind, source, users in _residuals(f, args, kwargs):
        print(f"{type_text(kind)} {source}, for {' and '.join(users)}")


def _residuals(f: Callable, args: tuple, kwargs: dict) -> list[tuple[ShapeDtypeStruct, str, list[str]]]:
    """(type, source, names of the operations that keep it) of each residual."""
    if not callable(f):
        raise ArgumentError(f"saved_residuals takes a function, got {f!r} of type {type(f).__name__}")
    values, in_tree = input_values((args, kwargs), "saved_residuals", ("args", "kwargs"))
    keepers: list[str] = []

    def forward(*xs: Any) -> list[Any]:
        _, pullback = vjp(lambda a, k: f(*a, **k), *in_tree.unflatten(xs))
        kept, keepers[:] = _leaves(pullback)
        return kept

    body, constants, _ = close(forward, [wrap(v) for v in values], "saved_residuals")
    inputs = body.tape.inputs[len(constants) :]
    sources = dict(zip(inputs, [f"from the argument {name}" for name in argument_names(f, args, kwargs)], strict=True))
    found: dict[Any, tuple[ShapeDtypeStruct, str, list[str]]] = {}
    for o, keeper in zip(body.tape.outputs, keepers, strict=True):
        recorded = type(o) is Equation and o not in body.tape.inputs[: len(constants)]
        source = "from a constant" if not recorded else sources.get(o) or _description(o)
        entry = found.setdefault(o if recorded else id(o), (ShapeDtypeStruct(o.shape, o.dtype), source, []))
        if keeper not in entry[2]:
            entry[2].append(keeper)
    places = {e: k for k, e in enumerate([*inputs, *body.tape.equations])}
    return [found[e] for e in sorted(found, key=lambda e: places.get(e, -1))]


def _leaves(pullback: Pullback) -> tuple[list[Any], list[str]]:
    """The arrays that a pullback keeps, and for each the name of the operation that keeps it."""
    kept, keepers = [], []
    for e in pullback.equations:
        for r in e.residuals:
            for x in r if type(r) is tuple else (r,):
                if isinstance(x, (Array, np.ndarray, np.generic)):
                    kept.append(wrap(x))
                    keepers.append(e.primitive.name)
    return kept, keepers


def argument_names(f: Callable, args: tuple, kwargs: dict) -> list[str]:
    """What each leaf of the arguments is called, as `x[0]`."""
    names: list[str] = []
    with suppress(TypeError, ValueError):  # some builtins have no signature
        parameters = inspect.signature(f).parameters.values()
        names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    found = []
    for path, _ in tree.leaves_with_path((args, kwargs)):
        positional, rest = path[0].idx == 0, path[2:]
        key = path[1].idx if positional else path[1].key
        name = key if not positional else names[key] if key < len(names) else f"args[{key}]"
        found.append(f"{name}{tree.keystr(rest)}")
    return found


def _description(e: Equation) -> str:
    """What an equation gives, in words."""
    if e.primitive is structural.name:
        return f"named '{e.params['name']}'"
    if e.picks is not None:
        operation = e.operation.primitive
        if isinstance(getattr(operation, "body", None), TapeBody):
            inner = operation.body.tape.outputs[e.picks]
            if type(inner) is Equation and inner.plan is not None:
                return _description(inner)
        return f"output {e.picks} of {operation.name}"
    return f"output of {e.primitive.name}"
