"""Tiers: a program runs with NumPy first, and in machine code once that has been made in the background.

Machine code takes LLVM tens of milliseconds, so it is made of programs that are called a second time, in a thread of
its own, one after the other. LLVM works without the interpreter's lock. The thread ends when there is nothing to do,
so that no process of several threads forks for our sake.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections import deque

from funcgrad.compile.backends import register_backend
from funcgrad.compile.compiled import Compiled
from funcgrad.compile.native.backend import machine_code
from funcgrad.compile.native.llvm import missing
from funcgrad.compile.numpy_backend.program import program
from funcgrad.core.locks import new_lock

TIERS = "tiers"


class _Background:
    """Makes machine code of programs, one after the other."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._waiting: deque[Compiled] = deque()
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, compiled: Compiled) -> None:
        """Have machine code made of a program that has a kernel."""
        with self._lock:
            if self._closed:
                return
            self._waiting.append(compiled)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="funcgrad native code", daemon=True)
                self._thread.start()

    def join(self) -> None:
        """Wait until there is nothing to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def close(self) -> None:
        """Take no more, and wait for what is under way: the interpreter must not end in the midst of it."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
        self.join()

    def abandon(self) -> None:
        """In a forked child: the thread is not there, and what it was at stays with NumPy."""
        self._thread = None
        self._waiting.clear()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                compiled = self._waiting.popleft()
            with contextlib.suppress(Exception):  # whatever goes wrong with LLVM, the program goes on with NumPy
                kernel = None if missing() else machine_code(compiled.call.body.lowered)
                if kernel is not None:
                    compiled.replace_kernel(kernel)


background = _Background()
atexit.register(background.close)
if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=background.abandon)

register_backend(TIERS, program)  # type: ignore[arg-type]  # a function may have attributes
