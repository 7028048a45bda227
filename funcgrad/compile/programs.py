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


class Programs:
    """The programs that have been made of a function.

    Attributes:
        by_key: by the key of the arguments, at most `MOST` of them: the one that was looked up longest ago goes first.
        flat: by shapes and dtypes alone, for calls with nothing but arrays and numbers.
        traced: likewise for calls with values of other transforms and Arrays.
        transformed: those of its transforms, by name and options.
        closing: keys for which the function closed over values of a running transform.
    """

    __slots__ = ("__weakref__", "by_key", "closing", "flat", "traced", "transformed")

    def __init__(self) -> None:
        _all.add(self)
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
            return compiled
        kept = self.by_key.setdefault(key, compiled)
        while len(self.by_key) > MOST:
            self.by_key.pop(next(iter(self.by_key)), None)
            self.flat.clear()
            self.traced.clear()
        return kept

    def clear(self) -> None:
        """Forget all programs, those of transforms among them."""
        self.by_key.clear()
        self.flat.clear()
        self.traced.clear()
        self.transformed.clear()
        self.closing.clear()

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
