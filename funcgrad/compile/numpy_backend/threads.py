"""The threads that large groups are spread over, started when somebody first needs them.

A child process has none of its parent's threads, so it starts its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any

from funcgrad.core.locks import new_lock


class Pool:
    """A number of threads, the caller's own among them.

    Attributes:
        size: FUNCGRAD_NUM_THREADS, or else the number of cores, but at most eight.
    """

    def __init__(self) -> None:
        self.size = int(os.environ.get("FUNCGRAD_NUM_THREADS", 0)) or min(os.cpu_count() or 1, 8)
        self.executor: ThreadPoolExecutor | None = None
        self.lock = new_lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        """Start threads anew when they are needed next."""
        self.executor = None

    def run(self, f: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """f of each range, in order; the first in this thread."""
        if len(ranges) == 1:
            return [f(*ranges[0])]
        with self.lock:
            if self.executor is None:
                self.executor = ThreadPoolExecutor(self.size, "funcgrad")
        # in the caller's context, so that its np.errstate holds there too
        others = [self.executor.submit(copy_context().run, partial(f, *r)) for r in ranges[1:]]
        return [f(*ranges[0]), *[o.result() for o in others]]


pool = Pool()
