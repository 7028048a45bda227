"""`threefry2x32`: the one source of random bits; and the uniform and normal numbers that are made of them.

Threefry is a block cipher without its claim to secrecy: a 64-bit key turns the 64-bit numbers 0, 1, 2, … into as many
that pass for random. Nothing is remembered between two calls, so the numbers can be had in any order, a part at a time,
or for many keys at once. Key, counter and result are pairs of 32-bit words; here each pair is one uint64, the first
word in its upper half.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, elementwise
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.ops.erf_inv import erf_inv
from funcgrad.ops.tiles import tiles

__all__ = [
    "FEW",
    "PARITY",
    "ROTATIONS",
    "counters",
    "fold",
    "random_bits",
    "standard_normal",
    "threefry2x32",
    "unit_interval",
]

FEW = 6
"""Up to so many pairs, Python's integers are quicker than NumPy's."""

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA
_HALF = np.uint64(32)
_WORD = 2**32 - 1
# Arrays without axes, which NumPy takes up in half the time: its hundred calls take 33 µs for a few numbers, not 60.
_SHIFTS = [[tuple([np.array(n, np.uint32) for n in (r, 32 - r)]) for r in four] for four in ROTATIONS]
_NUMBERS = [np.array(i, np.uint32) for i in range(1, 6)]


def _threefry2x32(key: Any, count: Any) -> Any:
    key, count = np.asarray(key), np.asarray(count)
    if key.size <= FEW and count.size <= FEW:
        pairs = np.broadcast(key, count)
        if pairs.size <= FEW:
            found = [_threefry2x32_of_ints(int(k), int(c)) for k, c in pairs]
            return np.array(found, np.uint64).reshape(pairs.shape)[()]
    it = tiles(key, count, dtype=np.uint64)
    result = it.operands[-1]
    with it, np.errstate(over="ignore"):
        for k, c, out in it:
            if k.strides == (0,):
                k = k[0]  # one key for the tile, the usual case
            x, y = _rounds(_upper(k), k.astype(np.uint32), _upper(c), c.astype(np.uint32))
            np.left_shift(x, _HALF, out=out)
            np.bitwise_or(out, y, out=out)
    return result[()]


def _upper(x: Any) -> Any:
    return (x >> _HALF).astype(np.uint32)


def _rounds(k0: Any, k1: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Encrypt the words x and y, which are overwritten: twenty rounds of add, rotate and exclusive or."""
    schedule = [np.asarray(k) for k in (k0, k1, k0 ^ k1 ^ np.uint32(PARITY))]
    spare = np.empty_like(x)
    np.add(x, schedule[0], x)
    np.add(y, schedule[1], y)
    for i in range(5):
        for left, right in _SHIFTS[i % 2]:
            np.add(x, y, x)
            np.left_shift(y, left, spare)
            np.right_shift(y, right, y)
            np.bitwise_or(y, spare, y)
            np.bitwise_xor(y, x, y)
        np.add(x, schedule[(i + 1) % 3], x)
        np.add(y, schedule[(i + 2) % 3] + _NUMBERS[i], y)
    return x, y


def _threefry2x32_of_ints(key: int, count: int) -> int:
    """The same for one pair of Python's numbers: splitting a key in two should not take a hundred calls of NumPy."""
    k0, k1, x, y = key >> 32, key & _WORD, count >> 32, count & _WORD
    schedule = (k0, k1, k0 ^ k1 ^ PARITY)
    x, y = (x + k0) & _WORD, (y + k1) & _WORD
    for i in range(5):
        for r in ROTATIONS[i % 2]:
            x = (x + y) & _WORD
            y = (((y << r) | (y >> (32 - r))) & _WORD) ^ x
        x = (x + schedule[(i + 1) % 3]) & _WORD
        y = (y + schedule[(i + 2) % 3] + i + 1) & _WORD
    return x << 32 | y


def _pair_shape(x: Any, y: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(np.broadcast_shapes(shape_of(x), shape_of(y)), np.uint64)


def _pair_samples(draw: Draw) -> list[Sample]:
    def some(*shape: int) -> np.ndarray:
        return draw(*shape, low=0, high=1e18)

    return [
        Sample(some(), some()),
        Sample(some(), some(2, 3)),
        Sample(some(2, 1), some(3)),
        Sample(some(3)[::-1], some()),
        Sample(some(), some(0, 2)),
    ]


threefry2x32: Primitive = elementwise(
    _threefry2x32,  # of the key, and the counter
    Zero("integer output"),
    Zero("integer output"),
    shape=_pair_shape,
    samples=_pair_samples,
    dtypes="Q",
)


# What is made of them. These take arrays of any kind: ndarrays within samplers, Arrays and tracers outside.


def counters(shape: tuple[int, ...]) -> np.ndarray:
    """The numbers 0, 1, 2, … in an array of this shape."""
    return np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)


def fold(pairs: Any, width: int) -> Any:
    """Random bits in unsigned integers of a width, from threefry's 64-bit numbers."""
    if width == 64:
        return pairs
    return (pairs ^ (pairs >> _HALF)).astype(f"uint{width}")


def random_bits(key: Any, shape: tuple[int, ...], width: int) -> Any:
    """An array of random unsigned integers with so many bits."""
    return fold(threefry2x32(key, counters(shape)), width)


def unit_interval(bits: Any, dtype: np.dtype) -> Any:
    """Floats in [0, 1): the first bits, as many as the dtype has digits, are the digits after the point."""
    digits = np.finfo(dtype).nmant
    width = 8 * bits.dtype.itemsize
    whole = (bits >> bits.dtype.type(width - digits)).astype(f"int{width}")  # signed ones convert much faster
    return whole.astype(dtype) * dtype.type(2.0**-digits)


def standard_normal(uniform: Any, dtype: np.dtype) -> Any:
    """Normal numbers from uniform ones in [0, 1), by the inverse of the distribution function."""
    low = np.nextafter(dtype.type(-1), dtype.type(0))
    return erf_inv(uniform * dtype.type(2) + low) * dtype.type(math.sqrt(2))
