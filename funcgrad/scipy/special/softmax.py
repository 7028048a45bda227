"""Functions along axes: softmax and its logarithm. `logsumexp` is that of funcgrad.numpy."""

from __future__ import annotations

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy import exp, logsumexp
from funcgrad.numpy.convert import real_floats

__all__ = ["log_softmax", "softmax"]


def softmax(x: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Float[Array, "..."]:
    """exp(x) over its sum along an axis, or several; by default along all.

    Example:
        >>> from funcgrad.scipy.special import softmax
        >>> softmax([0.0, 0.0])
        Array([0.5, 0.5], dtype=float64)
    """
    return exp(log_softmax(x, axis))


def log_softmax(x: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Float[Array, "..."]:
    """The logarithm of softmax.

    Example:
        >>> from funcgrad.scipy.special import log_softmax
        >>> log_softmax([0.0, 1000.0])
        Array([-1000.,     0.], dtype=float64)
    """
    x = real_floats(x, "log_softmax")
    return x - logsumexp(x, axis=axis, keepdims=True)
