"""Windows laid side by side as columns, and put back with sums where they overlap: torch's unfold and fold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Primitive, Sample, linear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.windows import Pairs, padded, places, window_counts, windows


def _unfold(x: Any, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
    n, c, *lengths = x.shape
    counts = window_counts(tuple(lengths), size, strides, padding, dilation)
    found = windows(padded(x, padding), size, counts, strides, dilation)
    return found.reshape(n, c * math.prod(size), math.prod(counts))


def _fold(y: Any, *, lengths: tuple, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
    n, c = y.shape[0], y.shape[1] // math.prod(size)
    counts = window_counts(lengths, size, strides, padding, dilation)
    blocks = y.reshape(n, c, *size, *counts)
    reach = [m + low + high for m, (low, high) in zip(lengths, padding, strict=True)]
    whole = np.zeros((n, c, *reach), y.dtype)
    for place, part in places(size, counts, strides, dilation):
        whole[(..., *part)] += blocks[(slice(None), slice(None), *place)]
    return padded(whole, tuple([(-low, -high) for low, high in padding]))


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """More examples."""
    (x,) = batching.everywhere(args, mask, size)
    out = primitive(x.reshape(size * x.shape[1], *x.shape[2:]), **params)
    return out.reshape(size, x.shape[1], *out.shape[1:])


def _unfold_shape(x: Any, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> ShapeDtypeStruct:
    n, c, *lengths = shape_of(x)
    counts = window_counts(tuple(lengths), size, strides, padding, dilation)
    return ShapeDtypeStruct((n, c * math.prod(size), math.prod(counts)), dtype_of(x))


def _fold_shape(y: Any, *, lengths: tuple, size: tuple, **params: Any) -> ShapeDtypeStruct:
    n, c, _ = shape_of(y)
    return ShapeDtypeStruct((n, c // math.prod(size), *lengths), dtype_of(y))


_WINDOWS: list[dict[str, Any]] = [
    {"size": (2, 2), "strides": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1)},
    {"size": (2, 1), "strides": (1, 2), "padding": ((1, 1), (0, 0)), "dilation": (2, 1)},
]

unfold: Primitive = linear(
    _unfold,
    transpose=lambda g, x_shape, size, strides, padding, dilation: fold(
        g, lengths=x_shape[2:], size=size, strides=strides, padding=padding, dilation=dilation
    ),
    shape=_unfold_shape,
    batch=_batch,
    samples=lambda draw: [
        Sample(draw(2, 2, 3, 3), **_WINDOWS[0]),
        Sample(draw.strided(1, 2, 3, 2), **_WINDOWS[1]),
        Sample(draw(0, 1, 2, 2), **_WINDOWS[0]),
    ],
)

fold: Primitive = linear(
    _fold,
    transpose=lambda g, size, strides, padding, dilation: unfold(
        g, size=size, strides=strides, padding=padding, dilation=dilation
    ),
    operands="y",
    shape=_fold_shape,
    batch=_batch,
    samples=lambda draw: [
        Sample(draw(2, 4, 4), lengths=(3, 3), **_WINDOWS[0]),
        Sample(draw.strided(1, 4, 3), lengths=(3, 2), **_WINDOWS[1]),
    ],
)
