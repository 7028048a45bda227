"""Cosine and sine transforms of the types 1 to 4, by Fourier transforms.

Each is a cosine transform of the sequence, continued evenly; the sine transforms are those of the sequence reversed, or
with signs that alternate. Types 2 and 3 are the inverses of each other, 1 and 4 their own, up to a factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.numpy import concatenate, flip, moveaxis, pad, stack
from funcgrad.numpy.convert import inexact, normalize_axes, normalize_axis_index
from funcgrad.numpy.fft import fft, irfft, rfft

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]

# Cosine transforms along the last axis, without any factor.


def _cosine_1(x: Array) -> Array:
    if x.shape[-1] < 2:
        raise ValueError("the cosine transform of type 1 takes two elements at least")
    return rfft(concatenate([x, flip(x[..., 1:-1], -1)], axis=-1)).real


def _turns(angles: Any, like: Array) -> np.ndarray:
    """exp(i π a), in the precision of an array."""
    return np.exp(1j * np.pi * np.asarray(angles)).astype(like.dtype.char.upper())


def _cosine_2(x: Array) -> Array:
    """Makhoul's way: the even elements, then the odd ones from the end, are transformed as they are."""
    n = x.shape[-1]
    spectrum = rfft(concatenate([x[..., ::2], flip(x[..., 1::2], -1)], axis=-1))
    turned = 2 * spectrum * _turns(-np.arange(n // 2 + 1) / (2 * n), x)
    return concatenate([turned.real, -flip(turned.imag[..., 1 : (n + 1) // 2], -1)], axis=-1)


def _cosine_3(x: Array) -> Array:
    """The steps of type 2 backwards."""
    n = x.shape[-1]
    k = n // 2 + 1
    mirrored = concatenate([0 * x[..., :1], flip(x[..., 1:], -1)], axis=-1)[..., :k]
    spectrum = (x[..., :k] - 1j * mirrored) * _turns(np.arange(k) / (2 * n), x)
    values = n * irfft(spectrum, n)
    places = np.empty(n, int)
    places[::2], places[1::2] = np.arange((n + 1) // 2), n - 1 - np.arange(n // 2)
    return values[..., places]


def _cosine_4(x: Array) -> Array:
    n = x.shape[-1]
    if n % 2 == 0:  # two real elements as one complex one
        turns = _turns(-np.arange(n // 2) / n - 1 / (8 * n), x)
        spectrum = 2 * turns * fft((x[..., ::2] + 1j * flip(x[..., 1::2], -1)) * turns)
        pairs = stack([spectrum.real, -flip(spectrum.imag, -1)], axis=-1)
        return pairs.reshape(x.shape)
    i = np.arange(n)
    spectrum = fft(x * _turns(-i / (2 * n), x), 2 * n)[..., :n]
    return 2 * (spectrum * _turns(-(2 * i + 1) / (4 * n), x)).real


def _alternating(x: Array) -> np.ndarray:
    return np.where(np.arange(x.shape[-1]) % 2, -1.0, 1.0).astype(x.dtype)


def _sine_1(x: Array) -> Array:
    zero = 0 * x[..., :1]
    return -rfft(concatenate([zero, x, zero, -flip(x, -1)], axis=-1)).imag[..., 1:-1]


_COSINES: dict[int, Callable[[Array], Array]] = {1: _cosine_1, 2: _cosine_2, 3: _cosine_3, 4: _cosine_4}
_SINES: dict[int, Callable[[Array], Array]] = {
    1: _sine_1,
    2: lambda x: flip(_cosine_2(x * _alternating(x)), -1),
    3: lambda x: _cosine_3(flip(x, -1)) * _alternating(x),
    4: lambda x: _cosine_4(flip(x, -1)) * _alternating(x),
}
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _transform(
    name: str,
    x: Array,
    kind: int,
    n: int | None,
    axis: int,
    norm: str | None,
    orthogonalize: bool | None,
    inverse: bool,
) -> Array:
    """One transform along one axis, for the function of this name."""
    if kind not in _COSINES:
        raise ValueError(f"{name}: type must be 1, 2, 3 or 4, got {kind!r}")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'{name}: norm must be "backward", "ortho", "forward" or None, got {norm!r}')
    if x.dtype.kind == "c":
        parts = [_transform(name, v, kind, n, axis, norm, orthogonalize, inverse) for v in (x.real, x.imag)]
        return parts[0] + 1j * parts[1]
    sine = "s" in name
    kind = _INVERSE[kind] if inverse else kind
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis] if n is None else index(n)
    if n < 1:
        raise ValueError(f"{name}: the length of a transform must be at least 1, got {n}")
    x = moveaxis(x, axis, -1)
    if n < x.shape[-1]:
        x = x[..., :n]
    elif n > x.shape[-1]:
        x = pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - x.shape[-1])])
    orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
    ends = _ends(kind, sine, n) if orthogonal else []
    if orthogonal and kind in (1, 3):
        x = x * _at(ends, n, math.sqrt(2), x)
    out = (_SINES if sine else _COSINES)[kind](x)
    if orthogonal and kind in (1, 2):
        out = out * _at(ends, n, 1 / math.sqrt(2), out)
    length = 2 * (n - 1 if kind == 1 and not sine else n + 1 if kind == 1 else n)
    if norm == "ortho":
        out = out / math.sqrt(length)
    elif (norm == "forward") != inverse:
        out = out / length
    return moveaxis(out, -1, axis)


def _ends(kind: int, sine: bool, n: int) -> list[int]:
    """The elements that count half in a transform, which an orthogonal matrix must make up for."""
    if kind == 4 or (kind == 1 and sine):
        return []
    return [0, n - 1] if kind == 1 else [n - 1 if sine else 0]


def _at(places: list[int], n: int, factor: float, like: Array) -> np.ndarray:
    weights = np.ones(n, like.dtype)
    weights[places] = factor
    return weights


def _operand(x: ArrayLike) -> Array:
    x = inexact(x)
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _lengths(name: str, x: Array, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    """The axes of a transform along several, each with its length."""
    if axes is None:
        count = x.ndim if s is None else np.size(s)
        if count > x.ndim:
            raise ValueError(f"{name}: s must not be longer than the {x.ndim} axes of x, got {s}")
        axes = range(x.ndim - count, x.ndim)
    along = list(normalize_axes(tuple(np.atleast_1d(list(axes) if isinstance(axes, range) else axes).tolist()), x.ndim))
    lengths: list = [None] * len(along) if s is None else np.atleast_1d(s).tolist()
    if len(lengths) != len(along):
        raise ValueError(f"{name}: s and axes must have the same length, got {s} and {axes}")
    return [(a, None if n in (None, -1) else n) for a, n in zip(along, lengths, strict=True)]


def _one(name: str, inverse: bool, summary: str, example: str) -> Callable:
    def function(
        x: ArrayLike,
        type: int = 2,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        orthogonalize: bool | None = None,
    ) -> Inexact[Array, "..."]:
        return _transform(name, _operand(x), type, n, axis, norm, orthogonalize, inverse)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

    Arguments:
        x: the array. Of a complex one both parts are transformed.
        type: which of the four transforms.
        n: the length of the transform: the axis is cut to it, or filled up with zeros. By default its own length.
        axis: the axis.
        norm: where to divide by the length of the period: in the inverse ("backward" or None), by its square root in
            both ("ortho"), or in the transform ("forward").
        overwrite_x, workers: accepted as in SciPy.
        orthogonalize: whether to scale the ends so that the matrix is orthogonal but for a factor; by default if norm
            is "ortho".

    Raises:
        ValueError: type or norm is unknown, or the length is too small.

    Example:
        >>> from funcgrad.scipy.fft import {name}
        >>> {example}

    Source: scipy.fft.{name} (https://docs.scipy.org/doc/scipy/reference/generated/scipy.fft.{name}.html).
        Types 2 and 3 as in J. Makhoul, "A fast cosine transform in one and two dimensions" (1980).
    """
    return function


def _several(name: str, inverse: bool, summary: str, example: str) -> Callable:
    def function(
        x: ArrayLike,
        type: int = 2,
        s: int | Sequence[int] | None = None,
        axes: int | Sequence[int] | None = None,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        orthogonalize: bool | None = None,
    ) -> Inexact[Array, "..."]:
        x = _operand(x)
        for axis, n in _lengths(name, x, s, axes):
            x = _transform(name, x, type, n, axis, norm, orthogonalize, inverse)
        return x

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

    Arguments:
        x, type, norm, overwrite_x, workers, orthogonalize: as for `{name[:-1]}`.
        s: the lengths of the transforms, one for each axis; -1 for the axis's own.
        axes: the axes; by default the last ones, as many as s has, or all.

    Raises:
        ValueError: as for `{name[:-1]}`, or s and axes do not fit together.

    Example:
        >>> from funcgrad.scipy.fft import {name}
        >>> {example}
    """
    return function


dct = _one(
    "dct",
    False,
    "The discrete cosine transform along an axis.",
    "dct([1.0, 0.0])\n        Array([2.        , 1.41421356], dtype=float64)",
)
idct = _one(
    "idct",
    True,
    "The inverse of `dct`.",
    "idct([2.0, 0.0])\n        Array([0.5, 0.5], dtype=float64)",
)
dst = _one(
    "dst",
    False,
    "The discrete sine transform along an axis.",
    "dst([1.0, 0.0])\n        Array([1.41421356, 2.        ], dtype=float64)",
)
idst = _one(
    "idst",
    True,
    "The inverse of `dst`.",
    "idst([0.0, 2.0])\n        Array([ 0.5, -0.5], dtype=float64)",
)
dctn = _several(
    "dctn",
    False,
    "The discrete cosine transform along several axes.",
    "dctn([[1.0, 0.0]])\n        Array([[4.        , 2.82842712]], dtype=float64)",
)
idctn = _several(
    "idctn",
    True,
    "The inverse of `dctn`.",
    "idctn([[4.0, 0.0]])\n        Array([[0.5, 0.5]], dtype=float64)",
)
dstn = _several(
    "dstn",
    False,
    "The discrete sine transform along several axes.",
    "dstn([[1.0, 0.0]])\n        Array([[2.82842712, 4.        ]], dtype=float64)",
)
idstn = _several(
    "idstn",
    True,
    "The inverse of `dstn`.",
    "idstn([[0.0, 4.0]])\n        Array([[ 0.5, -0.5]], dtype=float64)",
)
