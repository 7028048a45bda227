"""Operations on the bits of integers by the names of `jax.lax`."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.lax.strict import as_array, binary, dtype_of, unary

__all__ = [
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "clz",
    "population_count",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
]


bitwise_and = binary(fnp.bitwise_and, "biu")
bitwise_or = binary(fnp.bitwise_or, "biu")
bitwise_xor = binary(fnp.bitwise_xor, "biu")
bitwise_not = unary(fnp.invert, "biu", "bitwise_not")
shift_left = binary(fnp.left_shift, "iu", "shift_left")
shift_right_arithmetic = binary(
    fnp.right_shift,
    "iu",
    "shift_right_arithmetic",
    "The bits of x, y places further down; the sign stays.",
    "-8, 1",
    "-4",
    "int64",
)


def _unsigned(x: Any) -> Array:
    """The bits of integers as those of integers without sign."""
    x = as_array(x, "bits")
    return x.astype(np.dtype(f"u{x.dtype.itemsize}"))


def _shift_right_logical(x: Any, y: Any) -> Array:
    return fnp.right_shift(_unsigned(x), _unsigned(y)).astype(dtype_of(x))


def _population_count(x: Any) -> Array:
    return fnp.bitwise_count(_unsigned(x)).astype(dtype_of(x))


def _leading_zeros(x: Any) -> Array:
    bits = _unsigned(x)
    found: Any = 0
    places = bits.dtype.itemsize * 8
    step = places // 2
    while step:  # where the upper half of what is left is empty, look at the lower
        empty = fnp.equal(fnp.right_shift(bits, bits.dtype.type(places - step)), 0)
        found = found + fnp.where(empty, step, 0)
        bits = fnp.where(empty, fnp.left_shift(bits, bits.dtype.type(step)), bits)
        step //= 2
    return (found + fnp.equal(_unsigned(x), 0)).astype(dtype_of(x))


shift_right_logical = binary(
    _shift_right_logical,
    "iu",
    "shift_right_logical",
    "The bits of x, y places further down; zeros follow.",
    "fnp.int8(-8), fnp.int8(1)",
    "124",
    "int8",
)
population_count = unary(_population_count, "iu", "population_count", "How many bits are set.", "7", "3", "int64")
clz = unary(_leading_zeros, "iu", "clz", "How many zeros come before the first bit that is set.", "1", "63", "int64")
