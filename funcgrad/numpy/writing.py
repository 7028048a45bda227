"""NumPy's functions that write into their argument.

They write numbers into a plain ndarray. An Array is immutable: for it they say how to make an updated copy, or make it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ImmutableArrayError, buffer_write
from funcgrad.numpy.convert import asarray
from funcgrad.numpy.protocols import as_numpy, tracer_in
from funcgrad.numpy.shapes import ravel, resize

__all__ = ["copyto", "fill_diagonal", "place", "put", "putmask"]


def write(function: Callable, call: str, remedy: str, *args: Any) -> Any:
    """NumPy's own function, which writes into its first argument: that must be an ndarray, and nothing traced."""
    target, tracer = args[0], tracer_in(args, {})
    if isinstance(target, Array):
        raise ImmutableArrayError(f"{call}: {target.describe()} is immutable. Make an updated copy instead: {remedy}")
    if tracer is not None:
        raise buffer_write(call, tracer)
    return function(*[as_numpy(x) for x in args])


def copyto(dst: Any, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True) -> None:
    """Write numbers into a plain ndarray. To update an Array make a new one with `where(mask, src, dst)`.

    Raises:
        ImmutableArrayError: dst is an Array.
        LostTraceError: a value is being differentiated, which an ndarray cannot hold.
    """
    remedy = "y = fnp.where(mask, x, y), or y = fnp.broadcast_to(x, y.shape)"
    write(np.copyto, "copyto(y, x)", remedy, dst, src, casting, where)


def putmask(a: Any, mask: ArrayLike, values: ArrayLike) -> None:
    """Write numbers into a plain ndarray. To update an Array make a new one with `where(mask, values, a)`.

    Raises:
        ImmutableArrayError: a is an Array.
        LostTraceError: a value is being differentiated, which an ndarray cannot hold.
    """
    write(np.putmask, "putmask(y, mask, x)", "y = fnp.where(mask, x, y)", a, mask, values)


def put(
    a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str = "raise", *, inplace: bool = True
) -> Shaped[Array, "..."] | None:
    """A copy of an array with some elements, counted in the flattened array, replaced.

    Arguments:
        a: the array.
        ind: the places.
        v: the new elements, repeated if they are fewer.
        mode: what to do with a place that does not exist: "raise", "wrap" or "clip".
        inplace: whether to write into a itself, as NumPy does, which only a plain ndarray allows.

    Raises:
        ImmutableArrayError: inplace is True and a is an Array.
        LostTraceError: inplace is True and a value is being differentiated, which an ndarray cannot hold.

    Example:
        >>> fnp.put(fnp.zeros(3), [0, 2], [1.0, 2.0], inplace=False)
        Array([1., 0., 2.], dtype=float64)

    Source: jax.numpy.put (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.put.html)
    """
    if inplace:
        remedy = "y = y.ravel().at[i].set(x).reshape(y.shape), or put(y, i, x, inplace=False)"
        return write(np.put, "put(y, i, x)", remedy, a, ind, v, mode)
    a = asarray(a)
    places = np.asarray(asarray(ind)._concrete("put(x, i, v)")).ravel()
    if mode == "raise":
        if places.size and not (-a.size <= places.min() and places.max() < a.size):
            raise IndexError(f"put: indices must be in [-{a.size}, {a.size}), got {places.min()} to {places.max()}")
    elif mode not in ("wrap", "clip"):
        raise ValueError(f'put: mode must be "raise", "wrap" or "clip", got {mode!r}')
    places = np.clip(places, 0, a.size - 1) if mode == "clip" else places % max(a.size, 1)
    return _replaced(a, places, v)


def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike, *, inplace: bool = True) -> Shaped[Array, "..."] | None:
    """A copy of an array with the elements under a mask replaced, one after the other.

    Arguments:
        arr: the array.
        mask: booleans of the same shape.
        vals: the new elements, repeated if they are fewer.
        inplace: as for `put`.

    Raises:
        ImmutableArrayError: inplace is True and arr is an Array.
        LostTraceError: inplace is True and a value is being differentiated, which an ndarray cannot hold.

    Example:
        >>> fnp.place(fnp.zeros(3), [True, False, True], [1.0, 2.0], inplace=False)
        Array([1., 0., 2.], dtype=float64)

    Source: jax.numpy.place (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.place.html)
    """
    if inplace:
        remedy = "y = fnp.where(mask, x, y), or place(y, mask, x, inplace=False)"
        return write(np.place, "place(y, mask, x)", remedy, arr, mask, vals)
    arr, mask = asarray(arr), asarray(mask)
    if arr.size != mask.size:
        raise ValueError(f"place: the mask must have the shape of the array, {arr.shape}, got {mask.shape}")
    values = ravel(vals)
    if not values.size:
        raise ValueError("place: there is no value to put in")
    rank = np.cumsum(np.not_equal(ravel(mask), 0)) - 1  # the number of each element under the mask
    new = values[np.remainder(rank, values.size)].reshape(arr.shape).astype(arr.dtype)
    return asarray(np.where(mask, new, arr))


def fill_diagonal(
    a: ArrayLike, val: ArrayLike, wrap: bool = False, *, inplace: bool = True
) -> Shaped[Array, "..."] | None:
    """A copy of an array with another main diagonal.

    Arguments:
        a: a matrix, or an array of more axes that have all one length.
        val: the new elements, repeated if they are fewer.
        wrap: whether in a tall matrix the diagonal starts anew after an empty row.
        inplace: as for `put`.

    Raises:
        ImmutableArrayError: inplace is True and a is an Array.
        LostTraceError: inplace is True and a value is being differentiated, which an ndarray cannot hold.
        ValueError: the array has fewer than two axes, or more than two of different lengths.

    Example:
        >>> fnp.fill_diagonal(fnp.zeros((2, 2)), 3.0, inplace=False)
        Array([[3., 0.],
               [0., 3.]], dtype=float64)

    Source: jax.numpy.fill_diagonal (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.fill_diagonal.html)
    """
    if inplace:
        remedy = "y = fnp.fill_diagonal(y, x, inplace=False), or i = fnp.arange(n); y = y.at[i, i].set(x)"
        return write(np.fill_diagonal, "fill_diagonal(y, x)", remedy, a, val, wrap)
    a = asarray(a)
    if a.ndim < 2:
        raise ValueError(f"fill_diagonal takes an array of at least two axes, got shape {a.shape}")
    if a.ndim > 2 and len(set(a.shape)) > 1:
        raise ValueError(f"fill_diagonal: more than two axes must have one length, got shape {a.shape}")
    step = 1 + sum(math.prod(a.shape[i:]) for i in range(1, a.ndim))
    end = a.size if wrap or a.ndim > 2 else a.shape[1] * a.shape[1]
    return _replaced(a, np.arange(0, min(end, a.size), step), val)


def _replaced(a: Array, places: np.ndarray, values: ArrayLike) -> Array:
    """A copy with new elements at places of the flattened array; the values are repeated as needed."""
    if not places.size:
        return a
    return a.ravel().at[places].set(resize(values, places.size)).reshape(a.shape)
