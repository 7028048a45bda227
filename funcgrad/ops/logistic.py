"""The logistic function, and as PyTorch has it: there it needs its result alone to go back.

That loses the digits of slopes where the result is nearly 1. Going back is an operation of its own there, for PyTorch
records it so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, elementwise


def cotangents_and_results(draw: Draw) -> list[Sample]:
    """Cotangents, and results that are away from 0."""
    return [Sample(draw(3), draw(3, low=0.3)), Sample(draw(2, 2), -draw(2, 2, low=0.3)), Sample(draw(), draw(low=0.3))]


def flat_from(dtype: np.dtype) -> float:
    """From where on the logistic function is 1 in a dtype, and its exponentials are not yet infinite."""
    return 11.0 if dtype.char == "e" else 40.0


def _logistic(x: Any) -> Any:
    """e^x / (1 + e^x): this keeps the digits of small results, and nothing overflows."""
    e = np.exp(np.minimum(x, flat_from(x.dtype)))
    return e / (1 + e)


logistic: Primitive = elementwise(_logistic, lambda g, out, x: g * (out * logistic(-x)), preserves=True)


# What PyTorch does.


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x)) if x.dtype.kind == "c" else _logistic(x)


def _sigmoid_backward(x: Any, y: Any) -> Any:
    return x * ((1 - y) * y)


sigmoid_backward: Primitive = elementwise(
    _sigmoid_backward,
    lambda g, y: sigmoid_backward(g, y),
    lambda g, x, y: g * (x * (1 - 2 * y)),
    samples=cotangents_and_results,
    dtypes="fdFD",
)
sigmoid = elementwise(_sigmoid, lambda g, out: sigmoid_backward(g, out), dtypes="fdFD", preserves=True)
