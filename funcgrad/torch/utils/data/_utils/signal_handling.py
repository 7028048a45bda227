"""Workers that die: their process learns of it at once, wherever it waits."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from funcgrad.torch.texts import data as texts

_workers: dict[int, tuple[int, ...]] = {}
"""The process numbers of the workers, by the id of what reads from them."""

_handling = False


def watch(reader: int, pids: tuple[int, ...]) -> None:
    """Raise a RuntimeError in the main thread if one of these processes fails.

    Where there is no SIGCHLD, or in another thread, whoever waits looks by itself from time to time.
    """
    if not hasattr(signal, "SIGCHLD") or threading.current_thread() is not threading.main_thread():
        return
    _workers[reader] = pids
    if not _handling:
        _handle()
    raise_for_failed_workers()  # if one failed before


def _handle() -> None:
    global _handling
    before = signal.getsignal(signal.SIGCHLD)

    def handle(number: int, frame: Any) -> None:
        raise_for_failed_workers()
        if callable(before):
            before(number, frame)

    signal.signal(signal.SIGCHLD, handle)
    _handling = True


def forget(reader: int) -> None:
    """Its workers may end."""
    _workers.pop(reader, None)


def raise_for_failed_workers() -> None:
    """Look at all workers.

    Raises:
        RuntimeError: one was killed, or has ended with an exit code that is not 0.
    """
    for reader, pids in list(_workers.items()):
        for pid in pids:
            try:
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # it is over, and somebody has asked for its exit code
                continue
            if ended is None or (ended.si_code == os.CLD_EXITED and ended.si_status == 0):
                continue
            _workers[reader] = ()  # it is said once
            if ended.si_code == os.CLD_EXITED:
                raise RuntimeError(texts.WORKER_EXITED.format(pid=pid, code=ended.si_status))
            raise RuntimeError(texts.WORKER_KILLED.format(pid=pid, signal=signal.strsignal(ended.si_status)))
