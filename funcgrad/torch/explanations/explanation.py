"""`Explanation`: what `torch.explain` gives: a text for people, and the same as fields for programs."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from funcgrad.torch.tensor.journal import Entry


class Remedy:
    """A change to the code that would help.

    Attributes:
        text: what to do, in words.
        place: the line that it is about, None if it is about none.
        instead: what to write there, "" if that is not said word for word.
    """

    __slots__ = ("instead", "place", "text")

    def __init__(self, text: str, place: Any = None, instead: str = "") -> None:
        self.text, self.place, self.instead = text, place, instead

    def __str__(self) -> str:
        where = "" if self.place is None else f"in {self.place.short}: "
        return where + self.text + "".join(f"\n    {line}" for line in self.instead.splitlines())

    def __repr__(self) -> str:
        return f"<Remedy: {self.text}>"


class Explanation:
    """An answer of `torch.explain`; printed, it is the text.

    Attributes:
        about: the name of what is explained.
        leaf: whether it is a leaf, None where that is not asked.
        requires_grad: whether it requires grad, None where that is not asked.
        fills_grad: whether backward fills its .grad, None where that is not asked.
        paths: the `Path`s from x to the loss on which a gradient comes back; a few of them, if there are many.
        path_count: how many there are.
        cuts: the entries of the journal where no gradient passes.
        changed: the `Changed` values that backward needs as they were.
        kept: the bytes that the graph keeps for backward.
        remedies: what to change, the smallest change first.
        parts: explanations of which this one consists, by name: those of the parameters of a module.
        text: all of it in words.
    """

    def __init__(self, about: str) -> None:
        self.about = about
        self.leaf: bool | None = None
        self.requires_grad: bool | None = None
        self.fills_grad: bool | None = None
        self.paths: list[Path] = []
        self.path_count = 0
        self.cuts: list[Entry] = []
        self.changed: list[Any] = []
        self.kept = 0
        self.remedies: list[Remedy] = []
        self.parts: dict[str, Explanation] = {}
        self._paragraphs: list[str] = []

    def say(self, text: str, *entries: Entry | None) -> None:
        """Add a sentence, and below it the lines of entries of the journal."""
        text = "T" + text[1:] if text.startswith("the ") else text
        places = dict.fromkeys(str(e.place) for e in entries if e is not None and e.place is not None)
        self._paragraphs.append("\n    ".join([text, *places]))

    def advise(self, text: str, entry: Entry | None = None, instead: str = "") -> None:
        """Add a remedy."""
        self.remedies.append(Remedy(text, None if entry is None else entry.place, instead))

    def take(self, other: Explanation) -> None:
        """Add what another explanation says."""
        self._paragraphs += other._paragraphs
        for name in ("cuts", "changed", "remedies", "paths"):
            getattr(self, name).extend(getattr(other, name))
        self.path_count += other.path_count

    @property
    def text(self) -> str:
        remedies = list(dict.fromkeys(str(r) for r in self.remedies))
        if len(remedies) > 1:
            remedies = ["What to change, any one of these:", *["- " + r.replace("\n", "\n  ") for r in remedies]]
        elif remedies:
            remedies = ["What to change: " + remedies[0]]
        return "\n".join([*self._paragraphs, *remedies])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Path:
    """A way from a tensor to another through the operations between.

    Attributes:
        entries: of the operations, the first after x first.
        flat: the entry of an operation on it whose derivative is zero everywhere, or None.
    """

    __slots__ = ("entries", "flat")

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.flat = next((e for e in entries if e.what in FLAT), None)

    def __str__(self) -> str:
        lines: dict[str, list[str]] = {}
        for e in self.entries:
            lines.setdefault(str(e.place or "a line that is not known any more"), []).append(e.what)
        return "\n".join(f"{line}   ({_listed(names)})" for line, names in lines.items())


def _listed(names: list[str]) -> str:
    """Names in their order; what comes often in a row once, and the middle of a long list not at all."""
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    shown = [name if n == 1 else f"{name} {n} times" for name, n in runs]
    if len(shown) > 9:
        shown = [*shown[:4], f"{len(shown) - 7} more", *shown[-3:]]
    return ", ".join(shown)


FLAT = frozenset(("round", "floor", "ceil", "trunc", "sign", "sgn", "bucketize", "heaviside", "floor_divide"))
"""Operations that pass a gradient of zeros."""
