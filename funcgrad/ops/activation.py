"""Activation functions that are worth a primitive: relu and sigmoid, which need their result alone to go back.

Going back is an operation of its own: PyTorch records it so, also where its derivative is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, elementwise
from funcgrad.ops.elementwise import off_zero


def _pairs(draw: Draw) -> list[Sample]:
    """Cotangents, and results that are away from 0."""
    return [Sample(draw(3), draw(3, low=0.3)), Sample(draw(2, 2), -draw(2, 2, low=0.3)), Sample(draw(), draw(low=0.3))]


def _relu(x: Any) -> Any:
    return np.maximum(0, x)  # in this order -0 stays -0


_BITS = {np.dtype(np.float32): np.int32, np.dtype(np.float64): np.int64}


def _relu_backward(x: Any, y: Any) -> Any:
    """x, but 0 where y is not positive. Bits are masked: this does not depend on how the signs are mixed, as a choice
    element by element does."""
    kind = _BITS.get(x.dtype)
    if kind is None or not x.ndim or x.shape != y.shape:
        return np.where(y <= 0, 0, x)
    zero = y <= 0
    out = np.empty_like(zero, x.dtype)
    bits = out.view(kind)
    np.subtract(zero, 1, out=bits, dtype=kind)
    bits &= x.view(kind)
    return out


relu_backward: Primitive = elementwise(
    _relu_backward,
    lambda g, y: relu_backward(g, y),
    lambda g: g * 0,
    samples=_pairs,
    preserves=True,
)


relu = elementwise(_relu, lambda g, out: relu_backward(g, out), samples=off_zero, preserves=True)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _sigmoid_backward(x: Any, y: Any) -> Any:
    return x * ((1 - y) * y)


sigmoid_backward: Primitive = elementwise(
    _sigmoid_backward,
    lambda g, y: sigmoid_backward(g, y),
    lambda g, x, y: g * (x * (1 - 2 * y)),
    samples=_pairs,
    dtypes="fdFD",
)
sigmoid = elementwise(_sigmoid, lambda g, out: sigmoid_backward(g, out), dtypes="fdFD", preserves=True)
