"""`associative_scan`: all partial results of an associative operation, in a number of steps that is logarithmic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.lib.array_utils import normalize_axis_index

import funcgrad.numpy as fnp
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, ShapeError, TreeError
from funcgrad.lax.carry import results

__all__ = ["associative_scan"]


def associative_scan(fn: Callable, elems: PyTree, reverse: bool = False, axis: int = 0) -> PyTree:
    """All partial results of an associative operation: the first element, the first two combined, the first three, …

    The operation is called on whole arrays, about 2 log2(n) times for n elements: first on neighbours, which gives half
    as many elements; the partial results of those are every second one, and one more call gives the others.

    Arguments:
        fn: takes two pytrees like elems, of any length along the axis, and combines them elementwise along it; for a
            function of single elements pass vmap of it. `fn(fn(a, b), c)` must equal `fn(a, fn(b, c))`.
        elems: a pytree of arrays, all of one length along the axis.
        reverse: whether to begin at the end.
        axis: which axis counts the elements.

    Returns:
        A pytree like elems.

    Raises:
        ShapeError: the arrays differ in length along the axis.
        TreeError, ArgumentError: fn gives another structure than it takes, or is no function.

    Example:
        >>> fg.lax.associative_scan(fnp.maximum, fnp.array([3.0, 1.0, 4.0, 1.0, 5.0]))
        Array([3., 3., 4., 4., 5.], dtype=float64)

    Source: `jax.lax.associative_scan` (https://docs.jax.dev/en/latest/_autosummary/jax.lax.associative_scan.html);
        Blelloch, Prefix sums and their applications (1990).
    """
    if not callable(fn):
        raise ArgumentError("lax.associative_scan: fn argument should be callable.")
    arrays, structure = results(elems, "associative_scan")
    if not arrays:
        return elems
    axes = [normalize_axis_index(axis, x.ndim) for x in arrays]
    if len({x.shape[a] for x, a in zip(arrays, axes, strict=True)}) > 1:
        raise ShapeError(
            f"Array inputs to associative_scan must have the same first dimension. (saw: {[x.shape for x in arrays]}, "
            f"along axis {axis})"
        )

    def part(xs: list[Any], start: int, stop: int | None, step: int = 1) -> list[Any]:
        return [x[(slice(None),) * a + (slice(start, stop, step),)] for x, a in zip(xs, axes, strict=True)]

    def combine(xs: list[Any], ys: list[Any]) -> list[Any]:
        found, other = results(fn(structure.unflatten(xs), structure.unflatten(ys)), "associative_scan")
        if other != structure:
            raise TreeError(f"associative_scan: fn takes pytrees of structure {structure}, but gave one of {other}")
        return found

    if reverse:
        arrays = [fnp.flip(x, axis=a) for x, a in zip(arrays, axes, strict=True)]
    halves = [arrays]  # each combines the neighbours of the one before
    while (n := halves[-1][0].shape[axes[0]]) >= 2:
        xs = halves[-1]
        halves.append(combine(part(xs, 0, n - 1, 2), part(xs, 1, n, 2)))
    found = halves.pop()
    while halves:  # what is found of the halves are every second one of the results
        odd, xs = found, halves.pop()
        n = xs[0].shape[axes[0]]
        even = part(xs, 0, 1)
        if n > 2:
            later = combine(part(odd, 0, (n - 1) // 2), part(xs, 2, n, 2))
            even = [fnp.concatenate(p, axis=a) for *p, a in zip(even, later, axes, strict=True)]
        found = [_interleaved(e, o, a) for e, o, a in zip(even, odd, axes, strict=True)]
    return structure.unflatten([fnp.flip(x, axis=a) for x, a in zip(found, axes, strict=True)] if reverse else found)


def _interleaved(even: Any, odd: Any, axis: int) -> Any:
    """The elements of two arrays in turn; the first one may have one more."""
    before = (slice(None),) * axis
    n, m = odd.shape[axis], even.shape[axis]
    pairs = fnp.stack([even[(*before, slice(n))], odd], axis=axis + 1)
    whole = fnp.reshape(pairs, (*odd.shape[:axis], 2 * n, *odd.shape[axis + 1 :]))
    return whole if n == m else fnp.concatenate([whole, even[(*before, slice(n, None))]], axis=axis)
