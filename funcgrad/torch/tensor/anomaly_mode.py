"""Anomaly detection: errors of the backward walk show where the forward operation was called."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path
from typing import Any

from funcgrad.core.scope import Scope
from funcgrad.torch.base.modes import state
from funcgrad.torch.texts import graph as texts

_OWN = str(Path(__file__).parents[1])
"""The folder whose frames are not the user's."""


def remember_traceback(node: Any) -> None:
    """Keep with a new node the lines that led to it, and the node whose backward made it."""
    node.metadata["traceback_"] = _user_stack()
    if state.running is not None:
        node.metadata["parent_"] = state.running


def _user_stack() -> list[str]:
    """The stack without the frames of this package."""
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(_OWN):
        frames.pop()
    return traceback.format_list(frames)


def report(node: Any) -> None:
    """Warn that a node failed, with the traceback of its forward call, and of the calls that led to that."""
    stack = node.metadata.get("traceback_")
    where = texts.NO_TRACEBACK if stack is None else texts.TRACEBACK.format(stack="".join(stack))
    _warn(f"Error detected in {node.name()}. {where}")
    parent = node.metadata.get("parent_") if stack is not None else None
    while parent is not None:
        stack = parent.metadata.get("traceback_")
        where = texts.TRACEBACK_OF_PARENT.format(stack="".join(stack or ()))
        _warn(texts.CAUSED_BY.format(name=parent.name(), where=texts.NO_TRACEBACK if stack is None else where))
        parent = parent.metadata.get("parent_") if stack is not None else None


def _warn(text: str) -> None:
    """Warn; where warnings are errors, print it, for the error that is on its way must not be lost."""
    try:
        warnings.warn(text, UserWarning, stacklevel=7)
    except UserWarning as e:
        traceback.print_exception(e)


class detect_anomaly(Scope):  # noqa: N801  (torch's name)
    """Within it errors of backward show the forward call, and gradients that are nan raise."""

    def __init__(self, check_nan: bool = True) -> None:
        self.prev, self.prev_nan, self.check_nan = state.anomaly, state.anomaly_nan, check_nan
        warnings.warn(texts.ANOMALY_ENABLED, stacklevel=2)

    def __enter__(self) -> None:
        self.prev, self.prev_nan = state.anomaly, state.anomaly_nan
        self.entered += 1
        state.anomaly, state.anomaly_nan = True, self.check_nan
        state.settle()

    def leave(self, *error: object) -> None:
        state.anomaly, state.anomaly_nan = self.prev, self.prev_nan
        state.settle()
        self.entered -= 1


class set_detect_anomaly(Scope):  # noqa: N801  (torch's name)
    """Switch anomaly detection on or off: at once, and as a context manager until its end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev, self.prev_nan = state.anomaly, state.anomaly_nan
        state.anomaly, state.anomaly_nan = mode, check_nan
        state.settle()

    def __enter__(self) -> None:
        self.entered += 1

    def leave(self, *error: object) -> None:
        state.anomaly, state.anomaly_nan = self.prev, self.prev_nan
        state.settle()
        self.entered -= 1


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection looks for nan."""
    return state.anomaly_nan
