"""Sums and extrema in registers: where they start, how they go on, and how lanes become one number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.ir import Function, Value
from funcgrad.core.tape import Equation, Symbol, equation
from funcgrad.ops import reduce


def reduction(primitive: Any, shape: Sequence[int], dtype: Any) -> Equation:
    """A reduction over all axes of an array that no tape knows of."""
    x = equation(0, None, (), {}, (), tuple(shape), dtype)
    return equation(1, Symbol(primitive, 1), (x,), {"axis": tuple(range(len(shape)))}, (), (), dtype)


def ordered(r: Equation) -> bool:
    """Whether a reduction is no extremum of complex numbers, for which there is no code."""
    return r.dtype.kind != "c" or r.primitive not in (reduce.reduce_max, reduce.reduce_min)


def identity(r: Equation) -> Any:
    """What changes nothing: of a sum -0.0, so that a sum of negative zeros is one."""
    kind = np.dtype(r.dtype)
    if r.primitive is reduce.reduce_sum:
        return -0.0 if kind.kind == "f" else complex(-0.0, -0.0) if kind.kind == "c" else 0
    low = r.primitive is reduce.reduce_max
    if kind.kind == "f":
        return -np.inf if low else np.inf
    if kind.kind == "b":
        return not low
    return np.iinfo(kind).min if low else np.iinfo(kind).max


def added(f: Function, dtype: np.dtype, a: Value, b: Value) -> Value:
    """The sum of two numbers of a dtype."""
    if dtype.kind == "c":
        return f.by_parts(lambda x, y: f.binary("fadd", x, y), a, b)
    return f.binary("fadd" if dtype.kind == "f" else "or" if dtype.kind == "b" else "add", a, b)


def combine(f: Function, r: Equation, a: Value, b: Value) -> Value:
    """Two parts of a reduction as one; nan stays, as in NumPy."""
    kind = np.dtype(r.dtype).kind
    if r.primitive is reduce.reduce_sum:
        return added(f, r.dtype, a, b)
    up = r.primitive is reduce.reduce_max
    if kind == "b":
        return f.binary("or" if up else "and", a, b)
    if kind == "f":
        return f.select(f.compare("uno", a, a), a, f.select(f.compare("uge" if not up else "ule", a, b), b, a))
    return f.intrinsic(f"{'s' if kind == 'i' else 'u'}{'max' if up else 'min'}", a, b)


def fold(f: Function, r: Equation, parts: Sequence[Value]) -> Value:
    """All partial results as one number: halves on halves, so that the order is the same however wide registers are."""
    parts = list(parts)
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [combine(f, r, a, b) for a, b in zip(parts[:half], parts[half:], strict=True)]
    x = parts[0]
    while x.lanes > 1:
        half = x.lanes // 2
        low, high = [f.chosen(x, range(n, n + half)) for n in (0, half)]
        x = combine(f, r, low, high)
    return x
