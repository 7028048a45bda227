"""`torch._utils`: what libraries take from there. An exception on its way from another process or thread."""

from __future__ import annotations

import sys
import traceback
from typing import Any, NoReturn

from funcgrad.torch.base.naming import show_as_torch


class _Lines(str):
    """The argument of a KeyError that prints as several lines, not as their repr."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """The exception that is being handled, with its traceback as text: it can be pickled and raised elsewhere.

    Arguments:
        exc_info: what `sys.exc_info()` gives; by default now.
        where: where it was raised, for the message.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        exc_info = exc_info or sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the same type, whose message has the traceback in it.

        Raises:
            RuntimeError: the type cannot be made from a message.
        """
        msg = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            msg = _Lines(msg)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=msg)
        raise self._made(msg)  # no variable has it, which would keep this frame alive

    def _made(self, msg: str) -> BaseException:
        try:
            return self.exc_type(msg)
        except Exception:  # it takes other arguments, and does not say how it refuses these
            return RuntimeError(msg)


show_as_torch(__name__)
