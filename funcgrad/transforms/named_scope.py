"""`named_scope`: a name for a part of a function, which tapes remember and pictures show as a group."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from funcgrad.core.scope import Scope
from funcgrad.errors import ArgumentError

scopes: ContextVar[tuple[str, ...]] = ContextVar("funcgrad_scopes", default=())
"""The names of the running scopes, the outermost first."""


class named_scope(Scope):  # noqa: N801  (JAX's name; a context manager and a decorator)
    """What runs in the block, or in the function, belongs together: pictures group it under this name.

    Arguments:
        name: of the scope. Scopes may be nested.

    Raises:
        ArgumentError: the name is no text.

    Example:
        >>> def f(x):
        ...     with fg.named_scope("layer"):
        ...         y = fnp.tanh(2.0 * x)
        ...     return fnp.sum(y)
        >>> [e.plan.scope for e in fg.make_tape(f)(fnp.ones(3))]
        [('layer',), ('layer',), ()]

    Source: `jax.named_scope` (https://docs.jax.dev/en/latest/_autosummary/jax.named_scope.html).
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ArgumentError(f"named_scope takes a name, got {name!r} of type {type(name).__name__}")
        self.name, self.entered = name, 0
        self.before: list[tuple[str, ...]] = []

    def __enter__(self) -> None:
        self.before.append(scopes.get())
        self.entered += 1
        scopes.set((*self.before[-1], self.name))

    def leave(self, *error: Any) -> None:
        if len(self.before) == self.entered:
            scopes.set(self.before[-1])
            self.before.pop()
        self.entered -= 1

    def __call__(self, f: Callable) -> Callable:
        @functools.wraps(f)
        def named(*args: Any, **kwargs: Any) -> Any:
            with named_scope(self.name):
                return f(*args, **kwargs)

        return named
