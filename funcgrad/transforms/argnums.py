"""Which arguments a transform differentiates with respect to: `argnums`, and the dtypes that have derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.errors import ArgumentError
from funcgrad.transforms.arguments import Refusal


def argument_numbers(argnums: Any, name: str) -> tuple[int, ...]:
    """The argnums that a transform was given, as a tuple of ints.

    Raises:
        ArgumentError: argnums is neither an int nor a sequence of some.
    """
    try:
        numbers = tuple([index(n) for n in argnums]) if isinstance(argnums, Sequence) else (index(argnums),)
    except TypeError:
        numbers = ()
    if not numbers:
        raise ArgumentError(f"{name}: argnums must be an int or a non-empty sequence of ints, got {argnums!r}")
    return numbers


def chosen_arguments(
    f: Callable, numbers: tuple[int, ...], args: tuple, kwargs: dict, name: str
) -> tuple[Callable, tuple, Sequence[int]]:
    """The arguments to differentiate with respect to, and f as a function of them alone.

    Arguments:
        f: the function.
        numbers: the argnums; negative ones count from the last argument.
        args, kwargs: what it was called with.
        name: of the transform, for messages.

    Returns:
        `(g, chosen, places)` with `g(*chosen) = f(*args, **kwargs)`, and the positions of the chosen ones.

    Raises:
        ArgumentError: there is no such argument, or one is named twice.
    """
    if not kwargs and len(args) == len(numbers) and (numbers == (0,) or numbers == tuple(range(len(args)))):
        return f, args, numbers
    places = [_position(n, len(args), name) for n in numbers]
    if len(set(places)) < len(places):
        raise ArgumentError(f"{name}: argnums={numbers} names an argument twice")
    chosen = tuple([args[n] for n in places])

    def g(*xs: Any) -> Any:
        full = list(args)
        for n, x in zip(places, xs, strict=True):
            full[n] = x
        return f(*full, **kwargs)

    return g, chosen, places


def _position(n: int, count: int, name: str) -> int:
    """The position of an argument, from an argnum that may be negative."""
    if not -count <= n < count:
        raise ArgumentError(
            f"{name}: differentiating with respect to argnums={n} requires at least {n + 1 if n >= 0 else -n} "
            f"positional arguments to be passed by the caller, but got only {count} positional arguments. Pass what is "
            f"to be differentiated by position"
        )
    return n % count


def without_gradient(holomorphic: bool, allow_int: bool) -> Refusal:
    """What reverse mode says of a leaf that it cannot differentiate with respect to; None if it can.

    The result is the `refuse` of `input_values`.
    """

    def refuse(x: Any, dtype: np.dtype) -> tuple[str, str] | None:
        if dtype.kind == "c" or (dtype.kind == "f" and not holomorphic):
            return None
        if holomorphic:
            return not_complex(dtype)
        if allow_int:
            return None
        return (
            f"requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got {dtype}",
            f"Pass {f'a float, such as {float(x)!r}' if isinstance(x, int) else 'x.astype(float)'}, choose other "
            f"arguments with argnums, or allow_int=True for gradients that are zero",
        )

    return refuse


def not_complex(dtype: np.dtype) -> tuple[str, str]:
    """What a transform says of a leaf that should be complex, as `refuse` of `input_values`."""
    return (
        f"with holomorphic=True requires inputs with complex dtype, but got {dtype}",
        "Pass x.astype(complex), or leave holomorphic out",
    )
