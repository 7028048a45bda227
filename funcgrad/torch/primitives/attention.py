"""Scaled dot-product attention, softmax(q kᵀ · scale + mask) v, and a softmax whose rows may be all masked."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from funcgrad.ops import reduce as core
from funcgrad.torch.tensor.fused import Fused

# A softmax that gives zeros, not nan, for a row of minus infinities.


def _safe_softmax(x: Any, *, axis: int) -> Any:
    masked = np.all(x == -np.inf, axis=axis, keepdims=True)
    return np.where(masked, 0, core.softmax(np.where(masked, 0, x), axis=axis % x.ndim))


def _softmax_forward(x: np.ndarray, *, axis: int) -> tuple:
    out = np.array(x)
    _softmax_in_place(np.moveaxis(out, axis, -1))
    return out, (out.copy(), axis)


def _softmax_backward(g: np.ndarray, kept: tuple, wanted: tuple[int, ...]) -> list:
    y, axis = kept
    return [y * (g - (g * y).sum(axis, keepdims=True))]


safe_softmax = Fused(_safe_softmax, _softmax_forward, _softmax_backward)

_LARGE = 40.0
"""Exponentials of numbers up to this can be added up in single precision, with nothing subtracted before."""


def _softmax_in_place(x: np.ndarray) -> None:
    """Softmax along the last axis, written into x. A row that is all masked becomes zero.

    Note [small scores]. The largest of each row need not be subtracted where no number is large: this saves the
    costliest step, the maximum of many short rows. Where a sum is then too small to be accurate, it is done after all.
    """
    if not x.size:
        return
    if x.max() <= _LARGE:
        e = np.exp(x)
        total = _row_sums(e)
        if total.min() > 1e-15:
            np.multiply(e, 1 / total, out=x)
            return
    top = x.max(-1, keepdims=True)
    top[top == -np.inf] = 0
    x -= top
    np.exp(x, out=x)
    total = _row_sums(x)
    total[total == 0] = 1
    x /= total


def _row_sums(x: np.ndarray) -> np.ndarray:
    """The sums along the last axis, which stays: a product with ones is quicker than adding up many short rows."""
    return np.matmul(x, np.ones((x.shape[-1], 1), x.dtype))


# Attention as a whole.


@lru_cache(maxsize=32)
def causal_mask(n: int, m: int, kind: Any) -> np.ndarray:
    """What is added to "n m" scores so that a position sees none after it: 0 or minus infinity. It is read-only."""
    mask = np.triu(np.full((n, m), -np.inf, kind), 1)
    mask.flags.writeable = False
    return mask


def _attention(q: Any, k: Any, v: Any, *masks: Any, scale: float, causal: bool) -> Any:
    heads, groups = q.shape[1], k.shape[1]
    if heads != groups:
        k, v = (np.repeat(x, heads // groups, axis=1) for x in (k, v))
    scores = (q * scale) @ np.swapaxes(k, -1, -2)
    for mask in masks:
        scores = scores + mask
    if causal:
        scores = scores + causal_mask(*scores.shape[-2:], scores.dtype)
    if masks:
        return safe_softmax.f(scores, axis=-1) @ v
    return core.softmax(scores, axis=scores.ndim - 1) @ v  # every row has a score


def _grouped(x: np.ndarray, groups: int) -> np.ndarray:
    """Heads "b h n e" as "b g r n e": the r heads of each group share their keys and values."""
    b, h, *rest = x.shape
    return x.reshape(b, groups, h // groups, *rest)


def _forward(q: Any, k: Any, v: Any, *masks: Any, scale: float, causal: bool) -> tuple:
    shared = q.shape[1] != k.shape[1]
    keys, values = (k[:, :, None], v[:, :, None]) if shared else (k, v)
    scaled = q * q.dtype.type(scale)
    scores = np.matmul(_grouped(scaled, k.shape[1]) if shared else scaled, keys.swapaxes(-1, -2))
    whole = scores.reshape(*q.shape[:3], k.shape[2])
    for mask in masks:
        whole += mask
    if causal:
        whole += causal_mask(*whole.shape[-2:], whole.dtype)
    _softmax_in_place(whole)
    if shared:
        out = np.empty_like(q)
        out[...] = np.matmul(scores, values).reshape(q.shape)
    else:
        out = np.matmul(scores, values, out=np.empty_like(q))
    return out, (scaled, k, v, scores, scale, tuple([m.shape for m in masks]))


def _beside(x: np.ndarray) -> np.ndarray:
    """Memory for the cotangent of "b h n e" in which the heads of a position lie side by side, as torch has them."""
    b, h, n, e = x.shape
    return np.empty((b, n, h, e), x.dtype).swapaxes(1, 2)


def _backward(g: np.ndarray, kept: tuple, wanted: tuple[int, ...]) -> list:
    scaled, k, v, weights, scale, masks = kept
    shared = weights.ndim == 5
    if shared:
        groups = k.shape[1]
        g, scaled, keys, values = _grouped(g, groups), _grouped(scaled, groups), k[:, :, None], v[:, :, None]
    else:
        keys, values = k, v
    dv = np.matmul(weights.swapaxes(-1, -2), g, out=None if shared else _beside(v))
    ds = np.matmul(g, values.swapaxes(-1, -2))
    ds *= weights
    ds -= weights * _row_sums(ds)
    dq = np.matmul(ds, keys, out=None if shared else _beside(scaled))
    dq *= scaled.dtype.type(scale)
    dk = np.matmul(ds.swapaxes(-1, -2), scaled, out=None if shared else _beside(k))
    if shared:
        dq, dk, dv = dq.reshape(len(dq), -1, *dq.shape[3:]), dk.sum(2), dv.sum(2)
    if len(wanted) < 4 and 3 not in wanted:
        return [dq, dk, dv]
    return [dq, dk, dv, *[ds.reshape(dq.shape[:3] + ds.shape[-1:]) for _ in masks]]


attention = Fused(_attention, _forward, _backward)
