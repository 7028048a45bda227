"""Regions: the memory of a program, which steps read and write; regions that are over lend their bytes to others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from funcgrad.compile.native.ir import Function, Value

_LINE = 64  # bytes; memory begins at multiples of them


class Region:
    """Bytes that follow each other; where they are is known when the code is written.

    Arguments:
        size: how many; 0 if others see to them.
        behind: memory that it may be, and that is needed as long.

    Attributes:
        base: a pointer, or other memory in which they lie.
        offset: how many bytes behind it they begin.
    """

    def __init__(self, size: int = 0, behind: tuple[Region, ...] = ()) -> None:
        self.size, self.behind, self.offset = size, behind, 0
        self.base: Value | Region | None = None

    @property
    def room(self) -> int:
        """The bytes that are kept for it."""
        return -(-self.size // _LINE) * _LINE

    def pointer(self, f: Function, offset: int = 0) -> Value:
        """Where a byte of it is."""
        base: Any = self.base
        at = offset + self.offset
        while isinstance(base, Region):
            at, base = at + base.offset, base.base
        assert base is not None, "it is known where the memory is"
        return f.let(f"getelementptr i8, {base}, i64 {at}", "ptr", 1) if at else base


def share(work: Region, own: Collection[Region], steps: Sequence[Iterable[Region]]) -> None:
    """Say where memory is: within that of a whole program, where what is over makes room for what comes later.

    Arguments:
        work: the memory of the program, which grows.
        own: what is to have its place in it.
        steps: what each step uses.
    """
    used = [dict.fromkeys([x for m in step for x in (m, *m.behind)]) for step in steps]
    last = {m: n for n, ms in enumerate(used) for m in ms}
    open_, done = set(own), set[Region]()
    free: list[tuple[int, int]] = []  # where bytes begin and end that nobody uses
    for n, ms in enumerate(used):
        for m in [m for m in ms if m in open_ and m not in done]:
            done.add(m)
            m.base, m.offset = work, _taken(work, free, m.room)
        free += [(m.offset, m.offset + m.room) for m in ms if m in open_ and last[m] == n]
        free = _merged(free)


def _taken(work: Region, free: list[tuple[int, int]], size: int) -> int:
    """Where so many bytes are free; if nowhere, at the end."""
    for k, (a, b) in enumerate(free):
        if b - a >= size:
            free[k] = a + size, b
            return a
    work.size += size
    return work.size - size


def _merged(free: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same bytes with neighbours as one."""
    found: list[tuple[int, int]] = []
    for a, b in sorted(free):
        if found and found[-1][1] == a:
            found[-1] = found[-1][0], b
        elif b > a:
            found.append((a, b))
    return found
