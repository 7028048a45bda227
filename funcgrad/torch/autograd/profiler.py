"""`torch.autograd.profiler`: marks in a program, which funcgrad does not time."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import _Mode
from funcgrad.torch.texts import namespaces as texts

__all__ = [
    "profile",
    "record_function",
]


class record_function(_Mode):  # noqa: N801  (torch's name)
    """Name a part of a program. There is no profiler that would show it."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def leave(self, *error: Any) -> None:
        pass

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
