"""What is remembered of values: one small entry for each call that made one, and where it came from."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import ref

from funcgrad.torch.report.places import NOWHERE, Place

KEPT = 1 << 16
"""As many entries are remembered; what came before is forgotten."""


class Seen(ref):
    """A weak reference of the report, which may count as none."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Entry:
    """How a value was made.

    Attributes:
        number: entries are numbered in the order of calls.
        what: the function that was called, or "leaf", "data".
        place: the user's line.
        sources: the numbers of the entries of its operands.
        cut: why no gradient passes from the operands that require grad; None if it does, or there are none.
        region: where recording was switched off, if that is why.
        requires: whether the result requires grad.
        leaf: the key of the Leaf that it is, or looks at.
        gradient: the key of the Leaf that it is the gradient of.
        alias: the entry of the tensor that it shares memory with, unseen by autograd.
        bad: "nan" or "inf" if values are, else "".
        zero: whether all values are zero.
        size, shape, kind: of the result.
    """

    number: int
    what: str
    place: Place = NOWHERE
    sources: tuple[int, ...] = ()
    cut: str | None = None
    region: Place | None = None
    requires: bool = False
    leaf: int = 0
    gradient: int = 0
    alias: int = 0
    bad: str = ""
    zero: bool = False
    size: int = 1
    shape: tuple[int, ...] = ()
    kind: str = "f"


class Log:
    """The entries, by number, by tensor, and by the nodes of the graph that were made meanwhile."""

    def __init__(self) -> None:
        self.last = 0
        self._entries: dict[int, Entry] = {}
        self._pinned: dict[int, Entry] = {}  # of leaves, which live long
        self._of: dict[int, tuple[ref, int]] = {}
        self._begun: deque[int] = deque(maxlen=KEPT)  # the first node numbers of calls, rising
        self._made: deque[tuple[int, int]] = deque(maxlen=KEPT)  # (last node number, entry) of the same calls

    def find(self, number: int) -> Entry | None:
        """The entry of this number, None if it is forgotten."""
        return self._entries.get(number) or self._pinned.get(number)

    def of(self, tensor: Any) -> Entry | None:
        """The entry of a tensor, None if there is none."""
        held = self._of.get(id(tensor))
        return self.find(held[1]) if held is not None and held[0]() is tensor else None

    def add(self, tensor: Any, pinned: bool = False, **said: Any) -> Entry:
        """A new entry, of a tensor or another object."""
        self.last += 1
        entry = Entry(self.last, **said)
        if pinned:
            self._pinned[entry.number] = entry
        else:
            self._entries[entry.number] = entry
            if len(self._entries) > KEPT:
                del self._entries[next(iter(self._entries))]
        if tensor is not None:
            self.assign(tensor, entry)
        return entry

    def assign(self, tensor: Any, entry: Entry) -> None:
        """Let an entry be that of a tensor."""
        key = id(tensor)
        of = self._of

        def forget(gone: Any) -> None:
            held = of.get(key)
            if held is not None and held[0] is gone:
                number = of.pop(key)[1]
                if number in self._pinned:
                    self._entries[number] = self._pinned.pop(number)

        of[key] = (Seen(tensor, forget), entry.number)

    def nodes(self, first: int, last: int, entry: Entry) -> None:
        """The nodes of these numbers were made by the call of an entry."""
        if last > first + 1:
            self._begun.append(first)
            self._made.append((last, entry.number))

    def of_node(self, node: Any) -> Entry | None:
        """The entry of the call that made a node."""
        k = bisect_right(self._begun, node.number) - 1
        if k < 0:
            return None
        last, number = self._made[k]
        return self.find(number) if node.number <= last else None

    def before(self, start: Entry, limit: int = 20000) -> Iterator[Entry]:
        """The entries that a value came from, the nearest first, itself included."""
        seen, order = {start.number}, deque([start])
        while order and len(seen) < limit:
            entry = order.popleft()
            yield entry
            for number in entry.sources:
                if number not in seen:
                    seen.add(number)
                    source = self.find(number)
                    if source is not None:
                        order.append(source)
