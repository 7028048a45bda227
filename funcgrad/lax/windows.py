"""Reductions over windows by the name of `jax.lax`: reduce_window."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core import tree
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.lax import elementwise
from funcgrad.lax.carry import results
from funcgrad.lax.padding import dilated, padtype_to_pads
from funcgrad.lax.shapes import pad
from funcgrad.ops import pooling as core
from funcgrad.ops.windows import places, window_counts
from funcgrad.transforms.vmap import vmap

__all__ = ["reduce_window"]

_BY = {
    elementwise.add: (core.window_sum, lambda dtype: 0, "iufc"),
    elementwise.max: (core.window_max, core.lowest, "biuf"),
    elementwise.min: (core.window_min, core.highest, "biuf"),
}


def reduce_window(
    operand: PyTree,
    init_value: PyTree,
    computation: Callable,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: str | Sequence[tuple[int, int]] = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> PyTree:
    """A reduction over windows that move over an array: pooling.

    Arguments:
        operand: an array, or a pytree of arrays of one shape.
        init_value: what each window begins with, and padding is made of; a scalar for each array.
        computation: combines two elements. `lax.add`, `lax.max` and `lax.min` from 0, the smallest and the largest
            number on are the fast ones; others are mapped over pairs of elements.
        window_dimensions: the size of windows along each axis.
        window_strides: the steps from one to the next, by default 1.
        padding: "VALID", "SAME", "SAME_LOWER", or a pair for each axis.
        base_dilation: how far apart the elements of the operand are set.
        window_dilation: how far apart the places of a window are.

    Raises:
        ArgumentError: shapes, strides or dilations do not fit.

    Example:
        >>> x = fnp.array([1.0, 5.0, 2.0, 4.0])
        >>> fg.lax.reduce_window(x, -np.inf, fg.lax.max, (2,), (2,))
        Array([5., 4.], dtype=float64)
    """
    xs, structure = results(operand, "reduce_window")
    starts, other = results(init_value, "reduce_window")
    if other != structure:
        raise ArgumentError(
            f"reduce_window: operand and init_value must have one structure, got {structure} and {other}"
        )
    shape = xs[0].shape
    if any(x.shape != shape for x in xs):
        raise ArgumentError(f"reduce_window takes operands of one shape, got {[x.shape for x in xs]}")
    if any(s.shape != () for s in starts):
        raise ArgumentError(
            f"reduce_window expected init_values to be scalars but init_values have shapes {[s.shape for s in starts]}."
        )
    size = tuple(window_dimensions)
    if len(size) != len(shape):
        raise ArgumentError(
            "reduce_window got the wrong number of window_dimensions for operand: got operand shape "
            f"{shape} with window_dimensions {size}."
        )
    _of_each_axis("window_dimensions", size, size)
    strides = _of_each_axis("window_strides", window_strides, size)
    apart = _of_each_axis("base_dilation", base_dilation, size)
    dilation = _of_each_axis("window_dilation", window_dilation, size)
    starts = [s.astype(x.dtype) for s, x in zip(starts, xs, strict=True)]
    there = np.ones(shape, bool)
    if any(d != 1 for d in apart):
        gaps = [(0, 0, d - 1) for d in apart]
        xs, there = [pad(x, s, gaps) for x, s in zip(xs, starts, strict=True)], np.asarray(pad(there, False, gaps))
        shape = there.shape
    spans = [dilated(k, d) for k, d in zip(size, dilation, strict=True)]
    pads = tuple(padtype_to_pads(shape, spans, strides, padding))
    if len(pads) != len(size):
        raise ArgumentError(f"reduce_window takes a pair of padding for each of {len(size)} axes, got {pads}")
    windows = {"size": size, "strides": strides, "padding": pads, "dilation": dilation}
    if len(xs) == 1 and computation in _BY:
        primitive, neutral, kinds = _BY[computation]
        (x,), (start,) = xs, starts
        if x.dtype.kind in kinds and not isinstance(start, Tracer) and start == neutral(x.dtype):
            return structure.unflatten([primitive(x, **windows)])
    return structure.unflatten(_folded(structure, computation, xs, starts, there, windows))


def _folded(structure: Any, computation: Callable, xs: list, starts: list, there: np.ndarray, windows: dict) -> list:
    """The elements of windows combined one after the other; those that are not `there` are passed over."""
    counts = window_counts(there.shape, **windows)
    around = [(low, high, 0) for low, high in windows["padding"]]
    xs, there = [pad(x, s, around) for x, s in zip(xs, starts, strict=True)], np.asarray(pad(there, False, around))
    found = [fnp.full((math.prod(counts),), s) for s in starts]
    for _, place in places(windows["size"], counts, windows["strides"], windows["dilation"]):
        elements = [x[place].reshape(-1) for x in xs]
        combined = vmap(computation)(structure.unflatten(found), structure.unflatten(elements))
        here = there[place].reshape(-1)
        found = [fnp.where(here, new, old) for new, old in zip(tree.leaves(combined), found, strict=True)]
    return [x.reshape(counts) for x in found]


def _of_each_axis(name: str, given: Sequence[int] | None, size: tuple[int, ...]) -> tuple[int, ...]:
    found = (1,) * len(size) if given is None else tuple([int(d) for d in given])
    if len(found) != len(size):
        raise ArgumentError(
            f"reduce_window got inconsistent {name} and window_dimensions: got {name} {found} and window_dimensions "
            f"{size}."
        )
    if any(d < 1 for d in found):
        raise ArgumentError(f"reduce_window {name} must have every element be strictly positive, got {found}.")
    return found
