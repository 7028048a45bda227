"""Arrays as text. Printing may look at a value that is being differentiated: text has no gradient to lose."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array

__all__ = ["array2string", "array_repr", "array_str"]


def _values(a: Any) -> np.ndarray:
    return np.asarray(a._concrete("printing x")) if isinstance(a, Array) else np.asarray(a)


def array2string(
    a: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: dict | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sign: str | None = None,
    floatmode: str | None = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """The elements of an array as text; the options are NumPy's.

    Example:
        >>> fnp.array2string(fnp.array([1.0, 0.12345]), precision=2)
        '[1.   0.12]'
    """
    return np.array2string(
        _values(a),
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )


def array_str(
    a: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """The elements of an array as text, as `str` gives it.

    Example:
        >>> fnp.array_str(fnp.array([1.0, 2.0]))
        '[1. 2.]'
    """
    return np.array_str(_values(a), max_line_width, precision, suppress_small)


def array_repr(
    arr: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """An array as text, with its dtype, as `repr` gives it.

    Example:
        >>> fnp.array_repr(fnp.array([1.0, 0.12345]), precision=2)
        'Array([1.  , 0.12], dtype=float64)'
    """
    values = _values(arr)
    text = np.array2string(values, max_line_width, precision, suppress_small, separator=", ", prefix="Array(")
    return f"Array({text}, dtype={values.dtype})"
