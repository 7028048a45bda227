"""The native target: parts of a program as functions of one LLVM module."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from funcgrad.compile.native.calls import define_symbols
from funcgrad.compile.native.formulas import written_out
from funcgrad.compile.native.fourier.part import FourierPart
from funcgrad.compile.native.fourier.transforms import takes
from funcgrad.compile.native.groups import group_part, group_suits
from funcgrad.compile.native.ir import TYPES, Module
from funcgrad.compile.native.layout import writable
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.numbers import numbers_part
from funcgrad.compile.native.programs import loop_part, program_part
from funcgrad.compile.native.stretches import Stretch, cut
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
        self._tapes: list[Tape] = []
        self._watched: dict[Tape, Collection[int]] = {}  # by stretch, its results for which NumPy warns
        self._taken: set[Any] = set()  # equations, and the bodies of loops and stretches

    def written_out(self, tape: Tape) -> Tape:
        """The program with formulas in the places of elementwise operations that are no ufuncs."""
        made = written_out(tape)
        self._tapes.append(made)
        return made

    def group(
        self, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
    ) -> GroupPart | None:
        """A group."""
        part = group_part(self.module, group, needed, title, lent)
        return self._known(title, part, (*group.members, *group.pulled, *group.reductions))

    def writes(self, e: Equation) -> bool:
        """An equation of large arrays."""
        return e.dtype in TYPES and writable(e)

    def suits(self, group: Group) -> bool:
        """Whether a group of small arrays is worth machine code, which LLVM takes some ten milliseconds for."""
        return len(self.parts) < _MANY and group_suits(group)

    def cut(self, tape: Tape) -> Tape:
        """The program with calls in the places of what it can take of it."""
        made = cut(tape)
        if made is not tape:
            self._tapes = [made if t is tape else t for t in self._tapes]
            calls = [e for e in made.equations if type(e.primitive) is Stretch]
            self._taken.update([e.primitive.body for e in calls])
            self._watched.update({e.primitive.body.tape: e.primitive.watched for e in calls})
        return made

    def numbers(self, tape: Tape, title: str, with_numpy: Callable[..., tuple]) -> Part | None:
        """A program of numbers, or of arrays."""
        watched = self._watched.get(tape, range(len(tape.outputs)))
        given = (self.module, tape, title, with_numpy, watched)
        return self._known(title, numbers_part(*given) or program_part(*given), tape.equations)

    def loop(self, body: Scan | While, title: str, with_numpy: Callable[..., tuple]) -> Part | None:
        """A loop."""
        return self._known(title, loop_part(self.module, body, title, with_numpy), [body])

    def takes(self, e: Equation) -> bool:
        """Whether it carries out an equation by itself: a Fourier transform."""
        return takes(e)

    def alone(self, e: Equation, title: str, over: bool) -> Part:
        """An equation by itself."""
        return self._known(title, FourierPart(self.module, e, title, over), [e])

    def finish(self) -> dict[str, Callable[..., Any]]:
        """The functions of all parts, by their titles."""
        if not self.parts:
            return {}
        define_symbols()
        library = Library(self.module.text)
        return {title: part.function(library) for title, part in self.parts.items()}

    def outside(self) -> tuple[str, ...]:
        """The operations that are left to NumPy, when all has been written."""
        left = [e for tape in self._tapes for e in tape.equations if e not in self._taken and e.picks is None]
        return tuple([_text(e) for e in left if getattr(e.primitive, "body", None) not in self._taken])

    def _known(self, title: str, part: Any, taken: Iterable[Any]) -> Any:
        if part is not None:
            self.parts[title] = part
            self._taken.update(taken)
        return part


def _text(e: Equation) -> str:
    """An operation, and what it gives."""
    pairs = list(zip(e.shape, e.dtype, strict=True)) if isinstance(e.dtype, tuple) else [(e.shape, e.dtype)]
    return f"{e.primitive.name} -> {', '.join([f'{dtype}{list(shape)}' for shape, dtype in pairs])}"
