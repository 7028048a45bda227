"""`detrend` and `hilbert`: signals without their mean or their linear trend, and with their imaginary part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Complex, Inexact
from funcgrad.errors import ArgumentError, type_text
from funcgrad.numpy import concatenate, moveaxis
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index, reject
from funcgrad.numpy.fft import fft, ifft

__all__ = ["detrend", "hilbert"]


def detrend(
    data: ArrayLike, axis: int = -1, type: str = "linear", bp: int | Sequence[int] = 0, overwrite_data: Any = None
) -> Inexact[Array, "..."]:
    """A signal without its linear trend, or without its mean.

    Arguments:
        data: the signal.
        axis: the axis along which it runs.
        type: "linear" for the line of least squares, "constant" for the mean.
        bp: places where a new line begins.
        overwrite_data: not supported: arrays are immutable.

    Raises:
        ValueError: the type is unknown, or a place lies outside.

    Example:
        >>> from funcgrad.scipy.signal import detrend
        >>> detrend(np.array([0.0, 3.0, 0.0]), type="constant")
        Array([-1.,  2., -1.], dtype=float64)
    """
    reject("detrend", overwrite_data=overwrite_data or None)
    x = inexact(data)
    if type in ("constant", "c"):
        return x - x.mean(axis=axis, keepdims=True)
    if type not in ("linear", "l"):
        raise ValueError(f'detrend: type must be "linear" or "constant", got {type!r}')
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis]
    ends = np.unique(np.concatenate([[0], np.atleast_1d(bp), [n]])).tolist()
    if ends[-1] > n or ends[0] < 0:
        raise ValueError(f"detrend: the breakpoints must lie in the signal of {n} samples, got {bp}")
    x = moveaxis(x, axis, -1)
    parts = [_without_line(x[..., start:end]) for start, end in pairwise(ends)]
    return moveaxis(parts[0] if len(parts) == 1 else concatenate(parts, axis=-1), -1, axis)


def _without_line(x: Array) -> Array:
    """x less its projection onto lines along the last axis."""
    n = x.shape[-1]
    basis = np.linalg.qr(np.stack([np.ones(n), np.arange(1, n + 1) / n], axis=1))[0].astype(x.dtype.char.lower())
    return x - (x @ basis) @ basis.T


def hilbert(x: ArrayLike, N: int | None = None, axis: int = -1) -> Complex[Array, "..."]:
    """The analytic signal: the one with no negative frequencies whose real part this is.

    Arguments:
        x: a real signal.
        N: the length of the Fourier transform; by default that of the signal.
        axis: the axis along which it runs.

    Raises:
        ArgumentError: x is complex.
        ValueError: N is not positive.

    Example:
        >>> from funcgrad.scipy.signal import hilbert
        >>> abs(hilbert(np.cos(np.arange(8) * np.pi / 2))).round(9)
        Array([1., 1., 1., 1., 1., 1., 1., 1.], dtype=float64)
    """
    x = asarray(x)
    if x.dtype.kind == "c":
        raise ArgumentError(f"hilbert takes a real signal, got {type_text(x)}")
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis] if N is None else N
    if n <= 0:
        raise ValueError(f"hilbert: N must be positive, got {N}")
    spectrum = fft(x, n, axis)
    weights = np.zeros(n, spectrum.real.dtype)
    weights[0] = 1
    weights[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        weights[n // 2] = 1
    return ifft(spectrum * weights.reshape((-1,) + (1,) * (x.ndim - 1 - axis)), axis=axis)
