"""What writers of text need of a graph with open and closed groups: the nesting, and edges between what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from funcgrad.draw.graph import Edge, Node
from funcgrad.draw.group import Group
from funcgrad.draw.groups import Grouped


class Outline:
    """A graph down to its closed groups.

    Arguments:
        whole: the graph and its groups.
        opened: the groups whose inside is shown.
    """

    def __init__(self, whole: Grouped, opened: Iterable[Group]) -> None:
        self.whole, self._open = whole, {id(g) for g in opened} | {id(whole.root)}
        nodes = {n.id: n for n in whole.root.nodes()}
        self._shown: dict[str, Node | Group] = {id: self._outermost(nodes[id], g) for id, g in whole.home.items()}

    def is_open(self, g: Group) -> bool:
        """Whether the inside of a group is shown."""
        return id(g) in self._open

    def _outermost(self, n: Node, home: Group | None) -> Node | Group:
        """What is shown of a node: itself, or the outermost closed group around it."""
        found: Node | Group = n
        while home is not None:
            if not self.is_open(home):
                found = home
            home = home.parent
        return found

    def walk(self, root: Group) -> Iterator[tuple[int, Node | Group, bool]]:
        """What is shown in a group: (depth, node or group, whether this is the end of an open group)."""
        waiting: list[tuple[int, Node | Group, bool]] = [(0, c, False) for c in reversed(root.children)]
        while waiting:
            depth, x, closing = waiting.pop()
            yield depth, x, closing
            if isinstance(x, Group) and not closing and self.is_open(x):
                waiting.append((depth, x, True))
                waiting += [(depth + 1, c, False) for c in reversed(x.children)]

    def edges(self) -> Iterator[tuple[Node | Group, Node | Group, Edge]]:
        """The edges between what is shown, each once."""
        seen = set()
        for e in self.whole.edges:
            source, target = self._shown[e.source], self._shown[e.target]
            key = source.id, target.id, e.label, e.cut, e.gradient
            if source is not target and key not in seen:
                seen.add(key)
                yield source, target, e
