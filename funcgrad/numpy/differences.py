"""Differences, gradients on a grid, and the trapezoidal rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PYTHON_NUMBERS, ArrayLike, Shaped
from funcgrad.numpy.convert import asarray, normalize_axes, normalize_axis_index, whole
from funcgrad.numpy.reductions import shaped
from funcgrad.ops.cumulative import difference
from funcgrad.ops.reduce import reduce_sum

__all__ = ["diff", "ediff1d", "gradient", "trapezoid"]


def _along(axis: int, part: slice) -> tuple[slice, ...]:
    """The index that takes a part of one axis."""
    return (*(slice(None),) * axis, part)


def diff(
    a: ArrayLike, n: int = 1, axis: int = -1, prepend: ArrayLike | None = None, append: ArrayLike | None = None
) -> Shaped[Array, "..."]:
    """Differences of neighbours along an axis, n times over.

    Arguments:
        a: the array. Of booleans it is told where neighbours differ.
        n: how often to take differences.
        axis: along which.
        prepend, append: values to put before and after a along the axis first; a number counts as one such value.

    Returns:
        The differences: each time the axis is shorter by one.

    Raises:
        ValueError: n is negative, or a has no axis.

    Example:
        >>> fnp.diff(fnp.array([1.0, 4.0, 9.0]), prepend=0)
        Array([1., 3., 5.], dtype=float64)
    """
    n = whole(n, "diff: n")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x = shaped(a)
    if n == 0:
        return asarray(a)
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, x.ndim)
    ends = [None if e is None or e is getattr(np, "_NoValue", None) else shaped(e) for e in (prepend, append)]
    if ends[0] is not None or ends[1] is not None:
        one = tuple([1 if i == axis else k for i, k in enumerate(x.shape)])
        first, last = [e if e is None or e.ndim else np.broadcast_to(e, one) for e in ends]
        x = np.concatenate([e for e in (first, x, last) if e is not None], axis)
    for _ in range(n):
        if x.dtype.kind == "b":
            x = np.not_equal(x[_along(axis, slice(1, None))], x[_along(axis, slice(None, -1))])
        else:
            x = difference(x, axis=axis, full=False) if x.shape[axis] else x
    return wrap(x)


def ediff1d(ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None) -> Shaped[Array, " n"]:
    """Differences of neighbours in the flattened array, with values put before and after them.

    Example:
        >>> fnp.ediff1d(fnp.array([1.0, 4.0, 9.0]), to_end=[0.0])
        Array([3., 5., 0.], dtype=float64)
    """
    x = shaped(ary).reshape(-1)
    middle = difference(x, axis=0, full=False) if x.shape[0] else asarray(x)
    parts = []
    for name, part in (("to_begin", to_begin), ("", middle), ("to_end", to_end)):
        if part is None:
            continue
        part = shaped(part).reshape(-1)
        if not np.can_cast(part.dtype, x.dtype, casting="same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        parts.append(part if part.dtype == x.dtype else part.astype(x.dtype))
    return wrap(np.concatenate(parts) if len(parts) > 1 else middle)


def gradient(f: ArrayLike, *varargs: ArrayLike, axis: int | tuple[int, ...] | None = None, edge_order: int = 1) -> Any:
    """Derivatives of the function that is given by its values on a grid, by second-order differences.

    Arguments:
        f: the values.
        varargs: nothing (the spacing is 1), one spacing for all axes, or for each axis its spacing or its coordinates.
            They are differentiated as well.
        axis: the axes to differentiate along; None for all.
        edge_order: 1 or 2, the order of the one-sided differences at the ends.

    Returns:
        The derivative if there is one axis, else a tuple with one for each.

    Raises:
        TypeError: another number of spacings than axes.
        ValueError: coordinates of a wrong shape, an axis that is too short, or an unknown edge_order.

    Example:
        >>> fnp.gradient(fnp.array([0.0, 1.0, 4.0, 9.0]))
        Array([1., 2., 4., 5.], dtype=float64)
    """
    x = shaped(f)
    along = normalize_axes(axis, x.ndim)
    if len(varargs) not in (0, 1, len(along)):
        raise TypeError(f"gradient takes no spacing, one, or one for each of the {len(along)} axes; got {len(varargs)}")
    spacings = [shaped(v) for v in varargs]
    if len(spacings) == 1 and spacings[0].ndim and len(along) > 1:
        raise TypeError(f"gradient takes coordinates for each of the {len(along)} axes; got them for one")
    if not spacings:
        spacings = [1.0] * len(along)
    elif len(spacings) == 1:
        spacings = spacings * len(along)
    if edge_order not in (1, 2):
        raise ValueError(f"'edge_order' must be 1 or 2, got {edge_order!r}")
    if x.dtype.kind not in "fc":
        x = x.astype(np.float64)
    results = tuple([_derivative(x, h, i, edge_order) for h, i in zip(spacings, along, strict=True)])
    return results[0] if len(results) == 1 else results


def _derivative(f: Any, spacing: Any, axis: int, edge_order: int) -> Array:
    n = f.shape[axis]
    if n < edge_order + 1:
        raise ValueError(
            f"Shape of array too small to calculate a numerical gradient: edge_order={edge_order} takes at least "
            f"{edge_order + 1} elements along axis {axis}, got {n}"
        )
    h = _steps(spacing, n)
    uniform = not getattr(h, "ndim", 0)

    def step(i: int) -> Any:
        return h if uniform else h[i]

    def value(i: int) -> Any:
        return f[_along(axis, slice(i, i + 1 or None))]

    parts = []
    if edge_order == 1:
        first, last = (value(1) - value(0)) / step(0), (value(-1) - value(-2)) / step(-1)
    else:
        first = _one_sided(value(0), value(1), value(2), step(0), step(1))
        last = -_one_sided(value(-1), value(-2), value(-3), step(-1), step(-2))
    parts = [first, last]
    if n > 2:
        before, here, after = [f[_along(axis, slice(i, n - 2 + i))] for i in range(3)]
        if uniform:
            inner = (after - before) / (2 * h)
        else:
            shape = [-1 if i == axis else 1 for i in range(f.ndim)]
            left, right = h[:-1].reshape(shape), h[1:].reshape(shape)
            both = left + right
            inner = (after - here) * (left / (right * both)) + (here - before) * (right / (left * both))
        parts = [first, inner, last]
    out = np.concatenate(parts, axis)
    return wrap(out if out.dtype == f.dtype else out.astype(f.dtype))


def _steps(spacing: Any, n: int) -> Any:
    """The step of a uniform grid, or the n - 1 steps between coordinates."""
    if isinstance(spacing, float) or not spacing.ndim:
        return spacing
    if spacing.ndim != 1:
        raise ValueError("distances must be either scalars or 1d")
    if spacing.shape[0] != n:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    if spacing.dtype.kind in "iu":
        spacing = spacing.astype(np.float64)
    steps = difference(spacing, axis=0, full=False)
    if not isinstance(steps, Tracer) and (np.asarray(steps) == np.asarray(steps)[0]).all():
        return steps[0]
    return steps


def _one_sided(f0: Any, f1: Any, f2: Any, h1: Any, h2: Any) -> Any:
    """The derivative at the first of three points with steps h1 and h2, exact for parabolas."""
    return (f1 - f0) * ((h1 + h2) / (h1 * h2)) - (f2 - f0) * (h1 / (h2 * (h1 + h2)))


def trapezoid(y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1) -> Shaped[Array, "..."]:
    """Integral along an axis by the trapezoidal rule.

    Arguments:
        y: the values.
        x: where they are taken: an array like y, or of one axis; differentiated as well.
        dx: their distance, if x is not given.
        axis: along which.

    Returns:
        The integral.

    Example:
        >>> fnp.trapezoid(fnp.array([1.0, 2.0, 3.0]), dx=2.0)
        Array(8., dtype=float64)
    """
    values = shaped(y)
    given, axis = axis, normalize_axis_index(axis, values.ndim)
    width: Any = dx if type(dx) in PYTHON_NUMBERS else shaped(dx)
    if x is not None:
        points = shaped(x)
        along = 0 if points.ndim == 1 else normalize_axis_index(given, points.ndim)  # from the end for x of fewer axes
        width = difference(points, axis=along, full=False)
        if points.ndim == 1:
            width = width.reshape([-1 if i == axis else 1 for i in range(values.ndim)])
    pairs = values[_along(axis, slice(1, None))] + values[_along(axis, slice(None, -1))]
    return wrap(reduce_sum(width * pairs / 2.0, axis=(axis,)))
