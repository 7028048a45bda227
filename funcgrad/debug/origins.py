"""Where an operation comes from: a line of the user's code, or the derivative of another operation."""

from __future__ import annotations

import linecache
import os
from types import CodeType
from typing import Any

from funcgrad.callers import user_frame

PULLED = "in the derivative of"
"""The relation of what a backward rule computes to the operation whose rule it is."""

_LONGEST = 100  # characters of a line that are shown


class Origin:
    """Where one application of a primitive comes from.

    Arguments:
        primitive: what was applied.
        line: file and number of the line of the user's code that applied it, or None.
        inside: the origin of the operation in whose course it was applied, or None.
        relation: how the two are connected, in words.
    """

    __slots__ = ("inside", "line", "primitive", "relation")

    def __init__(self, primitive: Any, line: tuple[str, int] | None, inside: Origin | None, relation: str) -> None:
        self.primitive, self.line, self.inside, self.relation = primitive, line, inside, relation

    @property
    def place(self) -> tuple[str, int] | None:
        """File and number of the innermost line that is known."""
        return self.line if self.line is not None or self.inside is None else self.inside.place

    def __str__(self) -> str:
        text = f"`{self.primitive.name}`"
        if self.line is not None:
            text += f", called at {_line_text(*self.line)}"
        return text if self.inside is None else f"{text}, {self.relation} {self.inside}"


def origin(primitive: Any, inside: Origin | None, relation: str, within: CodeType) -> Origin:
    """The origin of a primitive that is being applied at this moment.

    Arguments:
        primitive: what is applied.
        inside, relation: in the course of what, as for `Origin`.
        within: code of a function; the lines that led to its call belong to `inside`.
    """
    if inside is not None and inside.primitive is primitive and relation != PULLED:
        return inside  # the same operation, one level down
    frame = user_frame(within)
    line = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
    if inside is not None and inside.line == line:
        line = None
    return Origin(primitive, line, inside, relation)


def shown_source(path: str, number: int) -> str:
    """A line of code without the blanks around it, shortened if it is long; empty if it cannot be read."""
    source = linecache.getline(path, number).strip()
    return f"{source[:_LONGEST]} …" if len(source) > _LONGEST else source


def _line_text(path: str, number: int) -> str:
    source = shown_source(path, number)
    place = f"{os.path.basename(path)}:{number}"
    return f"{place}: `{source}`" if source else place
