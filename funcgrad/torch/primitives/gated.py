"""The gated linear unit: one half of an axis times the sigmoid of the other half."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import SAME_OPERATION, Draw, Primitive, Sample, primitive, same_shape
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.torch.primitives.activations import sigmoid, widely


def _halves(x: Any, axis: int) -> tuple[Any, Any]:
    n = x.shape[axis] // 2
    before = (slice(None),) * axis
    return x[(*before, slice(0, n))], x[(*before, slice(n, None))]


def _glu(x: Any, *, axis: int) -> Any:
    a, b = _halves(x, axis)
    return a * sigmoid(b)


def _glu_backward(g: Any, x: Any, *, axis: int) -> Any:
    a, b = _halves(x, axis)
    s = sigmoid(b)
    passed = g * s
    return np.concatenate([passed, passed * (1 - s) * a], axis)


def _push(t: Any, x: Any, axis: int) -> Any:
    """The directional derivative of glu, which is the transpose of `glu_backward`."""
    a, b = _halves(x, axis)
    ta, tb = _halves(t, axis)
    s = sigmoid(b)
    return s * (ta + tb * (1 - s) * a)


def _turned(t: Any, g: Any, x: Any, axis: int) -> Any:
    """The derivative of `glu_backward` by x, a symmetric matrix, times t."""
    a, b = _halves(x, axis)
    ta, tb = _halves(t, axis)
    s = sigmoid(b)
    mixed = g * s * (1 - s)
    return np.concatenate([mixed * tb, mixed * (ta + tb * (1 - 2 * s) * a)], axis)


def _half_shape(x: Any, axis: int) -> ShapeDtypeStruct:
    shape = tuple([n // 2 if i == axis else n for i, n in enumerate(shape_of(x))])
    return ShapeDtypeStruct(shape, dtype_of(x))


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(4), axis=0),
        Sample(draw(2, 3), axis=0),
        Sample(draw.strided(2, 4), axis=1),
        Sample(draw(2, 0), axis=1),
    ]


def _back_samples(draw: Draw) -> list[Sample]:
    return [Sample(draw(2), draw(4), axis=0), Sample(draw(2, 2), draw(2, 4), axis=1)]


glu_backward: Primitive = primitive(
    widely(_glu_backward),
    name="glu_backward",
    operands="g x",
    shape=lambda g, x, axis: same_shape(x),
    vjp=(_push, _turned),
    jvp=(SAME_OPERATION, _turned),
    samples=_back_samples,
    dtypes="fd",
    batch=batching.shifted("axis"),
)
glu = primitive(
    widely(_glu),
    name="glu",
    shape=_half_shape,
    vjp=lambda g, x, axis: glu_backward(g, x, axis=axis),
    jvp=_push,
    samples=_samples,
    dtypes="fd",
    batch=batching.shifted("axis"),
)
