"""Values that nodes keep for backward, and that were written over since: before backward fails because of it."""

from __future__ import annotations

import re
from typing import Any

from funcgrad.torch.tensor import journal
from funcgrad.torch.tensor.journal import Entry

_IN_PLACE = re.compile(r"\w_\(|[-+*/%@&|^]=|\]\s*=[^=]")
_AUGMENTED = re.compile(r"^(\w+) ([-+*/]|\*\*|//|%|@)= (.*)$")


class Changed:
    """A value that an operation kept, and that something wrote over.

    Attributes:
        operation: that kept it.
        entry: of that operation.
        writer: the entry of what wrote, None if nobody knows.
    """

    __slots__ = ("entry", "operation", "writer")

    def __init__(self, node: Any, writer: Entry | None) -> None:
        self.entry, self.writer = journal.find(node.number), writer
        self.operation = journal.called(node.name())

    @property
    def instead(self) -> str:
        """The line without writing in place, "" if that is more than a word."""
        place = None if self.writer is None else self.writer.place
        match = _AUGMENTED.match(place.text) if place is not None else None
        return f"{match[1]} = {match[1]} {match[2]} {match[3]}" if match else ""


def changed_values(nodes: dict[int, Any]) -> list[Changed]:
    """What the nodes of a graph keep that is not what it was."""
    found = []
    for number in sorted(nodes):
        node = nodes[number]
        for t, counter, version in node.saved or ():
            if counter is not None and counter[0] != version:
                found.append(Changed(node, _writer(node, t)))
                break
    return found


def _writer(node: Any, t: Any) -> Entry | None:
    """The entry of what wrote into a tensor that a node saved, or into its result if that is None."""
    known = {node.number} if t is None else {t._entry, *_base(t)}
    for e in journal.since(node.number):
        if e.place is None or e.what.endswith(" failed") or not _IN_PLACE.search(e.place.text):
            continue
        if e.number in known or not known.isdisjoint(e.sources):
            return e
    return None


def _base(t: Any) -> set[int]:
    base = t._base
    return set() if base is None else {base._entry}
