"""`torch.compiler`: marks for a compiler that there is not. Functions run as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.settings import compile as compile

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
]


def allow_in_graph(fn: Any) -> Any:
    """The function itself."""
    return fn


def assume_constant_result(fn: Any) -> Any:
    """The function itself."""
    return fn


def cudagraph_mark_step_begin() -> None:
    """Does nothing."""


def disable(fn: Callable | None = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself; without one, a decorator."""
    return allow_in_graph if fn is None else fn


def is_compiling() -> bool:
    """False: nothing is compiled."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """None."""
    return []


def reset() -> None:
    """Does nothing: nothing is kept of compiled functions."""


class set_stance:  # noqa: N801  (torch's name)
    """Say how functions are to be compiled, for good or as a context or decorator: it makes no difference."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None):
        self.stance = stance

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, fn: Any) -> Any:
        return fn


publish(__name__)
