"""`nans`: stop at the first operation that gives NaN or an infinity, forward or backward, and name its line."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from funcgrad.core.scope import Scope
from funcgrad.core.trace import observer
from funcgrad.debug.nonfinite import Search
from funcgrad.debug.watch import Watch, watching
from funcgrad.errors import ArgumentError


def nans(f: Callable | None = None, *, nan: bool = True, inf: bool = True) -> Any:
    """Look for the first NaN or infinity: `with nans():`, or `nans(f)` for the calls of a function.

    Each operation on Arrays, and on values that are being differentiated or batched, is looked at, and so is its
    derivative in the backward pass, also if that comes later. Operations on nothing but plain ndarrays and numbers are
    NumPy's own and cannot be seen; what they give is seen as an operand.

    Arguments:
        f: a function whose calls, and the backward passes through them, are looked at.
        nan: whether to look for NaN.
        inf: whether to look for infinities.

    Returns:
        A function like f; without f a context manager, which is also a decorator. It holds for the thread, or the
        asynchronous task, that entered it.

    Raises:
        NonFiniteError: by the first operation that gives what is looked for. The message names the operation, the line
            of the user's code, the operands and the elements, and says whether an operand was bad before.
        ArgumentError: f is no function, or one that runs after it has returned: a generator or coroutine function.

    Example:
        >>> with fg.debug.nans():
        ...     y = fnp.log(fnp.array([1.0, 0.0]))
        Traceback (most recent call last):
        funcgrad.errors.NonFiniteError: Inf from `log`, called at ...

    Source: the counterpart of `jax.debug_nans` and `jax.debug_infs`.
    """
    manager = _Nans(Search(nan, inf))
    return manager if f is None else manager(f)


class _Nans(Scope):
    """The context manager and decorator that `nans` gives. It has no state, so one may be entered several times."""

    __slots__ = ("search",)

    def __init__(self, search: Search) -> None:
        self.search = search

    @property
    def entered(self) -> int:  # type: ignore[override]  # an attribute of other scopes
        """How many watches there are in this context."""
        watch, n = observer.get(), 0
        while watch is not None:
            watch, n = watch.outer, n + 1
        return n

    def __enter__(self) -> None:
        watch = Watch(self.search, observer.get())
        observer.set(watch)
        watch.adopt_running()
        watching(watch, True)

    def leave(self, *error: object) -> None:
        watch = observer.get()
        watching(watch, False)
        observer.set(watch.outer)

    def __call__(self, f: Callable) -> Callable:
        if not callable(f):
            raise ArgumentError(
                f"nans takes a function, got {f!r} of type {type(f).__name__}. To say what it looks for write "
                f"nans(nan=True, inf=False)"
            )
        if inspect.iscoroutinefunction(f) or inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f):
            raise ArgumentError(
                f"nans: {f.__name__} is a generator or coroutine function, which runs after its call has returned. "
                f"Write `with nans():` inside it"
            )

        @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def watched(*args: Any, **kwargs: Any) -> Any:
            with self:
                return f(*args, **kwargs)

        return watched
