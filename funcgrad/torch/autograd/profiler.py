"""`torch.autograd.profiler`: marks in a program, which funcgrad does not time."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import _Mode
from funcgrad.torch.texts import namespaces as texts

__all__ = [
    "profile",
    "record_function",
]


watchers: list[Callable[[str, float], Any]] = []
"""What is called with the name and the seconds of each part that is over: profiles that are on."""


class record_function(_Mode):  # noqa: N801  (torch's name)
    """Name a part of a program, which `torch.profiler.profile` shows."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._start = 0.0

    def __enter__(self) -> record_function:
        if watchers:
            self._start = perf_counter()
        return self

    def leave(self, *error: Any) -> None:
        for watch in watchers:
            watch(self.name, perf_counter() - self._start)

    def clone(self) -> record_function:
        """Another one with the same arguments."""
        return type(self)(self.name, self.args)


class profile:  # noqa: N801  (torch's name)
    """Not available: use Python's own profilers, such as cProfile.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError(texts.NO_PROFILER)


publish(__name__)
