"""Targets: who may carry out a part of a program in the place of NumPy.

The writer of a program asks its target, if it has one, for groups, programs of numbers and loops before it writes its
own text. None means that NumPy shall do it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from funcgrad.compile.numpy_backend.groups import Group
from funcgrad.compile.numpy_backend.schedule import Grouper
from funcgrad.core.tape import Equation, Tape
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While


class Part(Protocol):
    """A part of a program that a target carries out.

    Attributes:
        text: what it does, for people.
    """

    text: str


class GroupPart(Part, Protocol):
    """A group that a target carries out.

    Its function takes the raw values of the operands, and gives those of the needed members, then of the reductions.

    Attributes:
        operands: the equations outside that it reads.
        taken: for needed members the operand whose memory they take.
    """

    operands: list[Equation]
    taken: dict[Equation, Equation]


class Target(Grouper, Protocol):
    """Who makes functions of parts of one program."""

    def written_out(self, tape: Tape) -> Tape:
        """The same program of operations that it can take."""

    def group(
        self, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
    ) -> GroupPart | None:
        """A group.

        Arguments:
            group: the operations.
            needed: the members whose whole results somebody outside reads.
            title: the name of the function.
            lent: the operands whose memory it may write over.
        """

    def cut(self, tape: Tape) -> Tape:
        """The same program with calls in the places of what it can take of it."""

    def numbers(self, tape: Tape, title: str, with_numpy: Callable[..., tuple]) -> Part | None:
        """A program of numbers.

        Arguments:
            tape, title: the program, and the name of the function.
            with_numpy: does the same on arrays, and warns where a result is not finite.
        """

    def loop(self, body: Scan | While, title: str, with_numpy: Callable[..., tuple]) -> Part | None:
        """A loop whose step is a program of numbers; arguments as for `numbers`."""

    def takes(self, e: Equation) -> bool:
        """Whether it carries out an equation by itself."""

    def alone(self, e: Equation, title: str, over: bool) -> Part:
        """An equation by itself, which it takes.

        Its function takes the raw values of the operands, and gives a tuple of the result.

        Arguments:
            e, title: the equation, and the name of the function.
            over: whether the result is written over the operand.
        """

    def finish(self) -> dict[str, Callable[..., Any]]:
        """The functions of all parts, by their titles; it is asked once, when all has been written."""
