"""The native target: parts of a program as functions of one LLVM module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from funcgrad.compile.native.calls import define_symbols
from funcgrad.compile.native.formulas import written_out
from funcgrad.compile.native.groups import group_part, group_suits
from funcgrad.compile.native.ir import Module
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.loops import loop_part
from funcgrad.compile.native.numbers import numbers_part
from funcgrad.compile.numpy_backend.groups import Group
from funcgrad.compile.numpy_backend.target import GroupPart, Part
from funcgrad.core.tape import Equation, Tape
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While

_MANY = 64  # parts of a program from which only large ones are worth more


class NativePart(Part, Protocol):
    """A part that is written in the module."""

    def function(self, library: Library) -> Callable[..., Any]:
        """What carries the part out, by the compiled code of the module, which it keeps alive."""


class NativeGroupPart(NativePart, GroupPart, Protocol):
    """A group that is written in the module."""


class NativeTarget:
    """Makes machine code of the parts of one program.

    Attributes:
        parts: what it has taken, by title.
        smallest: elements from which an array is worth a group.
    """

    smallest = 32

    def __init__(self) -> None:
        self.module = Module()
        self.parts: dict[str, NativePart] = {}

    def written_out(self, tape: Tape) -> Tape:
        """The program with formulas in the places of elementwise operations that are no ufuncs."""
        return written_out(tape)

    def group(
        self, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
    ) -> GroupPart | None:
        """A group."""
        return self._known(title, group_part(self.module, group, needed, title, lent))

    def suits(self, group: Group) -> bool:
        """Whether a group of small arrays is worth machine code, which LLVM takes some ten milliseconds for."""
        return len(self.parts) < _MANY and group_suits(group)

    def numbers(self, tape: Tape, title: str, with_numpy: Callable[..., tuple]) -> Part | None:
        """A program of numbers."""
        return self._known(title, numbers_part(self.module, tape, title, with_numpy))

    def loop(self, body: Scan | While, title: str, with_numpy: Callable[..., tuple]) -> Part | None:
        """A loop whose step is a program of numbers."""
        return self._known(title, loop_part(self.module, body, title, with_numpy))

    def finish(self) -> dict[str, Callable[..., Any]]:
        """The functions of all parts, by their titles."""
        if not self.parts:
            return {}
        define_symbols()
        library = Library(self.module.text)
        return {title: part.function(library) for title, part in self.parts.items()}

    def _known(self, title: str, part: Any) -> Any:
        if part is not None:
            self.parts[title] = part
        return part
