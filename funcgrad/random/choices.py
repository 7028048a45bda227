"""Random choices: permutations, samples with and without replacement, categories by their logits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Integer, Shaped
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy.convert import asarray, normalize_axis_index
from funcgrad.numpy.indexing import take, take_along_axis
from funcgrad.numpy.reductions import all, any, argmax, cumsum
from funcgrad.numpy.selecting import where
from funcgrad.numpy.shapes import moveaxis, reshape
from funcgrad.numpy.sorting import argsort, searchsorted
from funcgrad.numpy.ufuncs import log
from funcgrad.ops.random_bits import random_bits
from funcgrad.random.arguments import common_shape, floating, inexact, lengths, one_key
from funcgrad.random.quantiles import draw_gumbel
from funcgrad.random.uniforms import child, draw_unit, randint

__all__ = ["categorical", "choice", "permutation"]


def permutation(key: ArrayLike, x: ArrayLike, axis: int = 0, independent: bool = False) -> Shaped[Array, "..."]:
    """The entries of an array along an axis in random order.

    Arguments:
        key: a key.
        x: an array, in which the result is differentiable; or an integer n, which stands for arange(n).
        axis: along which the order changes.
        independent: whether each vector along the axis gets an order of its own; otherwise slices move as they are.

    Returns:
        An array like x.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or x is a number but no integer.
        numpy.exceptions.AxisError: x does not have the axis.

    Example:
        >>> fg.random.permutation(fg.random.key(0), 5)
        Array([0, 1, 4, 3, 2], dtype=int64)
    """
    words = one_key("permutation", key)
    x = asarray(x)
    if not x.ndim:
        if x.dtype.kind not in "iu":
            raise ArgumentError(f"permutation: x must be an array or an integer, got {x!r}")
        normalize_axis_index(axis, 1)
        return _shuffled(words, wrap(np.arange(index(x))), 0)
    axis = normalize_axis_index(axis, x.ndim)
    if independent or x.ndim == 1:
        return _shuffled(words, x, axis)
    return take(x, _shuffled(words, wrap(np.arange(x.shape[axis])), 0), axis)


def _shuffled(key: Array, x: Array, axis: int) -> Array:
    """Sorted by random bits, so often that equal bits in one round do not matter."""
    rounds = math.ceil(3 * math.log(max(1, x.size)) / math.log(2**32 - 1))
    for _ in range(rounds):
        order = argsort(random_bits(child(key, 1), x.shape, 32), axis, stable=True)
        x = take_along_axis(x, order, axis)
        key = child(key, 0)
    return x


def choice(
    key: ArrayLike,
    a: ArrayLike,
    shape: Sequence[int] = (),
    replace: bool = True,
    p: ArrayLike | None = None,
    axis: int = 0,
    mode: str | None = None,
) -> Shaped[Array, "..."]:
    """Random entries of an array along an axis.

    Arguments:
        key: a key.
        a: an array, in which the result is differentiable; or an integer n, which stands for arange(n).
        shape: of the array of draws.
        replace: whether an entry may be drawn again.
        p: the probabilities of the entries, by default equal. They need not sum to 1.
        axis: of the entries.
        mode: as for `gumbel`, which draws without replacement by p.

    Returns:
        An array of the shape of a, with `shape` in the place of the axis.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, a a number but no integer, p does not fit
            or holds a negative number, or there are fewer entries than draws.
        numpy.exceptions.AxisError: a does not have the axis.

    Example:
        >>> fg.random.choice(fg.random.key(0), 10, (4,), replace=False)
        Array([0, 1, 8, 5], dtype=int64)
    """
    words, wanted = one_key("choice", key), lengths("choice", shape)
    a = asarray(a)
    if not a.ndim:
        if a.dtype.kind not in "iu":
            raise ArgumentError(f"choice: a must be an array or an integer, got {a!r}")
        a = wrap(np.arange(index(a)))
    axis = normalize_axis_index(axis, a.ndim)
    n, draws = a.shape[axis], math.prod(wanted)
    if not n and draws:
        raise ShapeError(f"choice: a has no entries to choose from; its shape is {a.shape}")
    if not replace and draws > n:
        raise ShapeError(f"choice: {draws} entries cannot be drawn from {n} with replace=False")
    if p is not None:
        found = _by_probability(words, p, n, wanted, replace, mode)
    elif replace:
        found = randint(words, wanted, 0, n)
    else:
        drawn = permutation(words, a, axis)[(slice(None),) * axis + (slice(draws),)]
        return reshape(drawn, a.shape[:axis] + wanted + a.shape[axis + 1 :])
    return take(a, found, axis)


def _by_probability(key: Array, p: Any, n: int, shape: tuple[int, ...], replace: bool, mode: str | None) -> Array:
    probability = inexact("choice", "p", p)
    if probability.shape != (n,):
        raise ShapeError(f"choice: p must be of shape ({n},), a probability for each entry, got {probability.shape}")
    if not isinstance(probability, Tracer) and not (all(probability >= 0) and any(probability > 0)):
        raise ArgumentError(f"choice: p must hold numbers that are not negative, and not all zero; got {probability}")
    if replace:
        total = cumsum(probability)
        return searchsorted(total, total[-1] * (1 - draw_unit(key, shape, probability.dtype)))
    none = probability == 0
    logits = where(none, -math.inf, log(where(none, 1, probability)))
    scores = draw_gumbel("choice", key, (n,), probability.dtype, mode) + logits
    return reshape(argsort(-scores, stable=True)[: math.prod(shape)], shape)


def categorical(
    key: ArrayLike,
    logits: ArrayLike,
    axis: int = -1,
    shape: Sequence[int] | None = None,
    replace: bool = True,
    mode: str | None = None,
) -> Integer[Array, "..."]:
    """Random categories, with probabilities proportional to exp(logits).

    Arguments:
        key: a key.
        logits: an array of a floating dtype.
        axis: of the categories.
        shape: of the result. It ends with the shape of logits without the axis, or one to which that broadcasts; what
            is before that counts the draws.
        replace: whether the draws may give a category again.
        mode: as for `gumbel`.

    Returns:
        The indices of the categories.

    Raises:
        ArgumentError, ShapeError: key is no key or several, logits are not floating, shape does not fit them, or there
            are fewer categories than draws.
        numpy.exceptions.AxisError: logits do not have the axis.

    Example:
        >>> logits = fnp.log(fnp.array([0.1, 0.2, 0.7]))
        >>> fg.random.categorical(fg.random.key(0), logits, shape=(8,))
        Array([2, 2, 2, 1, 1, 2, 1, 2], dtype=int64)
    """
    words = one_key("categorical", key)
    logits = asarray(logits)
    kind = floating("categorical", logits.dtype)
    axis = normalize_axis_index(axis, logits.ndim)
    n, batch = logits.shape[axis], logits.shape[:axis] + logits.shape[axis + 1 :]
    wanted = common_shape("categorical", shape, logits=batch)
    before = len(wanted) - len(batch)
    draws = wanted[:before]
    if replace:
        full = list(wanted)
        full.insert(before + axis, n)
        scores = draw_gumbel("categorical", words, tuple(full), kind, mode) + logits
        return argmax(scores, axis=before + axis)
    if math.prod(draws) > n:
        raise ShapeError(f"categorical: {math.prod(draws)} of {n} categories cannot be drawn with replace=False")
    scores = draw_gumbel("categorical", words, logits.shape, kind, mode) + logits
    best = argsort(-moveaxis(scores, axis, -1), axis=-1, stable=True)[..., : math.prod(draws)]
    return reshape(moveaxis(best, -1, 0), wanted)
