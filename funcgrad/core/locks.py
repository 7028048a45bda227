"""Locks that a child process finds free.

`os.fork` copies one thread only. A lock that another thread held at that moment would be held in the child for good.
"""

from __future__ import annotations

import os
import threading
from weakref import WeakSet

_locks: WeakSet = WeakSet()


def new_lock() -> threading.Lock:
    """A lock that is free in a child process, whoever held it when the process forked."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def _free_all() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # as the standard library does with its own


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=_free_all)
