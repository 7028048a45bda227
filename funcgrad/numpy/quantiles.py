"""Medians and quantiles: elements of the sorted array, or linear interpolations between two of them.

Sorting has a derivative (a permutation), so these have one too, and the interpolating methods have one by q as well.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.numpy.convert import operand, reject
from funcgrad.numpy.nan_reductions import warn_if_any
from funcgrad.numpy.reductions import axes, shaped
from funcgrad.ops.reduce import count, reduced_shape
from funcgrad.ops.sort import sort
from funcgrad.ops.structural import reshape, transpose

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

Axis = int | tuple[int, ...] | None


def median(
    a: ArrayLike, axis: Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Shaped[Array, "..."]:
    """Median along axes: the middle element, or the mean of the two in the middle.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        out: only None.
        overwrite_input: of no effect.
        keepdims: whether the axes stay, with length one.

    Returns:
        The median; NaN where an element is NaN.

    Example:
        >>> fnp.median(fnp.array([5.0, 1.0, 2.0, 3.0]))
        Array(2.5, dtype=float64)
        >>> fg.grad(fnp.median)(fnp.array([5.0, 1.0, 2.0, 3.0]))
        Array([0. , 0. , 0.5, 0.5], dtype=float64)
    """
    reject("median", out=out)
    rows, shape = _rows(_inexact(a), axis, keepdims)
    n = rows.shape[-1]
    if not n:
        return _no_median(shape, rows.dtype)
    s = sort(rows, axis=rows.ndim - 1)
    middle = s[..., n // 2] if n % 2 else (s[..., n // 2 - 1] + s[..., n // 2]) / 2
    return wrap(np.where(np.isnan(s[..., -1]), np.nan, middle).reshape(shape))


def _inexact(a: Any) -> Any:
    """a as an operand that means can be taken of: integers and booleans become float64."""
    x = shaped(a)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _no_median(shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """The medians of empty rows: NaN, with NumPy's warning."""
    warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=3)
    return wrap(np.full(shape, np.nan, dtype))


def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Quantiles along axes.

    Arguments:
        a: the array, real.
        q: the quantiles, in [0, 1]; differentiated too, where the method interpolates.
        axis: one axis or several; None for all.
        out: only None.
        overwrite_input: of no effect.
        method: how to estimate: "linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
            "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "lower", "higher",
            "midpoint" or "nearest".
        keepdims: whether the axes stay, with length one.
        weights: of the elements, like a or of one axis, for the method "inverted_cdf"; the quantile is piecewise
            constant in them.

    Returns:
        The quantiles: the axes of q come first. NaN where an element is NaN.

    Raises:
        ValueError: a q is not in [0, 1], or the method is unknown or does not go with weights.

    Example:
        >>> fnp.quantile(fnp.array([0.0, 10.0, 30.0]), [0.25, 1.0])
        Array([ 5., 30.], dtype=float64)

    Source: numpy.quantile (https://numpy.org/doc/stable/reference/generated/numpy.quantile.html); the methods are those
    of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996).
    """
    reject("quantile", out=out)
    return _quantile("quantile", _real(a), _probability(q, 1), axis, method, keepdims, weights, nan=False)


def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Percentiles along axes: `quantile` with q in [0, 100], and its other arguments.

    Example:
        >>> fnp.percentile(fnp.array([0.0, 10.0, 30.0]), 25)
        Array(5., dtype=float64)
    """
    reject("percentile", out=out)
    return _quantile("percentile", _real(a), _probability(q, 100), axis, method, keepdims, weights, nan=False)


def nanmedian(
    a: ArrayLike, axis: Axis = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Shaped[Array, "..."]:
    """Median along axes of the elements that are numbers; the arguments are those of `median`.

    Example:
        >>> fnp.nanmedian(fnp.array([5.0, fnp.nan, 2.0]))
        Array(3.5, dtype=float64)
    """
    reject("nanmedian", out=out)
    x = _inexact(a)
    rows, shape = _rows(x, axis, keepdims)
    if not rows.shape[-1]:
        return _no_median(shape, x.dtype)
    return _quantile("nanmedian", x, 0.5, axis, "linear", keepdims, None, nan=True)


def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Quantiles along axes of the elements that are numbers; the arguments are those of `quantile`.

    Example:
        >>> fnp.nanquantile(fnp.array([0.0, fnp.nan, 10.0]), 0.25)
        Array(2.5, dtype=float64)
    """
    reject("nanquantile", out=out)
    return _quantile("nanquantile", _real(a), _probability(q, 1), axis, method, keepdims, weights, nan=True)


def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axis = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Percentiles along axes of the elements that are numbers: `nanquantile` with q in [0, 100].

    Example:
        >>> fnp.nanpercentile(fnp.array([0.0, fnp.nan, 10.0]), 25)
        Array(2.5, dtype=float64)
    """
    reject("nanpercentile", out=out)
    return _quantile("nanpercentile", _real(a), _probability(q, 100), axis, method, keepdims, weights, nan=True)


def _probability(q: Any, scale: int) -> Any:
    """q as fractions: a Python number stays one, so that it does not raise the precision of the array."""
    if type(q) in (int, float):
        return q / scale
    q = operand(q)
    return q / scale if scale != 1 or q.dtype.kind not in "f" else q


def _rows(x: Any, axis: Any, keepdims: bool) -> tuple[Any, tuple[int, ...]]:
    """x with the reduced axes joined into one that is last, and the shape of the result."""
    reduced = axes(axis, x.ndim)
    shape = reduced_shape(x.shape, reduced, keepdims)
    rest = tuple([i for i in range(x.ndim) if i not in reduced])
    order = (*rest, *sorted(reduced))
    if order != tuple(range(x.ndim)):
        x = transpose(x, axes=order)
    if len(reduced) != 1:
        x = reshape(x, shape=(*x.shape[: len(rest)], count(x.shape, tuple(range(len(rest), x.ndim)))), order="C")
    return x, shape


def _real(a: Any) -> Any:
    """a as an operand of a quantile.

    Raises:
        TypeError: a is complex.
    """
    x = shaped(a)
    if x.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    return x


def _quantile(name: str, x: Any, q: Any, axis: Any, method: str, keepdims: bool, weights: Any, *, nan: bool) -> Array:
    """Quantiles of x, complex only for the median; `nan` says whether NaN are left out."""
    if not isinstance(q, Tracer):
        values = q._value if isinstance(q, Array) else np.asarray(q)
        if not ((values >= 0) & (values <= 1)).all():
            what, most = ("Percentiles", 100) if "percentile" in name else ("Quantiles", 1)
            raise ValueError(f"{name}: {what} must be in the range [0, {most}], got {values * most}")
    rows, shape = _rows(x, axis, keepdims)
    if not rows.shape[-1] and nan:
        return wrap(np.full((() if type(q) is float else q.shape) + shape, np.nan, x.dtype))
    if not rows.shape[-1]:
        raise ValueError(f"{name}: there is no element along axis {axis} of an array of shape {x.shape}")
    s = sort(rows, axis=rows.ndim - 1)
    last = s[..., -1:]
    number = type(q) is float
    flat = q if number else q.reshape(-1)
    numbers: Any = rows.shape[-1]
    if nan and x.dtype.kind in "fc":
        numbers = np.logical_not(np.isnan(s)).sum(-1, keepdims=True)
    if weights is None:
        lower, upper, gamma = positions(method, numbers, flat)
    else:
        lower, upper, gamma = _weighted(name, method, rows, x, axis, weights, flat), None, 0
    result = _gather(s, lower)
    if upper is not None:
        precise = np.finfo(x.dtype).dtype if x.dtype.kind in "fc" else np.dtype(float)
        gamma = gamma.astype(precise if number else flat.dtype)
        result = _between(result, _gather(s, upper), gamma)
    if x.dtype.kind in "fc":
        if nan:
            warn_if_any(np.isnan(s[..., 0]), "All-NaN slice encountered")
        result = np.where(np.isnan(s[..., :1] if nan else last), np.nan, result)
    return wrap(_in_front(result, () if number else q.shape, shape))


def _between(below: Any, above: Any, gamma: Any) -> Any:
    """The value that lies this share of the way from one element to the next.

    At an element it is that element, though the other be infinite, and between a number and infinity it is infinite.
    """
    if below.dtype.kind not in "fc":
        return below + (above - below) * gamma
    infinite = np.isinf(below) | np.isinf(above)
    if not isinstance(infinite, Tracer) and not infinite.any():
        return below + (above - below) * gamma
    first, second = np.where(infinite, 0, below), np.where(infinite, 0, above)
    limit = np.where(np.isfinite(below), above, np.where(np.isfinite(above) | (below == above), below, np.nan))
    limit = np.where(gamma == 0, below, np.where(gamma == 1, above, limit))
    return np.where(infinite, limit, first + (second - first) * gamma)


def _gather(s: Any, index: Any) -> Any:
    """The elements of sorted rows at these places: the same for all rows, or row by row."""
    index = index.astype(np.intp)
    if index.ndim < 2:
        return np.take(s, index.reshape(-1), -1)
    return np.take_along_axis(s, np.broadcast_to(index, s.shape[:-1] + index.shape[-1:]), -1)


def _in_front(result: Any, q_shape: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The axis of quantiles, which is last, as the first axes of the result."""
    if not q_shape:
        return result.reshape(shape)
    return np.moveaxis(result, -1, 0).reshape(q_shape + shape)


_FITTED = {  # Hyndman and Fan's continuous methods: the plotting position is (k - alpha) / (n + 1 - alpha - beta)
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def positions(method: str, n: Any, q: Any) -> tuple[Any, Any, Any]:
    """Where the quantiles are in a sorted row: a place, the next place or None, and how far to go to it.

    Arguments:
        method: as for `quantile`.
        n: the number of elements, or an array of them.
        q: the quantiles, which broadcast against n.

    Returns:
        Places as whole numbers of floating dtype, and the distance, in [0, 1].

    Raises:
        ValueError: the method is unknown.
    """
    if method in _FITTED:
        alpha, beta = _FITTED[method]
        at = np.clip(n * q + (alpha + q * (1 - alpha - beta)) - 1, 0, n - 1)
    elif method == "linear":
        at = (n - 1) * q
    elif method in ("lower", "higher", "nearest"):
        rounding: Any = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}[method]
        return rounding((n - 1) * q), None, 0
    elif method == "midpoint":
        return np.floor((n - 1) * q), np.ceil((n - 1) * q), np.asarray(0.5)
    elif method == "averaged_inverted_cdf":
        at = n * q - 1
        below = np.floor(at)
        return np.clip(below, 0, n - 1), np.clip(below + 1, 0, n - 1), np.where(at == below, 0.5, 1.0)
    elif method == "inverted_cdf":
        return np.clip(np.ceil(n * q - 1), 0, n - 1), None, 0
    elif method == "closest_observation":
        at = n * q - 1.5
        below = np.floor(at)
        stays = (at == below) & (below % 2 == 1)
        return np.clip(np.where(stays, below, below + 1), 0, n - 1), None, 0
    else:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: linear, {', '.join(_FITTED)}, inverted_cdf, "
            f"averaged_inverted_cdf, closest_observation, lower, higher, midpoint, nearest"
        )
    below = np.floor(at)
    return below, np.minimum(below + 1, n - 1), at - below


def _weighted(name: str, method: str, rows: Any, x: Any, axis: Any, weights: Any, q: Any) -> Any:
    """The places of weighted quantiles: the first whose cumulative weight reaches q."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    w = shaped(weights)
    if w.shape != x.shape:
        if axis is None or not isinstance(axis, int) or w.shape != (x.shape[axis],):
            raise ValueError(f"{name}: weights must be of the shape of a, {x.shape}, or of its axis; got {w.shape}")
        w = np.broadcast_to(w.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]), x.shape)
    w = _rows(w, axis, False)[0]
    order = np.argsort(rows, -1)
    w = np.take_along_axis(w, order, -1)
    if "nan" in name and x.dtype.kind == "f":
        w = np.where(np.isnan(np.take_along_axis(rows, order, -1)), 0, w)
    total = np.cumsum(w, -1, np.float64)
    share = total / total[..., -1:]
    share = np.where(share == 0, -1, share)  # elements of weight zero at the beginning are no quantile, not even of 0
    reached = share[..., None, :] < shaped(q).reshape(-1, 1)
    return np.minimum(np.sum(reached, -1), rows.shape[-1] - 1)
