"""Functions of one matrix without the checks of `numpy.linalg`, which a tape has made already.

The checks and the conversion of errors take two thirds of the time: of 2 × 2 matrices 3.7 µs for an inverse, of which
2.2 stay, 3.3 for the logarithm of a determinant, of which 0.9 stay. NumPy's loops are not public; where they are not
found under their names the primitives are called as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops import linalg

_loops: Any = getattr(np.linalg, "_umath_linalg", None)


def _inv(x: Any) -> Any:
    with np.errstate(all="ignore"):
        out = _loops.inv(x)
    return out if out.item(0) == out.item(0) else np.linalg.inv(x)  # which says why


def _solve(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        out = _loops.solve(a, b) if b.ndim > 1 else _loops.solve1(a, b)
    return out if out.item(0) == out.item(0) else np.linalg.solve(a, b)


SHORT: dict[Any, Any] = {}
"""For primitives what computes the same of one matrix that is not empty."""
if _loops is not None:
    SHORT = {linalg.inv: _inv, linalg.solve: _solve, linalg.slogdet: _loops.slogdet, linalg.det: _loops.det}
