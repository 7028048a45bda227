"""`Partial`: a function together with some of its arguments, as a pytree."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.core.tree import register_pytree_node
from funcgrad.errors import ArgumentError


class Partial(functools.partial):
    """A `functools.partial` that is a pytree: its arguments are children, its function belongs to the structure.

    So a function that carries arrays can be an argument or a result of a transform, and be differentiated with respect
    to them.

    Arguments:
        func: the function. A partial is taken as it is, and its arguments do not become children.
        args: positional arguments that come first.
        keywords: keyword arguments.

    Raises:
        ArgumentError: func cannot be called.

    Example:
        >>> line = fg.Partial(lambda slope, offset, x: slope * x + offset, 2.0, 1.0)
        >>> line(3.0)
        7.0
        >>> fg.grad(lambda f: f(3.0))(line).args
        (Array(3., dtype=float64), Array(1., dtype=float64))

    Source: `jax.tree_util.Partial` (https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.Partial.html).
    """

    def __new__(cls, func: Callable[..., Any], /, *args: Any, **keywords: Any) -> Partial:
        if not callable(func):
            raise ArgumentError(f"Partial expects a function first, got {func!r} of type {type(func).__name__}")
        made = super().__new__(cls, func)
        # functools would join the arguments of a partial to ours. Those that are ours are the children.
        made.__setstate__((func, args, keywords, None))  # type: ignore[attr-defined]  # which its stubs lack
        return made


register_pytree_node(
    Partial, lambda p: ((p.args, p.keywords), p.func), lambda func, children: Partial(func, *children[0], **children[1])
)
