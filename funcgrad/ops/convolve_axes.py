"""Convolution along some axes of two arrays, the others being broadcast: for images, and for many signals at once.

The shorter operand is gone through element by element, each time with one multiplication of the other as a whole; or
the result, if it is shorter still, each time with one scalar product. Two vectors are convolved by NumPy. `mode` is
"full", or "valid" with x at least as long as y along each of the axes.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Sample, multilinear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.contract import convolve


def _convolve_axes(x: Any, y: Any, *, mode: str, axes: tuple[int, ...]) -> np.ndarray:
    if x.ndim == 1 and axes and x.size and y.size:
        return convolve.impl(x, y, mode=mode)
    out_shape = _out_shape(x.shape, y.shape, mode, axes)
    out = np.zeros(out_shape, np.result_type(x, y))
    if not out.size:
        return out
    long, short = math.prod([x.shape[a] for a in axes]), math.prod([y.shape[a] for a in axes])
    if mode == "full":
        _add_shifted(out, *(x, y) if long >= short else (y, x), axes)
    elif math.prod([out_shape[a] for a in axes]) < short:
        _products_of_windows(out, x, y, axes)
    else:
        _add_windows(out, x, y, axes)
    return out


def _cut(ndim: int, axes: tuple[int, ...], starts: Any, lengths: Any) -> tuple[slice, ...]:
    found = [slice(None)] * ndim
    for a, i, n in zip(axes, starts, lengths, strict=True):
        found[a] = slice(i, i + n)
    return tuple(found)


def _add_shifted(out: np.ndarray, x: np.ndarray, y: np.ndarray, axes: tuple[int, ...]) -> None:
    """A full convolution: x times each element of y, at its place."""
    n, one, part = [x.shape[a] for a in axes], (1,) * len(axes), None
    for place in itertools.product(*[range(y.shape[a]) for a in axes]):
        part = np.multiply(x, y[_cut(x.ndim, axes, place, one)], out=part)
        out[_cut(x.ndim, axes, place, n)] += part


def _add_windows(out: np.ndarray, x: np.ndarray, y: np.ndarray, axes: tuple[int, ...]) -> None:
    """A valid convolution: the part of x that each element of y meets, times that element."""
    m, n, one, part = [y.shape[a] for a in axes], [out.shape[a] for a in axes], (1,) * len(axes), None
    for place in itertools.product(*map(range, m)):
        starts = [k - 1 - i for k, i in zip(m, place, strict=True)]
        part = np.multiply(x[_cut(x.ndim, axes, starts, n)], y[_cut(x.ndim, axes, place, one)], out=part)
        out += part


def _products_of_windows(out: np.ndarray, x: np.ndarray, y: np.ndarray, axes: tuple[int, ...]) -> None:
    """A valid convolution with few elements: for each the scalar product of y and a part of x."""
    m, one, turned = [y.shape[a] for a in axes], (1,) * len(axes), np.flip(y, axes)
    letters = "abcdefghijklmnopqrstuvwxyz"[: x.ndim]
    kept = "".join([c for i, c in enumerate(letters) if i not in axes])
    for place in itertools.product(*[range(out.shape[a]) for a in axes]):
        window = x[_cut(x.ndim, axes, place, m)]
        if not kept:
            out[place] = np.dot(window.reshape(-1), turned.reshape(-1))
        else:
            found = np.einsum(f"{letters},{letters}->{kept}", window, turned)
            out[_cut(x.ndim, axes, place, one)] = np.expand_dims(found, axes)


def _out_shape(x: tuple[int, ...], y: tuple[int, ...], mode: str, axes: tuple[int, ...]) -> tuple[int, ...]:
    lengths = [[1 if a in axes else n for a, n in enumerate(s)] for s in (x, y)]
    shape = list(np.broadcast_shapes(*lengths))
    for a in axes:
        n, m = x[a], y[a]
        shape[a] = (n + m - 1 if n and m else 0) if mode == "full" else n - m + 1
    return tuple(shape)


def _shape(x: Any, y: Any, *, mode: str, axes: tuple[int, ...]) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(_out_shape(shape_of(x), shape_of(y), mode, axes), np.result_type(dtype_of(x), dtype_of(y)))


def _to_x(g: Any, y: Any, mode: str, axes: tuple[int, ...]) -> Any:
    return convolve_axes(g, np.flip(y, axes), mode="valid" if mode == "full" else "full", axes=axes)


def _to_y(g: Any, x: Any, mode: str, axes: tuple[int, ...]) -> Any:
    if mode == "full":
        return convolve_axes(g, np.flip(x, axes), mode="valid", axes=axes)
    return np.flip(convolve_axes(x, np.flip(g, axes), mode="valid", axes=axes), axes)


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, y = [a if m else a.reshape(1, *a.shape) for a, m in zip(args, mask, strict=True)]
    return primitive(x, y, mode=params["mode"], axes=tuple([a + 1 for a in params["axes"]]))


convolve_axes = multilinear(
    _convolve_axes,
    operands="x y",
    transpose=(_to_x, _to_y),
    shape=_shape,
    batch=_batch,
    samples=lambda draw: (
        [
            Sample(draw(*n), draw(*m), mode=mode, axes=axes)
            for n, m, mode, axes in [
                ((4,), (2,), "full", (0,)),
                ((4,), (2,), "valid", (0,)),
                ((3, 4), (2, 3), "full", (0, 1)),
                ((2, 3), (3, 5), "full", (0, 1)),
                ((3, 4), (2, 1), "valid", (0, 1)),
                ((2, 4), (1, 3), "full", (1,)),
                ((1, 4), (3, 2), "valid", (1,)),
                ((2, 3), (2, 1), "full", ()),
                ((3, 2, 4), (2, 1, 3), "valid", (0, 2)),
            ]
        ]
        + [Sample(draw.strided(3, 3), draw.strided(2, 2), mode="full", axes=(0, 1))]
    ),
)
