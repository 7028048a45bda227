"""`torch.multiprocessing`: Python's multiprocessing, and processes that are started and joined together.

Tensors go from process to process as copies. Memory that tensors share after a fork is that of the fork's moment.
"""

from __future__ import annotations

import multiprocessing as _python
from multiprocessing import *

from funcgrad.core.faces import publish
from funcgrad.torch.multiprocessing.spawn import ProcessContext as ProcessContext
from funcgrad.torch.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from funcgrad.torch.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from funcgrad.torch.multiprocessing.spawn import spawn as spawn
from funcgrad.torch.multiprocessing.spawn import start_processes as start_processes

_sharing = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """The one set last; it makes no difference here."""
    return _sharing


def set_sharing_strategy(new_strategy: str) -> None:
    """Say how PyTorch would share memory between processes."""
    global _sharing
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {get_all_sharing_strategies()}"
        )
    _sharing = new_strategy


__all__ = [
    *[name for name in _python.__all__ if name != "reducer"],  # a module
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]

publish(__name__)
