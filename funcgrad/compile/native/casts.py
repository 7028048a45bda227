"""Casts between dtypes, as NumPy's `astype` makes them."""

from __future__ import annotations

import numpy as np

from funcgrad.compile.native.complex_arithmetic import truth
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Value


def convert(f: Function, a: Value, old: np.dtype, new: np.dtype) -> Value:
    """A value of one dtype as another."""
    kind = TYPES[new]
    if old == new:
        return a
    if new.kind == "c":
        part = np.dtype(f"f{new.itemsize // 2}")
        if old.kind == "c":
            return f.by_parts(lambda x: convert(f, x, np.dtype(f"f{old.itemsize // 2}"), part), a)
        re = convert(f, a, old, part)
        return f.pair(re, f.like(0, re))
    if old.kind == "c":
        return truth(f, a)
    if new.kind == "b":
        return f.compare("une" if old.kind == "f" else "ne", a, f.like(0, a))
    if old.kind == "f":
        return _of_float(f, a, old, new)
    signed = old.kind == "i"
    if new.kind == "f":
        return f.cast("sitofp" if signed else "uitofp", a, kind)
    if a.kind != "i1" and SIZES[kind] <= SIZES[a.kind]:
        return a if kind == a.kind else f.cast("trunc", a, kind)
    return f.cast("sext" if signed else "zext", a, kind)


def _of_float(f: Function, a: Value, old: np.dtype, new: np.dtype) -> Value:
    if new.kind == "f":
        return f.cast("fpext" if new.itemsize > old.itemsize else "fptrunc", a, TYPES[new])
    # As the processor does: to 32 bits or more, whose least number stands for what is out of range, then to fewer.
    bits = 64 if new.itemsize == 8 else 32
    low = f.like(-(2.0 ** (bits - 1)), a)
    inside = f.binary("and", f.compare("oge", a, low), f.compare("olt", a, f.like(2.0 ** (bits - 1), a)))
    whole = f.cast("fptosi", f.select(inside, a, low), f"i{bits}")
    return whole if new.itemsize * 8 == bits else f.cast("trunc", whole, TYPES[new])
