"""B-splines: `BSpline` evaluates them, `make_interp_spline` finds the one through given values."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import broadcast_to, concatenate, eye, moveaxis, searchsorted, stack, where, zeros
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index
from funcgrad.scipy.interpolate.piecewise import placed, samples
from funcgrad.scipy.linalg import solve_banded
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["BSpline", "make_interp_spline"]


def basis(t: Array, x: Array, k: int, last: int) -> tuple[list[Array], Array]:
    """The k + 1 B-splines of degree k that are not zero at each x, by de Boor's recurrence, and where they begin.

    Arguments:
        t: the knots.
        x: a vector.
        k: the degree.
        last: the number of B-splines.
    """
    i = (searchsorted(stop_gradient(t), stop_gradient(x), side="right") - 1).clip(k, last - 1)
    values: list[Any] = [0 * x + 1]
    for d in range(1, k + 1):
        following: list[Any] = [0 * x] * (d + 1)
        for r, v in enumerate(values):
            right, left = t[i + r + 1], t[i + r + 1 - d]
            width = right - left
            share = where(width == 0, 0.0, v / where(width == 0, 1.0, width))
            following[r] = following[r] + (right - x) * share
            following[r + 1] = following[r + 1] + (x - left) * share
        values = following
    return values, i - k


@tree.register_pytree_node_class
class BSpline:
    """A spline as a sum of B-splines.

    Arguments:
        t: the knots, in ascending order.
        c: the coefficients: n of them along the axis, where there are at least n + k + 1 knots.
        k: the degree.
        extrapolate: what is outside of t[k] to t[n]: True for the first and last polynomial, False for nan, "periodic".
        axis: the axis of c that goes with the B-splines.

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> from funcgrad.scipy.interpolate import BSpline
        >>> BSpline([0.0, 0.0, 1.0, 2.0, 2.0], [1.0, 3.0, 2.0], 1)(0.5)
        Array(2., dtype=float64)

    Source: scipy.interpolate.BSpline
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.BSpline.html)
    """

    def __init__(self, t: ArrayLike, c: ArrayLike, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        t, c = inexact(t), inexact(c)
        axis = normalize_axis_index(axis, c.ndim)
        n = t.size - k - 1
        if t.ndim != 1 or k < 0 or n < k + 1 or c.shape[axis] < n:
            raise ValueError(
                f"BSpline: for degree {k} and n coefficients there must be n + {k + 1} knots and n > {k}; got shapes "
                f"{t.shape} and {c.shape}"
            )
        self._set(t, moveaxis(c, axis, 0), k, extrapolate, axis)

    def _set(self, t: Any, c: Any, k: int, extrapolate: Any, axis: int) -> None:
        self.t, self.k, self.extrapolate, self.axis = t, k, extrapolate, axis
        self._c = c  # the coefficients along the first axis

    @property
    def c(self) -> Array:
        """The coefficients."""
        return moveaxis(self._c, 0, self.axis)

    def tree_flatten(self) -> tuple[tuple, tuple]:
        return (self.t, self._c), (self.k, self.extrapolate, self.axis)

    @classmethod
    def tree_unflatten(cls, aux: tuple, children: Any) -> BSpline:
        made = object.__new__(cls)
        made._set(*children, *aux)
        return made

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: Any = None) -> Inexact[Array, "..."]:
        """The values, or derivatives of order nu, at x. Their shape is that of x in the place of the axis."""
        if nu:
            return self.derivative(nu)(x, 0, self.extrapolate if extrapolate is None else extrapolate)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        q = asarray(x)
        q = q if q.dtype.kind == "f" else q.astype(float)
        shape, q = q.shape, q.reshape(-1)
        n = self.t.size - self.k - 1
        first, last = self.t[self.k], self.t[n]
        if extrapolate == "periodic":
            q = first + (q - first) % (last - first)
        values, start = basis(self.t, q, self.k, n)
        inner = (1,) * (self._c.ndim - 1)
        out: Any = 0
        for j, v in enumerate(values):
            out = out + v.reshape(-1, *inner) * self._c[start + j]
        if extrapolate is False:
            out = where(((q >= first) & (q <= last)).reshape(-1, *inner), out, np.nan)
        return placed(out.reshape(*shape, *self._c.shape[1:]), len(shape), self.axis)

    def derivative(self, nu: int = 1) -> BSpline:
        """The derivative of order nu, as a spline."""
        if nu < 0:
            raise UnsupportedError("BSpline has no antiderivative here; use PPoly, or a CubicSpline's")
        t, c, k = self.t, self._c, self.k
        for _ in range(nu):
            n = t.size - k - 1
            if k == 0:
                c = 0 * c
                break
            width = (t[k + 1 : k + n] - t[1:n]).reshape(-1, *(1,) * (c.ndim - 1))
            c = where(width == 0, 0.0, k * (c[1:n] - c[: n - 1]) / where(width == 0, 1.0, width))
            t, k = t[1:-1], k - 1
        made = object.__new__(BSpline)
        made._set(t, c, k, self.extrapolate, self.axis)
        return made


def make_interp_spline(
    x: ArrayLike,
    y: ArrayLike,
    k: int = 3,
    t: ArrayLike | None = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """The spline of degree k through given values.

    Arguments:
        x: the points, in ascending order.
        y: the values there.
        k: the degree.
        t: the knots; by default those of SciPy: not-a-knot, or the points if bc_type is given.
        bc_type: what holds at the ends: None or "not-a-knot", "natural", "clamped", or a pair of those or of lists of
            pairs (order, value) of derivatives. Periodic splines are `CubicSpline`'s.
        axis: the axis of y that goes with x.
        check_finite: accepted as in SciPy.

    Raises:
        ValueError: the shapes do not fit, x does not increase, or the numbers of knots and equations differ.
        UnsupportedError: bc_type is "periodic".

    Example:
        >>> from funcgrad.scipy.interpolate import make_interp_spline
        >>> x = np.array([0.0, 1.0, 2.0, 3.0])
        >>> make_interp_spline(x, x**2, k=2)(1.5)
        Array(2.25, dtype=float64)
    """
    x, y, axis = samples("make_interp_spline", x, y, axis, least=1 if k == 0 else 2)
    left, right = _derivatives(bc_type, k)
    if k <= 1 and t is None and not left and not right:
        knots = concatenate([x, x[-1:]]) if k == 0 else concatenate([x[:1], x, x[-1:]])
        return _spline(knots, y, k, axis)
    n = x.size
    if t is None:
        knots = _default_knots(x, k, free=not left and not right)
    else:
        knots = asarray(t)
    total = knots.size - k - 1
    if total != n + len(left) + len(right):
        raise ValueError(
            f"make_interp_spline: {total} coefficients, from {knots.size} knots and degree {k}, but "
            f"{n + len(left) + len(right)} equations, from {n} points and {len(left) + len(right)} derivatives"
        )
    rows = np.arange(n)[:, None] + len(left)
    values, start = basis(knots, x, k, total)
    ab = zeros((2 * k + 1, total), x.dtype)
    columns = start[:, None] + np.arange(k + 1)
    ab = ab.at[k + rows - columns, columns].set(stack(values, axis=1))
    sides = [y.reshape(n, -1)]
    ends = [(left, knots[: 2 * k + 2], x[0], 0, 0), (right, knots[-2 * k - 2 :], x[-1], total - k - 1, n + len(left))]
    for given, near, point, column, row in ends:
        local = _spline(near, eye(k + 1, dtype=x.dtype), k, 0)
        found = []
        for r, (order, value) in enumerate(given):
            at = column + np.arange(k + 1)
            ab = ab.at[k + row + r - at, at].set(local(point, order))
            found.append(broadcast_to(asarray(value), y.shape[1:]).reshape(1, -1))
        sides = [*found, *sides] if row == 0 else [*sides, *found]
    c = solve_banded((k, k), ab, concatenate(sides).astype(y.dtype))
    return _spline(knots, c.reshape(total, *y.shape[1:]), k, axis)


def _spline(t: Any, c: Any, k: int, axis: int) -> BSpline:
    made = object.__new__(BSpline)
    made._set(t, c, k, True, axis)
    return made


def _derivatives(bc_type: Any, k: int) -> tuple[list, list]:
    """The orders and values of derivatives at both ends."""
    if isinstance(bc_type, str) or bc_type is None:
        bc_type = (bc_type, bc_type)
    found = []
    for end in bc_type:
        if end == "periodic":
            raise UnsupportedError('make_interp_spline does not have bc_type "periodic"; use CubicSpline')
        named = {None: [], "not-a-knot": [], "natural": [(2, 0.0)], "clamped": [(1, 0.0)]}
        if end is None or isinstance(end, str):
            if end not in named:
                raise ValueError(f"make_interp_spline: bc_type {end!r} is unknown")
            found.append(named[end])
        else:
            found.append(list(end))
    return found[0], found[1]


def _default_knots(x: Array, k: int, free: bool) -> Array:
    """The points with the first and last repeated; if the ends are free, without some points near them."""
    if not free:
        inner = x[1:-1]
    elif k % 2:
        inner = x[(k + 1) // 2 : x.size - (k + 1) // 2]
    else:
        middle = (x[1:] + x[:-1]) / 2
        inner = middle[k // 2 : middle.size - k // 2]
    return concatenate([broadcast_to(x[:1], (k + 1,)), inner, broadcast_to(x[-1:], (k + 1,))])
