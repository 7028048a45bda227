"""Windows: weights by which a piece of a signal is multiplied before it is transformed.

https://docs.pytorch.org/docs/stable/generated/torch.hann_window.html
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops.bessel_functions import i0
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.declare.arguments import OPTIONS, read_options
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.creation import made
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import creation as texts


def _forms(*further: str) -> tuple[str, ...]:
    """The signatures of a window; each further parameter makes one more."""
    heads = ["int window_length", "bool periodic", *further]
    return tuple([f"({', '.join(heads[: k + 1])}, *, {OPTIONS})" for k in range(len(heads))])


def _window(name: str, length: int, periodic: bool, options: dict[str, Any], weights: Callable) -> Tensor:
    """A window of this length.

    Arguments:
        name: of the function.
        length: the number of weights.
        periodic: whether it is the beginning of a symmetric window that is longer by one weight.
        options: dtype and the like.
        weights: gives the symmetric window from the places 0 to n, and n.
    """
    dtype = options.get("dtype") or dtypes.get_default_dtype()
    layout = "Strided (default)" if options.get("layout") in (None, meta.strided) else "Sparse"
    shown = texts.OPTIONS_OF_WINDOW.format(dtype=dtypes.CPP_NAMES[dtype], layout=layout)
    if layout == "Sparse":
        raise RuntimeError(f"{name} is not implemented for sparse types, got: {shown}")
    if dtype.category < dtypes.FLOATING:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {shown}")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    if dtype.category == dtypes.COMPLEX:
        raise NotImplementedError(texts.ARANGE_KIND.format(kind=dtype.title))
    _, requires_grad = read_options(**options)
    if length < 2:
        return made(np.ones(length, dtype.numpy), requires_grad)
    places = np.arange(length + periodic).astype(dtype.numpy)
    return made(weights(places, len(places) - 1).astype(dtype.numpy)[:length], requires_grad)


@op("bartlett_window", *_forms(), method=False)
def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A window that rises and falls in straight lines.

    Arguments:
        window_length: the number of weights.
        periodic: whether the weight after the last would be the first again; otherwise the window is symmetric.

    Example:
        >>> from funcgrad import torch
        >>> torch.bartlett_window(5, periodic=False)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _window("bartlett_window", window_length, periodic, options, _triangle)


def _triangle(x: ndarray, n: int) -> ndarray:
    x = x * x.dtype.type(2 / n)
    return np.where(np.arange(len(x)) <= n // 2, x, 2 - x)


@op("blackman_window", *_forms(), method=False)
def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A window of two cosines, 0.42 - 0.5 cos(t) + 0.08 cos(2 t); arguments as of `bartlett_window`."""
    return _window("blackman_window", window_length, periodic, options, _two_cosines)


def _two_cosines(x: ndarray, n: int) -> ndarray:
    x = x * x.dtype.type(pi / n)
    return np.cos(x * 4) * x.dtype.type(0.08) - np.cos(x * 2) * x.dtype.type(0.5) + x.dtype.type(0.42)


@op("hamming_window", *_forms("float alpha", "float beta"), method=False)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Any
) -> Tensor:
    """A window of a cosine, alpha - beta cos(t); other arguments as of `bartlett_window`."""
    return _window("hamming_window", window_length, periodic, options, _cosine(alpha, beta))


@op("hann_window", *_forms(), method=False)
def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A window of a cosine, (1 - cos(t)) / 2; arguments as of `bartlett_window`.

    Example:
        >>> from funcgrad import torch
        >>> torch.hann_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("hann_window", window_length, periodic, options, _cosine(0.5, 0.5))


def _cosine(alpha: float, beta: float) -> Callable:
    def weights(x: ndarray, n: int) -> ndarray:
        return np.cos(x * x.dtype.type(2 * pi / n)) * x.dtype.type(-beta) + x.dtype.type(alpha)

    return weights


@op("kaiser_window", *_forms("float beta"), method=False)
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any) -> Tensor:
    """A window of the Bessel function I0, narrower for a larger beta; other arguments as of `bartlett_window`."""

    def weights(x: ndarray, n: int) -> ndarray:
        x = x * x.dtype.type(2 / n) - 1
        of = np.asarray(beta, x.dtype)
        return i0(of * np.sqrt(np.maximum(1 - x * x, 0))) / i0(of)

    return _window("kaiser_window", window_length, periodic, options, weights)
