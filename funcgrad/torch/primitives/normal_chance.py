"""The chance that a normal number is below x, in single precision, for gelu: in a dozen passes over the array."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops.error_functions import erf

_ARGUMENT = tuple(
    map(
        np.float32,
        (0.797884641, 0.0363343282, -3.38904314e-05, -5.47900266e-05, 3.87450596e-06, -1.2536704e-07, 1.57021914e-09),
    )
)
"""Of the polynomial p for which tanh(x p(x²)) is erf(x / √2) to 1e-7: a fit with the least largest error on ±5.6, with
an exchange of weights. Beyond that both are ±1 in single precision."""


def chance(x: Any) -> Any:
    """(1 + erf(x / √2)) / 2."""
    if x.dtype != np.float32:
        return (1 + erf(x * 0.5**0.5)) * 0.5
    x = np.asarray(x)
    square = x * x
    out = square * _ARGUMENT[-1]
    for c in _ARGUMENT[-2:0:-1]:
        out += c
        out *= square
    out += _ARGUMENT[0]
    out *= x
    np.tanh(out, out=out)
    out += 1
    out *= 0.5
    return out
