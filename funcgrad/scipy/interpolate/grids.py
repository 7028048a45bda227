"""Interpolation of values on a rectangular grid: `RegularGridInterpolator`, `interpn`; and on a line: `interp1d`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import broadcast_arrays, diff, flip, isnan, moveaxis, result_type, searchsorted, stack, where
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index
from funcgrad.scipy.interpolate.bsplines import basis, make_interp_spline
from funcgrad.scipy.interpolate.piecewise import placed
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["RegularGridInterpolator", "interp1d", "interpn"]

_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


@tree.register_pytree_node_class
class RegularGridInterpolator:
    """Interpolation of values on a rectangular grid of any number of dimensions.

    Arguments:
        points: for each dimension a vector of coordinates, ascending or descending.
        values: the values on the grid; further axes may follow.
        method: "linear", "nearest", or a spline, "slinear", "cubic" or "quintic".
        bounds_error: whether a query outside is an error. Where values are not known, as under `jit`, it gives nan.
        fill_value: what there is outside if it is no error; None to extrapolate.

    Raises:
        ValueError: the shapes do not fit, coordinates are not sorted, or the method is unknown.

    Example:
        >>> from funcgrad.scipy.interpolate import RegularGridInterpolator
        >>> grid = np.array([0.0, 1.0]), np.array([0.0, 2.0])
        >>> f = RegularGridInterpolator(grid, np.array([[0.0, 4.0], [1.0, 5.0]]))
        >>> f(np.array([0.5, 1.0])), fg.grad(lambda q: f(q)[0])(np.array([0.5, 1.0]))
        (Array([2.5], dtype=float64), Array([1., 2.], dtype=float64))

    Source: scipy.interpolate.RegularGridInterpolator
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.RegularGridInterpolator.html)
    """

    def __init__(
        self,
        points: Sequence[ArrayLike],
        values: ArrayLike,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: ArrayLike | None = np.nan,
    ) -> None:
        _check_method(method)
        grid = [asarray(p) for p in points]
        grid = [p if p.dtype.kind == "f" else p.astype(float) for p in grid]
        data = inexact(values)
        if len(grid) > data.ndim or any(p.shape != (n,) for p, n in zip(grid, data.shape, strict=False)):
            raise ValueError(
                f"RegularGridInterpolator: points must be vectors as long as the axes of values; got shapes "
                f"{', '.join([str(p.shape) for p in grid])} and {data.shape}"
            )
        for i, p in enumerate(grid):
            steps = known(diff(p))
            if steps is not None and (steps < 0).all():
                grid[i], data = flip(p), flip(data, i)
            elif steps is not None and not (steps > 0).all():
                raise ValueError(f"RegularGridInterpolator: the points of dimension {i} must be sorted, each once")
        fill = None if fill_value is None else asarray(fill_value)
        self._set(tuple(grid), data, fill, method, bool(bounds_error))

    def _set(self, grid: Any, values: Any, fill_value: Any, method: str, bounds_error: bool) -> None:
        self.grid, self.values, self.fill_value = grid, values, fill_value
        self.method, self.bounds_error = method, bounds_error

    def tree_flatten(self) -> tuple[tuple, tuple]:
        return (self.grid, self.values, self.fill_value), (self.method, self.bounds_error)

    @classmethod
    def tree_unflatten(cls, aux: tuple, children: Any) -> RegularGridInterpolator:
        made = object.__new__(cls)
        made._set(*children, *aux)
        return made

    def __call__(self, xi: Any, method: str | None = None) -> Inexact[Array, "..."]:
        """The values at xi: an array whose last axis has the coordinates, or a tuple of arrays of coordinates."""
        method = self.method if method is None else method
        _check_method(method)
        d = len(self.grid)
        q = stack(broadcast_arrays(*map(asarray, xi)), axis=-1) if isinstance(xi, tuple) else asarray(xi)
        q = q if q.dtype.kind == "f" else q.astype(float)
        if q.ndim == 1:
            q = q[:, None] if d == 1 else q[None]
        if q.shape[-1] != d:
            raise ValueError(f"RegularGridInterpolator: xi must have {d} coordinates in its last axis, got {q.shape}")
        shape, q = q.shape[:-1], q.reshape(-1, d)
        columns = [q[:, i] for i in range(d)]
        inside = True
        for i, (x, p) in enumerate(zip(columns, self.grid, strict=True)):
            here = (x >= p[0]) & (x <= p[-1]) | isnan(x)
            everywhere = known(here.all())
            if self.bounds_error and everywhere is not None and not everywhere:
                raise ValueError(f"One of the requested xi is out of bounds in dimension {i}")
            inside = inside & here
        if method == "nearest":
            out = self._nearest(columns)
        elif method == "linear":
            out = self._linear(columns)
        else:
            out = self._spline(columns, _DEGREES[method])
        inner = (1,) * (out.ndim - 1)
        if self.fill_value is not None or self.bounds_error:
            outside = np.nan if self.bounds_error else self.fill_value
            out = where(asarray(inside).reshape(-1, *inner), out, outside)
        for x in columns:
            out = where(isnan(x).reshape(-1, *inner), np.nan, out)
        return out.reshape(*shape, *self.values.shape[d:])

    def _cells(self, columns: list[Array]) -> list[tuple[Array, Array]]:
        """For each dimension the number of the cell of each query, and where in it the query lies, from 0 to 1."""
        found = []
        for x, p in zip(columns, self.grid, strict=True):
            if p.size == 1:
                found.append((searchsorted(stop_gradient(p), stop_gradient(x)) * 0, 0 * x))
                continue
            i = (searchsorted(stop_gradient(p), stop_gradient(x), side="right") - 1).clip(0, p.size - 2)
            found.append((i, (x - p[i]) / (p[i + 1] - p[i])))
        return found

    def _nearest(self, columns: list[Array]) -> Array:
        places = [
            (i + (stop_gradient(s) > 0.5)).clip(0, p.size - 1)
            for (i, s), p in zip(self._cells(columns), self.grid, strict=True)
        ]
        return self.values[tuple(places)]

    def _linear(self, columns: list[Array]) -> Array:
        inner = (1,) * (self.values.ndim - len(columns))
        sides = [
            [(i, (1 - s).reshape(-1, *inner)), (i + 1, s.reshape(-1, *inner))] if p.size > 1 else [(i, 1.0)]
            for (i, s), p in zip(self._cells(columns), self.grid, strict=True)
        ]
        return self._weighted(self.values, sides)

    def _spline(self, columns: list[Array], k: int) -> Array:
        c, inner = self.values, (1,) * (self.values.ndim - len(columns))
        sides = []
        for axis, (x, p) in enumerate(zip(columns, self.grid, strict=True)):
            if p.size <= k:
                raise ValueError(f"RegularGridInterpolator: a spline of degree {k} needs {k + 1} points, got {p.size}")
            spline = make_interp_spline(p, c, k, axis=axis)
            c = spline.c
            weights, start = basis(spline.t, x, k, p.size)
            sides.append([(start + j, w.reshape(-1, *inner)) for j, w in enumerate(weights)])
        return self._weighted(c, sides)

    def _weighted(self, c: Any, sides: list[list[tuple]]) -> Array:
        """The sum over all choices of one of the sides in each dimension."""
        total: Any = 0
        for choice in itertools.product(*sides):
            weight: Any = 1
            for _, w in choice:
                weight = weight * w
            total = total + weight * c[tuple([i for i, _ in choice])]
        return total


def _check_method(method: str) -> None:
    if method == "pchip":
        raise UnsupportedError('RegularGridInterpolator does not have the method "pchip"')
    if method not in ("linear", "nearest", *_DEGREES):
        raise ValueError(f"RegularGridInterpolator: the method {method!r} is unknown")


def interpn(
    points: Sequence[ArrayLike],
    values: ArrayLike,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: ArrayLike | None = np.nan,
) -> Inexact[Array, "..."]:
    """Interpolation of values on a rectangular grid.

    Arguments:
        points, values, method, bounds_error, fill_value: as for `RegularGridInterpolator`.
        xi: the queries: an array whose last axis has the coordinates, or a tuple of arrays of coordinates.

    Raises:
        ValueError: as there.

    Example:
        >>> from funcgrad.scipy.interpolate import interpn
        >>> interpn((np.array([0.0, 1.0]),), np.array([0.0, 4.0]), np.array([0.25, 0.5]))
        Array([1., 2.], dtype=float64)
    """
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)


@tree.register_pytree_node_class
class interp1d:  # noqa: N801  # SciPy's name
    """Interpolation of values on a line.

    Arguments:
        x: the points.
        y: the values there.
        kind: "linear", "nearest", "nearest-up", "previous", "next", or a spline: "zero", "slinear", "quadratic",
            "cubic", or its degree.
        axis: the axis of y that goes with x.
        copy: accepted as in SciPy.
        bounds_error: whether a query outside is an error; by default it is, unless fill_value is "extrapolate".
        fill_value: what there is outside: a value, a pair for below and above, or "extrapolate".
        assume_sorted: whether x is in ascending order; otherwise it is sorted.

    Raises:
        ValueError: the shapes do not fit, or the kind is unknown.

    Example:
        >>> from funcgrad.scipy.interpolate import interp1d
        >>> f = interp1d(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 4.0]))
        >>> f(1.5), fg.grad(f)(1.5)
        (Array(2.5, dtype=float64), Array(3., dtype=float64))

    Source: scipy.interpolate.interp1d
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.interp1d.html)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        kind: str | int = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        x, y = inexact(x), inexact(y)
        axis = normalize_axis_index(axis, y.ndim)
        if x.ndim != 1 or y.shape[axis] != x.size or not x.size:
            raise ValueError(f"interp1d: x must be a vector as long as y along the axis, got {x.shape} and {y.shape}")
        kinds = ("linear", "nearest", "nearest-up", "previous", "next", *_KINDS)
        if isinstance(kind, str) and kind not in kinds:
            raise ValueError(f"interp1d: kind must be one of {', '.join(kinds)}, or a degree; got {kind!r}")
        y = moveaxis(y, axis, 0)
        if not assume_sorted:
            order = stop_gradient(x).argsort()
            x, y = x[order], y[order]
        extrapolate = isinstance(fill_value, str)
        if extrapolate and fill_value != "extrapolate":
            raise ValueError(f'interp1d: fill_value must be a value, a pair, or "extrapolate"; got {fill_value!r}')
        fill: Any = None
        if not extrapolate:
            both = fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)
            fill = tuple(map(asarray, both))
        self._set(x, y, fill, kind, axis, not extrapolate if bounds_error is None else bounds_error)

    def _set(self, x: Any, y: Any, fill: Any, kind: Any, axis: int, bounds_error: bool) -> None:
        self.x, self._y, self._fill = x, y, fill
        self._kind, self.axis, self.bounds_error = kind, axis, bounds_error

    @property
    def y(self) -> Array:
        """The values."""
        return moveaxis(self._y, 0, self.axis)

    def tree_flatten(self) -> tuple[tuple, tuple]:
        return (self.x, self._y, self._fill), (self._kind, self.axis, self.bounds_error)

    @classmethod
    def tree_unflatten(cls, aux: tuple, children: Any) -> interp1d:
        made = object.__new__(cls)
        made._set(*children, *aux)
        return made

    def __call__(self, x: ArrayLike) -> Inexact[Array, "..."]:
        """The values at x. Their shape is that of x in the place of the axis."""
        q = asarray(x)
        q = q if q.dtype.kind == "f" else q.astype(float)
        shape, q = q.shape, q.reshape(-1)
        out = self._inside(q)
        inner = (1,) * (out.ndim - 1)
        if self._fill is not None:
            below, above = q < self.x[0], q > self.x[-1]
            beyond = known((below | above).any())
            if self.bounds_error and beyond is not None and beyond:
                raise ValueError("interp1d: a value in x is below or above the interpolation range")
            out = where(below.reshape(-1, *inner), self._fill[0], out)
            out = where(above.reshape(-1, *inner), self._fill[1], out)
        out = out.astype(result_type(self._y, q))
        return placed(out.reshape(*shape, *self._y.shape[1:]), len(shape), self.axis)

    def _inside(self, q: Array) -> Array:
        x, y, n = stop_gradient(self.x), self._y, self.x.size
        at, inner = stop_gradient(q), (1,) * (y.ndim - 1)
        if self._kind == "linear":
            i = searchsorted(x, at).clip(1, n - 1)
            slope = (y[i] - y[i - 1]) / (self.x[i] - self.x[i - 1]).reshape(-1, *inner)
            return slope * (q - self.x[i - 1]).reshape(-1, *inner) + y[i - 1]
        if self._kind in ("nearest", "nearest-up"):
            side = "left" if self._kind == "nearest" else "right"
            return y[searchsorted((x[1:] + x[:-1]) / 2, at, side=side)]
        if self._kind == "previous":
            found = y[(searchsorted(x, at, side="right") - 1).clip(0, n - 1)]
            return where((at < x[0]).reshape(-1, *inner), np.nan, found)
        if self._kind == "next":
            return where((at > x[-1]).reshape(-1, *inner), np.nan, y[searchsorted(x, at).clip(0, n - 1)])
        degree = _KINDS[self._kind] if isinstance(self._kind, str) else self._kind
        return make_interp_spline(self.x, y, degree)(q)


_KINDS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
