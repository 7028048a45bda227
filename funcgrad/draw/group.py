"""`Group`: a box with a picture inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from funcgrad.draw.graph import Node


@dataclass(slots=True, eq=False)
class Group:
    """A box with a picture inside.

    Attributes:
        label: its title.
        children: what it holds, in the order of time.
        parent: the group around it; None for the whole picture.
        count: how often it happened, one of which is shown.
        id: names it in the picture.
    """

    label: str = ""
    children: list[Group | Node] = field(default_factory=list, repr=False)
    parent: Group | None = field(default=None, repr=False)
    count: int = 1
    id: str = ""

    @property
    def title(self) -> str:
        """The label, and how often it happened."""
        return f"{self.label} × {self.count}" if self.count > 1 else self.label

    def groups(self) -> Iterator[Group]:
        """This group and all that are in it, the outer ones first."""
        waiting = [self]
        while waiting:
            g = waiting.pop()
            yield g
            waiting += [c for c in reversed(g.children) if isinstance(c, Group)]

    def nodes(self) -> Iterator[Node]:
        """All nodes in it."""
        for g in self.groups():
            yield from (c for c in g.children if isinstance(c, Node))

    def all(self) -> Iterator[tuple[Node, int]]:
        """All nodes in it, and how often each happened."""
        waiting = [(self, self.count)]
        while waiting:
            g, times = waiting.pop()
            for c in g.children:
                if isinstance(c, Group):
                    waiting.append((c, times * c.count))
                else:
                    yield c, times

    @property
    def kept(self) -> int:
        """The bytes that are kept by all that happened in it."""
        return sum([times * n.kept for n, times in self.all()])
