"""Reductions of segments, `jax.ops`: the entries of an array that have the same number are added, multiplied, …

They are compositions of the primitives that write at an index. Nothing here needs the values of the numbers, so all of
it runs under make_tape and vmap; only `num_segments`, on which the shape of the result depends, does if left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array, snapshot, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Integer, Shaped
from funcgrad.ops import index as ops
from funcgrad.ops.sort import argsort
from funcgrad.ops.structural import concatenate

__all__ = ["running_products", "segment_max", "segment_min", "segment_prod", "segment_sum"]


def segment_sum(
    data: Shaped[ArrayLike, " n *rest"],
    segment_ids: Integer[ArrayLike, " n"],
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Shaped[Array, " segments *rest"]:
    """The sums of the entries of an array that have the same number.

    Arguments:
        data: the array; its entries lie along the first axis.
        segment_ids: the number of each entry. An entry whose number is negative, or not below num_segments, is left
            out.
        num_segments: how many sums there are; by default the greatest number and one.
        indices_are_sorted, unique_indices, bucket_size: hints for speed, without effect.
        mode: "clip" takes a number out of bounds as the first or the last one, instead of leaving its entry out.

    Raises:
        NoValueError: num_segments is left out, and segment_ids have no values, for jit or make_tape runs.
        TypeError: segment_ids are no integers.
        ValueError: num_segments is negative, mode is something else, or data and segment_ids differ in length.

    Example:
        >>> fg.ops.segment_sum([1.0, 2.0, 4.0], [0, 0, 2])
        Array([3., 0., 4.], dtype=float64)

    Source: jax.ops.segment_sum (https://docs.jax.dev/en/latest/_autosummary/jax.ops.segment_sum.html).
    """
    x, ids, n = _segments("segment_sum", data, segment_ids, num_segments, mode)
    return _written(ops.index_add, x, ids, n, 0)


def segment_prod(
    data: Shaped[ArrayLike, " n *rest"],
    segment_ids: Integer[ArrayLike, " n"],
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Shaped[Array, " segments *rest"]:
    """The products of the entries of an array that have the same number; 1 where there are none.

    Arguments:
        data, segment_ids, num_segments, indices_are_sorted, unique_indices, bucket_size, mode: as for `segment_sum`.

    Raises:
        NoValueError, TypeError, ValueError: as for `segment_sum`.

    Example:
        >>> fg.ops.segment_prod([3.0, 2.0, 4.0], [0, 0, 2])
        Array([6., 1., 4.], dtype=float64)

    Source: jax.ops.segment_prod (https://docs.jax.dev/en/latest/_autosummary/jax.ops.segment_prod.html).
    """
    x, ids, n = _segments("segment_prod", data, segment_ids, num_segments, mode)
    x, ids = running_products(x, ids)
    return _written(ops.index_set, x, ids, n, 1)


def segment_min(
    data: Shaped[ArrayLike, " n *rest"],
    segment_ids: Integer[ArrayLike, " n"],
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Shaped[Array, " segments *rest"]:
    """The least of the entries of an array that have the same number; the greatest value of the dtype if there is none.

    Arguments:
        data, segment_ids, num_segments, indices_are_sorted, unique_indices, bucket_size, mode: as for `segment_sum`.

    Raises:
        NoValueError, TypeError, ValueError: as for `segment_sum`.

    Example:
        >>> fg.ops.segment_min([3.0, 2.0, 4.0], [0, 0, 2])
        Array([ 2., inf,  4.], dtype=float64)

    Source: jax.ops.segment_min (https://docs.jax.dev/en/latest/_autosummary/jax.ops.segment_min.html).
    """
    x, ids, n = _segments("segment_min", data, segment_ids, num_segments, mode)
    return _written(ops.index_min, x, ids, n, _bounds(x.dtype)[1])


def segment_max(
    data: Shaped[ArrayLike, " n *rest"],
    segment_ids: Integer[ArrayLike, " n"],
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: str | None = None,
) -> Shaped[Array, " segments *rest"]:
    """The greatest of the entries of an array that have the same number; the least value of the dtype if there is none.

    Arguments:
        data, segment_ids, num_segments, indices_are_sorted, unique_indices, bucket_size, mode: as for `segment_sum`.

    Raises:
        NoValueError, TypeError, ValueError: as for `segment_sum`.

    Example:
        >>> fg.ops.segment_max([3.0, 2.0, 4.0], [0, 0, 2])
        Array([  3., -inf,   4.], dtype=float64)

    Source: jax.ops.segment_max (https://docs.jax.dev/en/latest/_autosummary/jax.ops.segment_max.html).
    """
    x, ids, n = _segments("segment_max", data, segment_ids, num_segments, mode)
    return _written(ops.index_max, x, ids, n, _bounds(x.dtype)[0])


def running_products(x: Any, ids: Any) -> tuple[Any, Any]:
    """Values and their numbers, sorted by number; each value is multiplied by all before it that have the same number.

    So the last one of a number is the product of all. The number of steps is the logarithm of the length.
    """
    order = argsort(ids, axis=0, stable=True)
    x, ids = ops.read(x, *_as_index(order)), ops.read(ids, *_as_index(order))
    step = 1
    while step < ids.shape[0]:
        head, tail = (slice(None, -step),), (slice(step, None),)
        later = ops.getitem(x, index=tail)
        same = np.equal(ops.getitem(ids, index=tail), ops.getitem(ids, index=head))
        same = same.reshape(same.shape + (1,) * (x.ndim - 1))
        products = ops.where(same, np.multiply(ops.getitem(x, index=head), later), later)
        x = concatenate(ops.getitem(x, index=(slice(None, step),)), products, axis=0)
        step *= 2
    return x, ids


def _segments(name: str, data: Any, segment_ids: Any, num_segments: int | None, mode: str | None) -> tuple:
    """The array, the numbers of its entries with the number n for those left out, and the number of segments n."""
    x, ids = _array(data), _array(segment_ids)
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name}: segment_ids must be integers, got dtype {ids.dtype}")
    if ids.ndim != 1 or x.ndim == 0 or x.shape[0] != ids.shape[0]:
        raise ValueError(
            f"{name}: segment_ids must have one number for each entry of data along its first axis, got shapes "
            f"{ids.shape} and {x.shape}"
        )
    if num_segments is None:
        values = np.asarray(ids._concrete(f"{name}(data, x) without num_segments="))
        num_segments = int(values.max(initial=-1)) + 1
    n = int(num_segments)
    if n < 0:
        raise ValueError(f"{name}: num_segments must not be negative, got {n}")
    if mode not in (None, "drop", "fill", "clip", "promise_in_bounds"):
        raise ValueError(f"{name}: mode must be 'drop', 'fill', 'clip', 'promise_in_bounds' or None, got {mode!r}")
    ids = ids.astype(np.intp)
    if mode == "clip":
        return x, np.minimum(np.maximum(ids, 0), n - 1), n
    return x, ops.where(np.logical_or(np.less(ids, 0), np.greater_equal(ids, n)), n, ids), n


def _written(primitive: Any, x: Any, ids: Any, n: int, start: Any) -> Array:
    """The entries written into an array that starts as given; the number n takes those left out, and is cut off."""
    index, indices = _as_index(ids)[::-1]
    out = primitive(np.full((n + 1, *x.shape[1:]), start, x.dtype), x, indices, index=index)
    return wrap(ops.getitem(out, index=(slice(n),)))


def _as_index(ids: Any) -> tuple[Any, Any]:
    """An array of integers as `indices` and `index` of the primitives."""
    if isinstance(ids, Tracer):
        return ids.reshape((1, *ids.shape)), ops.HERE
    return None, np.array(ids._value if isinstance(ids, Array) else ids)


def _array(x: Any) -> Array:
    return x if isinstance(x, Array) else wrap(snapshot(x))


def _bounds(dtype: np.dtype) -> tuple[Any, Any]:
    """The least and the greatest value of a dtype."""
    if dtype.kind == "b":
        return False, True
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return -np.inf, np.inf
