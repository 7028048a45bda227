"""`map`: a function applied to the rows of arrays, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import funcgrad.numpy as fnp
from funcgrad.core import tree
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.lax.carry import results
from funcgrad.lax.scan import scan
from funcgrad.transforms.vmap import vmap

__all__ = ["map"]


def map(f: Callable, xs: PyTree, *, batch_size: int | None = None) -> PyTree:
    """Apply a function to each row of arrays, and join the results: vmap one row at a time.

    It needs the memory of one row, where `vmap` needs that of all.

    Arguments:
        f: a function of a pytree of arrays.
        xs: a pytree of arrays, all of one length along the first axis.
        batch_size: how many rows to give to `vmap(f)` at once.

    Returns:
        The results, joined along a new first axis.

    Raises:
        ValueError: arrays of different lengths, or one without axes; a batch_size that is not positive.

    Example:
        >>> fg.lax.map(lambda x: x @ x, fnp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), batch_size=2)
        Array([ 5., 25., 61.], dtype=float64)
    """
    if not callable(f):
        raise ArgumentError("lax.map: f argument should be a callable.")
    if batch_size is None:
        return scan(lambda _, x: (None, f(x)), None, xs)[1]
    if batch_size < 1:
        raise ValueError(f"lax.map: batch_size must be positive, got {batch_size}")
    arrays, structure = results(xs, "map")
    if len({x.shape[:1] for x in arrays}) != 1 or () in {x.shape[:1] for x in arrays}:
        shapes = ", ".join([str(x.shape) for x in arrays])
        raise ShapeError(f"lax.map: the arrays must have one length along the first axis, got shapes {shapes}")
    batches, rest = divmod(arrays[0].shape[0], batch_size)
    whole = batches * batch_size
    found: list[Any] = []
    if batches:
        rows = [fnp.reshape(x[:whole], (batches, batch_size, *x.shape[1:])) for x in arrays]
        ys = scan(lambda _, x: (None, vmap(f)(x)), None, structure.unflatten(rows))[1]
        found.append(tree.map(lambda y: fnp.reshape(y, (whole, *y.shape[2:])), ys))
    if rest or not batches:
        found.append(vmap(f)(structure.unflatten([x[whole:] for x in arrays])))
    return found[0] if len(found) == 1 else tree.map(lambda *ys: fnp.concatenate(ys), *found)
