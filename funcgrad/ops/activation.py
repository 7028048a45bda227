"""Activation functions that are worth a primitive: relu and sigmoid, which need their result alone to go back."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import primitive, same_shape
from funcgrad.ops.elementwise import _off_zero


def _relu(x: Any) -> Any:
    return np.maximum(0, x)  # in this order -0 stays -0


def _relu_rule(g: Any, out: Any) -> Any:
    return np.where(out <= 0, 0, g)


relu = primitive(
    _relu,
    shape=same_shape,
    vjp=_relu_rule,
    jvp=_relu_rule,
    batch=batching.elementwise,
    samples=_off_zero,
    dtypes="fd",
    preserves=True,
)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _sigmoid_rule(g: Any, out: Any) -> Any:
    return g * ((1 - out) * out)


sigmoid = primitive(
    _sigmoid,
    shape=same_shape,
    vjp=_sigmoid_rule,
    jvp=_sigmoid_rule,
    batch=batching.elementwise,
    samples=lambda draw: draw.elementwise(1, -2.0, 2.0),
    preserves=True,
)
