"""What a run of compiled.py has measured: titles of libraries, times, and ratios of these."""

from __future__ import annotations

import math
from typing import Any

TITLES = {
    "jit": "fg.jit",
    "native": "fg.jit, native",
    "eager": "funcgrad",
    "numpy": "NumPy by hand",
    "autograd": "autograd",
    "torch": "PyTorch",
    "jax.jit": "jax.jit",
}


def least(row: dict[str, Any], library: str) -> float:
    """The least time of a library, in ms; nan where it was not measured."""
    return min(row["times"].get(library, [math.nan])) * 1e3


def ratios(row: dict[str, Any], library: str, of: str = "jit") -> list[float]:
    """The times of a library as multiples of another's, round by round; empty where one was not measured."""
    times = row["times"]
    if library not in times or of not in times:
        return []
    return [a / b for a, b in zip(times[library], times[of], strict=True)]
