"""Padding of windows by the names that `jax.lax` has for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funcgrad.errors import ArgumentError

__all__ = ["padtype_to_pads"]


def padtype_to_pads(
    in_shape: Sequence[int], window_shape: Sequence[int], window_strides: Sequence[int], padding: Any
) -> list[tuple[int, int]]:
    """How much padding a word stands for, before and behind each axis.

    Arguments:
        in_shape: the lengths of the axes.
        window_shape: the size of windows along each, with its gaps.
        window_strides: the steps from one window to the next.
        padding: "VALID": none; "SAME": so much that there are length / stride windows, of an odd number the larger half
            behind; "SAME_LOWER": the larger half before. Or pairs, which it gives back.

    Raises:
        ArgumentError: there is no such word.

    Example:
        >>> fg.lax.padtype_to_pads((5, 4), (2, 3), (1, 2), "SAME")
        [(0, 1), (0, 1)]
    """
    if not isinstance(padding, str):
        return [(int(low), int(high)) for low, high in padding]
    word = padding.upper()
    if word == "VALID":
        return [(0, 0)] * len(in_shape)
    if word not in ("SAME", "SAME_LOWER"):
        raise ArgumentError(f"Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', got {padding}.")
    found = []
    for n, k, s in zip(in_shape, window_shape, window_strides, strict=True):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        less, more = total // 2, total - total // 2
        found.append((less, more) if word == "SAME" else (more, less))
    return found


def dilated(n: int, by: int) -> int:
    """The length of an axis of n elements that lie so far apart."""
    return (n - 1) * by + 1 if n else 0
