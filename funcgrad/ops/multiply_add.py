"""`multiply_add`: x * y + z, rounded once in single and double precision.

Processors have had this operation for a long time and compilers use it unasked, so numbers that come from compiled code
can be reproduced to the last bit only by rounding in the same places. NumPy rounds twice. The missing part is found
without wider floats: a product and a sum of two floats each differ from their rounded values by a float that can be
computed exactly.

Source: Dekker, "A floating-point technique for extending the available precision", 1971; Knuth, TAOCP 2, 4.2.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Sample, elementwise
from funcgrad.ops.tiles import tiles

_SPLIT = 2.0**27 + 1  # halves the 53 digits of a float64


def _multiply_add(x: Any, y: Any, z: Any) -> Any:
    dtype = np.result_type(x, y, z)
    with np.errstate(all="ignore"):
        if dtype == np.float32:  # whose products are exact in float64
            return (np.multiply(x, y, dtype=np.float64) + z).astype(dtype)
        if dtype != np.float64 or _powers_of_two(y):  # half precision has no such operation; these products are exact
            return np.add(np.multiply(x, y), z)
        it = tiles(*[np.asarray(a, dtype) for a in (x, y, z)], dtype=dtype)
        result = it.operands[-1]
        with it:
            for a, b, c, out in it:
                product = a * b
                total = product + c
                lost = _product_error(a, b, product) + _sum_error(product, c, total)
                out[...] = np.where(np.isfinite(lost), total + lost, total)  # no digits of an infinity are lost
    return result[()]


def _powers_of_two(y: Any) -> bool:
    return bool(np.all(np.isin(np.abs(np.frexp(y)[0]), (0, 0.5))))


def _product_error(a: Any, b: Any, product: Any) -> Any:
    a_high, b_high = _high(a), _high(b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _high(a: Any) -> Any:
    scaled = _SPLIT * a
    return scaled - (scaled - a)


def _sum_error(a: Any, b: Any, total: Any) -> Any:
    b_part = total - a
    return (a - (total - b_part)) + (b - b_part)


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(), draw(), draw()),
        Sample(draw(3), draw(3), draw(3)),
        Sample(draw(2, 1, 3), draw(4, 1), draw()),
        Sample(draw(3)[::-1], draw(2, 1), draw(2, 3).T[:1].T),
        Sample(draw(0, 2), draw(2), draw()),
        Sample(draw(3), np.full(3, 0.5, draw.dtype), draw(3)),
    ]


multiply_add = elementwise(_multiply_add, lambda g, y: g * y, lambda g, x: g * x, lambda g: g, samples=_samples)
