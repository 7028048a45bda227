"""Where resampling along an axis takes its samples, and with which weights, as torch computes them.

Each function here gives `(places, weights)`: arrays of shape (out, taps). They are computed in the precision that the
samples are computed in, since a rounding decides which of two neighbours is the nearer one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy import ndarray


class Axis(NamedTuple):
    """One axis that is resampled.

    Attributes:
        size: how many elements there are.
        out: how many there shall be.
        factor: out / size as the caller gave it, None if sizes alone count.
        align_corners: whether the first and last elements stay where they are, and not the outer edges.
        kind: the dtype to compute in.
    """

    size: int
    out: int
    factor: float | None
    align_corners: bool
    kind: np.dtype

    @property
    def scale(self) -> np.floating:
        """How far apart samples are."""
        one = self.kind.type
        if self.align_corners:
            return one(self.size - 1) / one(self.out - 1) if self.out > 1 else one(0)
        if self.factor is not None and self.factor > 0:
            return one(1.0 / self.factor)
        return one(self.size) / one(self.out)

    def positions(self) -> ndarray:
        """Where samples lie, between elements that lie at 0, 1, 2, …"""
        steps, half = np.arange(self.out, dtype=self.kind), self.kind.type(0.5)
        return self.scale * steps if self.align_corners else self.scale * (steps + half) - half


def nearest(axis: Axis) -> tuple[ndarray, None]:
    """The element at the beginning of each sample's part."""
    single = axis._replace(kind=np.dtype(np.float32), align_corners=False)
    places = np.floor(np.arange(axis.out, dtype=np.float32) * single.scale).astype(np.int64)
    return np.minimum(places, axis.size - 1)[:, None], None


def nearest_exact(axis: Axis) -> tuple[ndarray, None]:
    """The element in the middle of each sample's part."""
    single = axis._replace(kind=np.dtype(np.float32), align_corners=False)
    places = np.floor((np.arange(axis.out, dtype=np.float32) + np.float32(0.5)) * single.scale).astype(np.int64)
    return np.clip(places, 0, axis.size - 1)[:, None], None


def _whole_and_rest(axis: Axis, positions: ndarray) -> tuple[ndarray, ndarray]:
    whole = np.minimum(np.floor(positions), axis.size - 1)
    return whole.astype(np.int64), np.clip(positions - whole, 0, 1).astype(axis.kind)


def linear(axis: Axis) -> tuple[ndarray, ndarray]:
    """The two neighbours of each sample; as many samples as elements are these themselves."""
    if axis.out == axis.size:
        whole = np.arange(axis.size)
        return np.stack([whole, whole], 1), np.stack([np.ones(axis.size), np.zeros(axis.size)], 1).astype(axis.kind)
    whole, rest = _whole_and_rest(axis, np.maximum(axis.positions(), 0))
    places = np.stack([whole, whole + (whole < axis.size - 1)], 1)
    return places, np.stack([1 - rest, rest], 1)


def cubic_weights(t: ndarray) -> tuple[ndarray, ...]:
    """The weights of the four neighbours of samples at t between the inner two: Keys' cubic with a = -0.75."""
    a = -0.75
    far, near = t + 1, 1 - t
    return (
        ((a * far - 5 * a) * far + 8 * a) * far - 4 * a,
        ((a + 2) * t - (a + 3)) * t * t + 1,
        ((a + 2) * near - (a + 3)) * near * near + 1,
        ((a * (near + 1) - 5 * a) * (near + 1) + 8 * a) * (near + 1) - 4 * a,
    )


def cubic(axis: Axis) -> tuple[ndarray, ndarray]:
    """The four neighbours of each sample; beyond the ends these go on as they are."""
    whole, rest = _whole_and_rest(axis, axis.positions())
    places = np.clip(whole[:, None] + np.arange(-1, 3), 0, axis.size - 1)
    return places, np.stack(cubic_weights(rest), 1).astype(axis.kind)


# With antialiasing a filter is as wide as samples are apart.


def _hat(x: ndarray) -> ndarray:
    return np.where(x < 1, 1 - x, 0)


def _cubic_filter(x: ndarray) -> ndarray:
    a = -0.5
    inner = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x < 1, inner, np.where(x < 2, ((x - 5) * x + 8) * x * a - 4 * a, 0))


def _lanczos_filter(x: ndarray) -> ndarray:
    return np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0)


FILTERS: dict[str, tuple[Callable[[ndarray], ndarray], int]] = {
    "bilinear": (_hat, 2),
    "bicubic": (_cubic_filter, 4),
    "lanczos": (_lanczos_filter, 6),
}
"""By mode: the filter, of the distance, and how many elements it covers."""


def filtered(axis: Axis, mode: str) -> tuple[ndarray, ndarray]:
    """All elements that a filter covers; their places are those of outer edges, even where corners are aligned."""
    filter, width = FILTERS[mode]
    one = axis.kind.type
    scale = axis.scale
    support = one(width / 2) * max(scale, one(1))
    center = scale * (np.arange(axis.out, dtype=axis.kind) + one(0.5))
    start = np.maximum((center - support + one(0.5)).astype(np.int64), 0)
    stop = np.minimum((center + support + one(0.5)).astype(np.int64), axis.size)
    taps = np.arange(min(math.ceil(support) * 2 + 1, axis.size))
    places = start[:, None] + taps
    distance = (places - center[:, None] + one(0.5)) / max(scale, one(1))
    weights = np.where(places < stop[:, None], filter(np.abs(distance)), 0)
    total = weights.sum(1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return np.minimum(places, axis.size - 1), weights.astype(axis.kind)
