"""Counting into bins.

Counts are integers and constant. Sums of weights are differentiated by the weights, and bin edges that are placed
between the smallest and the largest value by these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Shaped, dtype_of, shape_of
from funcgrad.errors import NoValueError
from funcgrad.numpy import reductions
from funcgrad.numpy.convert import asarray, whole
from funcgrad.numpy.reductions import shaped
from funcgrad.numpy.sorting import searchsorted
from funcgrad.ops.reduce import bincount as _bincount
from funcgrad.ops.segments import segment_sum

__all__ = ["bincount", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def _numbers(x: Any, action: str) -> np.ndarray:
    """The values of x, for a choice that they make."""
    return np.asarray(x._concrete(action)) if isinstance(x, Array) else np.asarray(x)


def _limit(x: Any) -> Any:
    """An end of a range for NumPy; a Python number stays one, for NumPy promotes it weakly."""
    return x._concrete("the range of a histogram") if isinstance(x, Array) else x


def _unknown(*arrays: Any) -> bool:
    """Whether one of the arrays has no values, as in jit and vmap."""
    for x in arrays:
        try:
            _numbers(x, "") if isinstance(x, Tracer) else None
        except NoValueError:
            return True
    return False


def _edges_of_unknown(a: Any, bins: Any, range: Sequence | None) -> Array:
    """The edges of bins where the values of a, which they may depend on, are not known."""
    if np.ndim(bins) > 0:
        edges = asarray(bins)
        return edges if _unknown(edges) else _checked_edges(edges)
    if range is not None:
        low, high = [asarray(r) for r in range]
    elif a.size:
        low, high = reductions.min(a), reductions.max(a)
    else:
        low, high = asarray(0.0), asarray(1.0)
    low, high = [e if e.dtype.kind == "f" else e.astype(np.float64) for e in (low, high)]
    widened = np.where(low == high, 0.5, 0.0).astype(low.dtype)  # as NumPy does with a range of no width
    return wrap(np.linspace(low - widened, high + widened, whole(bins, "the number of bins") + 1))


def _sums_in_cells(columns: Sequence[Any], edges: Sequence[Any], w: Any) -> Array:
    """The sums of the weights of the points in each cell of a grid, found without looking at values."""
    cell: Any = 0
    inside: Any = True
    for x, e in zip(columns, edges, strict=True):
        n = e.size - 1
        k = np.where(np.equal(x, e[-1]), n - 1, searchsorted(e, x, "right") - 1)
        inside = np.logical_and(inside, np.logical_and(np.greater_equal(x, e[0]), np.less_equal(x, e[-1])))
        cell = cell * n + k
    shape = tuple([e.size - 1 for e in edges])
    return segment_sum(shaped(w).reshape(-1), np.where(inside, cell, -1), int(np.prod(shape))).reshape(shape)


def bincount(
    x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0, *, length: int | None = None
) -> Shaped[Array, " n"]:
    """How often each number 0, 1, 2, … occurs, or the sum of the weights of its occurrences.

    Arguments:
        x: non-negative integers, of one axis.
        weights: like x; differentiated.
        minlength: the least number of bins.
        length: the number of bins, as in JAX; larger numbers are left out. By default it follows from the values of x.

    Returns:
        Counts, or sums.

    Raises:
        TypeError: x is not of integers.
        ValueError: x is negative somewhere, or of another shape than the weights.

    Example:
        >>> fnp.bincount(fnp.array([0, 2, 2]), weights=fnp.array([1.0, 2.0, 3.0]))
        Array([1., 0., 5.], dtype=float64)

    Source: numpy.bincount (https://numpy.org/doc/stable/reference/generated/numpy.bincount.html), `jax.numpy.bincount`.
    """
    np.bincount(np.zeros((0,) * np.ndim(x), dtype_of(x)))  # raises what NumPy raises about axes and dtype
    if length is not None and _unknown(x):
        return segment_sum(np.ones(shape_of(x), int) if weights is None else weights, asarray(x).astype(int), length)
    values = _numbers(x, "bincount(x)")
    if length is not None and values.size:
        kept = values < length
        values, weights = values[kept], weights if weights is None else shaped(weights)[kept]
    counts = np.bincount(values, minlength=minlength if length is None else length)
    if weights is None:
        return wrap(counts)
    w = shaped(weights)
    if w.shape != values.shape:
        raise ValueError(f"bincount: the weights must have the shape of x, {values.shape}; got {w.shape}")
    if w.dtype.kind == "c":
        raise TypeError(f"bincount takes real weights, got {w.dtype}")
    return wrap(_bincount(values, w, length=len(counts)))


def histogram_bin_edges(
    a: ArrayLike, bins: Any = 10, range: Sequence | None = None, weights: ArrayLike | None = None
) -> Shaped[Array, " n"]:
    """The edges of the bins that `histogram` uses, whose arguments this takes.

    Example:
        >>> fnp.histogram_bin_edges(fnp.array([0.0, 1.0, 4.0]), bins=2)
        Array([0., 2., 4.], dtype=float64)
    """
    a = shaped(a)
    if not isinstance(bins, str) and _unknown(a, bins, *(range or ())):
        return _edges_of_unknown(a, bins, range)
    values = _numbers(a, "histogram_bin_edges(x)")
    limits: Any = None if range is None else tuple([_limit(r) for r in range])
    given = not isinstance(bins, str) and np.ndim(bins) > 0
    if given and any(isinstance(b, Tracer) for b in (bins if isinstance(bins, (list, tuple)) else [bins])):
        return _checked_edges(np.stack(bins) if isinstance(bins, (list, tuple)) else bins)
    if weights is not None and isinstance(bins, str):
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    edges = np.histogram_bin_edges(values, bins if isinstance(bins, str) else _numbers(bins, "bins")[()], limits)
    ends = range if range is not None else (a, a)
    if given or not values.size or not any(isinstance(e, Tracer) for e in ends):
        return asarray(edges)  # a copy of edges that were given
    low, high = range if range is not None else (reductions.min(a), reductions.max(a))
    if edges[0] != _numbers(low, "") or edges[-1] != _numbers(high, ""):  # a range of no width, which NumPy widens
        return wrap(np.linspace(low - 0.5, high + 0.5, len(edges)))
    return wrap(np.linspace(low, high, len(edges)))


def _checked_edges(edges: Any) -> Any:
    values = _numbers(edges, "bins")
    if values.ndim != 1 or (values[:-1] > values[1:]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    return edges


def histogram(
    a: ArrayLike,
    bins: Any = 10,
    range: Sequence | None = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Shaped[Array, " n"], Shaped[Array, " n+1"]]:
    """How many elements fall into each bin, or the sum of their weights.

    Arguments:
        a: the elements; the array is flattened.
        bins: the number of bins of equal width, their edges, or the name of a rule that chooses the number.
        range: the pair of the lowest and the highest edge; by default the smallest and the largest element.
        density: whether to divide by the widths and the total, so that the integral is one.
        weights: like a; differentiated.

    Returns:
        Counts (or sums, or densities), and the edges of the bins.

    Raises:
        ValueError: edges that decrease, or weights of another shape than a.

    Example:
        >>> fnp.histogram(fnp.array([0.0, 1.0, 4.0]), bins=2)
        (Array([2, 1], dtype=int64), Array([0., 2., 4.], dtype=float64))
    """
    a = shaped(a)
    edges = histogram_bin_edges(a, bins, range, weights)
    if _unknown(a, edges):
        if weights is not None and np.shape(weights) != a.shape:
            raise ValueError(f"histogram: weights should have the same shape as a, {a.shape}; got {np.shape(weights)}")
        sums: Any = _sums_in_cells([a.reshape(-1)], [edges], np.ones(a.shape, int) if weights is None else weights)
        return (sums / np.diff(edges) / sums.sum(), edges) if density else (sums, edges)
    values = _numbers(a, "histogram(x)").reshape(-1)
    borders = _numbers(edges, "bins")
    if weights is None:
        sums = wrap(np.histogram(values, borders)[0])
    else:
        w = shaped(weights)
        if w.shape != a.shape:
            raise ValueError(f"histogram: weights should have the same shape as a, {a.shape}; got {w.shape}")
        sums = _sums_in_bins([values], [borders], w.reshape(-1))
    if density:
        return sums / np.diff(edges) / sums.sum(), edges
    return sums, edges


def _sums_in_bins(columns: list[np.ndarray], edges: list[np.ndarray], w: Any) -> Array:
    """The sum of weights in each cell of a grid; the last bin of each axis includes its upper edge."""
    shape = tuple([len(e) - 1 for e in edges])
    places, inside = [], np.ones(len(columns[0]), bool)
    for x, e in zip(columns, edges, strict=True):
        i = np.searchsorted(e, x, "right") - 1
        i[x == e[-1]] = len(e) - 2
        inside &= (i >= 0) & (i < len(e) - 1)
        places.append(i)
    chosen = np.flatnonzero(inside)
    flat = np.ravel_multi_index([i[chosen] for i in places], shape)
    size = int(np.prod(shape))
    real: list[Any] = [w] if w.dtype.kind != "c" else [w.real, w.imag]
    sums: list[Any] = [np.reshape(wrap(_bincount(flat, part[chosen], length=size)), shape) for part in real]
    if w.dtype.kind in "biu":
        return sums[0].astype(w.dtype if w.dtype.kind != "b" else np.int64)
    if len(sums) == 2:
        return (sums[0] + 1j * sums[1]).astype(w.dtype)
    return sums[0].astype(w.dtype)


def histogramdd(
    sample: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Shaped[Array, "..."], tuple[Shaped[Array, " n"], ...]]:
    """How many points fall into each cell of a grid in several dimensions, or the sum of their weights.

    Arguments:
        sample: an (n, d) array of points, or a sequence of d arrays of coordinates.
        bins: the number of bins, or for each dimension the number or the edges.
        range: for each dimension the pair of the lowest and the highest edge, or None.
        density: whether to divide by the volumes and the total.
        weights: one for each point; differentiated.

    Returns:
        Counts (or sums, or densities), and a tuple with the edges of each dimension.

    Example:
        >>> fnp.histogramdd(fnp.array([[0.0, 0.0], [1.0, 3.0]]), bins=1)[0]
        Array([[2.]], dtype=float64)
    """
    points = asarray(sample)
    columns = list(points.T if points.ndim == 2 and not isinstance(sample, (list, tuple)) else np.atleast_2d(points))
    d = len(columns)
    bins = list(bins) if isinstance(bins, (list, tuple)) or np.ndim(bins) > 0 else [bins] * d
    ranges = [None] * d if range is None else list(range)
    if len(bins) != d or len(ranges) != d:
        raise ValueError(f"histogramdd: {d} dimensions need as many bins and ranges, got {len(bins)} and {len(ranges)}")
    edges = [histogram_bin_edges(x, b, r) for x, b, r in zip(columns, bins, ranges, strict=True)]
    if _unknown(*columns, *edges):
        w = np.ones(columns[0].shape) if weights is None else shaped(weights)
        if w.shape != columns[0].shape:
            raise ValueError(f"histogramdd: weights must be of shape {columns[0].shape}, got {w.shape}")
        sums: Any = _sums_in_cells(columns, edges, w)
        sums = sums if sums.dtype.kind == "c" else sums.astype(np.float64)
        return _per_volume(sums, edges) if density else sums, tuple(edges)
    values, borders = [_numbers(x, "histogramdd(x)") for x in columns], [_numbers(e, "bins") for e in edges]
    if weights is None:
        sums = wrap(np.histogramdd(values, borders)[0])
    else:
        w = shaped(weights)
        if w.shape != values[0].shape:
            raise ValueError(f"histogramdd: weights must be of shape {values[0].shape}, got {w.shape}")
        sums = _sums_in_bins(values, borders, w)
        sums = sums if sums.dtype.kind == "c" else sums.astype(np.float64)
    return _per_volume(sums, edges) if density else sums, tuple(edges)


def _per_volume(sums: Any, edges: Sequence[Any]) -> Any:
    """Densities: sums divided by the volumes of their cells and by their total."""
    total = sums.sum()
    for width in np.ix_(*[np.diff(e) for e in edges]):
        sums = sums / width
    return sums / total


def histogram2d(
    x: ArrayLike,
    y: ArrayLike,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[Shaped[Array, "n m"], Shaped[Array, " n+1"], Shaped[Array, " m+1"]]:
    """How many points of the plane fall into each cell of a grid, or the sum of their weights.

    Arguments:
        x, y: the coordinates of the points.
        bins: the number of bins, or the edges, for both axes; or a pair of such, one for each axis.
        range, density, weights: as for `histogramdd`.

    Returns:
        Counts (or sums, or densities), the edges along x, and those along y.

    Raises:
        ValueError: x and y differ in length.

    Example:
        >>> fnp.histogram2d(fnp.array([0.0, 1.0]), fnp.array([0.0, 3.0]), bins=1)[0]
        Array([[2.]], dtype=float64)
    """
    if np.shape(x)[:1] != np.shape(y)[:1]:
        raise ValueError("x and y must have the same length.")
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):  # the edges of both axes
        bins = [bins, bins]
    sums, edges = histogramdd([x, y], bins, range, density, weights)
    return sums, edges[0], edges[1]
