"""Window functions: bartlett, blackman, hamming, hanning, kaiser."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy.convert import wrap

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _points(M: Any) -> Any:
    """The number of points for NumPy, which takes numbers between integers as well; an Array must hold an integer."""
    return index(M) if isinstance(M, Array) else M


def bartlett(M: ArrayLike) -> Float[Array, " n"]:
    """The triangular window of M points, which is zero at both ends.

    Example:
        >>> fnp.bartlett(5)
        Array([0. , 0.5, 1. , 0.5, 0. ], dtype=float64)
    """
    return wrap(np.bartlett(_points(M)))


def blackman(M: ArrayLike) -> Float[Array, " n"]:
    """The Blackman window of M points, `0.42 - 0.5 cos(t) + 0.08 cos(2t)` for t from 0 to 2π.

    Example:
        >>> fnp.blackman(3).round(9) + 0.0
        Array([0., 1., 0.], dtype=float64)
    """
    return wrap(np.blackman(_points(M)))


def hamming(M: ArrayLike) -> Float[Array, " n"]:
    """The Hamming window of M points, `0.54 - 0.46 cos(t)` for t from 0 to 2π.

    Example:
        >>> fnp.hamming(3).round(9)
        Array([0.08, 1.  , 0.08], dtype=float64)
    """
    return wrap(np.hamming(_points(M)))


def hanning(M: ArrayLike) -> Float[Array, " n"]:
    """The Hann window of M points, `0.5 - 0.5 cos(t)` for t from 0 to 2π.

    Example:
        >>> fnp.hanning(3)
        Array([0., 1., 0.], dtype=float64)
    """
    return wrap(np.hanning(_points(M)))


def kaiser(M: ArrayLike, beta: ArrayLike) -> Float[Array, " n"]:
    """The Kaiser window of M points, `i0(beta * sqrt(1 - t ** 2)) / i0(beta)` for t from -1 to 1.

    Arguments:
        M: the number of points.
        beta: the shape, which may be differentiated.

    Example:
        >>> fnp.kaiser(3, 0.0)
        Array([1., 1., 1.], dtype=float64)
    """
    M = _points(M)
    if not isinstance(beta, Tracer):
        return wrap(np.kaiser(M, beta._value if isinstance(beta, Array) else beta))
    if M == 1:
        return wrap(np.ones(1))
    half = (M - 1) / 2.0
    t = (np.arange(M) - half) / half
    return np.i0(beta * np.sqrt(1 - t * t)) / np.i0(beta)
