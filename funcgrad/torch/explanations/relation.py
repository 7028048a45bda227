"""How one tensor came of another: the paths between two entries of the journal, and the cuts on them."""

from __future__ import annotations

from collections import deque
from typing import Any

from funcgrad.torch.explanations.explanation import Path
from funcgrad.torch.tensor import journal
from funcgrad.torch.tensor.journal import Entry

OF_NUMPY = frozenset(("from_numpy()", "as_tensor()"))
OF_NUMBERS = OF_NUMPY | {"torch.tensor()", "new_tensor()"}
"""Ways in for numbers."""

SHOWN = 3
"""How many paths are shown at most."""

LEAVING = frozenset(("item()", "float()", "int()", "complex()", "tolist()", "numpy()"))
"""Cuts after which the journal cannot follow the values any more."""

CUTTING = LEAVING | {"detach()", "detach_()", ".data"}
"""What cuts also where there is nothing left to cut."""


def nodes_of(*tensors: Any) -> dict[int, Any]:
    """All nodes that lead to tensors, by their numbers; the ends of leaves by those of the leaves' entries."""
    found: dict[int, Any] = {}
    pending = [t.grad_fn for t in tensors]
    while pending:
        node = pending.pop()
        if node is None:
            continue
        number = number_of(node)
        if number not in found:
            found[number] = node
            pending += [n for n, _ in node.next_functions]
    return found


def number_of(node: Any) -> int:
    """The number of the entry of a node."""
    variable = getattr(node, "variable", None)
    if variable is None:
        return int(node.number)
    entry = journal.of(variable)
    return 0 if entry is None else entry.number


def _of_data(leaf: Entry) -> bool:
    """Whether a leaf was made of given numbers, as far as its line tells."""
    return leaf.place is not None and "tensor(" in leaf.place.text


def depends(result: int, x: int) -> bool:
    """Whether the journal knows that one entry comes of another, in whatever way."""
    seen, pending = {result}, [result]
    while pending:
        number = pending.pop()
        if number == x:
            return True
        entry = journal.find(number) if number > x else None  # sources have smaller numbers
        for n in () if entry is None else entry.sources:
            if n not in seen:
                seen.add(n)
                pending.append(n)
    return False


class Relation:
    """What lies between x and the loss.

    Arguments:
        x, loss: the numbers of their entries; 0 for a loss that has none.
        nodes: those of the graph that still exist, by number.

    Attributes:
        path_count: how many paths pass a gradient.
        paths: the shortest of them.
        cuts: the entries where a gradient to x is cut, those that are nearest to x first.
        later: entries that would cut next, if those did not.
        used: whether the loss comes of x in whatever way.
        left: entries where values on the way left for NumPy or Python, before tensors were made of numbers again.
        numbers: all entries where values of x left before the loss was computed.
        made: entries of tensors that were made of such values, and the loss came of.
    """

    def __init__(self, x: int, loss: int, nodes: dict[int, Any]) -> None:
        self.nodes = nodes
        self.known: dict[int, Entry | None] = {}
        self.x, self.loss = x, loss
        before = self._before(loss)
        after = self._after(x, before)
        between = before & after
        self.used = x in before
        alive = self._alive(between)
        self.path_count, self.paths = self._paths(alive)
        entries = [e for n in sorted(between) if (e := self.entry(n)) is not None and n != x]
        self.cuts = [e for e in entries if e.cut and any(n in self._fed for n in e.sources)]
        self.later = [e for e in entries if e.what in CUTTING and e not in self.cuts]
        self.left: list[Entry] = []
        self.made: list[Entry] = []
        self._look_outside(before)

    def entry(self, number: int) -> Entry | None:
        if number not in self.known:
            self.known[number] = journal.find(number)
        return self.known[number]

    def sources(self, number: int) -> tuple[int, ...]:
        """The entries that one comes of, as the journal says, and as the graph does."""
        entry, node = self.entry(number), self.nodes.get(number)
        found = () if entry is None else entry.sources
        if node is not None and entry is None:
            found = tuple([number_of(n) for n, _ in node.next_functions if n is not None])
        return found

    def _before(self, number: int) -> set[int]:
        found, pending = {number}, [number]
        while pending:
            for n in self.sources(pending.pop()):
                if n not in found:
                    found.add(n)
                    pending.append(n)
        return found

    def _after(self, number: int, among: set[int]) -> set[int]:
        found = {number}
        for n in sorted(among):  # sources have smaller numbers
            if not found.isdisjoint(self.sources(n)):
                found.add(n)
        return found

    def _passes(self, number: int) -> bool:
        entry = self.entry(number)
        return number in self.nodes if entry is None else entry.requires and entry.cut is None

    def _alive(self, between: set[int]) -> set[int]:
        """Those that pass a gradient from the loss to x."""
        first = self.entry(self.x)
        self._fed = {self.x} if first is None or first.requires else set()  # that x has a gradient through
        for n in sorted(between):
            if n != self.x and self._passes(n) and not self._fed.isdisjoint(self.sources(n)):
                self._fed.add(n)
        if self.loss not in self._fed:
            return set()
        found = {self.loss}
        for n in sorted(self._fed, reverse=True):
            if n in found:
                found.update(s for s in self.sources(n) if s in self._fed)
        return found

    def _paths(self, alive: set[int]) -> tuple[int, list[Path]]:
        if self.x not in alive or self.x == self.loss:
            return 0, []
        counts = {self.x: 1}
        for n in sorted(alive):
            if n != self.x:
                counts[n] = sum(counts.get(s, 0) for s in self.sources(n))
        found: list[Path] = []
        pending: deque[tuple[int, ...]] = deque([(self.loss,)])
        while pending and len(found) < SHOWN:
            path = pending.popleft()
            for s in dict.fromkeys(self.sources(path[0])):
                if s == self.x:
                    found.append(Path([e for n in path if (e := self.entry(n)) is not None]))
                elif s in alive and len(pending) < 2000:
                    pending.append((s, *path))
        return counts.get(self.loss, 0), found[:SHOWN]

    def _look_outside(self, before: set[int]) -> None:
        """Find where values of x left, and where the loss got values from outside."""
        reached, smooth = {self.x}, {self.x}  # from x in whatever way, and not through integers
        left: dict[Any, Entry] = {}
        for later in journal.since(self.x):
            if not reached.isdisjoint(later.sources):
                reached.add(later.number)
                if not smooth.isdisjoint(later.sources) and later.cut not in ("integers", "booleans"):
                    smooth.add(later.number)
                if later.cut in LEAVING and (later.number < self.loss or not self.loss):
                    left[later.place] = later  # of a line in a loop the last time
        self.left = [e for e in left.values() if e.number in smooth] or list(left.values())
        made = [e for n in sorted(before) if (e := self.entry(n)) is not None and not e.sources]
        first = self.left[0].number if self.left else self.loss
        kinds = OF_NUMBERS if self.x in before else OF_NUMBERS | {"leaf"}
        self.made = [e for e in made if e.number > first and e.what in kinds and (e.what != "leaf" or _of_data(e))]
        if all(e.what in OF_NUMPY for e in self.made) and any(e.cut == "numpy()" for e in self.left):
            self.left = [e for e in self.left if e.cut == "numpy()"]
        self.numbers = self.left
        last = max((e.number for e in self.made), default=0)
        self.left = [e for e in self.left if e.number < last]
