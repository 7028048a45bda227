"""Scopes: context managers that end with their `with` block, whatever interrupts them.

A KeyboardInterrupt may arrive as the first thing in an `__exit__` that is written in Python, before its first line. The
block is left then, and what `__exit__` was to undo would stay for good. The same holds for an `__enter__` that has done
its work and not yet returned.

A `with` statement looks `__exit__` up before it calls `__enter__`, and holds what it found on the stack of its frame
until the block has ended: nothing else holds it, and a traceback that keeps frames alive keeps no stacks. So a scope
gives a new object there each time, a `Leaving`. Called it leaves the scope; if it dies while the scope is still
entered, `__exit__` was interrupted, and it leaves the scope then, before the exception goes on its way.

Who calls `__enter__` by hand has no such object, and the scope stays entered until `__exit__` is called, by whomever.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import _GeneratorContextManager
from typing import Any


class Leaving(functools.partial):
    """What the `with` block of a scope holds: its `leave`, and how often the scope was entered before."""

    __slots__ = ("before",)
    before: int

    def __del__(self) -> None:
        scope = self.func.__self__  # type: ignore[attr-defined]  # a bound method
        try:
            before = self.before
        except AttributeError:  # it was not finished, so nobody has entered anything
            return
        if scope.entered > before:
            scope.leave()


class _Exit:
    """The attribute `__exit__` of scopes."""

    __slots__ = ()

    def __get__(self, scope: Any, owner: Any = None) -> Any:
        if scope is None:
            return _leave
        leaving = Leaving(scope.leave)
        leaving.before = scope.entered
        return leaving


def _leave(scope: Any, *error: Any) -> Any:
    """`__exit__` as an attribute of the class, which contextlib.ExitStack calls."""
    return scope.leave(*error)


class Scope:
    """A context manager. A subclass has `__enter__` and `leave`.

    `__enter__` notes what there was, adds 1 to `entered`, and only then changes anything; `leave` puts back what there
    was, takes 1 off `entered` as the last thing, and may be interrupted and called again.

    Attributes:
        entered: how many blocks of it are open.
    """

    __slots__ = ()
    entered = 0
    __exit__: Any = _Exit()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def leave(self, *error: Any) -> Any:
        """What `__exit__` does; without arguments if there was no time for it."""
        raise NotImplementedError


class Replaced(Scope):
    """Within it attributes of objects have other values.

    Arguments:
        changes: `(object, name, value)` each.
    """

    __slots__ = ("before", "changes", "entered")

    def __init__(self, *changes: tuple[Any, str, Any]) -> None:
        self.entered, self.changes = 0, changes

    def __enter__(self) -> None:
        self.before = [(thing, name, getattr(thing, name)) for thing, name, _ in self.changes]
        self.entered = 1
        for thing, name, value in self.changes:
            setattr(thing, name, value)

    def leave(self, *error: Any) -> None:
        for thing, name, value in self.before:
            setattr(thing, name, value)
        self.entered = 0


class Generated(_GeneratorContextManager, Scope):
    """The scope that a generator function with one `yield` describes; made by `scoped`."""

    def __init__(self, f: Callable, args: tuple, kwargs: dict) -> None:
        super().__init__(f, args, kwargs)
        self.entered = 0

    def __enter__(self) -> Any:
        self.entered = 1
        return super().__enter__()

    __exit__: Any = _Exit()

    def leave(self, *error: Any) -> Any:
        done = super().__exit__(*(error or (None, None, None)))
        self.entered = 0
        return done


def scoped(f: Callable) -> Callable[..., Generated]:
    """`contextlib.contextmanager`, whose block runs what comes after the `yield` even if it is interrupted."""

    @functools.wraps(f)
    def make(*args: Any, **kwargs: Any) -> Generated:
        return Generated(f, args, kwargs)

    return make
