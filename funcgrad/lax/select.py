"""Choosing elementwise between arrays of one shape: select, select_n, clamp."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.core.types import Shaped
from funcgrad.errors import ArgumentError
from funcgrad.lax.strict import accept, arrays, dtype_of
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["clamp", "select", "select_n"]


def select(pred: Any, on_true: Any, on_false: Any) -> Shaped[Array, "..."]:
    """Elementwise on_true where a predicate holds, and on_false elsewhere.

    Arguments:
        pred: booleans, of the shape of the others, or a scalar.
        on_true, on_false: arrays of one shape and dtype.

    Raises:
        ArgumentError: shapes or dtypes do not fit.

    Example:
        >>> x = fnp.array([1.0, -2.0])
        >>> fg.lax.select(x > 0, x, -x)
        Array([1., 2.], dtype=float64)
    """
    return select_n(pred, on_false, on_true)


def select_n(which: Any, *cases: Any) -> Shaped[Array, "..."]:
    """Elementwise one of several arrays, by its number.

    Arguments:
        which: integers; or booleans, for two cases. Of the shape of the cases, or a scalar.
        cases: arrays of one shape and dtype.

    Raises:
        ArgumentError: shapes or dtypes do not fit.
        ValueError: there is no case.

    Example:
        >>> x = fnp.array([1.0, 2.0, 3.0])
        >>> fg.lax.select_n(fnp.array([0, 2, 1]), x, 10 * x, 100 * x)
        Array([  1., 200.,  30.], dtype=float64)
    """
    if not cases:
        raise ValueError("select_n() must have at least one case")
    given = arrays("select", *cases)
    shape = given[0].shape
    if any(c.shape != shape for c in given):
        raise ArgumentError(f"select cases must have the same shapes, got {[c.shape for c in given]}.")
    if dtype_of(which).kind not in "biu":
        raise ArgumentError(f"select `which` must be boolean or integer type, got {dtype_of(which)}.")
    if np.shape(which) not in ((), shape):
        raise ArgumentError(
            f"select `which` must be scalar or have the same shape as cases, got `which` shape {np.shape(which)} but "
            f"case shape {shape}."
        )
    if dtype_of(which).kind == "b" and len(given) > 2:
        raise ArgumentError("select with boolean `which` cannot have > 2 cases.")
    out = given[-1]
    for k in range(len(given) - 2, -1, -1):
        out = fnp.where(fnp.less_equal(which, k), given[k], out)
    return out


def clamp(min: Any, x: Any, max: Any) -> Shaped[Array, "..."]:
    """x within bounds: min where x is below it, max where x is above.

    At a bound the derivative is zero.

    Arguments:
        min, max: scalars, or arrays of the shape of x.
        x: a real array; all of one dtype.

    Raises:
        ArgumentError: shapes or dtypes do not fit.

    Example:
        >>> fg.lax.clamp(0.0, fnp.array([-1.0, 0.5, 2.0]), 1.0)
        Array([0. , 0.5, 1. ], dtype=float64)
    """
    low, value, high = arrays("clamp", *[accept(a, "clamp", "biuf") for a in (min, x, max)])
    for name, bound in (("min", low), ("max", high)):
        if bound.shape not in ((), value.shape):
            raise ArgumentError(
                f"clamp requires {name}.shape == operand.shape or {name}.shape == (), got {name}.shape={bound.shape}, "
                f"operand.shape={value.shape}."
            )
    constant = stop_gradient(fnp.minimum(fnp.maximum(value, low), high))
    inside = fnp.logical_and(value > low, value < high)
    lifted = fnp.logical_and(value < low, low < high)
    return fnp.where(inside, value, fnp.where(lifted, low, fnp.where(value > high, high, constant)))
