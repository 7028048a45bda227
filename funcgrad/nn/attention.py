"""Attention: each query takes the mean of the values, weighted by how well their keys fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.nn.normalised import softmax
from funcgrad.numpy import arange, einsum, repeat, where
from funcgrad.numpy.convert import asarray

__all__ = ["dot_product_attention"]


def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
) -> Float[Array, "..."]:
    """softmax(scale · query keyᵀ + bias) value, for each head.

    Arguments:
        query: (batch, queries, heads, width), or without the first axis.
        key, value: (batch, keys, heads, width); there may be fewer heads, each for several of the query's.
        bias: is added to the logits; it broadcasts against (batch, heads, queries, keys).
        mask: which keys a query sees; it broadcasts likewise.
        scale: by default 1 / sqrt(width).
        is_causal: whether a query sees only keys that are not after it.
        query_seq_lengths, key_value_seq_lengths: for each example how many there are; results of further queries are 0.
        local_window_size: how many keys before and after its own place a query sees; one number, or a pair.
        implementation: accepted as in JAX.

    Returns:
        An array of the shape of query.

    Raises:
        ShapeError: shapes do not fit.

    Example:
        >>> x = fnp.ones((3, 1, 2))
        >>> fg.nn.dot_product_attention(x, x, x, is_causal=True).shape
        (3, 1, 2)
    """
    if implementation not in (None, "xla"):
        raise ArgumentError(f"dot_product_attention: implementation {implementation!r} needs a GPU; leave it out")
    q, k, v = asarray(query), asarray(key), asarray(value)
    single = q.ndim == 3
    if single:
        q, k, v = q[None], k[None], v[None]
    if not (q.ndim == k.ndim == 4 and k.shape == v.shape and q.shape[0] == k.shape[0] and q.shape[3] == k.shape[3]):
        raise ShapeError(
            f"dot_product_attention takes query (batch, queries, heads, width), key and value (batch, keys, heads, "
            f"width), or all without batch; got {q.shape}, {k.shape}, {v.shape}"
        )
    if k.shape[2] == 0 or q.shape[2] % k.shape[2]:
        raise ShapeError(
            f"dot_product_attention: {k.shape[2]} heads of keys cannot be shared by {q.shape[2]} of queries"
        )
    k, v = (repeat(x, q.shape[2] // k.shape[2], axis=2) for x in (k, v))
    logits = einsum("btnh,bsnh->bnts", q, k) * (1 / math.sqrt(q.shape[3]) if scale is None else scale)
    if bias is not None:
        logits = logits + asarray(bias)
    lengths = (query_seq_lengths, key_value_seq_lengths)
    seen = _seen(q.shape[1], k.shape[1], is_causal, lengths, local_window_size)
    for part in seen if mask is None else [*seen, asarray(mask)]:
        logits = where(part, logits, -0.7 * float(np.finfo(logits.dtype).max))  # -inf would give nan where none is seen
    out = einsum("bnts,bsnh->btnh", softmax(logits), v)
    if query_seq_lengths is not None:
        out = where(arange(q.shape[1])[:, None, None] < asarray(query_seq_lengths)[:, None, None, None], out, 0)
    return out[0] if single else out


def _seen(queries: int, keys: int, causal: bool, lengths: tuple[Any, Any], window: Any) -> list[Array]:
    """Which keys (the last axis) each query sees, as several conditions."""
    t, s = arange(queries)[:, None], arange(keys)[None, :]
    found = [s <= t] if causal else []
    for count, place in zip(lengths, (t, s), strict=True):
        if count is not None:
            found.append(place < asarray(count)[:, None, None, None])
    if window is not None:
        before, after = (window, window) if np.ndim(window) == 0 else window
        found.append((s >= t - before) & (s <= t + after))
    return found
