"""Results whose length is stated, and fill values: what `size=` and `fill_value=` of nonzero, unique and others do.

How many elements such a function finds depends on values. With `size=` it gives that many: those that it finds first,
and then fill values. So it runs where there are no values, under jit, make_tape and vmap.
"""

from __future__ import annotations

from operator import index as as_int
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.numpy.convert import asarray, wrap
from funcgrad.numpy.shapes import expand_dims
from funcgrad.ops import index as ops
from funcgrad.ops.reduce import reduce_sum
from funcgrad.ops.sort import argsort
from funcgrad.ops.structural import pad

__all__ = ["filled", "missing", "true_places"]


def true_places(mask: Array, size: int) -> tuple[Any, Any]:
    """Where a vector of booleans is true: the first `size` places, and for each whether it is one.

    The others are the length of the vector. A stable sort puts the true entries first, in their order.

    Raises:
        ValueError: size is negative.
    """
    size, n = as_int(size), mask.shape[0]
    if size < 0:
        raise ValueError(f"size must not be negative, got {size}")
    order = argsort(np.logical_not(mask), axis=0, stable=True)
    order = order[:size] if size <= n else pad(order, widths=((0, size - n),))
    valid = np.less(np.arange(size), reduce_sum(mask, axis=(0,)))
    return ops.where(valid, order, n), valid


def filled(x: Array, valid: Any, fill_value: Any, axis: int = 0) -> Array:
    """x with a fill value, cast to the dtype of x, for the entries along an axis that are none."""
    fill = asarray(fill_value).astype(x.dtype)
    if fill.ndim:  # the shape of one entry
        fill = expand_dims(fill, axis)
    valid = valid.reshape(valid.shape + (1,) * (x.ndim - 1 - axis))
    return wrap(ops.where(valid, x, fill))


def missing(dtype: np.dtype) -> Any:
    """What stands for an element that is not there: NaN, of integers the least or (unsigned) the greatest, or True."""
    if dtype.kind in "fc":
        return np.nan
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min
