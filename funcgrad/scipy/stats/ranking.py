"""Ranks, the most frequent value, and the error of a mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.numpy import (
    argmax,
    argsort,
    asarray,
    concatenate,
    cumsum,
    isnan,
    moveaxis,
    nanstd,
    ones,
    ravel,
    searchsorted,
    sort,
    sqrt,
    std,
    where,
)
from funcgrad.scipy.stats.families import real
from funcgrad.transforms.vmap import vmap

__all__ = ["mode", "rankdata", "sem"]

METHODS = ("average", "min", "max", "dense", "ordinal")


class ModeResult(NamedTuple):
    """What `mode` gives: the values, and how often each is there."""

    mode: Array
    count: Array  # type: ignore[assignment]  # SciPy's name, which hides the method of tuples


def _along(f: Callable, a: Array, axis: int) -> Any:
    """A function of vectors at each place of the other axes, its results along the first axis."""
    columns = moveaxis(a, axis, 0).reshape(a.shape[axis], -1)
    return vmap(f, in_axes=1, out_axes=-1)(columns)


def _check_policy(name: str, nan_policy: str, known: tuple[str, ...]) -> None:
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ArgumentError(f"{name}: nan_policy must be 'propagate', 'omit' or 'raise', got {nan_policy!r}")
    if nan_policy not in known:
        raise UnsupportedError(
            f"{name}: nan_policy={nan_policy!r} needs the values, which a program that is recorded has not: look for "
            f"NaN beforehand"
        )


def mode(a: ArrayLike, axis: int | None = 0, nan_policy: str = "propagate", keepdims: bool = False) -> ModeResult:
    """The most frequent value along an axis, of several the least, and how often it is there.

    Arguments:
        a: an array.
        axis: along which; None for all.
        nan_policy: must be "propagate": NaNs count as one value.
        keepdims: whether the axis stays, with length one.

    Raises:
        ArgumentError, UnsupportedError: nan_policy.

    Example:
        >>> from funcgrad.scipy.stats import mode
        >>> mode([3, 1, 3, 1, 2])
        ModeResult(mode=Array(1, dtype=int64), count=Array(2, dtype=int64))
    """
    _check_policy("mode", nan_policy, ("propagate",))
    a = asarray(a)
    a = a.reshape(1) if not a.ndim else a
    flat = {k for k in range(a.ndim) if axis is None or k == axis % a.ndim}
    shape = [1 if k in flat else n for k, n in enumerate(a.shape) if k not in flat or keepdims]
    if axis is None:
        a, axis = ravel(a), 0
    if not a.shape[axis]:
        return ModeResult(asarray(np.full(shape, np.nan)), asarray(np.zeros(shape)))
    values, counts = _along(_most_frequent, a, axis)
    return ModeResult(values.reshape(shape), counts.reshape(shape))


def _most_frequent(a: Array) -> tuple[Array, Array]:
    ordered = sort(a)
    counts = searchsorted(ordered, ordered, side="right") - searchsorted(ordered, ordered, side="left")
    first = argmax(counts)
    return ordered[first], counts[first]


def rankdata(
    a: ArrayLike, method: str = "average", *, axis: int | None = None, nan_policy: str = "propagate"
) -> Float[Array, "..."]:
    """The ranks of values, from 1 on, as floats: step functions, with the derivative zero.

    Arguments:
        a: an array.
        method: what equal values get: the "average", the "min" or "max" of their ranks, the next one for each value
            ("dense"), or ranks in the order they are in ("ordinal").
        axis: along which; None for all, as one vector.
        nan_policy: must be "propagate": where there is a NaN, all ranks are.

    Raises:
        ArgumentError, UnsupportedError: method or nan_policy.

    Example:
        >>> from funcgrad.scipy.stats import rankdata
        >>> rankdata([0, 2, 3, 2])
        Array([1. , 2.5, 4. , 2.5], dtype=float64)
    """
    _check_policy("rankdata", nan_policy, ("propagate",))
    if method not in METHODS:
        raise ArgumentError(f"rankdata: method must be one of {METHODS}, got {method!r}")
    a = asarray(a)
    if axis is None:
        a, axis = ravel(a), 0
    if not a.size:
        return asarray(np.empty(a.shape))
    ranks = _along(lambda v: _ranks(v, method), a, axis)
    others = [n for k, n in enumerate(a.shape) if k != axis % a.ndim]
    return moveaxis(ranks.reshape(a.shape[axis], *others), 0, axis)


def _ranks(a: Array, method: str) -> Array:
    order = argsort(a, stable=True)
    ordered = a[order]
    if method == "ordinal":
        ranks = argsort(order) + 1
    elif method == "dense":
        new = concatenate([ones(1, bool), ordered[1:] != ordered[:-1]])
        ranks = cumsum(new)[argsort(order)]
    else:
        least, greatest = searchsorted(ordered, a, side="left") + 1, searchsorted(ordered, a, side="right")
        ranks = {"min": least, "max": greatest, "average": (least + greatest) / 2}[method]
    return where(isnan(a).any(), np.nan, ranks) if a.dtype.kind == "f" else ranks.astype(np.float64)


def sem(
    a: ArrayLike, axis: int | None = 0, ddof: int = 1, nan_policy: str = "propagate", *, keepdims: bool = False
) -> Float[Array, "..."]:
    """The standard error of the mean: the standard deviation over the square root of the number.

    Arguments:
        a: an array.
        axis: along which; None for all.
        ddof: degrees of freedom of the standard deviation.
        nan_policy: "propagate", or "omit" to leave NaNs out.
        keepdims: whether the axis stays, with length one.

    Raises:
        ArgumentError, UnsupportedError: nan_policy.

    Example:
        >>> from funcgrad.scipy.stats import sem
        >>> sem([1.0, 2.0, 3.0])
        Array(0.57735027, dtype=float64)
    """
    _check_policy("sem", nan_policy, ("propagate", "omit"))
    a = real(a, "sem: a")
    if nan_policy == "omit":
        count = (~isnan(a)).sum(axis=axis, keepdims=keepdims)
        return nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims) / sqrt(count.astype(a.dtype))
    count = a.size if axis is None else a.shape[axis]
    return std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(count).astype(a.dtype)
