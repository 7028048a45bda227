"""The linear recurrence y[n] = x[n] − a[0] y[n−1] − a[1] y[n−2] − … along the last axis: the feedback part of a filter.

It solves a triangular system, A y = x, whose matrix has a along its subdiagonals. So the transpose solves Aᵀ: it is the
same recurrence run from the end. With a moving, A dy = −dA y: the recurrence with the shifted results for its input.

Filters that differ from example to example lie along leading axes of a, which are leading axes of x as well.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


@cache
def _kernel() -> Any:
    """SciPy's filter, which is compiled; None without SciPy."""
    try:
        return import_module("scipy.signal").lfilter
    except ImportError:
        return None


def _recurrence(x: Any, a: Any) -> np.ndarray:
    dtype = np.result_type(x, a)
    x, a = x.astype(dtype, copy=False), a.astype(dtype, copy=False)
    if not x.size or not a.size:
        return x.copy()
    if a.ndim > 1:
        out = np.empty(x.shape, dtype)
        for i in np.ndindex(a.shape[:-1]):
            out[i] = _recurrence(x[i], a[i])
        return out
    if _kernel() is None:
        return _by_blocks(x, a)
    one = np.ones(1, dtype)
    return _kernel()(one, np.concatenate([one, a]), x)


_BLOCK = 64


def _by_blocks(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The recurrence without SciPy: blocks of it by products with matrices, and one step from block to block."""
    n, p, length = x.shape[-1], len(a), max(_BLOCK, len(a))
    ahead = np.zeros((length + p, p), x.dtype)  # the p results before a block, and those of the block, that they cause
    ahead[:p] = np.eye(p)
    for i in range(length):
        ahead[p + i] = -(a[::-1] @ ahead[i : i + p])
    ahead = ahead[p:]
    response = np.zeros(length, x.dtype)  # to one at the start of a block
    response[0] = 1
    for i in range(1, length):
        k = min(i, p)
        response[i] = -(a[:k] @ response[i - k : i][::-1])
    lag = np.arange(length)[:, None] - np.arange(length)
    inside = np.where(lag >= 0, response[lag], 0)
    count = -(-n // length)
    padded = np.zeros((*x.shape[:-1], count * length), x.dtype)
    padded[..., :n] = x
    out = padded.reshape(*x.shape[:-1], count, length) @ inside.T
    for k in range(1, count):
        out[..., k, :] += out[..., k - 1, length - p :] @ ahead.T
    return out.reshape(padded.shape)[..., :n]


def _from_the_end(g: Any, a: Any) -> Any:
    return linear_recurrence(g[..., ::-1], a)[..., ::-1]


def _to_a(g: Any, a: Any, out: Any) -> Any:
    h, n, axes = _from_the_end(g, a), out.shape[-1], tuple(range(a.ndim - 1, out.ndim))
    products = [h[..., k:] * out[..., : max(n - k, 0)] for k in range(1, a.shape[-1] + 1)]
    return -np.stack([p.sum(axis=axes) for p in products], axis=-1)


def _from_a(t: Any, a: Any, out: Any) -> Any:
    n, zeros, beside = out.shape[-1], np.zeros_like(out), (1,) * (out.ndim - a.ndim + 1)
    shifted = [
        t[..., k - 1].reshape((*a.shape[:-1], *beside))
        * np.concatenate([zeros[..., :k], out[..., : max(n - k, 0)]], axis=-1)[..., :n]
        for k in range(1, a.shape[-1] + 1)
    ]
    return -linear_recurrence(sum(shifted), a)


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, a = args
    if mask[1] or a.ndim > 1:
        x, a = [v if m else np.broadcast_to(v, (size, *v.shape)) for v, m in zip((x, a), mask, strict=True)]
    return primitive(x, a)


def _shape(x: Any, a: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(x), np.result_type(dtype_of(x), dtype_of(a)))


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(6), draw(2, low=-0.5, high=0.5)),
        Sample(draw(2, 3), draw(1, low=-0.5, high=0.5)),
        Sample(draw(2), draw(4, low=-0.5, high=0.5)),
        Sample(draw.strided(2, 4), draw.strided(3) / 4),
        Sample(draw(0), draw(2)),
        Sample(draw(2, 5), draw(2, 2, low=-0.5, high=0.5)),
        Sample(draw(2, 3, 4), draw(2, 1, low=-0.5, high=0.5)),
    ]


linear_recurrence: Primitive = primitive(
    _recurrence,
    name="linear_recurrence",
    operands="x a",
    shape=_shape,
    vjp=(_from_the_end, _to_a),
    jvp=(lambda t, a: linear_recurrence(t, a), _from_a),
    batch=_batch,
    samples=_samples,
)
