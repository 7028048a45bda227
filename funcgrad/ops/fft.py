"""Discrete Fourier transforms along one axis; those of several axes are made of them, as in NumPy.

They are linear. The matrix of a complex transform is symmetric, so its transpose is the transform itself. That of a
real transform is the real transform back, with weights: the bins between the first and the last stand for two, their
own and their mirror image. `n` is the length of the transform: the operand is cut to it, or filled up with zeros.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, linear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.structural import pad

__all__ = ["SWAPPED", "fft", "ifft", "irfft", "rfft"]

SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""For each normalisation the one that scales a transform back as this one scales the transform."""


def _fitted(x: Any, n: int, axis: int) -> Any:
    """x with n elements along an axis: cut, or filled up with zeros."""
    length = x.shape[axis]
    if length > n:
        return x[(*(slice(None),) * axis, slice(n))]
    if length < n:
        return pad(x, widths=tuple((0, n - length if i == axis else 0) for i in range(x.ndim)))
    return x


def _weights(n: int, axis: int, like: Any, inner: float) -> np.ndarray:
    """One for the bins of a real transform of length n that stand for themselves, `inner` for the others."""
    weights = np.full(n // 2 + 1, inner, np.dtype(like.dtype.char.lower()))
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights.reshape((-1,) + (1,) * (like.ndim - 1 - axis))


@functools.cache
def _dtype(function: Callable, dtype: np.dtype) -> np.dtype:
    return function(np.zeros(1, dtype), 1).dtype


def _shape_rule(function: Callable, length: Callable[[int], int]) -> Callable:
    def shape(x: Any, n: int, axis: int, norm: str) -> ShapeDtypeStruct:
        before, after = shape_of(x)[:axis], shape_of(x)[axis + 1 :]
        return ShapeDtypeStruct((*before, length(n), *after), _dtype(function, dtype_of(x)))

    return shape


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(4), n=4, axis=0, norm="backward"),
        Sample(draw(3), n=3, axis=0, norm="forward"),
        Sample(draw(5), n=3, axis=0, norm="backward"),
        Sample(draw(3), n=6, axis=0, norm="ortho"),
        Sample(draw(2), n=5, axis=0, norm="backward"),
        Sample(draw(3, 2), n=3, axis=0, norm="ortho"),
        Sample(draw.strided(2, 4, 1), n=4, axis=1, norm="forward"),
        Sample(draw(1), n=1, axis=0, norm="backward"),
        Sample(draw(0, 3), n=2, axis=1, norm="backward"),
    ]


def _complex(function: Callable, name: str) -> Any:
    def impl(x: Any, *, n: int, axis: int, norm: str) -> Any:
        return function(x, n, axis, norm)

    def transpose(g: Any, x_shape: tuple[int, ...], n: int, axis: int, norm: str) -> Any:
        return _fitted(made(g, n=n, axis=axis, norm=norm), x_shape[axis], axis)

    made = linear(
        impl,
        name=name,
        transpose=transpose,
        shape=_shape_rule(function, lambda n: n),
        batch=batching.shifted("axis"),
        samples=_samples,
    )
    return made


fft = _complex(np.fft.fft, "fft")
ifft = _complex(np.fft.ifft, "ifft")


def _rfft(x: Any, *, n: int, axis: int, norm: str) -> Any:
    return np.fft.rfft(x, n, axis, norm)


def _rfft_transpose(g: Any, x_shape: tuple[int, ...], n: int, axis: int, norm: str) -> Any:
    halves = np.conjugate(g) * _weights(n, axis, g, 0.5)
    return _fitted(irfft(halves, n=n, axis=axis, norm=SWAPPED[norm]), x_shape[axis], axis)


rfft = linear(
    _rfft,
    transpose=_rfft_transpose,
    shape=_shape_rule(np.fft.rfft, lambda n: n // 2 + 1),
    batch=batching.shifted("axis"),
    samples=_samples,
    dtypes="fd",
)


def _irfft(x: Any, *, n: int, axis: int, norm: str) -> Any:
    return np.fft.irfft(x, n, axis, norm)


def _irfft_transpose(g: Any, x_shape: tuple[int, ...], n: int, axis: int, norm: str) -> Any:
    doubled = np.conjugate(rfft(g, n=n, axis=axis, norm=SWAPPED[norm])) * _weights(n, axis, g, 2.0)
    return _fitted(doubled, x_shape[axis], axis)


irfft = linear(
    _irfft,
    transpose=_irfft_transpose,
    shape=_shape_rule(np.fft.irfft, lambda n: n),
    batch=batching.shifted("axis"),
    samples=_samples,
)
