"""Windows that move over the axes of an array: how many there are, where each of their places meets the array.

A window has `size` places along an axis, `dilation` apart; the next window starts `strides` further on; `padding`, a
pair for each axis, is added before and behind, or taken away where it is negative. Convolution and pooling share this.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Pairs = tuple[tuple[int, int], ...]


def window_counts(
    lengths: tuple[int, ...],
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Pairs,
    dilation: tuple[int, ...],
) -> tuple[int, ...]:
    """How many windows there are along each axis."""
    found = []
    for n, k, s, (low, high), d in zip(lengths, size, strides, padding, dilation, strict=True):
        room = n + low + high - ((k - 1) * d + 1 if k else 0)
        found.append(room // s + 1 if room >= 0 else 0)
    return tuple(found)


def padded(x: np.ndarray, padding: Pairs) -> np.ndarray:
    """x with zeros around its last axes, or with less of them; x itself if there is nothing to add."""
    if not any(low or high for low, high in padding):
        return x
    x = x[(..., *[slice(max(-low, 0), n - max(-high, 0)) for n, (low, high) in _axes(x, padding)])]
    if not any(low > 0 or high > 0 for low, high in padding):
        return x
    around = [(max(low, 0), max(high, 0)) for low, high in padding]
    lead = x.shape[: x.ndim - len(padding)]
    out = np.zeros((*lead, *[low + n + high for n, (low, high) in _axes(x, around)]), x.dtype)
    out[(..., *[slice(low, low + n) for n, (low, _) in _axes(x, around)])] = x
    return out


def _axes(x: np.ndarray, padding: Any) -> Iterator[tuple[int, tuple[int, int]]]:
    return zip(x.shape[x.ndim - len(padding) :], padding, strict=True)


def windows(
    x: np.ndarray,
    size: tuple[int, ...],
    counts: tuple[int, ...],
    strides: tuple[int, ...],
    dilation: tuple[int, ...],
) -> np.ndarray:
    """All windows along the last axes of x, as a view: axes for the places in a window, then for the windows."""
    rank = x.ndim - len(size)
    lead, steps = x.strides[:rank], x.strides[rank:]
    return as_strided(
        x,
        x.shape[:rank] + size + counts,
        (
            *lead,
            *[step * d for step, d in zip(steps, dilation, strict=True)],
            *[step * s for step, s in zip(steps, strides, strict=True)],
        ),
        writeable=False,
    )


def places(
    size: tuple[int, ...], counts: tuple[int, ...], strides: tuple[int, ...], dilation: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place of a window, with the elements along the last axes that it has in all the windows."""
    for place in itertools.product(*map(range, size)):
        yield (
            place,
            tuple(
                [
                    slice(i * d, i * d + (m - 1) * s + 1, s)
                    for i, m, s, d in zip(place, counts, strides, dilation, strict=True)
                ]
            ),
        )


def met(n: int, count: int, place: int, stride: int, low: int, dilation: int) -> tuple[slice, slice] | None:
    """Along one axis of n elements the windows whose place is not in the padding, and the elements that it has there.

    Returns:
        A slice of the windows and one of the elements; None if there are none.
    """
    start = place * dilation - low
    first = max(0, -(start // stride))
    last = min(count, (n - 1 - start) // stride + 1)
    if last <= first:
        return None
    return slice(first, last), slice(start + first * stride, start + (last - 1) * stride + 1, stride)


def blocks(many: int, counts: tuple[int, ...], room: int, most: int) -> Iterator[tuple[slice, slice]]:
    """Examples and rows of windows in pieces, so that what is made of one piece takes no more than `most` bytes.

    Arguments:
        many: how many examples there are.
        counts: of the windows along each axis; rows are those of the first axis.
        room: bytes that one window needs.
        most: bytes, which a single row may exceed.
    """
    rows = counts[0] if counts else 1
    row = max(room * math.prod(counts[1:]), 1)
    step = max(1, most // (row * max(rows, 1)))
    height = rows if row * rows <= most else max(1, most // row)
    for i in range(0, many, step):
        for r in range(0, rows, height):
            yield slice(i, min(i + step, many)), slice(r, min(r + height, rows))
