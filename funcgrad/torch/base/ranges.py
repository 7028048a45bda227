"""The numbers of arange, linspace and logspace, rounded as torch rounds them.

Where torch's loops are compiled to multiply and add with a single rounding, `fma` does so here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base import dtypes
from funcgrad.torch.base.box_muller import fma
from funcgrad.torch.base.sampling import cast

LANES = {2: 16, 4: 8, 8: 4}
"""How many numbers of this many bytes torch's loop makes at a time."""


def count(start: Any, end: Any, step: Any, *, inclusive: bool = False, exact: bool = False) -> int:
    """How many numbers lie between start and end.

    Arguments:
        inclusive: whether end may be among them.
        exact: whether the bounds are integers, beyond what double precision can tell apart.

    Raises:
        RuntimeError: there is no such range.
    """
    if not step:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (step > 0 and end < start) or (step < 0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if inclusive:
        return int((end - start) / step + 1)
    if exact:
        start, end, step = int(start), int(end), int(step)
        return (end - start + step - (1 if step > 0 else -1)) // step
    return math.ceil((float(end) - float(start)) / float(step))


def stepped(start: Any, step: Any, n: int, dtype: Any) -> ndarray:
    """start + i * step for i from 0 to n - 1.

    The first number of each group is rounded to dtype, and the others are counted from it.
    """
    kind = dtype.numpy
    if dtype.category == dtypes.INTEGER:
        return (int(start) + np.arange(n, dtype=np.int64) * int(step)).astype(kind)
    start, step = float(start), float(step)
    i = np.arange(n, dtype=np.float64)
    found = cast(fma(i, step, start), kind)
    lanes = LANES[kind.itemsize]
    grouped = n - n % (2 * lanes)
    first = found[:grouped:lanes].astype(np.float64).repeat(lanes)
    found[:grouped] = cast(fma(i[:grouped] % lanes, step, first), kind)
    return found


def line(first: Any, last: Any, n: int, dtype: Any) -> ndarray:
    """n numbers from first to last, the first half counted up from first, the second down from last."""
    kind = dtype.numpy
    i = np.arange(n)
    if n < 2:
        return np.full(n, first).astype(kind)
    if dtype.category == dtypes.INTEGER:
        first, last = int(first), int(last)
        difference = (float(last) - float(first)) / (n - 1)
    else:
        first, last = kind.type(first), kind.type(last)
        difference = (last - first) / kind.type(n - 1)
        if dtype.category == dtypes.COMPLEX or kind.itemsize == 2:  # every step is rounded
            up, down = first + difference * i.astype(kind), last - difference * (n - 1 - i).astype(kind)
            return np.where(i < n // 2, up, down).astype(kind)
    up, down = (
        fma(k.astype(np.float64), sign * float(difference), float(origin))
        for k, sign, origin in ((i, 1, first), (n - 1 - i, -1, last))
    )
    return np.where(i < n // 2, up, down).astype(kind)


def powers(base: float, first: Any, last: Any, n: int, dtype: Any) -> ndarray:
    """base to the power of n numbers from first to last."""
    kind = dtype.numpy
    if dtype.category == dtypes.COMPLEX:
        return np.power(kind.type(base), line(first, last, n, dtype)).astype(kind)
    if dtype.category == dtypes.FLOATING:
        first, last = kind.type(first), kind.type(last)
    step = float(last - first) / max(n - 1, 1)
    i = np.arange(n)
    exponents = np.where(i < n // 2, float(first) + i * step, float(last) - (n - 1 - i) * step)
    if n == 1:
        exponents[0] = first
    return cast(np.array([_power(base, x) for x in exponents.tolist()], np.float64), kind)


def _power(base: float, x: float) -> float:
    """The C library's power, which NumPy's differs from in the last bit."""
    try:
        return math.pow(base, x)
    except (OverflowError, ValueError):
        with np.errstate(all="ignore"):
            return float(np.power(np.float64(base), x))
