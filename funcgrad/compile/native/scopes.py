"""Scopes: what a loop does not change is written before it begins, and once.

The code goes to LLVM's code generator as it stands. Of the passes that would find this out none is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from funcgrad.compile.native.ir import Function, Value


class Scopes:
    """The loops of a function that are being written, the outermost first.

    Arguments:
        f: the function, of which nothing has been written.
    """

    def __init__(self, f: Function) -> None:
        self._f = f
        self._open: list[tuple[str, list[Any], dict[Any, Value]]] = [("", f.mark(), {})]
        self._made_of: dict[str, set[str]] = {}  # the counters that a register depends on

    @contextmanager
    def inside(self, i: Value) -> Iterator[None]:
        """While the steps of a loop with this counter are written."""
        self._open.append((i.text, self._f.mark(), {}))
        try:
            yield
        finally:
            self._open.pop()

    def once(self, key: Any, index: Sequence[Value], write: Callable[[], Value]) -> Value:
        """What depends on no other counters than these: written where they are known.

        Arguments:
            key: by which it is known.
            index: the counters, constants, and what has been written once. Of other registers nobody knows where they
                are written: what depends on one is written here.
            write: writes it.
        """
        texts = {c for i in index if i.text.startswith("%") for c in self._made_of.get(i.text, (i.text,))}
        if not texts <= {s[0] for s in self._open}:
            return write()
        _, place, known = next((s for s in reversed(self._open) if s[0] in texts), self._open[0])
        if key not in known:
            with self._f.at(place):
                known[key] = write()
            self.depends(known[key], texts)
        return known[key]

    def depends(self, x: Value, counters: Iterable[str]) -> None:
        """Say that a register depends on these counters alone, and is written where they are known."""
        self._made_of[x.text] = set(counters)
