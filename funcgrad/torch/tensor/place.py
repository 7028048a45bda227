"""Places in the user's code: file, line, function and the text of the line."""

from __future__ import annotations

import linecache
import os
from types import CodeType


class Place:
    """A line of code.

    Attributes:
        file: its name, as Python knows it.
        line: the number of the line.
        function: the name of the function, "<module>" outside of any.
    """

    __slots__ = ("file", "function", "line")

    def __init__(self, file: str, line: int, function: str) -> None:
        self.file, self.line, self.function = file, line, function

    @classmethod
    def of(cls, code: CodeType, lasti: int) -> Place:
        """The place of an instruction, by its offset in bytes."""
        for start, end, line in code.co_lines():
            if start <= lasti < end:
                return cls(code.co_filename, line or code.co_firstlineno, code.co_qualname)
        return cls(code.co_filename, code.co_firstlineno, code.co_qualname)

    @property
    def text(self) -> str:
        """The line itself, without its indentation; "" if the code cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def short(self) -> str:
        """The name of the file without its folder, and the line; of an example in a text the line itself."""
        text = self.text
        if text and self.file.startswith("<doctest "):
            return f"`{text}`"
        return f"{os.path.basename(self.file)}:{self.line}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and (self.file, self.line) == (other.file, other.line)

    def __hash__(self) -> int:
        return hash((self.file, self.line))

    def __str__(self) -> str:
        text = self.text
        if text and self.file.startswith("<doctest "):
            return text
        return self.short + (f": {text}" if text else "")

    def __repr__(self) -> str:
        return f"<Place {self}>"
