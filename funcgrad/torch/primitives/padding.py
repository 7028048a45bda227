"""Padding of the last axes: with a constant, by reflection at the edge, or with the element at the edge.

Widths are pairs (before, after), one for each of the last axes, in their order; negative ones crop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, linear, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

Widths = tuple[tuple[int, int], ...]


def padded_shape(shape: tuple[int, ...], widths: Widths) -> tuple[int, ...]:
    """The shape of an array of this shape with padding."""
    first = len(shape) - len(widths)
    return shape[:first] + tuple([n + a + b for n, (a, b) in zip(shape[first:], widths, strict=True)])


def _inner(shape: tuple[int, ...], widths: Widths) -> tuple[tuple, tuple]:
    """Where the elements that stay are, in the array and in the padded one."""
    first = len(shape) - len(widths)
    kept: list[Any] = [slice(None)] * first
    places: list[Any] = [slice(None)] * first
    for n, (a, b) in zip(shape[first:], widths, strict=True):
        low, high = max(-a, 0), n - max(-b, 0)
        kept.append(slice(low, high))
        places.append(slice(max(a, 0), max(a, 0) + high - low))
    return tuple(kept), tuple(places)


def _shape(x: Any, *, widths: Widths, **params: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(padded_shape(shape_of(x), widths), dtype_of(x))


def _pad_constant(x: Any, *, widths: Widths, value: Any = 0) -> Any:
    shape = padded_shape(x.shape, widths)
    out = np.zeros(shape, x.dtype) if value == 0 else np.full(shape, value, x.dtype)
    kept, places = _inner(x.shape, widths)
    out[places] = x[kept]
    return out


def _negated(widths: Widths) -> Widths:
    return tuple([(-a, -b) for a, b in widths])


def _constant_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(3), widths=((1, 2),)),
        Sample(draw(2, 3), widths=((1, 0), (-1, 2)), value=1.5),
        Sample(draw.strided(2, 3), widths=((0, 1),)),
        Sample(draw(2, 0), widths=((1, 1),)),
        Sample(draw(4, 3), widths=((-1, -2), (0, 0))),
    ]


pad_constant: Primitive = primitive(
    _pad_constant,
    name="pad_constant",
    shape=_shape,
    vjp=lambda g, widths: pad_constant(g, widths=_negated(widths)),
    jvp=lambda t, widths: pad_constant(t, widths=widths),
    samples=_constant_samples,
    batch=batching.shifted(),
)


# By the elements of the edge.


def _places(n: int, before: int, after: int, mode: str) -> np.ndarray:
    """For each element along a padded axis the place that it comes from."""
    places = np.arange(-before, n + after)
    if mode == "replicate":
        return np.clip(places, 0, n - 1)
    places = np.abs(places)
    return np.where(places >= n, 2 * (n - 1) - places, places)


def _pad_edges(x: Any, *, widths: Widths, mode: str) -> Any:
    for axis, (before, after) in zip(range(x.ndim - len(widths), x.ndim), widths, strict=True):
        x = x.take(_places(x.shape[axis], before, after, mode), axis)
    return x


def _fold_edges(g: Any, *, widths: Widths, mode: str) -> Any:
    """The transpose of `pad_edges`: what went to the edges comes back."""
    for axis, width in zip(range(g.ndim - len(widths), g.ndim), widths, strict=True):
        if width != (0, 0):
            g = _folded(g, axis, *width, mode)
    return g


def _folded(g: Any, axis: int, before: int, after: int, mode: str) -> Any:
    def at(start: int, stop: int | None, step: int = 1) -> tuple:
        return (*[slice(None)] * axis, slice(start, stop, step))

    n = g.shape[axis] - before - after
    low, high = max(-before, 0), n - max(-after, 0)
    out = np.zeros_like(g, shape=(*g.shape[:axis], n, *g.shape[axis + 1 :]))  # which lies in memory as g does
    first = max(before, 0)
    out[at(low, high)] = g[at(first, first + high - low)]
    end = first + high - low
    if before > 0:
        edge = g[at(0, first)]
        if mode == "reflect":
            out[at(1, first + 1)] += np.flip(edge, axis)
        else:
            out[at(0, 1)] += edge.sum(axis, keepdims=True)
    if after > 0:
        edge = g[at(end, None)]
        if mode == "reflect":
            out[at(n - 1 - after, n - 1)] += np.flip(edge, axis)
        else:
            out[at(n - 1, n)] += edge.sum(axis, keepdims=True)
    return out


def _edge_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(3), widths=((1, 2),), mode="reflect"),
        Sample(draw(2, 3), widths=((1, 0), (-1, 2)), mode="reflect"),
        Sample(draw.strided(2, 3), widths=((2, -1),), mode="replicate"),
        Sample(draw(1, 2), widths=((1, 3), (2, 1)), mode="replicate"),
        Sample(draw(0, 2), widths=((1, 1),), mode="replicate"),
    ]


def _fold_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(6), widths=((1, 2),), mode="reflect"),
        Sample(draw(3, 4), widths=((1, 0), (-1, 2)), mode="reflect"),
        Sample(draw.strided(2, 5), widths=((2, -1),), mode="replicate"),
        Sample(draw(5, 5), widths=((1, 3), (2, 1)), mode="replicate"),
    ]


pad_edges: Primitive = linear(
    _pad_edges,
    name="pad_edges",
    transpose=lambda g, widths, mode: fold_edges(g, widths=widths, mode=mode),
    shape=_shape,
    samples=_edge_samples,
    batch=batching.shifted(),
)
fold_edges: Primitive = linear(
    _fold_edges,
    name="fold_edges",
    transpose=lambda g, widths, mode: pad_edges(g, widths=widths, mode=mode),
    shape=lambda g, widths, mode: ShapeDtypeStruct(padded_shape(shape_of(g), _negated(widths)), dtype_of(g)),
    samples=_fold_samples,
    batch=batching.shifted(),
)
