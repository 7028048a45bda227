"""Primitives that draw numbers of events: `random_poisson` and `random_binomial`.

Small expected numbers are counted out, event by event; larger ones are proposed and accepted or rejected. Both are
loops of unknown length, so the samplers are primitives. All numbers of one key are proposed together, round by round,
and a number that was accepted may be accepted anew as long as another of its key is still rejected: a sample is the
last proposal that was accepted. So the numbers are those of JAX, and it does no harm to their distribution.

Source: Hörmann, "The transformed rejection method for generating Poisson random variables", 1993, and "The generation
of binomial random variates", 1993.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops import special_functions as values
from funcgrad.ops.multiply_add import multiply_add
from funcgrad.ops.random_bits import counters, fold, threefry2x32, unit_interval

__all__ = ["random_binomial", "random_poisson"]


class Stream:
    """The random numbers of many elements, each of which has a number and belongs to one of several keys.

    Arguments:
        keys: uint64, of any shape.
        shape: of all elements; it begins with the shape of the keys, and those of one key are numbered from 0.
    """

    def __init__(self, keys: Any, shape: tuple[int, ...]) -> None:
        keys = np.asarray(keys)
        per_key = shape[keys.ndim :]
        self.keys = keys.ravel()
        self.owner = np.repeat(np.arange(keys.size), math.prod(per_key))
        self.number = np.tile(counters(per_key).ravel(), keys.size)

    def split(self, i: int) -> Any:
        """The i-th of the keys that each key is split into."""
        return threefry2x32(self.keys, np.uint64(i))

    def uniform(self, keys: Any, elements: Any, dtype: np.dtype) -> Any:
        """Numbers in [0, 1) for some of the elements, from keys in the place of the stream's own."""
        chosen = keys if keys.size == 1 else keys[self.owner[elements]]
        return unit_interval(fold(threefry2x32(chosen, self.number[elements]), 8 * dtype.itemsize), dtype)


def _last_accepted(stream: Stream, propose: Callable) -> Any:
    """For each element the last accepted proposal of the rounds that its key needs.

    How many rounds that are, only a run over those not accepted yet can tell. A second run, backwards, finds the last
    acceptance after a try or two, where a run forwards would propose for all elements in each round.

    Arguments:
        stream: of the elements.
        propose: takes two keys, in arrays as stream.keys, and numbers of elements; gives values and which are accepted.
    """
    rounds = np.zeros(stream.keys.size, int)
    pairs = []
    rest = np.arange(stream.number.size)
    while rest.size:
        pairs.append((stream.split(1), stream.split(2)))
        stream.keys = stream.split(0)
        rounds[stream.owner[rest]] = len(pairs)
        rest = rest[~propose(*pairs[-1], rest)[1]]
    out = np.empty(stream.number.size)
    rest = np.arange(stream.number.size)
    for k, pair in reversed(list(enumerate(pairs))):
        now = rest[rounds[stream.owner[rest]] > k]
        value, accepted = propose(*pair, now)
        out[now[accepted]] = value[accepted]
        rest = np.setdiff1d(rest, now[accepted], assume_unique=True)
    return out


# Poisson. All is computed in single precision, as in JAX.

_SINGLE = np.dtype(np.float32)
_LARGEST = 2.0**62  # a greater rate has no sample in an int64; nor has infinity


def _random_poisson(key: Any, rate: Any) -> Any:
    shape, rate = rate.shape, rate.ravel()
    large = (rate >= 10) & (rate < _LARGEST)
    with np.errstate(all="ignore"):
        drawn = _poisson_counted(Stream(key, shape), np.where(rate < 10, rate, _SINGLE.type(0)))
        if large.any():
            accepted = _poisson_accepted(Stream(key, shape), np.where(large, rate, _SINGLE.type(1e5)))
            drawn[large] = accepted[large]
    return np.where(rate == 0, 0, drawn).reshape(shape)[()]


def _poisson_counted(stream: Stream, rate: Any) -> Any:
    """How many uniform numbers can be multiplied before the product falls below e^-rate."""
    log_product = np.zeros_like(rate)
    count = np.full(rate.shape, -1)
    (rest,) = np.nonzero(log_product > -rate)
    while rest.size:
        count[rest] += 1
        log_product[rest] += np.log(stream.uniform(stream.split(1), rest, _SINGLE))
        stream.keys = stream.split(0)
        rest = rest[log_product[rest] > -rate[rest]]
    return count


def _poisson_accepted(stream: Stream, rate: Any) -> Any:
    log_rate = np.log(rate)
    b = _SINGLE.type(0.931) + _SINGLE.type(2.53) * np.sqrt(rate)
    a = _SINGLE.type(-0.059) + _SINGLE.type(0.02483) * b
    height = _SINGLE.type(1.1239) + _SINGLE.type(1.1328) / (b - _SINGLE.type(3.4))
    quick = _SINGLE.type(0.9277) - _SINGLE.type(3.6224) / (b - 2)

    def propose(first: Any, second: Any, i: Any) -> tuple[Any, Any]:
        u = stream.uniform(first, i, _SINGLE) - _SINGLE.type(0.5)
        v = stream.uniform(second, i, _SINGLE)
        edge = _SINGLE.type(0.5) - np.abs(u)
        k = np.floor(multiply_add(2 * a[i] / edge + b[i], u, rate[i]) + _SINGLE.type(0.43))
        left = np.log(v * height[i] / (a[i] / (edge * edge) + b[i]))
        right = multiply_add(k, log_rate[i], -rate[i]) - values.lgamma((k + 1).astype(float)).astype(np.float32)
        inside = (edge >= _SINGLE.type(0.07)) & (v <= quick[i])
        outside = (k < 0) | ((edge < _SINGLE.type(0.013)) & (v > edge))
        return k, inside | (~outside & (left <= right))

    return _last_accepted(stream, propose)


# Binomial.


def _random_binomial(key: Any, n: Any, p: Any) -> Any:
    shape, dtype = p.shape, p.dtype
    n, p = n.ravel(), p.ravel()
    with np.errstate(all="ignore"):
        less = p < 0.5
        q = np.where(less, p, 1 - p)  # the rarer outcome is drawn
        no_number = np.isnan(n) | (n < 0)
        no_probability = np.isnan(q) | (q < 0)
        q_used = np.where(no_probability, dtype.type(0.01), q)
        small = no_number | np.isinf(n) | (n * q_used <= 10)
        whole = np.floor(n)
        drawn = _binomial_counted(Stream(key, shape), np.where(small & np.isfinite(n), whole, dtype.type(0)), q_used)
        if not small.all():
            accepted = _binomial_accepted(
                Stream(key, shape),
                np.where(small, dtype.type(1e4), whole),
                np.where(small, dtype.type(0.5), q_used),
            )
            drawn = np.where(small, drawn, accepted)
        drawn = drawn.astype(dtype)
        drawn = np.where(np.isinf(n), dtype.type(math.inf), np.where(less, drawn, whole - drawn))
        return np.where(no_number | no_probability, dtype.type(math.nan), drawn).reshape(shape)[()]


def _binomial_counted(stream: Stream, n: Any, p: Any) -> Any:
    """How many waiting times, of geometric distribution, fit into n trials."""
    log_rest = np.log1p(-p)
    elapsed = np.zeros_like(p)
    count = np.full(p.shape, -1)
    (rest,) = np.nonzero(elapsed <= n)
    while rest.size:
        count[rest] += 1
        elapsed[rest] += np.ceil(np.log(stream.uniform(stream.split(0), rest, p.dtype)) / log_rest[rest])
        stream.keys = stream.split(1)
        rest = rest[elapsed[rest] <= n[rest]]
    return count


def _binomial_accepted(stream: Stream, n: Any, p: Any) -> Any:
    dtype = p.dtype
    deviation = np.sqrt(n * p * (1 - p))
    b = dtype.type(1.15) + dtype.type(2.53) * deviation
    a = dtype.type(-0.0873) + dtype.type(0.0248) * b + dtype.type(0.01) * p
    centre = n * p + dtype.type(0.5)
    quick = dtype.type(0.92) - dtype.type(4.2) / b
    odds = p / (1 - p)
    alpha = (dtype.type(2.83) + dtype.type(5.1) / b) * deviation
    mode = np.floor((n + 1) * p)

    def propose(first: Any, second: Any, i: Any) -> tuple[Any, Any]:
        u = stream.uniform(first, i, dtype) - dtype.type(0.5)
        v = stream.uniform(second, i, dtype)
        edge = dtype.type(0.5) - np.abs(u)
        k = np.floor(multiply_add(2 * a[i] / edge + b[i], u, centre[i]))
        left = np.log(v * alpha[i] / (a[i] / (edge * edge) + b[i]))
        m, s, r = mode[i], n[i], odds[i]
        right = (
            (m + dtype.type(0.5)) * np.log((m + 1) / (r * (s - m + 1)))
            + (s + 1) * np.log((s - m + 1) / (s - k + 1))
            + (k + dtype.type(0.5)) * np.log(r * (s - k + 1) / (k + 1))
            + (_stirling_rest(m) + _stirling_rest(s - m) - _stirling_rest(k) - _stirling_rest(s - k))
        )
        inside = (edge >= dtype.type(0.07)) & (v <= quick[i])
        return k, inside | (~((k < 0) | (k > s)) & (left <= right))

    return _last_accepted(stream, propose)


_STIRLING_RESTS = [
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)) for k in range(10)
]


def _stirling_rest(k: Any) -> Any:
    """What Stirling's formula for log k! lacks."""
    table = np.asarray(_STIRLING_RESTS, k.dtype)[np.clip(np.nan_to_num(k), 0, 9).astype(int)]
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, table, series)


# The primitives. The array of parameters has the shape of the result, which begins with the shape of the keys.


def _one_key(draw: Draw) -> Any:
    return threefry2x32(np.uint64(7), np.asarray(draw.rng.integers(1000), np.uint64))


random_poisson: Primitive = primitive(
    _random_poisson,
    operands="x y",
    shape=lambda x, y: ShapeDtypeStruct(shape_of(y), np.int64),
    vjp=Zero("integer output"),
    batch=batching.shifted(),
    samples=lambda draw: [
        Sample(_one_key(draw), draw(low=0, high=20)),
        Sample(_one_key(draw), draw(2, 5, low=0, high=20)),
        Sample(np.stack([_one_key(draw), _one_key(draw)]), draw(2, 4, low=0, high=20)),
        Sample(_one_key(draw), draw(0)),
    ],
    dtypes="f",
)
random_binomial: Primitive = primitive(
    _random_binomial,
    operands="x y z",
    shape=lambda x, y, z: ShapeDtypeStruct(shape_of(z), dtype_of(z)),
    vjp=Zero("piecewise constant"),
    batch=batching.shifted(),
    samples=lambda draw: [
        Sample(_one_key(draw), np.floor(draw(low=2, high=50)), draw(low=0.1, high=0.9)),
        Sample(_one_key(draw), np.floor(draw(2, 5, low=2, high=50)), draw(2, 5, low=0.1, high=0.9)),
        Sample(
            np.stack([_one_key(draw), _one_key(draw)]), np.floor(draw(2, 4, low=2, high=50)), draw(2, 4, low=0, high=1)
        ),
        Sample(_one_key(draw), draw(0), draw(0)),
    ],
    dtypes="f",  # in single precision, in which nothing is compared with finite differences: a sample jumps
)
