"""The programs that have been made of a function, and where they are kept.

They are kept with the function, not with what `jit` made of it: two compiled forms of one function share them, and they
die with it. Nothing in them refers to the function.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from funcgrad.compile.compiled import Compiled

MOST = 4096
"""How many programs are kept of one function."""
MOST_ENTRIES = 4
"""How many entries a call asks, one after the other: what differs in its first array is turned away in 0.2 us."""


class Programs:
    """The programs that have been made of a function.

    Attributes:
        entries: what a call asks first, the one that was taken last before the others (entry.py).
        entry_of: the entry of each program; None for one that has none.
        by_key: by the key of the arguments, at most `MOST` of them: the one that was looked up longest ago goes first.
        flat: by shapes and dtypes alone, for calls with nothing but arrays and numbers.
        traced: likewise for calls with values of other transforms and Arrays.
        transformed: those of its transforms, by name and options.
        closing: keys for which the function closed over values of a running transform.
    """

    __slots__ = ("__weakref__", "by_key", "closing", "entries", "entry_of", "flat", "traced", "transformed")

    def __init__(self) -> None:
        _all.add(self)
        self.entries: tuple[Callable, ...] = ()
        self.entry_of: dict[Compiled, Callable | None] = {}
        self.by_key: dict[Any, Compiled] = {}
        self.flat: dict[Any, Compiled] = {}
        self.traced: dict[Any, Compiled] = {}
        self.transformed: dict[Any, Programs] = {}
        self.closing: set[Any] = set()

    def add(self, key: Any, compiled: Compiled) -> Compiled:
        """Keep a program; the one that is kept already if another thread was faster.

        A program that takes values that the function closed over belongs to one call. The next one may close over
        others, or over none: which ones is not known until the function has run.
        """
        if compiled.constants:
            if len(self.closing) < MOST:
                self.closing.add(key)
            self._forget_short_ways()
            return compiled
        kept = self.by_key.setdefault(key, compiled)
        while len(self.by_key) > MOST:
            self.by_key.pop(next(iter(self.by_key)), None)
            self._forget_short_ways()
        return kept

    def enter(self, compiled: Compiled, make: Callable[[], Callable | None]) -> None:
        """Let the next calls ask the entry of a program first; it is made if this is the first time."""
        try:
            entry = self.entry_of[compiled]
        except KeyError:
            entry = self.entry_of[compiled] = make()
        if entry is not None and entry not in self.entries[:1]:
            self.entries = (entry, *[e for e in self.entries if e is not entry][: MOST_ENTRIES - 1])

    def clear(self) -> None:
        """Forget all programs, those of transforms among them."""
        self.by_key.clear()
        self._forget_short_ways()
        self.transformed.clear()
        self.closing.clear()

    def _forget_short_ways(self) -> None:
        self.entries = ()
        self.entry_of.clear()
        self.flat.clear()
        self.traced.clear()

    def found(self, key: Any) -> Compiled | None:
        """The program for a key, if there is one."""
        compiled = self.by_key.get(key)
        if compiled is not None and len(self.by_key) > MOST // 2:
            self.by_key.pop(key, None)  # and so it is the newest
            self.by_key[key] = compiled
        return compiled


_all: weakref.WeakSet[Programs] = weakref.WeakSet()
_of_functions: weakref.WeakKeyDictionary[Any, dict[Any, Programs]] = weakref.WeakKeyDictionary()


def programs_of(f: Callable, options: Hashable) -> Programs:
    """The programs of a function that is compiled with these options; what is no plain function has new ones."""
    if type(f) is not types.FunctionType:
        return Programs()
    return _of_functions.setdefault(f, {}).setdefault(options, Programs())


def clear_caches() -> None:
    """Forget the programs of all compiled functions, which are recorded anew when they are called.

    Example:
        >>> f = fg.jit(lambda x: x + 1)
        >>> f(1.0), f.cache_info().currsize
        (Array(2., dtype=float64), 1)
        >>> fg.clear_caches()
        >>> f.cache_info().currsize
        0

    Source: `jax.clear_caches`.
    """
    for programs in list(_all):
        programs.clear()
