"""Numbers of events: Poisson, binomial, multinomial, geometric. They are integers, which have no derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float, Integer
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy.elementwise import clip
from funcgrad.numpy.joining import stack
from funcgrad.numpy.reductions import cumsum
from funcgrad.numpy.selecting import where
from funcgrad.numpy.shapes import broadcast_to, flip
from funcgrad.numpy.ufuncs import floor, log, log1p
from funcgrad.ops.random_counts import random_binomial, random_poisson
from funcgrad.random.arguments import common_shape, floating, inexact, one_key, parameter
from funcgrad.random.uniforms import child, draw_unit

__all__ = ["binomial", "geometric", "multinomial", "poisson"]


def _integer(name: str, dtype: Any) -> np.dtype:
    kind = np.dtype(np.int64 if dtype is None else dtype)
    if kind.kind not in "iu":
        raise ArgumentError(f"{name}: dtype must be an integer dtype, got {kind}")
    return kind


def poisson(
    key: ArrayLike, lam: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Integer[Array, "..."]:
    """Numbers of events, when lam are expected.

    Arguments:
        key: a key.
        lam: a number that is not negative, or an array that broadcasts to shape. It is rounded to single precision.
        shape: of the result; by default that of lam.
        dtype: an integer dtype, by default int64.

    Returns:
        An array of that shape and dtype; -1 where lam is negative, nan, or too large for 64 bits.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or lam does not fit it.
        ArgumentError: dtype is no integer dtype.

    Example:
        >>> fg.random.poisson(fg.random.key(0), 3.0, (5,))
        Array([0, 0, 4, 4, 1], dtype=int64)
    """
    words, kind = one_key("poisson", key), _integer("poisson", dtype)
    rate = parameter("poisson", "lam", lam, np.dtype(np.float32))
    wanted = common_shape("poisson", shape, lam=rate)
    return random_poisson(words, broadcast_to(rate, wanted)).astype(kind)


def binomial(
    key: ArrayLike, n: ArrayLike, p: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of successes in n trials, each of which succeeds with probability p.

    Arguments:
        key: a key.
        n: a number that is not negative, or an array that broadcasts to shape.
        p: a probability, or an array that broadcasts to shape. Its precision is that of the computation.
        shape: of the result; by default that to which n and p broadcast.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype; nan where n is negative or nan, or p is no probability.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or n and p do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.binomial(fg.random.key(0), 10, 0.5, (5,))
        Array([4., 7., 6., 6., 5.], dtype=float64)
    """
    words, kind = one_key("binomial", key), floating("binomial", dtype)
    probability = inexact("binomial", "p", p)
    trials = parameter("binomial", "n", n, probability.dtype)
    wanted = common_shape("binomial", shape, n=trials, p=probability)
    return _draw_binomial(words, trials, probability, wanted).astype(kind)


def _draw_binomial(key: Array, n: Array, p: Array, shape: tuple[int, ...]) -> Array:
    return random_binomial(key, broadcast_to(n, shape), broadcast_to(p, shape))


def multinomial(
    key: ArrayLike, n: ArrayLike, p: ArrayLike, *, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "... k"]:
    """Numbers of outcomes of each kind in n trials.

    Arguments:
        key: a key.
        n: a number that is not negative, or an array that broadcasts to the axes of shape before the last.
        p: the probabilities of the k kinds of outcome, of shape (..., k).
        shape: of the result, to which p broadcasts; by default that of p.
        dtype: float16, float32 or float64; by default that of p.

    Returns:
        An array of that shape and dtype, whose sums along the last axis are n.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or n and p do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.multinomial(fg.random.key(0), 10, fnp.array([0.2, 0.3, 0.5]))
        Array([1., 4., 5.], dtype=float64)
    """
    name = "multinomial"
    words = one_key(name, key)
    probability = inexact(name, "p", p)
    trials = parameter(name, "n", n, probability.dtype)
    kind = floating(name, dtype, default=probability.dtype)
    wanted = common_shape(name, probability.shape if shape is None else shape, p=probability)
    if not wanted:
        raise ShapeError("multinomial: p must have an axis for the kinds of outcome, got a number")
    rest = broadcast_to(trials, common_shape(name, wanted[:-1], n=trials))
    parts = broadcast_to(probability, wanted)
    left = flip(cumsum(flip(parts, -1), -1), -1)  # the probability of this kind and those after it
    ratios = clip(parts / where(left == 0, 1, left), 0, 1)
    counts = []
    for i in range(wanted[-1]):  # of the trials that are left, so many are of this kind
        counts.append(_draw_binomial(child(words, i), rest, ratios[..., i], wanted[:-1]))
        rest = rest - counts[-1]
    return stack(counts, -1).astype(kind)


def geometric(
    key: ArrayLike, p: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Integer[Array, "..."]:
    """How many trials it takes to the first success, if each succeeds with probability p.

    Arguments:
        key: a key.
        p: a probability, or an array that broadcasts to shape.
        shape: of the result; by default that of p.
        dtype: an integer dtype, by default int64.

    Returns:
        An array of that shape and dtype, of numbers from 1 on; -1 where p is no probability, or 0, so that there is no
        first success.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or p does not fit it.
        ArgumentError: dtype is no integer dtype.

    Example:
        >>> fg.random.geometric(fg.random.key(0), 0.3, (5,))
        Array([3, 5, 1, 2, 2], dtype=int64)
    """
    words, kind = one_key("geometric", key), _integer("geometric", dtype)
    probability = inexact("geometric", "p", p)
    u = draw_unit(words, common_shape("geometric", shape, p=probability), probability.dtype)
    uncertain = (probability > 0) & (probability < 1)
    waiting = floor(log(where(u == 0, 1, u)) / log1p(-where(uncertain, probability, 0.5))) + 1
    return where(uncertain, waiting, where(probability == 1, 1, -1)).astype(kind)
