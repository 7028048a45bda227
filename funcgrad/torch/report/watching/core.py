"""Replacing what a program calls for a while, and what the functions in its place have in common."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from funcgrad.torch.base import modes
from funcgrad.torch.report.places import here
from funcgrad.torch.report.session import Session
from funcgrad.torch.tensor.node import next_number

FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(FOLDER)))) + os.sep


class _Thread(threading.local):
    """Whether a call is being carried out, within which nothing is remembered."""

    busy = False


class _Running:
    """The session that looks on, if one does."""

    session: Session | None = None


thread, running = _Thread(), _Running()


def direct(depth: int = 2) -> bool:
    """Whether the user's code itself called, and not funcgrad on its behalf."""
    return not sys._getframe(depth).f_code.co_filename.startswith(PACKAGE)


@contextmanager
def inside() -> Any:
    before, thread.busy = thread.busy, True
    try:
        yield
    finally:
        thread.busy = before


def as_user(f: Callable) -> Callable:
    """A function of the user's that funcgrad calls: what it calls is remembered."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        before, thread.busy = thread.busy, False
        try:
            return f(*args, **kwargs)
        finally:
            thread.busy = before

    return call


class Patches:
    """What was replaced for a session, and how that is undone."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.undo: list[Callable[[], None]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Replace an attribute until the end."""
        own = vars(owner)
        had, old = name in own, own.get(name)
        setattr(owner, name, value)
        self.undo.append((lambda: setattr(owner, name, old)) if had else (lambda: delattr(owner, name)))


def watched(name: str, f: Callable) -> Callable:
    """A function that tells what it was called with and gave, where it is called outermost."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        session = running.session  # modules that were imported under another one have its functions
        if session is None or thread.busy or modes.state.transforms:
            return f(*args, **kwargs)
        thread.busy = True
        try:
            first = next_number()
            result = f(*args, **kwargs)
        except Exception as error:  # of any kind; it goes on
            session.failed(name, args, error, here())
            thread.busy = False
            raise
        try:
            session.calls.called(name, args, kwargs, result, (first, next_number()), here(), direct())
        except Exception as error:  # of any kind: what fails in looking on must not end the program
            session.stop(error)
        finally:
            thread.busy = False
        return result

    return call


def without_ours(traceback: TracebackType | None) -> None:
    """Take the frames of this folder out of a traceback."""
    while traceback is not None:
        following = traceback.tb_next
        while following is not None and following.tb_frame.f_code.co_filename.startswith(FOLDER):
            following = following.tb_next
        traceback.tb_next = following
        traceback = following
