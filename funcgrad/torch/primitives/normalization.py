"""Normalization: numbers brought to mean 0 and variance 1 over some axes, then scaled and shifted.

One primitive is batch, layer, group and instance normalization: its operand is looked at in the shape `view`, the mean
and the variance go over `axes` of it, counted from the end, and weight and bias are broadcast from the shape `at`. A
weight of 1.0 or a bias of 0.0, Python numbers, stand for none.

Sums go first along the last axis in the precision of the operand, pairwise or by BLAS, and over the other axes in
double precision. Numbers of two bytes are computed in single precision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.batching import everywhere
from funcgrad.core.primitive import Draw, Primitive, Sample, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

Axes = tuple[int, ...]


def _wide(x: Any) -> Any:
    """Numbers of two bytes in single precision."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def _rows(x: Any, view: tuple[int, ...]) -> Any:
    """x as it is looked at, in memory of C order."""
    x = _wide(x).reshape(view)
    return np.ascontiguousarray(x) if type(x) is ndarray else x


def _sum(a: Any, axes: Axes) -> Any:
    """The sum over axes, which keep their places with size one."""
    if not axes:
        return a
    if isinstance(a, Array):
        return np.sum(a, axis=tuple([i + a.ndim for i in axes]), keepdims=True)
    kind = a.dtype
    if axes[-1] == -1 and a.shape[-1] > 1:
        a, axes = np.add.reduce(a, -1, None, None, True), axes[:-1]
    if axes:
        a = np.add.reduce(a, axes, np.float64, None, True)
    return a if a.dtype is kind else a.astype(kind)


def _sum_of_gradients(a: Any, axes: Axes) -> Any:
    """As `_sum`; rows of a matrix are added up by BLAS, for gradients are sums of many things anyway."""
    if axes == (-2,) and type(a) is ndarray and a.ndim == 2 and len(a):
        return (np.ones(len(a), a.dtype) @ a)[None]
    return _sum(a, axes)


def _sum_of_products(a: Any, b: Any, axes: Axes) -> Any:
    """The sum of a * b over axes, which keep their places with size one."""
    if not axes or isinstance(a, Array) or isinstance(b, Array) or axes[-1] != -1 or a.shape[-1] < 2:
        return _sum(a * b, axes)
    kind, a = a.dtype, np.vecdot(a, b)[..., None]
    if len(axes) > 1:
        a = np.add.reduce(a, axes[:-1], np.float64, None, True)
    return a if a.dtype is kind else a.astype(kind)


def _count(shape: tuple[int, ...], axes: Axes) -> int:
    return math.prod([shape[i] for i in axes])


def _into(ufunc: Any, a: Any, b: Any) -> Any:
    """ufunc(a, b), where a is an array that nobody else sees, in the memory of a."""
    return ufunc(a, b, a) if type(a) is ndarray and not isinstance(b, Array) else ufunc(a, b)


def _placed(w: Any, at: tuple[int, ...]) -> Any:
    """A weight as it is broadcast; None for a number, which stands for none."""
    return None if isinstance(w, float) else _wide(w).reshape(at)


def _summed_axes(ndim: int, at: tuple[int, ...]) -> Axes:
    """The axes over which weights are broadcast."""
    return tuple([i for i in range(-ndim, 0) if -i > len(at) or at[i] == 1])


def _cast(x: Any, kind: Any) -> Any:
    return x if x.dtype == kind else x.astype(kind)


# By the mean and the variance of what is normalized.


def moments(x: Any, view: tuple[int, ...], axes: Axes) -> tuple[Any, Any]:
    """The mean and the variance of x, seen in another shape, over axes, which keep their places with size one."""
    return _moments(_rows(x, view), axes)[:2]


def _moments(rows: Any, axes: Axes) -> tuple[Any, Any, Any]:
    """The mean, the variance, and the distances from the mean."""
    n = _count(rows.shape, axes)
    mean = _sum(rows, axes) / n
    centred = rows - mean
    return mean, _sum_of_products(centred, centred, axes) / n, centred


def _normalize(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    view: tuple[int, ...],
    axes: Axes,
    at: tuple[int, ...],
    eps: float,
    known: Any = None,
) -> Any:
    rows = _rows(x, view)
    if known is None:
        _, var, centred = _moments(rows, axes)
    else:
        var, centred = known[1], rows - known[0]
    return _scaled(x, centred, var, weight, bias, at, eps)


def normalized(
    x: Any, weight: Any, bias: Any, view: tuple[int, ...], axes: Axes, at: tuple[int, ...], eps: float
) -> tuple[Any, tuple[Any, Any]]:
    """What `normalize` gives, with the mean and the variance that it goes by."""
    mean, var, centred = _moments(_rows(x, view), axes)
    return _scaled(x, centred, var, weight, bias, at, eps), (mean, var)


def _scaled(x: Any, out: Any, var: Any, weight: Any, bias: Any, at: tuple[int, ...], eps: float) -> Any:
    """Distances from the mean, which nobody else sees, brought to variance 1, then scaled and shifted."""
    scale, w, b = 1 / np.sqrt(var + eps), _placed(weight, at), _placed(bias, at)
    if w is not None and np.broadcast(scale, w).size < out.size:
        scale, w = scale * w, None
    out *= scale
    if w is not None:
        out *= w
    if b is not None:
        out += b
    return _cast(out.reshape(x.shape), x.dtype)


def gradients(
    g: Any,
    x: Any,
    weight: Any,
    bias_shape: Any,
    bias_dtype: Any,
    view: Any,
    axes: Axes,
    at: Any,
    eps: float,
    known: Any,
    linked: Any,
) -> tuple:
    """The cotangents of x, weight and bias.

    With h = weight * g, and z the normalized numbers, that of x is (h - mean(h) - z * mean(h * z)) / sqrt(var + eps).
    """
    rows, n = _rows(x, view), _count(view, axes)
    if known is None or isinstance(rows, Array):
        _, var, centred = _moments(rows, axes)
    else:
        var, centred = known[1], rows - known[0]
    scale, w = 1 / np.sqrt(var + eps), _placed(weight, at)
    g, z = _rows(g, view), _into(np.multiply, centred, scale)
    over = _summed_axes(len(view), at)
    shared = over == axes  # the same sums serve the weight and x
    found: list[Any] = [None, None, None]
    if linked[1] or (shared and linked[0]):
        products = _sum_of_gradients(g * z, over) if over == (-2,) else _sum_of_products(g, z, over)
        if linked[1]:
            found[1] = _cast(products.reshape(weight.shape), weight.dtype)
    if linked[2] or (shared and linked[0]):
        sums = _sum_of_gradients(g, over)
        if linked[2]:
            found[2] = _cast(sums.reshape(bias_shape), bias_dtype)
    if linked[0]:
        if not shared:
            g = g if w is None else g * w
            products, sums = _sum_of_products(g, z, axes), _sum(g, axes)
        elif w is not None:
            scale = scale * w
        away = _into(np.multiply, z, products / n)
        along = _into(np.subtract, g - sums / n, away)
        found[0] = _cast(_into(np.multiply, along, scale).reshape(x.shape), x.dtype)
    return tuple(found)


def _push(tangents: tuple, x: Any, weight: Any, view: Any, axes: Axes, at: Any, eps: float) -> Any:
    t, tw, tb = tangents
    n = _count(view, axes)
    _, var, centred = _moments(_rows(x, view), axes)
    scale = 1 / np.sqrt(var + eps)
    z = centred * scale
    out: Any = None
    if t is not None:
        t = _rows(t, view)
        out, w = (t - _sum(t, axes) / n - z * (_sum_of_products(t, z, axes) / n)) * scale, _placed(weight, at)
        out = out if w is None else out * w
    if tw is not None:
        of_weight = z * _placed(tw, at)
        out = of_weight if out is None else out + of_weight
    if tb is not None:
        of_bias = np.broadcast_to(_placed(tb, at), view)
        out = of_bias if out is None else out + of_bias
    return _cast(out.reshape(x.shape), x.dtype)


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """Examples lie in front of the view; weights, if they have some, in front of where they are."""
    x, weight, bias, *others = args
    (x,) = everywhere((x,), mask[:1], size)
    view, at = params["view"], params["at"]
    params = params | {"view": (size, *view)} | ({"known": None} if "axes" in params else {})
    if any(mask[1:]):
        weight, bias, *others = [
            w if isinstance(w, float) else everywhere((w,), (m,), size)[0]
            for w, m in zip((weight, bias, *others), mask[1:], strict=True)
        ]
        params["at"] = (size, *(1,) * (len(view) - len(at)), *at)
    return primitive(x, weight, bias, *others, **params)


def _samples(draw: Draw) -> list[Sample]:
    layers = {"view": (2, 4), "axes": (-1,), "at": (4,), "eps": 0.1}
    batches = {"view": (2, 3, 4), "axes": (-3, -1), "at": (3, 1), "eps": 0.01}
    groups = {"view": (2, 2, 2, 3), "axes": (-2, -1), "at": (2, 2, 1), "eps": 0.5}
    return [
        Sample(draw(2, 4), draw(4), draw(4), **layers),
        Sample(draw.strided(2, 4), 1.0, 0.0, **layers),
        Sample(draw(2, 3, 2, 2), draw(3), draw(3), **batches),
        Sample(draw(2, 3, 4), draw(3), 0.0, **batches),
        Sample(draw(2, 4, 3), draw(4), draw(4), **groups),
    ]


normalize: Primitive = primitive(
    _normalize,
    name="normalize",
    operands="x weight bias",
    shape=lambda x, *others, **params: ShapeDtypeStruct(shape_of(x), dtype_of(x)),
    vjp=joint(gradients),
    jvp=joint(_push),
    samples=_samples,
    dtypes="fd",
    batch=_batch,
)
"""`known` are the moments of x, where they have been computed already."""


# By a mean and a variance that are given.


def _normalize_by(
    x: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    var: Any,
    *,
    view: tuple[int, ...],
    at: tuple[int, ...],
    eps: float,
) -> Any:
    scale, w, b = 1 / np.sqrt(_placed(var, at) + eps), _placed(weight, at), _placed(bias, at)
    if w is not None:
        scale = scale * w
    rows = _rows(x, view)
    shift = _placed(mean, at) * -scale if b is None else b - _placed(mean, at) * scale
    out = _into(np.add, rows * scale, shift)
    return _cast(out.reshape(x.shape), x.dtype)


def gradients_by(
    g: Any,
    x: Any,
    weight: Any,
    bias_shape: Any,
    bias_dtype: Any,
    mean: Any,
    var: Any,
    view: Any,
    at: Any,
    eps: float,
    linked: Any,
) -> tuple:
    kind = x.dtype
    g, w, deviation = _rows(g, view), _placed(weight, at), np.sqrt(_placed(var, at) + eps)
    over = _summed_axes(len(view), at)
    slope = 1 / deviation if w is None else w / deviation
    found: list[Any] = [None] * 5
    if linked[0]:
        found[0] = _cast((g * slope).reshape(x.shape), kind)
    if linked[1] or linked[4]:
        products = _sum_of_products(g, _rows(x, view) - _placed(mean, at), over)
        if linked[1]:
            found[1] = _cast((products / deviation).reshape(weight.shape), weight.dtype)
        if linked[4]:
            found[4] = _cast((products * slope / (deviation * deviation) * -0.5).reshape(var.shape), var.dtype)
    if linked[2] or linked[3]:
        sums = _sum(g, over)
        if linked[2]:
            found[2] = _cast(sums.reshape(bias_shape), bias_dtype)
        if linked[3]:
            found[3] = _cast((sums * -slope).reshape(mean.shape), mean.dtype)
    return tuple(found)


def _push_by(tangents: tuple, x: Any, weight: Any, mean: Any, var: Any, view: Any, at: Any, eps: float) -> Any:
    t, tw, tb, tm, tv = tangents
    w, deviation = _placed(weight, at), np.sqrt(_placed(var, at) + eps)
    slope = 1 / deviation if w is None else w / deviation
    out: Any = np.zeros(view, np.float32 if x.dtype.itemsize == 2 else x.dtype)
    if t is not None:
        out = out + _rows(t, view) * slope
    if tm is not None:
        out = out - _placed(tm, at) * slope
    if tb is not None:
        out = out + _placed(tb, at)
    if tw is not None or tv is not None:
        centred = _rows(x, view) - _placed(mean, at)
        if tw is not None:
            out = out + centred * (_placed(tw, at) / deviation)
        if tv is not None:
            out = out - centred * (_placed(tv, at) * slope / (deviation * deviation) * 0.5)
    return _cast(out.reshape(x.shape), x.dtype)


def _samples_by(draw: Draw) -> list[Sample]:
    params = {"view": (2, 3, 4), "at": (3, 1), "eps": 0.1}
    return [
        Sample(draw(2, 3, 2, 2), draw(3), draw(3), draw(3), draw(3, low=0.5), **params),
        Sample(draw.strided(2, 3, 4), 1.0, 0.0, draw(3), draw(3, low=0.5), **params),
    ]


normalize_by: Primitive = primitive(
    _normalize_by,
    name="normalize_by",
    operands="x weight bias mean var",
    shape=lambda x, *others, **params: ShapeDtypeStruct(shape_of(x), dtype_of(x)),
    vjp=joint(gradients_by),
    jvp=joint(_push_by),
    samples=_samples_by,
    dtypes="fd",
    batch=_batch,
)
