"""Running a backward walk, with the callbacks at its end; in a thread of its own if it is within many others."""

from __future__ import annotations

import threading
from typing import Any

from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.engine import Walk

_DEEPEST = 30
"""As many walks may run within one another in one thread; the next one gets a thread, and a stack, of its own."""


def run(walk: Walk) -> None:
    """Run a walk, and then the callbacks that were queued in it."""
    if state.depth and state.depth % _DEEPEST == 0:
        _run_in_thread(walk)
    else:
        _run_here(walk)


def _run_here(walk: Walk) -> None:
    depth = state.depth
    state.depth, outer = depth + 1, state.walk
    try:
        walk.run()
        state.walk = walk
        for callback in walk.callbacks:  # the list may grow while it is read
            callback()
    finally:
        state.depth, state.walk = depth, outer


def _run_in_thread(walk: Walk) -> None:
    modes, failed = dict(vars(state)), []

    def work() -> None:
        vars(state).update(modes)
        try:
            _run_here(walk)
        except BaseException as e:
            failed.append(e)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def queue_callback(f: Any) -> None:
    """Call f when the backward walk that is running has ended."""
    if state.walk is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    state.walk.callbacks.append(f)
