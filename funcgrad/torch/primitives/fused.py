"""Sums with a product or a quotient, and interpolation, as one primitive each: they keep what their factors need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Sample, elementwise
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def in_float32(f: Callable) -> Callable:
    """A function of several steps that rounds halves once, at the end, as torch does."""

    @functools.wraps(f)
    def computed(x: Any, *others: Any, **params: Any) -> Any:
        kind = getattr(x, "dtype", None)
        if kind is None or kind.itemsize != 2 or not isinstance(x, np.ndarray) or kind.kind not in "fV":
            return f(x, *others, **params)
        wide = [v.astype(np.float32) if isinstance(v, np.ndarray) else v for v in (x, *others)]
        return np.asarray(f(*wide, **params)).astype(kind)

    return computed


def _shape(x: Any, *others: Any, **params: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(np.broadcast_shapes(*map(shape_of, (x, *others))), dtype_of(x))


def _triples(draw: Draw, **params: Any) -> list[Sample]:
    def some(*shape: int) -> np.ndarray:
        return draw(*shape, low=0.5)

    return [
        Sample(some(3), some(3), some(3), **params),
        Sample(some(2, 1), some(3), some(), **params),
        Sample(some(), some(), some(2), **params),
        Sample(some(0), some(0), some(0), **params),
    ]


def _scaled(x: Any, value: Any) -> Any:
    return x if value == 1 else value * x


@in_float32
def _addcmul(x: Any, y: Any, z: Any, *, value: Any) -> Any:
    return x + _scaled(y, value) * z


addcmul = elementwise(
    _addcmul,
    lambda g: g,
    lambda g, z, value: _scaled(g * z, value),
    lambda g, y, value: _scaled(g * y, value),
    shape=_shape,
    dtypes="fdFD",
    samples=lambda draw: [*_triples(draw, value=1), *_triples(draw, value=2.5)],
)


@in_float32
def _addcdiv(x: Any, y: Any, z: Any, *, value: Any) -> Any:
    return x + _scaled(y / z, value)


addcdiv = elementwise(
    _addcdiv,
    lambda g: g,
    lambda g, z, value: _scaled(g / z, value),
    lambda g, y, z, value: _scaled(-g * (y / (z * z)), value),
    shape=_shape,
    dtypes="fdFD",
    samples=lambda draw: [*_triples(draw, value=1), *_triples(draw, value=2.5)],
)


# Interpolation starts from the nearer end, so that both ends are met.


@in_float32
def _lerp(x: Any, y: Any, *, weight: Any) -> Any:
    return x + weight * (y - x) if abs(weight) < 0.5 else y - (y - x) * (1 - weight)


lerp = elementwise(
    _lerp,
    lambda g, weight: g * (1 - weight),
    lambda g, weight: g * weight,
    shape=_shape,
    dtypes="fdFD",
    samples=lambda draw: [
        Sample(draw(3), draw(2, 1), weight=0.25),
        Sample(draw(), draw(), weight=0.75),
        Sample(draw(0), draw(0), weight=2.0),
    ],
)


@in_float32
def _lerp_by(x: Any, y: Any, z: Any) -> Any:
    way = y - x
    return np.where(np.abs(z) < 0.5, x + z * way, y - way * (1 - z))


lerp_by = elementwise(
    _lerp_by,
    lambda g, z: g * (1 - z),
    lambda g, z: g * z,
    lambda g, x, y: g * (y - x),
    shape=_shape,
    dtypes="fdFD",
    samples=_triples,
)
