"""`Graph`: what every picture is made from, whoever made it and however it is written down.

Nodes stand in the order in which things happened, so edges run forwards. Values go along an edge, gradients come back
against it, unless the edge is a cut: then values went on and no gradient returns.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

LEAF, OPERATION, RESULT, CONSTANT, VALUE = KINDS = ("leaf", "operation", "result", "constant", "value")
"""What a node can be: where a gradient ends, a recorded operation, one whose result was asked for, a value that needs
no gradient, and a value that was cut off from its history."""


class Place(NamedTuple):
    """A line of somebody's program."""

    file: str
    line: int
    function: str = ""
    text: str = ""

    def __str__(self) -> str:
        if self.text and (self.file.startswith("<") or "ipykernel_" in self.file):  # no file: what somebody has typed
            return self.text
        place = f"{os.path.basename(self.file)}:{self.line}"
        return f"{place}: {self.text}" if self.text else place


@dataclass(slots=True)
class Node:
    """One box of a picture.

    Attributes:
        id: names the node in its graph.
        title: what it is: the operation, or the name of a leaf.
        kind: one of `KINDS`.
        name: what the program calls the value, if that is known.
        type: shape and dtype, as `float32[2,3]`.
        value: a small value, as text.
        kept: bytes that are kept for the way back.
        keeps: what they are, in the words of the derivative rule, as "x, out".
        grad: the gradient, as text, if there is one.
        notes: further lines.
        alarm: what is wrong here, such as "3 NaN".
        place: the line of the program that made it.
        group: the functions and modules that it is in, the outermost first.
        calls: a number for each of these, which tells one call from the next; nothing if that is not known.
    """

    id: str
    title: str
    kind: str = OPERATION
    name: str = ""
    type: str = ""
    value: str = ""
    kept: int = 0
    keeps: str = ""
    grad: str = ""
    notes: tuple[str, ...] = ()
    alarm: str = ""
    place: Place | None = None
    group: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()

    @property
    def heading(self) -> str:
        """The first line of the box."""
        return f"{self.name} = {self.title}" if self.name and self.name != self.title else self.title

    def lines(self) -> Iterator[tuple[str, str]]:
        """The other lines of the box, each with the role that says how it looks."""
        if self.type:
            yield "type", self.type
        for note in self.notes:
            yield "note", note
        if self.value:
            yield "value", self.value
        if self.kept:
            yield "kept", f"keeps {f'{self.keeps}: ' if self.keeps else ''}{size_text(self.kept)}"
        if self.grad:
            yield "grad", f"grad {self.grad}"
        if self.alarm:
            yield "alarm", self.alarm


@dataclass(slots=True)
class Edge:
    """A value that goes from one node to another.

    Attributes:
        source, target: the ids of the nodes.
        label: a word on the edge.
        cut: why no gradient comes back, such as "detach()"; None where it does.
        place: the line that cut it.
        gradient: whether a gradient comes back; False for constants, which never had one.
    """

    source: str
    target: str
    label: str = ""
    cut: str | None = None
    place: Place | None = None
    gradient: bool = True

    @property
    def style(self) -> str:
        """How it is drawn: "cut", "gradient" or "value"."""
        return "cut" if self.cut is not None else "gradient" if self.gradient else "value"

    def lines(self) -> list[str]:
        """What is written on it."""
        found = [self.label] if self.label else []
        if self.cut is not None:
            found.append(f"cut: {self.cut}")
            if self.place is not None:
                found.append(str(self.place))
        return found


@dataclass(slots=True)
class Graph:
    """Nodes in the order of time, and the edges between them.

    Raises:
        ValueError: two nodes have one id, or an edge leads to a node that is not there.
    """

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    title: str = ""
    by_id: dict[str, Node] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.by_id = {n.id: n for n in self.nodes}
        if len(self.by_id) < len(self.nodes):
            raise ValueError("two nodes of a graph have the same id")
        for e in self.edges:
            for end in (e.source, e.target):
                if end not in self.by_id:
                    raise ValueError(f"an edge of the graph ends at {end!r}, and no node is called so")


def without_common_group(nodes: Sequence[Node]) -> None:
    """Take the outer groups away that all operations are in: they are not worth a box."""
    inside = [n for n in nodes if n.kind == OPERATION or (n.kind == RESULT and n.type)]
    while inside and inside[0].group and all(n.group[:1] == inside[0].group[:1] for n in inside):
        for n in inside:
            n.group, n.calls = n.group[1:], n.calls[1:]


def size_text(n: int) -> str:
    """A number of bytes, short: `48 B`, `1.2 kB`."""
    value, k = float(n), 0
    while value >= 999.5 and k < 4:
        value, k = value / 1000, k + 1
    return f"{value:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[k]}"


LONGEST = 56
"""Characters of a line that are shown."""


def clipped(text: str) -> str:
    """A line, short enough to be shown, without characters that no picture can hold."""
    text = safe(" ".join(text.split()))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def safe(text: str) -> str:
    """Text without the characters that no XML may hold."""
    return "".join([c if c >= " " or c == "\t" else "�" for c in text]).translate(_UNPAIRED)


_UNPAIRED = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "�")
