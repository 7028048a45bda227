"""`staging`: while a function is written down, what it does to values that it closed over is written down, too.

A branch or the body of a loop may close over values that outer transforms trace, and work on them: `lambda: log(x)`.
Left to themselves, the outer traces would do that at once, although the branch may never be taken. So for that time
they hand what is done to their tracers to the trace that writes.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from typing import Any

import numpy as np

from funcgrad.core.scope import Scope
from funcgrad.core.trace import Trace
from funcgrad.transforms.make_tape import SymbolicTrace

_writes: ContextVar[Any] = ContextVar("funcgrad_staging", default=None)


class Staged(Trace):
    """Mixed into the class of a trace that hands on what is done to its tracers."""

    __slots__ = ()

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        return _writes.get().process(primitive, args, params)

    def unary(self, primitive: Any, x: Any) -> Any:
        return _writes.get().process(primitive, (x,), {})

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        return _writes.get().process(primitive, (x, y), {})

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return _writes.get().process_call(call, args)


@cache  # one for each kind of trace
def _staged(cls: type) -> type:
    return type(f"Staged{cls.__name__}", (Staged, cls), {"__slots__": ()})


class staging(Scope):  # noqa: N801  (a context manager)
    """Within a `with` block all traces that run around this one hand on to it what is done to their tracers.

    And NumPy does not warn of what it computes from plain arrays, in a branch that may not be taken.
    """

    __slots__ = ("before", "classes", "entered", "errors", "trace")

    def __init__(self, trace: SymbolicTrace) -> None:
        self.trace, self.entered = trace, 0

    def __enter__(self) -> None:
        outer = self.trace.outer
        self.classes = []
        while outer is not None:
            self.classes.append((outer, type(outer)))
            outer = outer.outer
        self.before, self.errors = _writes.get(), np.geterr()
        self.entered = 1
        _writes.set(self.trace)
        np.seterr(all="ignore")
        for outer, cls in self.classes:
            if not issubclass(cls, Staged):
                outer.__class__ = _staged(cls)  # type: ignore[arg-type]  # classes hash

    def leave(self, *error: Any) -> None:
        for each, cls in self.classes:
            each.__class__ = cls
        _writes.set(self.before)
        np.seterr(**self.errors)
        self.entered = 0
