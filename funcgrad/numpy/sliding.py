"""Windows that slide over an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.numpy.convert import asarray, normalize_axes
from funcgrad.numpy.indexing import take
from funcgrad.numpy.shapes import moveaxis

__all__ = ["sliding_window_view"]


def sliding_window_view(
    x: ArrayLike,
    window_shape: int | tuple[int, ...],
    axis: int | tuple[int, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Shaped[Array, "..."]:
    """All windows of a size that lie within an array, at all places along some axes.

    Arguments:
        x: the array.
        window_shape: the length of the windows along each of the axes.
        axis: one axis or several, which may occur twice; None for all.
        subok, writeable: of no effect: the result is an Array.

    Returns:
        The places along the axes, in their order, and at the end the axes of the windows.

    Raises:
        ValueError: the lengths and axes differ in number, or a window is longer than its axis, or negative.

    Example:
        >>> fnp.sliding_window_view(fnp.array([1.0, 2.0, 3.0]), 2)
        Array([[1., 2.],
               [2., 3.]], dtype=float64)

    Source: numpy.lib.stride_tricks.sliding_window_view
    (https://numpy.org/doc/stable/reference/generated/numpy.lib.stride_tricks.sliding_window_view.html)
    """
    out: Any = asarray(x)
    lengths = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    axes = normalize_axes(axis, out.ndim, allow_duplicate=True)
    if len(lengths) != len(axes):
        raise ValueError(f"sliding_window_view takes one length for each axis, got {len(lengths)} for {len(axes)} axes")
    for length, along in zip(lengths, axes, strict=True):
        places = out.shape[along] - length + 1
        if length < 0 or places <= 0:
            raise ValueError(f"a window of length {length} does not fit into axis {along} of shape {out.shape}")
        out = moveaxis(take(out, np.arange(places)[:, None] + np.arange(length), along), along + 1, -1)
    return out
