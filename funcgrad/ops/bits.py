"""`bitcast`: the bits of an array as those of another dtype, one of which is of integers; and `bitcast_floats`."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import NotDifferentiable, Primitive, Sample, Zero, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

__all__ = ["bitcast", "bitcast_floats"]


def _bitcast(x: Any, dtype: np.dtype) -> Any:
    x = np.asarray(x)
    if dtype.itemsize < x.dtype.itemsize:  # the parts of each element along a new axis
        return np.ascontiguousarray(x).reshape((*x.shape, 1)).view(dtype)
    out = np.ascontiguousarray(x).reshape(x.shape).view(dtype)
    return out[..., 0] if dtype.itemsize > x.dtype.itemsize else out[()]


def _bitcast_shape(x: Any, dtype: np.dtype) -> ShapeDtypeStruct:
    shape, old = shape_of(x), dtype_of(x).itemsize
    if dtype.itemsize < old:
        shape = (*shape, old // dtype.itemsize)
    elif dtype.itemsize > old:
        shape = shape[:-1]
    return ShapeDtypeStruct(shape, dtype)


bitcast: Primitive = primitive(
    _bitcast,
    shape=_bitcast_shape,
    vjp=Zero("integers"),
    batch=batching.elementwise,
    dtypes="d",
    samples=lambda draw: [
        Sample(draw(2, 3), dtype=np.dtype("int64")),
        Sample(draw.strided(2, 3), dtype=np.dtype("int16")),
        Sample(draw(), dtype=np.dtype("uint64")),
        Sample(np.array([[1, 2], [3, 4]], np.int32), dtype=np.dtype("int64")),
        Sample(draw(0), dtype=np.dtype("uint8")),
    ],
)

bitcast_floats: Primitive = primitive(
    _bitcast,
    name="bitcast_floats",
    shape=_bitcast_shape,
    vjp=NotDifferentiable("the bits of a number make no smooth function of it"),
    batch=batching.elementwise,
    dtypes="d",
    samples=lambda draw: [
        Sample(draw(2, 3), dtype=np.dtype("float32")),
        Sample(draw.strided(2, 2), dtype=np.dtype("complex128")),
    ],
)
