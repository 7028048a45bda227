"""Arrays as a few words for a box: type, small values, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import type_text

SMALL, SHORT = 6, 34
"""Elements, and characters, of an array that is written out."""


def type_of(shape: Any, dtype: Any) -> str:
    """Shape and dtype, of several results in parentheses."""
    if isinstance(dtype, tuple):
        return "(" + ", ".join([type_of(s, d) for s, d in zip(shape, dtype, strict=True)]) + ")"
    return type_text(ShapeDtypeStruct(shape, dtype))


def value_text(x: Any) -> str:
    """The elements of a small array with four digits, and nothing of a larger one."""
    x = np.asarray(x)
    if x.size > SMALL or x.dtype.kind not in "biufc":
        return ""
    text = _written(x)
    return text if len(text) <= SHORT else ""


def _written(x: np.ndarray) -> str:
    if not x.ndim:
        value = x.item()
        return f"{value:.4g}" if isinstance(value, float | complex) else str(value)
    return "[" + ", ".join([_written(e) for e in x]) + "]"


def grad_text(x: Any) -> str:
    """A gradient: its elements if they are few, else their norm."""
    x = np.asarray(x)
    return value_text(x) or (f"norm {np.linalg.norm(x.astype(complex)):.3g}" if x.dtype.kind in "fc" else "")


def alarm_text(x: Any) -> str:
    """How many elements are no finite numbers."""
    x = np.asarray(x)
    if x.dtype.kind not in "fc":
        return ""
    nans, infs = int(np.isnan(x).sum()), int(np.isinf(x).sum())
    return ", ".join([f"{count} {word}" for count, word in ((nans, "NaN"), (infs, "Inf")) if count])
