"""Uniform numbers: bits, floats in an interval, integers in a range, coin flips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Bool, Float, Integer
from funcgrad.errors import ArgumentError
from funcgrad.numpy.convert import asarray
from funcgrad.numpy.elementwise import clip
from funcgrad.numpy.selecting import where
from funcgrad.numpy.ufuncs import maximum, remainder
from funcgrad.ops.multiply_add import multiply_add
from funcgrad.ops.random_bits import random_bits, threefry2x32, unit_interval
from funcgrad.random.arguments import common_shape, floating, lengths, one_key, parameter, real

__all__ = ["bernoulli", "bits", "rademacher", "randint", "uniform"]


def child(key: Any, i: int) -> Any:
    """The i-th of the keys that a key is split into."""
    return threefry2x32(key, np.uint64(i))


def bits(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Integer[Array, "..."]:
    """Random unsigned integers, each bit of which is 0 or 1 with equal probability.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: an unsigned integer dtype, by default uint64.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is not unsigned.

    Example:
        >>> fg.random.bits(fg.random.key(0), (3,), "uint8")
        Array([167, 146,  40], dtype=uint8)
    """
    words = one_key("bits", key)
    found = np.dtype(np.uint64 if dtype is None else dtype)
    if found.kind != "u":
        raise ArgumentError(f"bits: dtype must be an unsigned integer dtype, got {found}")
    return random_bits(words, lengths("bits", shape), 8 * found.itemsize)


def uniform(
    key: ArrayLike,
    shape: Sequence[int] = (),
    dtype: Any = None,
    minval: ArrayLike = 0.0,
    maxval: ArrayLike = 1.0,
) -> Float[Array, "..."]:
    """Uniform numbers in [minval, maxval).

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.
        minval, maxval: numbers, or arrays that broadcast to shape. The result is differentiable in them.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or the bounds do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.uniform(fg.random.key(0), (3,), minval=-1, maxval=1)
        Array([-0.16308578, -0.56740909,  0.93064292], dtype=float64)
    """
    words, kind = one_key("uniform", key), floating("uniform", dtype)
    low, high = parameter("uniform", "minval", minval, kind), parameter("uniform", "maxval", maxval, kind)
    wanted = common_shape("uniform", lengths("uniform", shape), minval=low, maxval=high)
    if type(minval) in (int, float) and type(maxval) in (int, float) and (minval, maxval) == (0, 1):
        return draw_unit(words, wanted, kind)
    return draw_between(words, wanted, kind, low, high)


def draw_unit(key: Array, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Uniform numbers in [0, 1), from checked arguments."""
    return unit_interval(random_bits(key, shape, 8 * dtype.itemsize), dtype)


def draw_between(key: Array, shape: tuple[int, ...], dtype: np.dtype, low: Any, high: Any) -> Any:
    """Uniform numbers in [low, high), from checked arguments. Rounding could carry one below low."""
    return maximum(low, multiply_add(draw_unit(key, shape, dtype), high - low, low))


def randint(
    key: ArrayLike, shape: Sequence[int], minval: ArrayLike, maxval: ArrayLike, dtype: Any = None
) -> Integer[Array, "..."]:
    """Integers in [minval, maxval), all with equal probability.

    Arguments:
        key: a key.
        shape: of the result.
        minval, maxval: integers, or arrays of them that broadcast to shape. Bounds that the dtype cannot hold are moved
            to its ends; where maxval is not above minval the result is minval.
        dtype: an integer dtype, by default int64.

    Returns:
        An array of that shape and dtype. The probabilities are equal up to (maxval - minval) / 2ⁿ, where n is the
        number of bits in the dtype, 32 at least.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or the bounds do not fit it.
        ArgumentError: dtype is no integer dtype.

    Example:
        >>> fg.random.randint(fg.random.key(0), (8,), 1, 7)
        Array([4, 6, 6, 6, 4, 2, 3, 1], dtype=int64)
    """
    words = one_key("randint", key)
    kind = np.dtype(np.int64 if dtype is None else dtype)
    if kind.kind not in "iu":
        raise ArgumentError(f"randint: dtype must be an integer dtype, got {kind}")
    low, high = _whole("minval", minval), _whole("maxval", maxval)
    wanted = common_shape("randint", lengths("randint", shape), minval=low, maxval=high)
    if kind.itemsize < 4:  # the bias of so few bits would show
        ends = np.iinfo(kind)
        low = clip(low.astype(np.int32), int(ends.min), int(ends.max))
        high = clip(high.astype(np.int32), int(ends.min), int(ends.max) + 1)
        return _draw_integers(words, wanted, np.dtype(np.int32), low, high).astype(kind)
    return _draw_integers(words, wanted, kind, low, high)


def _whole(what: str, value: Any) -> Array:
    x = real("randint", what, value)
    return x if x.dtype.kind in "iu" else x.astype(np.int64)


def _clipped(x: Array, dtype: np.dtype) -> Array:
    ours, theirs = np.iinfo(dtype), np.iinfo(x.dtype)
    return clip(x, max(int(ours.min), int(theirs.min)), min(int(ours.max), int(theirs.max))).astype(dtype)


def _draw_integers(key: Array, shape: tuple[int, ...], dtype: np.dtype, low: Array, high: Array) -> Array:
    """Two draws are put together to a number of twice the bits, and reduced modulo the number of integers."""
    width = 8 * dtype.itemsize
    unsigned = np.dtype(f"uint{width}")
    one_more = high > min(int(np.iinfo(dtype).max), int(np.iinfo(high.dtype).max))  # the last integer of all is meant
    low, high = _clipped(low, dtype), _clipped(high, dtype)
    span = where(high > low, (high - low).astype(unsigned), unsigned.type(1))
    span = where(one_more & (high > low), span + unsigned.type(1), span)
    upper, lower = random_bits(child(key, 0), shape, width), random_bits(child(key, 1), shape, width)
    everything = span == 0  # all integers of the dtype: their number does not fit into it
    span = where(everything, unsigned.type(1), span)
    half = remainder(unsigned.type(2 ** (width // 2)), span)
    offset = remainder(upper, span) * remainder(half * half, span) + remainder(lower, span)
    return low + where(everything, lower, remainder(offset, span)).astype(dtype)


def bernoulli(
    key: ArrayLike, p: ArrayLike = 0.5, shape: Sequence[int] | None = None, mode: str = "low"
) -> Bool[Array, "..."]:
    """True with probability p.

    Arguments:
        key: a key.
        p: a probability, or an array of them, of a floating dtype.
        shape: of the result, to which p broadcasts; by default the shape of p.
        mode: "high" compares twice as many bits, so that very small probabilities are right too.

    Returns:
        An array of booleans.

    Raises:
        ArgumentError, ShapeError: key is no key or several, p is not floating or does not fit shape, mode is unknown.

    Example:
        >>> fg.random.bernoulli(fg.random.key(1), 0.5, (4,))
        Array([ True,  True, False, False], dtype=bool)
    """
    words = one_key("bernoulli", key)
    if mode not in ("high", "low"):
        raise ArgumentError(f'bernoulli: mode must be "high" or "low", got {mode!r}')
    p = asarray(p)
    kind = floating("bernoulli", p.dtype) if p.dtype.kind == "f" else None
    if kind is None:
        raise ArgumentError(f"bernoulli: p must be of a floating dtype, got {p.dtype}")
    wanted = common_shape("bernoulli", shape, p=p)
    if mode == "low":
        return draw_unit(words, wanted, kind) < p
    u = draw_unit(words, (2, *wanted), kind)
    return u[1] * kind.type(2.0 ** -np.finfo(kind).nmant) < p - u[0]


def rademacher(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Array:
    """1 or -1, with equal probability.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: any signed dtype, by default int64.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype cannot hold -1.

    Example:
        >>> fg.random.rademacher(fg.random.key(1), (4,))
        Array([ 1,  1, -1, -1], dtype=int64)
    """
    kind = np.dtype(np.int64 if dtype is None else dtype)
    if kind.kind not in "ifc":
        raise ArgumentError(f"rademacher: dtype must hold 1 and -1, got {kind}")
    return draw_signs(one_key("rademacher", key), lengths("rademacher", shape), kind)


def draw_signs(key: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """1 or -1, from checked arguments."""
    heads = draw_unit(key, shape, np.dtype(np.float64)) < 0.5
    return where(heads, dtype.type(1), dtype.type(-1))
