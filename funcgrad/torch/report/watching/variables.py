"""The variables of a program that is running."""

from __future__ import annotations

import sys
from typing import Any

from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.report.session import Session
from funcgrad.torch.report.watching.core import PACKAGE


def running_scopes() -> list[dict[str, Any]]:
    """The variables of the functions of the user that are running, the innermost last; those of the program first."""
    frame: Any = sys._getframe(1)
    scopes: list[dict[str, Any]] = []
    while frame is not None:
        users = not frame.f_code.co_filename.startswith((PACKAGE, "<"))
        if users and (frame.f_globals.get("__name__") == "__main__" or not scopes):
            scopes.append(frame.f_locals)
        frame = frame.f_back
    return scopes[::-1]


def name_leaves(session: Session) -> None:
    """Name the leaves that variables of the running functions hold, the first few times."""
    if session.count > 5 and all(leaf.name for leaf in session.leaves.alive() if leaf.matters):
        return
    if session.count > 200:
        return
    session.names.look(running_scopes(), is_module)


def is_module(value: Any) -> bool:
    """Whether a value is an nn.Module that has been set up."""
    return isinstance(value, Module) and "_parameters" in vars(value)
