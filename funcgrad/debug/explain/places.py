"""Where an operation was called: the line of the user's code, and the function that the line calls."""

from __future__ import annotations

import linecache
import os
from typing import NamedTuple

from funcgrad.debug.origins import shown_source


class Place(NamedTuple):
    """A line of code.

    Attributes:
        file, line: of the line.
        call: the public function of funcgrad that the line called, as `clip`; None if it is an operator or unknown.
    """

    file: str
    line: int
    call: str | None = None

    @property
    def line_alone(self) -> Place:
        """The same line, whatever it calls."""
        return Place(self.file, self.line)

    @property
    def source(self) -> str:
        """The line itself, without the blanks around it; empty if it cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def short(self) -> str:
        """File and number of the line, as `model.py:12`."""
        return f"{os.path.basename(self.file)}:{self.line}"

    def __str__(self) -> str:
        source = shown_source(self.file, self.line)
        return f"{self.short}: {source}" if source else self.short
