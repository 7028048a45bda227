"""An activation function that is worth a primitive: relu, which needs its result alone to go back.

Going back is an operation of its own: PyTorch records it so, also where its derivative is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Primitive, elementwise
from funcgrad.ops.elementwise import off_zero
from funcgrad.ops.logistic import cotangents_and_results


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
    samples=cotangents_and_results,
    preserves=True,
)


relu = elementwise(_relu, lambda g, out: relu_backward(g, out), samples=off_zero, preserves=True)
