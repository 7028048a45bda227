"""Python's collector of cyclic garbage, and the passes: they make many objects that live long, and none in cycles.

Each time the number of long-lived objects has grown by a quarter the collector looks at all of them, which took up to a
third of the first call of a long program.
"""

from __future__ import annotations

import gc
import os
from typing import Any

from funcgrad.core.scope import Scope

_open: set[Uncollected] = set()
"""The scopes that have stopped the collector. There is no lock, which an interrupt might leave held: where two threads
are within such scopes the collector goes on when the first one leaves."""


class Uncollected(Scope):
    """Within it nothing is collected but by counting references, if that was not so before."""

    __slots__ = ("entered",)

    def __init__(self) -> None:
        self.entered = 0

    def __enter__(self) -> None:
        self.entered = 1
        if gc.isenabled():
            _open.add(self)
            gc.disable()

    def leave(self, *error: Any) -> None:
        if self in _open:
            gc.enable()
            _open.discard(self)
        self.entered = 0


def _leave_all() -> None:
    """In a forked child, where no other thread is within a scope."""
    if _open:
        _open.clear()
        gc.enable()


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=_leave_all)
