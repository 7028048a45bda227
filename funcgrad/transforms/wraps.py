"""What a transformed function is called: it keeps the name of the original, and its docstring says what it is."""

from __future__ import annotations

import functools
from collections.abc import Callable

_KEPT = ("__module__", "__qualname__")


def wraps(f: Callable, summary: str) -> Callable[[Callable], Callable]:
    """As `functools.wraps`, with a docstring of its own before that of the original.

    Arguments:
        f: the original.
        summary: what the result is, with `{}` for the name of f.

    Returns:
        A decorator.
    """

    def decorate(transformed: Callable) -> Callable:
        functools.update_wrapper(transformed, f, assigned=_KEPT)
        transformed.__name__ = name_of(f)
        doc = summary.format(name_of(f))
        if hasattr(f, "__name__") and f.__doc__:  # an object without a name has the docstring of its class
            doc += f"\n\nOriginal documentation:\n\n{f.__doc__}"
        transformed.__doc__ = doc
        return transformed

    return decorate


def name_of(f: Callable) -> str:
    """What a function is called in messages; `functools.partial` and instances with `__call__` have no name."""
    while isinstance(f, functools.partial):
        f = f.func
    return getattr(f, "__name__", type(f).__name__)
