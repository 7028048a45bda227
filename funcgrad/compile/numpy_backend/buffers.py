"""Buffers of a tile: each result is written where nobody reads any more what was there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.groups import VIEWS
from funcgrad.core.tape import Equation

Kind = tuple[np.dtype, tuple[int, ...]]


class Buffers:
    """The memory of what a tile computes: buffers, and rows of operands that may be written over.

    Arguments:
        members: the equations in their order, and what is read where each is written.
        merged: how many leading axes are counted as one, that of the rows.
        lent: gives the name of the rows of an operand that may be written over when they have been read; else None.

    Attributes:
        kinds: of each buffer the dtype, and the shape of a row.
    """

    def __init__(
        self, members: Mapping[Equation, Iterable[Any]], merged: int, lent: Callable[[Equation], str | None]
    ) -> None:
        self.kinds: list[Kind] = []
        self._merged, self._lent = merged, lent
        self._free: dict[Kind, list[str]] = {}  # buffers that nobody needs, and rows of operands that have been read
        self._own: dict[Equation, str] = {}  # the buffers in use
        self._lender: dict[str, Equation] = {}
        self._base: dict[Equation, Equation] = {}  # the member in whose buffer another lies
        self._last: dict[Equation, int] = {}  # the member that reads a value last
        for n, (e, operands) in enumerate(members.items()):
            self._base[e] = self._base.get(e.inputs[0], e) if e.primitive in VIEWS else e
            for i in operands:
                if type(i) is Equation:
                    self._last[self._base.get(i, i)] = n

    def _spare(self, e: Equation) -> list[str]:
        return self._free.setdefault((e.dtype, e.shape[self._merged :]), [])

    def read(self, e: Equation) -> bool:
        """Whether a member reads the result of another."""
        return e in self._last

    def release(self, n: int, values: Iterable[Any]) -> None:
        """Give up the memory of those values that no member after that of number n reads."""
        for i in dict.fromkeys([i for i in values if type(i) is Equation]):
            base = self._base.get(i)
            if base in self._own and self._last.get(base, n) <= n:
                self._spare(base).append(self._own.pop(base))
            elif base is None and self._last[i] <= n and (name := self._lent(i)) is not None:
                self._lender[name] = i
                self._spare(i).append(name)

    def buffer(self, e: Equation) -> str:
        """The name of a buffer for the result of a member."""
        spare = self._spare(e)
        if spare:
            self._own[e] = spare.pop()
        else:
            self._own[e] = f"b{len(self.kinds)}"
            self.kinds.append((e.dtype, e.shape[self._merged :]))
        return self._own[e]

    def lender(self, e: Equation) -> Equation | None:
        """The operand whose memory can take all that a member gives, if there is one."""
        spare = self._spare(e)
        size = math.prod(e.shape)
        names = [b for b in spare if b in self._lender and math.prod(self._lender[b].shape) == size]
        if not names:
            return None
        spare.remove(names[-1])
        return self._lender[names[-1]]
