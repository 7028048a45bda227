"""torch's random integers and permutations: what `random_`, `randint` and `randperm` draw."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.sampling import DIGITS, Shape, cast, is_floating, largest, refuse, title
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import randomness as texts

_MANY = 2**28  # a remainder by this or more is taken of 64 bits, by less of 32


def random(
    generator: Generator, shape: Shape, dtype: Any, low: int | None = None, high: int | None = None
) -> np.ndarray:
    """Integers from low to high - 1.

    Without `high`, up to the largest of the dtype; without both, from zero. A floating dtype has all integers that it
    can tell apart.
    """
    dtype = np.dtype(dtype)
    if low is None and high is None:
        return _random_all(generator, shape, dtype)
    low = 0 if low is None else low
    if high is None and low == -(2**63):
        return _random_words(generator, shape, dtype)
    floating = is_floating(dtype)
    if high is not None:
        if low >= high:
            raise RuntimeError(texts.FROM_NOT_BELOW_TO.format(low=low, high=high))
        if floating:
            low, high = _up(low, dtype), _down(high, dtype)
            if low >= high:
                raise RuntimeError(texts.CAST_FROM_NOT_BELOW_TO.format(low=low, high=high))
        last = high - 1
    elif floating:
        low, last = _up(low, dtype), 2 ** DIGITS[dtype.name]
        if low >= last:
            raise RuntimeError(texts.CAST_FROM_ABOVE_TO.format(low=low, last=last))
    elif dtype.kind in "biu":
        last = -1 if dtype == np.uint64 else _limits(dtype)[1]  # as a signed number
    else:
        raise RuntimeError(texts.FROM_TO_KINDS)
    _check_range(low, last, dtype)
    return _remainders(generator, shape, dtype, low, last - low + 1)


def _remainders(generator: Generator, shape: Shape, dtype: np.dtype, low: int, span: int) -> np.ndarray:
    n = math.prod(shape)
    if span >= _MANY:
        v = (generator.words64(n) % np.uint64(span)).view(np.int64)
    else:
        v = (generator.words32(n) % np.uint32(span)).astype(np.int64)
    if low:
        v += low
    return cast(v, dtype).reshape(shape)


def _random_all(generator: Generator, shape: Shape, dtype: np.dtype) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, dtype)
    n = math.prod(shape)
    if dtype.kind == "c" or dtype.name in ("uint16", "uint32", "uint64"):
        raise refuse("random_kernel_cpu", dtype)
    count = 2 ** DIGITS[dtype.name] + 1 if is_floating(dtype) else _limits(dtype)[1] + 1
    v: np.ndarray
    if dtype in (np.int64, np.float64):
        v = (generator.words64(n) % np.uint64(count)).view(np.int64)
    else:
        v = generator.words32(n) % np.uint32(count)
    return cast(v, dtype).reshape(shape)


def _random_words(generator: Generator, shape: Shape, dtype: np.dtype) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, dtype)
    if dtype.kind in "bc" or dtype.name in ("float16", "uint16", "uint32", "uint64"):
        raise refuse("random_full_64_bits_range_kernel_cpu", dtype)
    if not (is_floating(dtype) or dtype == np.int64):
        raise RuntimeError(texts.FULL_RANGE_KINDS)
    return cast(generator.words64(math.prod(shape)).view(np.int64), dtype).reshape(shape)


def _limits(dtype: np.dtype) -> tuple[int, int]:
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _check_range(low: int, last: int, dtype: np.dtype) -> None:
    name = CXX_NAMES[dtype.name]
    if dtype.kind == "c":
        raise RuntimeError(texts.BOUNDS_KINDS)
    least: float
    most: float
    if is_floating(dtype):
        most = largest(dtype)
        least = -most
    else:
        least, most = _limits(dtype)
        most = min(most, 2**63 - 1)
    for value, which in ((low, "from"), (last, "to - 1")):
        if not least <= value <= most:
            raise RuntimeError(f"{which} is out of bounds for {name}")
    if is_floating(dtype):
        digits = DIGITS[dtype.name]
        for value, which in ((low, "from"), (last, "to - 1")):
            if abs(value) > 2**digits:
                warnings.warn(texts.BEYOND_PRECISION.format(which=which, digits=digits, kind=name), stacklevel=4)


def _through(value: int, dtype: np.dtype) -> int:
    """The integer that is left of `value` in a floating dtype."""
    x = float(cast(np.array([value]), dtype)[0])
    return int(x) if abs(x) < 2.0**63 else -(2**63)


def _step(value: int, dtype: np.dtype) -> int:
    return 2 ** max(abs(value).bit_length() - DIGITS[dtype.name], 0)


def _up(low: int, dtype: np.dtype) -> int:
    """The first integer from `low` on that does not become less than `low` in the dtype."""
    rounded = _through(low + 1, dtype)
    return rounded + _step(low + 1, dtype) if rounded < low else low


def _down(high: int, dtype: np.dtype) -> int:
    """The first integer from `high` down whose predecessor does not become `high` or more in the dtype."""
    rounded = _through(high - 1, dtype)
    return rounded - _step(high - 1, dtype) if rounded >= high else high


def randperm(generator: Generator, n: int, dtype: Any = np.int64) -> np.ndarray:
    """The integers from 0 to n - 1 in random order.

    Source: the shuffle of Fisher and Yates.
    """
    dtype = np.dtype(dtype)
    if n < 0:
        raise RuntimeError(memory_texts.NEGATIVE_DIMENSION.format(n=n, sizes=[n]))
    if dtype.name in ("float16", "float32", "float64"):
        digits = DIGITS[dtype.name]
        if n > 2**digits + 1:
            limit = 2**digits + 1 if digits == 11 else f"2^{digits}+1"
            raise RuntimeError(f"n cannot be greater than {limit} for {title(dtype)} type.")
    elif dtype.kind in "iu" and n - 1 > _limits(dtype)[1]:
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
    if dtype.kind in "bc" or dtype.name in ("uint16", "uint32", "uint64"):
        raise refuse("randperm", dtype)
    order = list(range(n))
    if n > 1:
        remaining = np.arange(n, 1, -1, dtype=np.uint32)
        for i, offset in enumerate((generator.words32(n - 1) % remaining).tolist()):
            j = i + offset
            order[i], order[j] = order[j], order[i]
    return cast(np.array(order, np.int64), dtype)
