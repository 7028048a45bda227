"""Folding: of parts that follow one another and do the same, such as the steps of a loop, the first one is kept.

Parts do the same if their operations have the same names, types and cuts, in the same groups, and if they are linked
within themselves, and to the part before, in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from funcgrad.draw.graph import Edge, Node
from funcgrad.draw.group import Group

FEWEST = 3
"""Repetitions that are worth folding."""
LARGE = 6
"""Operations of a part from which it is folded even if no part reads what another one has left."""
REPEATED = "repeated"
"""The label of parts that are in no function or module of their own."""
CARRIED = "↻ on to the next"
"""The note of a node that is read by the next part."""
LONGEST = 600
"""How many children a repeated part may have at most."""


class Folding:
    """Finds repeated parts in every group, the innermost first, and keeps the first of each."""

    def __init__(self, root: Group, edges: list[Edge]) -> None:
        self.same: dict[str, str] = {}  # for what is not shown, the node in an earlier part that does the same
        self.parts: dict[str, list[tuple[int, int]]] = {}  # for each node (which fold, which part of it)
        self.groups: list[Group] = []  # of each fold
        self.into: dict[str, list[Edge]] = {}
        for e in edges:
            self.into.setdefault(e.target, []).append(e)
        self.numbers: dict[object, int] = {}
        self.signature: dict[int, int] = {}  # by id of the group
        for g in reversed(list(root.groups())):
            self._fold(g)
            self._sign(g)
        self.starts = self._first_values()

    def kept(self, id: str) -> str:
        """The node that stands for this one in the picture."""
        while id in self.same:
            id = self.same[id]
        return id

    def carries(self, e: Edge) -> bool:
        """Whether an edge leads from one part of a fold to another one, which is not shown."""
        return self._between(e) is not None

    def _between(self, e: Edge) -> int | None:
        parts = dict(self._all_parts(e.source))
        return next((fold for fold, k in self._all_parts(e.target) if parts.get(fold, k) != k), None)

    def passed(self, e: Edge) -> list[Group]:
        """The folds whose parts do not hold the source of an edge that comes from a leaf.

        They are those in which other parts read the leaf too, and those into whose first part it goes where the others
        read what the part before has left.
        """
        return [*[self.groups[fold] for fold, k in self._all_parts(e.target) if k], *self.starts.get(id(e), ())]

    def _first_values(self) -> dict[int, list[Group]]:
        """The edges into first parts of folds where other parts have one from the part before, with these folds."""
        found: dict[int, list[Group]] = {}
        for target, edges in self.into.items():
            shown = self.into.get(self.kept(target), ()) if target in self.same else ()
            for e, start in zip(edges, shown, strict=False):
                fold = self._between(e)
                if fold is not None:
                    found.setdefault(id(start), []).append(self.groups[fold])
        return found

    def _all_parts(self, id: str) -> Iterator[tuple[int, int]]:
        after = -1
        while True:
            found = [p for p in self.parts.get(id, ()) if p[0] > after]
            yield from found
            if id not in self.same:
                return
            id, after = self.same[id], found[-1][0]

    def _sign(self, g: Group) -> None:
        inner = tuple([self._of(c) for c in g.children])
        self.signature[id(g)] = self._number((_unnumbered(g.label), g.count, inner))

    def _number(self, what: object) -> int:
        return self.numbers.setdefault(what, len(self.numbers))

    def _of(self, c: Group | Node) -> int:
        if isinstance(c, Group):
            return self.signature[id(c)]
        cuts = tuple(sorted([e.cut or "" for e in self.into.get(c.id, ()) if e.cut is not None]))
        own = c.name if c.kind == "result" else ""
        return self._number((c.kind, c.title, own, c.type, bool(c.alarm), cuts, len(self.into.get(c.id, ()))))

    def _fold(self, g: Group) -> None:
        waiting = [(0, len(g.children))]
        signs = np.array([self._of(c) for c in g.children], dtype=np.int64)
        runs = []
        while waiting:
            start, end = waiting.pop()
            run = self._longest(g.children, signs, start, end)
            if run is not None:
                a, period, count = run
                runs.append(run)
                waiting += [(start, a), (a + period * count, end)]
        for a, period, count in sorted(runs, reverse=True):
            self._replace(g, a, period, count)

    def _longest(
        self, children: list[Group | Node], signs: np.ndarray, start: int, end: int
    ) -> tuple[int, int, int] | None:
        """The repetition that takes the most children away, as (start, period, count)."""
        s = signs[start:end]
        best: tuple[int, int, int] | None = None
        for period in range(1, min(len(s) // FEWEST, LONGEST) + 1):
            if best is not None and best[1] * best[2] >= len(s) - period:
                break
            same = np.concatenate(([0], s[:-period] == s[period:], [0]))
            alike = np.flatnonzero(np.diff(same))  # where stretches that repeat begin and end
            for a, b in zip(alike[::2].tolist(), alike[1::2].tolist(), strict=True):
                count = (b - a) // period + 1
                if count < FEWEST or (best is not None and period * count <= best[1] * best[2]):
                    continue
                a, count = self._least_carried(children, start + a, period, b - a + period)
                equal = 0
                for _ in range(3):  # the first parts may be linked in another way
                    equal = self._equal(children, a, period, count) if count >= FEWEST else 0
                    if equal >= FEWEST or not equal:
                        break
                    a, count = a + period * equal, count - equal
                worth = period * equal if period > 1 or isinstance(children[a], Group) else 0
                if equal >= FEWEST and (best is None or worth > best[1] * best[2]) and worth:
                    best = a, period, equal
        return best

    def _least_carried(self, children: list[Group | Node], start: int, period: int, length: int) -> tuple[int, int]:
        """Where in a stretch of repeated children a part begins best, and how many there are then.

        That is where the fewest values are carried from one part to the next; then where lines of the program follow
        one another; then where nothing is left over at the end.
        """
        if period == 1:
            return start, length
        at = {n.id: k for k in range(length) for n in _nodes(children[start + k])}
        carried: list[set[str]] = [set() for _ in range(period)]
        for k in range(period, 2 * period):
            for n in _nodes(children[start + k]):
                for e in self.into.get(n.id, ()):
                    source = self.kept(e.source)
                    for edge in range(at.get(source, k) + 1, k + 1):  # the boundaries that the edge crosses
                        carried[edge % period].add(source)
        lines = [next((n.place.line for n in _nodes(c) if n.place), 0) for c in children[start : start + 2 * period]]
        back = [sum([lines[i] > lines[i + 1] for i in range(k, k + period - 1)]) for k in range(period)]
        best = min(range(period), key=lambda k: (len(carried[k]), back[k], (length - k) % period, k))
        return start + best, (length - best) // period

    def _equal(self, children: list[Group | Node], start: int, period: int, count: int) -> int:
        """How many of the parts are linked within themselves, and to the one before, as the first ones are."""
        where: dict[str, tuple[int, int]] = {}
        parts = []
        for k in range(count):
            found = [list(_nodes(c)) for c in children[start + k * period : start + (k + 1) * period]]
            flat = [n for nodes in found for n in nodes]
            where |= {n.id: (k, i) for i, n in enumerate(flat)}
            parts.append(flat)
        links = []
        for k, part in enumerate(parts):
            inside, outside = [], []
            for i, n in enumerate(part):
                for e in self.into.get(n.id, ()):
                    at = where.get(self.kept(e.source), (-1, -1))
                    if at[0] == k:
                        inside.append((at[1], i))
                    else:
                        outside.append((k - at[0] if at[0] >= 0 else 0, at[1] if at[0] >= 0 else -1, i))
            links.append((inside, outside))
        if not any(distance for distance, *_ in links[1][1]) and len(parts[0]) < LARGE:
            return 0  # they stand side by side, and are few
        for k in range(1, count):
            if links[k][0] != links[0][0] or (k > 1 and links[k][1] != links[1][1]):
                return k
            if [i for *_, i in links[k][1]] != [i for *_, i in links[0][1]] or any(d > 1 for d, *_ in links[k][1]):
                return k
        return count

    def _replace(self, g: Group, start: int, period: int, count: int) -> None:
        """Keep the first part, and remember which of its nodes stands for each of the others'."""
        parts = [g.children[start + k * period : start + (k + 1) * period] for k in range(count)]
        whole = [[n for c in part for n in _nodes(c)] for part in parts]
        for k, nodes in enumerate(whole):
            for n, shown in zip(nodes, whole[0], strict=True):
                self.parts.setdefault(n.id, []).append((len(self.groups), k))
                if k:
                    self.same[n.id] = shown.id
        found, end = parts[0][0], parts[-1][0]
        if period == 1 and isinstance(found, Group) and isinstance(end, Group) and found.count == 1:
            found.label = _range(found.label, end.label)
            self.groups.append(found)
        else:
            found = Group(REPEATED, list(parts[0]), g)
            self.groups.append(found)
            self._fold(found)
        found.count = count
        self._sign(found)
        g.children[start : start + period * count] = [found]


def _nodes(c: Group | Node) -> Iterator[Node]:
    return c.nodes() if isinstance(c, Group) else iter((c,))


def _unnumbered(label: str) -> str:
    return re.sub(r"\d+", "#", label)


def _range(first: str, last: str) -> str:
    """`blocks.0` and `blocks.11` as `blocks.0…11`."""
    if first == last:
        return first
    a, b = re.findall(r"\d+|\D+", first), re.findall(r"\d+|\D+", last)
    return "".join([x if x == y else f"{x}…{y}" for x, y in zip(a, b, strict=False)])
