"""Primitives that put elements in order, or find them in ordered arrays.

Only `sort` has a derivative: its result is a permutation of the operand, so tangents are permuted likewise. Among equal
elements the order is that in which they came, as in JAX. The others give indices or booleans, which do not move.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, Zero, primitive, same_shape
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.ops.index import scatter_along_axis, take_along_axis

__all__ = ["argpartition", "argsort", "isin", "lexsort", "searchsorted", "sort"]

_INDICES = Zero("integer output")


def _sort(x: Any, *, axis: int) -> np.ndarray:
    return np.sort(x, axis)


def _order(x: Any, axis: int) -> Any:
    return argsort(x, axis=axis, stable=True)


def _sort_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.apart(4), axis=0),
        Sample(draw.apart(2, 3), axis=1),
        Sample(draw.apart(3, 2, 2)[::-1], axis=0),
        Sample(draw.apart(1), axis=0),
        Sample(draw.apart(0, 2), axis=0),
    ]


sort = primitive(
    _sort,
    shape=same_shape,
    vjp=lambda g, x, axis: scatter_along_axis(g, _order(x, axis), shape=g.shape, axis=axis, unique=True),
    jvp=lambda t, x, axis: take_along_axis(t, _order(x, axis), axis=axis, unique=True),
    batch=batching.shifted("axis"),
    samples=_sort_samples,
    preserves=True,
)


def _index_shape(x: Any, **params: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(x), np.intp)


def _argsort(x: Any, *, axis: int, stable: bool) -> np.ndarray:
    return np.argsort(x, axis, "stable" if stable else None)


argsort = primitive(
    _argsort,
    shape=_index_shape,
    vjp=_INDICES,
    batch=batching.shifted("axis"),
    samples=lambda draw: [Sample(*s.args, **s.params, stable=k % 2 == 0) for k, s in enumerate(_sort_samples(draw))],
)


def _argpartition(x: Any, *, kth: int | tuple[int, ...], axis: int) -> np.ndarray:
    return np.argpartition(x, kth, axis)


argpartition = primitive(
    _argpartition,
    shape=_index_shape,
    vjp=_INDICES,
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw.apart(5), kth=2, axis=0),
        Sample(draw.apart(2, 4), kth=(0, 2), axis=1),
    ],
)


def _lexsort(*keys: Any, axis: int) -> np.ndarray:
    return np.lexsort(keys, axis)


def _lexsort_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    keys = batching.everywhere(args, mask, size)
    if keys[0].ndim == 1:  # each example has one element, and NumPy lets it be sorted along the last axis
        return np.zeros(size, np.intp)
    return batching.shifted("axis")(primitive, size, args, mask, params)


lexsort = primitive(
    _lexsort,
    operands=None,
    shape=lambda *keys, axis: ShapeDtypeStruct(shape_of(keys[0]), np.intp),
    vjp=_INDICES,
    batch=_lexsort_batch,
    samples=lambda draw: [
        Sample(draw.apart(4), axis=0),
        Sample(draw.apart(2, 3), np.array([[1, 0, 1], [2, 2, 2]]), axis=1),
        Sample(draw.apart(), draw.apart(), axis=-1),
    ],
)


def _searchsorted(a: Any, v: Any, *, side: str) -> Any:
    return np.searchsorted(a, v, side)


def _searchsorted_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """Sort the values in among the elements: the place of a value is the number of elements before it."""
    if not mask[0]:
        return primitive(*args, **params)
    a, v = batching.everywhere(args, mask, size)
    n, shape = a.shape[1], v.shape
    v = v.reshape((size, math.prod(shape[1:])))
    left = params["side"] == "left"
    order = argsort(np.concatenate([v, a] if left else [a, v], axis=1), axis=1, stable=True)
    elements = order >= v.shape[1] if left else order < n
    before = np.cumsum(elements, axis=1, dtype=np.intp)
    found = take_along_axis(before, argsort(order, axis=1, stable=True), axis=1, unique=True)
    return (found[:, : v.shape[1]] if left else found[:, n:]).reshape(shape)


searchsorted = primitive(
    _searchsorted,
    operands="a v",
    shape=lambda a, v, side: ShapeDtypeStruct(shape_of(v), np.intp),
    vjp=_INDICES,
    batch=_searchsorted_batch,
    samples=lambda draw: [
        Sample(np.sort(draw.apart(4)), draw.apart(3), side="left"),
        Sample(np.sort(draw.apart(4)), draw(2, 2), side="right"),
        Sample(np.sort(draw.apart(3)), draw(), side="left"),
        Sample(draw(0), draw(2), side="left"),
    ],
)


def _isin(x: Any, elements: Any, *, invert: bool) -> np.ndarray:
    return np.isin(x, elements, invert=invert)


def _isin_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    if not mask[1]:
        return primitive(*args, **params)
    x, elements = batching.everywhere(args, mask, size)
    n = math.prod(elements.shape[1:])
    if n == 0:
        return np.full(x.shape, params["invert"])
    elements = sort(elements.reshape((size, n)), axis=1)
    flat = x.reshape((size, math.prod(x.shape[1:])))
    places = _searchsorted_batch(searchsorted, size, (elements, flat), (True, True), {"side": "left"})
    found = take_along_axis(elements, np.minimum(places, n - 1), axis=1, unique=False).reshape(x.shape)
    return np.not_equal(found, x) if params["invert"] else np.equal(found, x)


isin = primitive(
    _isin,
    operands="x elements",
    shape=lambda x, elements, invert: ShapeDtypeStruct(shape_of(x), bool),
    vjp=Zero("boolean output"),
    batch=_isin_batch,
    samples=lambda draw: [
        Sample(draw.apart(2, 3), draw.apart(2), invert=False),
        Sample(draw.apart(3), np.array([0, 1]), invert=True),
    ],
)
