"""`torch.compiler`: marks for torch.compile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.core.scope import Scope
from funcgrad.torch import _dynamo
from funcgrad.torch._dynamo import eval_frame
from funcgrad.torch.base.modes import state
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
    """The function, which runs as it is also after torch.compile; without one, a decorator."""
    if fn is None:
        return disable

    @functools.wraps(fn)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        before, state.compiling = state.compiling, False
        try:
            return fn(*args, **kwargs)
        finally:
            state.compiling = before

    disabled._torchdynamo_disable = True  # type: ignore[attr-defined]  # torch's name
    return disabled


def is_compiling() -> bool:
    """Whether this is called from a function of torch.compile."""
    return state.compiling


is_dynamo_compiling = is_compiling


def is_exporting() -> bool:
    """False: there is no torch.export."""
    return False


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names of backends, which are all the same here."""
    return _dynamo.list_backends(exclude_tags)


def reset() -> None:
    """Forget all compiled programs."""
    _dynamo.reset()


class set_stance(Scope):  # noqa: N801  (torch's name)
    """Say how functions are to be compiled, for good or as a context: with "force_eager" they run as they are."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None):
        self.before, eval_frame.stance.name = eval_frame.stance.name, stance
        self.stance = stance

    def __enter__(self) -> None:
        self.entered = 1
        eval_frame.stance.name = self.stance

    def leave(self, *error: object) -> None:
        eval_frame.stance.name = self.before
        self.entered = 0

    def __call__(self, fn: Any) -> Any:
        eval_frame.stance.name = self.before  # as a decorator it does nothing yet

        @functools.wraps(fn)
        def within(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return within


publish(__name__)
