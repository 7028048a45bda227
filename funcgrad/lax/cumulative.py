"""Cumulative operations along an axis by the names of `jax.lax`: sums, products, extrema, logarithms of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array, wrap
from funcgrad.core.types import Shaped
from funcgrad.lax.associative_scan import associative_scan
from funcgrad.lax.strict import accept, as_array
from funcgrad.ops import cumulative as ops

__all__ = ["cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum"]


def _primitive(primitive: Any) -> Callable:
    """A cumulative operation that is a primitive."""
    return lambda x, axis, reverse: wrap(primitive(x, axis=axis, reverse=reverse, dtype=x.dtype))


def _scanned(ufunc: np.ufunc, combine: Callable) -> Callable:
    """A cumulative operation that NumPy has, with the derivatives of partial results combined in pairs.

    So where elements tie, each comparison on the way splits the cotangent in halves, as in JAX.
    """

    def f(x: Array, axis: int, reverse: bool) -> Array:
        if type(x) is not Array:
            return associative_scan(combine, x, reverse=reverse, axis=axis)
        value = np.asarray(x._value)
        if reverse:
            return wrap(np.flip(ufunc.accumulate(np.flip(value, axis), axis), axis))
        return wrap(ufunc.accumulate(value, axis))

    return f


def _public(f: Callable, name: str, kinds: str, what: str, example: str, value: str) -> Callable:
    """The public function; the last two make the example in its docstring."""

    def function(operand: Any, axis: int = 0, reverse: bool = False) -> Shaped[Array, "..."]:
        x = as_array(accept(operand, name, kinds), name)
        if axis < 0:
            raise ValueError(f"{name}: axes of lax operations are not negative, got {axis}")
        if axis >= x.ndim:
            raise ValueError(f"{name}: axis {axis} is out of bounds for an array of shape {x.shape}")
        return f(x, axis, reverse)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {what} of the elements up to each one along an axis.

    Arguments:
        operand: an array.
        axis: the axis; not negative.
        reverse: whether to begin at the end.

    Raises:
        ArgumentError: an operand of another dtype.
        ValueError: the axis is out of bounds.

    Example:
        >>> fg.lax.{name}(fnp.array({example}))
        Array({value}, dtype=float64)
    """
    return function


cumsum = _public(_primitive(ops.cumsum), "cumsum", "iufc", "sum", "[1.0, 2.0, 3.0]", "[1., 3., 6.]")
cumprod = _public(_primitive(ops.cumprod), "cumprod", "iufc", "product", "[1.0, 2.0, 3.0]", "[1., 2., 6.]")
cummax = _public(_scanned(np.maximum, fnp.maximum), "cummax", "biuf", "largest", "[1.0, 3.0, 2.0]", "[1., 3., 3.]")
cummin = _public(_scanned(np.minimum, fnp.minimum), "cummin", "biuf", "smallest", "[3.0, 1.0, 2.0]", "[3., 1., 1.]")
cumlogsumexp = _public(
    _scanned(np.logaddexp, fnp.logaddexp),
    "cumlogsumexp",
    "f",
    "logarithm of the sum of the exponentials",
    "[0.0, 0.0]",
    "[0.        , 0.69314718]",
)
