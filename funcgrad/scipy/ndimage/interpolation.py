"""`map_coordinates`: values of an image between its elements, by splines, and `spline_filter`, their coefficients.

A spline of degree 2 or 3 has coefficients that solve a system with three diagonals along each axis (`spline_filter1d`).
Which elements lie around a coordinate has no derivative; their weights have.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import floor, minimum, moveaxis, pad, where, zeros
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index
from funcgrad.numpy.linalg import solve
from funcgrad.scipy.linalg import solve_banded
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["map_coordinates", "spline_filter", "spline_filter1d"]

_MODES = ("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "grid-wrap", "wrap")
_MARGIN = 12  # elements around an image whose splines are to know what lies outside, as in SciPy


def map_coordinates(
    input: ArrayLike,
    coordinates: Any,
    order: int = 3,
    mode: str = "constant",
    cval: ArrayLike = 0.0,
    prefilter: bool = True,
) -> Inexact[Array, "..."]:
    """The values of an array at coordinates that are no integers.

    Arguments:
        input: the array.
        coordinates: for each of its axes an array of coordinates, all of one shape.
        order: the degree of the splines between the elements, from 0, the nearest element, to 3.
        mode: what lies outside: "constant" for cval; "nearest" for the element at the edge; the array mirrored, with
            the edge repeated ("reflect") or not ("mirror"); the array repeated ("grid-wrap", or "wrap", where the last
            element is the first of the next); "grid-constant" to go over to cval within one element.
        cval: that value.
        prefilter: whether to find the coefficients of the splines; False if the array holds them.

    Returns:
        An array of the shape of the coordinates. It has derivatives in the array, the coordinates and cval. Those in
        the coordinates are zero for order 0, and jump at the elements for order 1.

    Raises:
        ValueError: there are not as many coordinates as axes, or the mode is unknown.
        UnsupportedError: an order above 3, or "wrap" with an order above 1.

    Example:
        >>> from funcgrad.scipy.ndimage import map_coordinates
        >>> image = np.array([[0.0, 1.0], [2.0, 3.0]])
        >>> map_coordinates(image, [np.array([0.5]), np.array([0.5])], order=1)
        Array([1.5], dtype=float64)
        >>> fg.grad(lambda y: map_coordinates(image, [y, 0.5], order=1))(0.5)
        Array(2., dtype=float64)

    Source: scipy.ndimage.map_coordinates
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.ndimage.map_coordinates.html); the arguments are in
        the order of `jax.scipy.ndimage.map_coordinates`.
    """
    x = asarray(input)
    kind = x.dtype
    if order not in (0, 1, 2, 3):
        raise UnsupportedError(f"map_coordinates has the orders 0 to 3, got {order}")
    _check_mode("map_coordinates", mode)
    where_to = [asarray(c) for c in coordinates]
    where_to = [c if c.dtype.kind == "f" else c.astype(float) for c in where_to]
    if len(where_to) != x.ndim:
        raise ValueError(f"map_coordinates: {x.ndim} axes need as many coordinates, got {len(where_to)}")
    if mode == "wrap" and order > 1:
        raise UnsupportedError('map_coordinates has the mode "wrap" for the orders 0 and 1; there is "grid-wrap"')
    x = x if kind.kind in "fc" else x.astype(float)
    fill = asarray(cval).astype(x.dtype)
    n_before = x.shape
    if order > 1 and prefilter:
        if mode in ("nearest", "grid-constant"):
            options = {"mode": "edge"} if mode == "nearest" else {"constant_values": fill}
            x = pad(x, _MARGIN, **options)
            where_to = [c + _MARGIN for c in where_to]
        x = spline_filter(x, order, mode=mode)
    outside: Any = False
    neighbours = []
    for c, n, n0 in zip(where_to, x.shape, n_before, strict=True):
        if mode == "constant":
            outside = outside | (stop_gradient(c) < 0) | (stop_gradient(c) > n0 - 1)
        neighbours.append(_neighbours(c, n, order, mode))
    total: Any = 0
    for choice in itertools.product(*neighbours):
        weight: Any = 1.0
        beyond: Any = False
        for _, w, b in choice:
            weight, beyond = weight * w, beyond | b
        value = x[tuple([i for i, _, _ in choice])]
        total = total + weight * (where(beyond, fill, value) if mode == "grid-constant" else value)
    if mode == "constant":
        total = where(outside, fill, total)
    if kind.kind in "iu":
        return total.round().astype(kind)
    return total.astype(x.dtype)


def _check_mode(name: str, mode: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"{name}: mode must be one of {', '.join(_MODES)}; got {mode!r}")


def _neighbours(c: Array, n: int, order: int, mode: str) -> list[tuple[Any, Any, Any]]:
    """The elements along an axis around coordinates: where each is, its weight, and whether it is outside."""
    if mode in ("nearest", "constant"):
        c = c.clip(0, n - 1)
    elif mode == "wrap":
        c = where((c < 0) | (c > n - 1), c % (n - 1), c) if n > 1 else 0 * c
    if order % 2:
        start = floor(stop_gradient(c))
    else:
        start = floor(stop_gradient(c) + 0.5)
    t = c - start
    first = start.astype(int) - order // 2
    found = []
    for j, w in enumerate(_WEIGHTS[order](t)):
        i = first + j
        found.append((_inside(i, n, mode), w, (i < 0) | (i >= n)))
    return found


_WEIGHTS: dict[int, Callable[[Any], Sequence[Any]]] = {
    0: lambda t: (1.0,),
    1: lambda t: (1 - t, t),
    2: lambda t: (0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2),
    3: lambda t: (
        (1 - t) ** 3 / 6,
        (4 - 6 * t**2 + 3 * t**3) / 6,
        (1 + 3 * t + 3 * t**2 - 3 * t**3) / 6,
        t**3 / 6,
    ),
}


def _inside(i: Any, n: int, mode: str) -> Any:
    """The number of the element that stands for the one of number i."""
    if n == 1:
        return i * 0
    if mode in ("reflect", "grid-mirror", "nearest"):
        i = i % (2 * n)
        return minimum(i, 2 * n - 1 - i)
    if mode == "grid-wrap":
        return i % n
    if mode in ("constant", "mirror", "wrap"):
        i = i % (2 * n - 2)
        return minimum(i, 2 * n - 2 - i)
    return i.clip(0, n - 1)


def spline_filter1d(
    input: ArrayLike, order: int = 3, axis: int = -1, output: Any = np.float64, mode: str = "mirror"
) -> Inexact[Array, "..."]:
    """The coefficients of the splines through the elements along an axis.

    Arguments:
        input: the array.
        order: the degree, from 0 to 3.
        axis: the axis.
        output: accepted as in SciPy, where it is the dtype of the result.
        mode: as for `map_coordinates`.

    Raises:
        ValueError: the mode is unknown.
        UnsupportedError: an order above 3.

    Example:
        >>> from funcgrad.scipy.ndimage import spline_filter1d
        >>> spline_filter1d(np.array([1.0, 1.0, 1.0]))
        Array([1., 1., 1.], dtype=float64)
    """
    x = inexact(input)
    if order not in (0, 1, 2, 3):
        raise UnsupportedError(f"spline_filter1d has the orders 0 to 3, got {order}")
    _check_mode("spline_filter1d", mode)
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis]
    if order < 2 or n < 2:
        return x
    side, middle = (1 / 8, 6 / 8) if order == 2 else (1 / 6, 4 / 6)
    x = moveaxis(x, axis, 0)
    flat = x.reshape(n, -1)
    precision = x.real.dtype
    if mode == "grid-wrap":
        i = np.arange(n)
        matrix = zeros((n, n), precision).at[i, i].add(middle)
        matrix = matrix.at[i, (i + 1) % n].add(side).at[i, (i - 1) % n].add(side)
        found = solve(matrix, flat)
    else:
        ab = np.array([[side], [middle], [side]], precision) * np.ones(n, precision)
        if mode in ("reflect", "grid-mirror", "nearest"):
            ab[1, [0, -1]] += side  # the neighbour outside is the element itself
        else:
            ab[0, 1] += side  # it is the neighbour inside
            ab[2, -2] += side
        found = solve_banded((1, 1), ab, flat)
    return moveaxis(found.reshape(x.shape), 0, axis)


def spline_filter(
    input: ArrayLike, order: int = 3, output: Any = np.float64, mode: str = "mirror"
) -> Inexact[Array, "..."]:
    """The coefficients of the splines through the elements of an array, along all axes.

    Arguments:
        input, order, output, mode: as for `spline_filter1d`.

    Raises:
        ValueError, UnsupportedError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import spline_filter
        >>> spline_filter(np.ones((2, 2)))
        Array([[1., 1.],
               [1., 1.]], dtype=float64)
    """
    x = asarray(input)
    for axis in range(x.ndim):
        x = spline_filter1d(x, order, axis, mode=mode)
    return x
