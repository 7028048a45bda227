"""Complex numbers from their parts: real and imaginary part, absolute value and angle."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Primitive, Sample, linear, primitive
from funcgrad.core.trace import zeros
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.elementwise import imag, real


def _complex_of(x: Any, y: Any) -> Any:
    out = np.empty(np.broadcast_shapes(np.shape(x), np.shape(y)), np.result_type(x, y, np.complex64))
    out.real, out.imag = x, y
    return out


def _complex_of_shape(x: Any, y: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(np.broadcast_shapes(shape_of(x), shape_of(y)), np.result_type(dtype_of(x), np.complex64))


def _only_real(t: Any, y_shape: Any) -> Any:
    return complex_of(t, zeros(y_shape, t.dtype))


def _only_imaginary(t: Any, x_shape: Any) -> Any:
    return complex_of(zeros(x_shape, t.dtype), t)


complex_of: Primitive = primitive(
    _complex_of,
    operands="x y",
    shape=_complex_of_shape,
    vjp=(lambda g: real(g), lambda g: -imag(g)),
    jvp=(_only_real, _only_imaginary),
    batch=batching.elementwise,
    samples=lambda draw: [
        Sample(draw(3), draw(3)),
        Sample(draw(), draw()),
        Sample(draw(2, 1), draw(3)),
        Sample(draw(0), draw(0)),
    ],
    dtypes="fd",
)


def _polar(x: Any, y: Any) -> Any:
    return _complex_of(x * np.cos(y), x * np.sin(y))


def _direction(y: Any) -> Any:
    return complex_of(np.cos(y), np.sin(y))


polar = primitive(
    _polar,
    operands="x y",
    shape=_complex_of_shape,
    vjp=(lambda g, y: real(g * _direction(y)), lambda g, out: -imag(g * out)),
    jvp=(lambda t, y: t * _direction(y), lambda t, out: t * out * 1j),
    batch=batching.elementwise,
    samples=lambda draw: [Sample(draw(3), draw(3)), Sample(draw(), draw()), Sample(draw(2, 1), draw(3))],
    dtypes="fd",
)


# A complex array as a real one with a last axis for both parts, and back.


def _as_real(x: Any) -> Any:
    return np.stack((x.real, x.imag), -1)


def _as_complex(x: Any) -> Any:
    return _complex_of(x[..., 0], x[..., 1])


as_real: Primitive = linear(
    _as_real,
    shape=lambda x: ShapeDtypeStruct((*shape_of(x), 2), np.zeros((), dtype_of(x)).real.dtype),
    transpose=lambda g: complex_of(g[..., 0], -g[..., 1]),
    batch=batching.elementwise,
    samples=lambda draw: [Sample(draw(3)), Sample(draw()), Sample(draw(2, 0)), Sample(draw.strided(2, 3))],
    dtypes="FD",
)
as_complex: Primitive = linear(
    _as_complex,
    shape=lambda x: ShapeDtypeStruct(shape_of(x)[:-1], np.result_type(dtype_of(x), np.complex64)),
    transpose=lambda g: np.stack((real(g), -imag(g)), -1),
    batch=batching.elementwise,
    samples=lambda draw: [Sample(draw(3, 2)), Sample(draw(2)), Sample(draw(0, 2)), Sample(draw(2, 3, 2))],
    dtypes="fd",
)
