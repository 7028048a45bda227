"""The text of a tensor in errors of torch's C++ code, which prints tensors in a way of its own.

https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/core/Formatting.cpp
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

LINE = 80
"""How many characters a line has at most."""


def stream_text(value: ndarray, kind: Any) -> str:
    """The text of a tensor.

    Arguments:
        value: what it holds.
        kind: its torch dtype.

    Example:
        >>> from funcgrad import torch
        >>> from funcgrad.torch.base.stream_text import stream_text
        >>> print(stream_text(np.array([[1.0, 2.5]]), torch.float32))
         1.0000  2.5000
        [ torch.FloatTensor{1,2} ]
    """
    x = value.real.astype(np.float64)
    sizes = ",".join(map(str, x.shape))
    if x.ndim == 0:
        body = f"{x:g}\n"
    elif not x.size:
        body = ""
    elif x.ndim == 1:
        scale, number = _format(x)
        body = _scale_line(scale) + "".join([number(e / scale) + "\n" for e in x.tolist()])
    elif x.ndim == 2:
        body = _matrix(x, 0)
    else:
        body = "\n".join([f"({_place(p)}.,.) = \n{_matrix(x[p], 1)}" for p in _places(x.shape[:-2])])
    return f"{body}[ {kind.cxx_type}{{{sizes}}} ]"


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All places, of which the first coordinate runs fastest."""
    return [p[::-1] for p in np.ndindex(*shape[::-1])]


def _place(p: tuple[int, ...]) -> str:
    return "".join([f"{i + 1}," for i in p])


def _scale_line(scale: float) -> str:
    return "" if scale == 1 else f"{str(scale).removesuffix('.0')} *\n"


def _format(x: ndarray) -> tuple[float, Callable[[float], str]]:
    """What all numbers are divided by, and how each is then written."""
    finite = np.abs(x[np.isfinite(x)])
    low, high = (_digits(float(finite.min())), _digits(float(finite.max()))) if finite.size else (1, 1)
    if (finite == np.ceil(finite)).all():
        if high > 9:
            return 1, lambda e: f"{e:11.4e}"
        return 1, lambda e: f"{e:{high + 1}g}"
    if high - low > 4:
        width = 12 if abs(high) > 99 or abs(low) > 99 else 11
        return 1, lambda e: f"{e:{width}.4e}"
    if high > 5 or high < 0:
        return 10.0 ** (high - 1), lambda e: f"{e:7.4f}"
    width = 7 if high == 0 else high + 6
    return 1, lambda e: f"{e:{width}.4f}"


def _digits(x: float) -> int:
    """How many digits stand before the point."""
    return math.floor(math.log10(x)) + 1 if x else 1


def _matrix(x: ndarray, indent: int) -> str:
    """A matrix, in several blocks of columns if it is wide."""
    scale, number = _format(x)
    width, columns = len(number(0.0)), x.shape[1]
    each = (LINE - indent) // (width + 1)
    before, text = " " * indent, ""
    for first in range(0, columns, each):
        last = min(first + each, columns)
        if each < columns:
            text += ("\n" if first else "") + f"Columns {first + 1} to {last}" + before
        rows = [" ".join([number(e / scale) for e in row]) + "\n" for row in x[:, first:last].tolist()]
        if scale == 1:
            text += before.join(rows)
        else:
            text += _scale_line(scale) + before + (before + " ").join(rows)
    return text
