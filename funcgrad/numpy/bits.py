"""Bits of bytes as arrays of zeros and ones, and back."""

from __future__ import annotations

from operator import index as as_int

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Integer
from funcgrad.numpy.convert import asarray, normalize_axis_index, wrap
from funcgrad.numpy.padding import pad
from funcgrad.numpy.shapes import moveaxis, ravel, reshape

__all__ = ["packbits", "unpackbits"]


def packbits(a: ArrayLike, /, axis: int | None = None, bitorder: str = "big") -> Integer[Array, "..."]:
    """Each eight elements along an axis as the bits of one byte; the last byte is filled up with zeros.

    Arguments:
        a: booleans, or integers, which count as one if they are not zero.
        axis: by default a is flattened.
        bitorder: "big" if the first element is the highest bit of a byte, "little" if it is the lowest.

    Raises:
        TypeError: a is neither boolean nor integer.
        ValueError: another bitorder.

    Example:
        >>> fnp.packbits([1, 0, 0, 0, 0, 0, 1, 1, 1])
        Array([131, 128], dtype=uint8)
    """
    x = asarray(a)
    if x.dtype.kind not in "biu":
        raise TypeError(f"packbits takes integers or booleans, got dtype {x.dtype}")
    x, axis = _along(x, axis)
    bits = pad(np.not_equal(x, 0).astype(np.uint8), [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % 8)])
    octets = reshape(bits, (*x.shape[:-1], bits.shape[-1] // 8, 8))
    return moveaxis(wrap(np.sum(octets * _weights(bitorder), axis=-1, dtype=np.uint8)), -1, axis)


def unpackbits(
    a: ArrayLike, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Integer[Array, "..."]:
    """The eight bits of each byte, as zeros and ones along an axis.

    Arguments:
        a: an array of uint8.
        axis: by default a is flattened.
        count: how many bits to give: fewer than there are, more (zeros follow), or if negative all but so many.
        bitorder: as for `packbits`.

    Raises:
        TypeError: a has another dtype.
        ValueError: another bitorder, or a count below the negative of the number of bits.

    Example:
        >>> fnp.unpackbits(fnp.array([131], fnp.uint8))
        Array([1, 0, 0, 0, 0, 0, 1, 1], dtype=uint8)
    """
    x = asarray(a)
    if x.dtype != np.uint8:
        raise TypeError(f"unpackbits takes bytes, of dtype uint8, got dtype {x.dtype}")
    x, axis = _along(x, axis)
    octets = np.not_equal(np.bitwise_and(reshape(x, (*x.shape, 1)), _weights(bitorder)), 0).astype(np.uint8)
    n = 8 * x.shape[-1]
    bits = reshape(octets, (*x.shape[:-1], n))
    if count is not None:
        length = as_int(count) if count >= 0 else n + as_int(count)
        if length < 0:
            raise ValueError(f"unpackbits: count {count} leaves less than no bits of {n}")
        bits = bits[..., :length]
        bits = pad(bits, [(0, 0)] * (x.ndim - 1) + [(0, length - bits.shape[-1])])
    return moveaxis(bits, -1, axis)


def _along(x: Array, axis: int | None) -> tuple[Array, int]:
    """The array with the axis that is meant at the end, and where that axis was."""
    if axis is None or not x.ndim:
        return ravel(x), 0
    axis = normalize_axis_index(axis, x.ndim)
    return moveaxis(x, axis, -1), axis


def _weights(bitorder: str) -> np.ndarray:
    if bitorder not in ("big", "little"):
        raise ValueError(f'bitorder must be "big" or "little", got {bitorder!r}')
    weights = np.left_shift(np.uint8(1), np.arange(8, dtype=np.uint8))
    return weights[::-1] if bitorder == "big" else weights
