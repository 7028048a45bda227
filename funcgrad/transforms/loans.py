"""Large arrays of the caller that a gradient reads where they lie, instead of copying them.

A pullback that `vjp` gives may be called at any time later, so what it keeps of a caller's array is a copy. The
backward pass of `grad` follows at once: nothing but the function itself, or another thread, can write into the array in
between. Until the gradient is known such an array is *lent*: its flag `writeable` is off, so that writing raises
NumPy's ValueError. Then the flag is as it was, also after an exception.

What holds: no write through the array, through the array whose memory it shows, or through a view that is made in the
meantime. A view of the same memory that was made before, and code in C that never asks for the flag, can still write;
the gradient then belongs to neither state of the array. A view that is made in the meantime stays read-only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import NATIVE, Array, copied, is_inexact, wrap
from funcgrad.core.locks import new_lock
from funcgrad.core.trace import Tracer

LARGE = 1 << 16
"""The bytes from which an array is lent: a copy of fewer takes no longer than the flag and its restoration (2 µs)."""


class _Lent:
    """One block of memory that is lent: how often, and the arrays that could write to it, the owner first."""

    __slots__ = ("arrays", "times")

    def __init__(self) -> None:
        self.arrays: list[ndarray] = []
        self.times = 0


_lent: dict[int, _Lent] = {}  # by the id of the array that owns the memory; several gradients may run at once
_lock = new_lock()


class Loans:
    """The arrays that one run of `grad` has on loan. They are given back with the object, if not before."""

    __slots__ = ("_owners",)

    def __init__(self) -> None:
        self._owners: dict[int, ndarray] = {}

    @property
    def some(self) -> bool:
        """Whether anything is on loan."""
        return bool(self._owners)

    def borrow(self, x: ndarray) -> ndarray:
        """An array of the caller, on loan if it is large and an ndarray owns its memory; otherwise a copy."""
        owner = x if x.base is None else x.base
        if x.nbytes < LARGE or type(owner) is not ndarray or not owner.flags.owndata:
            return copied(x)
        key = id(owner)
        if key in self._owners and not x.flags.writeable:
            return x
        with _lock:
            lent = _lent.get(key)
            if lent is None:
                if x.flags.writeable and not owner.flags.writeable:  # its flag could not be turned on again
                    return copied(x)
                lent = _lent[key] = _Lent()
            if key not in self._owners:
                self._owners[key] = owner
                lent.times += 1
            for a in (owner, x):
                if a.flags.writeable:
                    lent.arrays.append(a)
                    a.flags.writeable = False
        return x

    def input(self, x: Any) -> Any:
        """A leaf of the arguments on loan, or as it is if it has to be copied and checked."""
        if type(x) is ndarray and x.nbytes >= LARGE and x.dtype in NATIVE and is_inexact(x.dtype):
            return wrap(self.borrow(x))
        return x

    def kept(self, value: Any) -> Any:
        """A value that outlives the gradient: a copy if it shares memory that is on loan."""
        if type(value) is ndarray and self._owners:
            return copied(value) if any(np.may_share_memory(value, o) for o in self._owners.values()) else value
        return value

    def outside(self, x: Any) -> Any:
        """`kept` for what a user's function gave: of an Array its value, anything else as it is."""
        return wrap(self.kept(x._value)) if isinstance(x, Array) and not isinstance(x, Tracer) else x

    def give_back(self) -> None:
        """Restore the flags of the arrays that no other gradient has on loan."""
        if self._owners:
            with _lock:
                while self._owners:
                    key, _ = self._owners.popitem()
                    lent = _lent[key]
                    lent.times -= 1
                    if not lent.times:
                        del _lent[key]
                        for a in lent.arrays:
                            a.flags.writeable = True

    __del__ = give_back
