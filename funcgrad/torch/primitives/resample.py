"""Resampling along an axis: each element of the result is a weighted sum of a few elements, its taps.

Where the taps are stands in `places`, (out, taps), and their weights in an array of that shape; both are parameters.
Places do not decrease along the result, as is so wherever samples are taken in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, linear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def _along(w: np.ndarray, ndim: int, axis: int) -> np.ndarray:
    """A column of weights in the shape that broadcasts along an axis."""
    return w.reshape((-1,) + (1,) * (ndim - 1 - axis))


def _resample(x: Any, *, axis: int, places: np.ndarray, weights: np.ndarray | None) -> Any:
    """Without weights there is one tap, of weight one."""
    if weights is None:
        return x.take(places[:, 0], axis)
    out = None
    for k in range(places.shape[1]):
        term = x.take(places[:, k], axis)
        term *= _along(weights[:, k], x.ndim, axis)
        out = term if out is None else np.add(out, term, out=out)
    return out


def _resample_back(g: Any, *, axis: int, size: int, places: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    shape = g.shape
    out = np.zeros((*shape[:axis], size, *shape[axis + 1 :]), dtype_of(g))
    if not out.size or not g.size:
        return out
    before = (slice(None),) * axis
    for k in range(places.shape[1]):
        column = places[:, k]
        starts = np.flatnonzero(np.concatenate([[True], column[1:] != column[:-1]]))
        term = g if weights is None else g * _along(weights[:, k], g.ndim, axis)
        out[(*before, column[starts])] += np.add.reduceat(term, starts, axis)
    return out


def _shape(x: Any, *, axis: int, places: np.ndarray, weights: Any, size: int | None = None) -> ShapeDtypeStruct:
    shape = list(shape_of(x))
    shape[axis] = len(places) if size is None else size
    return ShapeDtypeStruct(tuple(shape), dtype_of(x))


_TABLES = (
    ((2, 3), 1, np.array([[0], [0], [1], [2]]), None),
    ((3,), 0, np.array([[0, 1], [0, 1], [2, 2]]), np.array([[0.25, 0.75], [1, 0], [0.5, 0.5]])),
    ((2, 4, 2), 1, np.array([[0, 1, 2], [1, 2, 3]]), np.array([[0.25, 0.5, 0.25], [-0.5, 1, 0.5]])),
)


def _samples(draw: Draw) -> list[Sample]:
    kind = draw(1).dtype
    return [
        Sample(draw(*shape), axis=axis, places=places, weights=None if w is None else w.astype(kind))
        for shape, axis, places, w in _TABLES
    ]


def _back_samples(draw: Draw) -> list[Sample]:
    found = []
    for sample, (shape, axis, places, _) in zip(_samples(draw), _TABLES, strict=True):
        large = (*shape[:axis], len(places), *shape[axis + 1 :])
        found.append(Sample(draw(*large), size=shape[axis], **sample.params))
    return found


resample: Primitive = linear(
    _resample,
    transpose=lambda g, x_shape, axis, places, weights: resample_back(
        g, axis=axis, size=x_shape[axis], places=places, weights=weights
    ),
    shape=_shape,
    batch=batching.shifted("axis"),
    samples=_samples,
    dtypes="fd",
)

resample_back: Primitive = linear(
    _resample_back,
    transpose=lambda g, axis, places, weights: resample(g, axis=axis, places=places, weights=weights),
    shape=_shape,
    batch=batching.shifted("axis"),
    samples=_back_samples,
    dtypes="fd",
)
