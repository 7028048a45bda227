"""Functions that are written for one program: they know all that such a call needs to look at."""

from __future__ import annotations

import builtins
from types import CodeType, FunctionType
from typing import Any


class Source:
    """The source of a function.

    Attributes:
        lines: of its body.
        scope: what they refer to.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"__builtins__": builtins}

    def known(self, x: Any) -> str:
        """A name for something that is known now."""
        if x is None or x is True or x is False:
            return repr(x)
        name = f"c{len(self.scope)}"
        self.scope[name] = x
        return name

    def written(self, head: str) -> Any:
        """The function: its name and parameters are in `head`."""
        text = f"def {head}:\n" + "".join([f"    {line}\n" for line in self.lines])
        code = next(c for c in compile(text, "<funcgrad torch.compile>", "exec").co_consts if type(c) is CodeType)
        return FunctionType(code, self.scope)
