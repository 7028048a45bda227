"""Piecewise polynomials, and those that are found from values and slopes: cubic splines, PCHIP, Akima's.

An interpolator is a pytree of its coefficients and breakpoints, so derivatives go to values, points and queries alike.
In which piece a query lies is a matter of comparison, without a derivative; the pieces join, as smoothly as they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.errors import ArgumentError
from funcgrad.numpy import (
    absolute,
    concatenate,
    cumsum,
    diff,
    moveaxis,
    result_type,
    searchsorted,
    sign,
    stack,
    transpose,
    where,
    zeros,
)
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index
from funcgrad.numpy.linalg import solve
from funcgrad.scipy.linalg import solve_banded
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PPoly",
    "PchipInterpolator",
    "pchip_interpolate",
]


@tree.register_pytree_node_class
class PPoly:
    """A piecewise polynomial: Σ c[m, i] (x - x[i])^(k - m) between x[i] and x[i + 1].

    Arguments:
        c: coefficients, the highest power first: an axis for the powers, one for the pieces, and others.
        x: the breakpoints, in ascending order.
        extrapolate: what is outside: True for the first and last polynomial, False for nan, "periodic".
        axis: the axis that queries take in results.

    Raises:
        ValueError: c has no axis of pieces that fits x.

    Example:
        >>> from funcgrad.scipy.interpolate import PPoly
        >>> PPoly([[1.0, 2.0], [0.0, 1.0]], [0.0, 1.0, 2.0])(1.5)
        Array(2., dtype=float64)

    Source: scipy.interpolate.PPoly
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.PPoly.html)
    """

    c: Any
    x: Any
    extrapolate: Any
    axis: int

    def __init__(self, c: ArrayLike, x: ArrayLike, extrapolate: Any = None, axis: int = 0) -> None:
        c, x = inexact(c), asarray(x)
        if x.ndim != 1 or c.ndim < 2 or c.shape[1] != x.size - 1:
            raise ValueError(f"PPoly: c must have an axis of {x.size - 1} pieces after the first, got shape {c.shape}")
        self._set(c, x, True if extrapolate is None else extrapolate, axis)

    def _set(self, c: Any, x: Any, extrapolate: Any, axis: int) -> None:
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def tree_flatten(self) -> tuple[tuple, tuple]:
        return (self.c, self.x), (self.extrapolate, self.axis)

    @classmethod
    def tree_unflatten(cls, aux: tuple, children: Any) -> PPoly:
        made = object.__new__(PPoly)
        made._set(*children, *aux)
        return made

    def __call__(self, x: ArrayLike, nu: int = 0, extrapolate: Any = None) -> Inexact[Array, "..."]:
        """The values, or derivatives of order nu, at x. Their shape is that of x in the place of the axis."""
        if nu:
            return (self.derivative(nu) if nu > 0 else self.antiderivative(-nu))(x, 0, extrapolate)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        q = asarray(x)
        q = q if q.dtype.kind == "f" else q.astype(float)
        shape, q = q.shape, q.reshape(-1)
        first, last = self.x[0], self.x[-1]
        if extrapolate == "periodic":
            q = first + (q - first) % (last - first)
        i = (searchsorted(stop_gradient(self.x), stop_gradient(q), side="right") - 1).clip(0, self.x.size - 2)
        s = (q - self.x[i]).reshape(-1, *(1,) * (self.c.ndim - 2))
        out: Any = self.c[0][i] + 0 * s
        for row in self.c[1:]:
            out = out * s + row[i]
        if extrapolate is False:
            inside = ((q >= first) & (q <= last)).reshape(s.shape)
            out = where(inside, out, np.nan)
        return placed(out.reshape(*shape, *self.c.shape[2:]), len(shape), self.axis)

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative of order nu, as a piecewise polynomial."""
        if nu < 0:
            return self.antiderivative(-nu)
        c = self.c
        for _ in range(nu):
            k = len(c) - 1
            powers = np.arange(k, 0, -1.0).reshape(-1, *(1,) * (c.ndim - 1))
            c = c[:-1] * powers if k else 0 * c
        return _piecewise(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The antiderivative of order nu that is zero at the first breakpoint, as a piecewise polynomial."""
        c = self.c
        h = diff(self.x).reshape(-1, *(1,) * (c.ndim - 2))
        for _ in range(nu):
            k = len(c)
            c = c / np.arange(k, 0, -1.0).reshape(-1, *(1,) * (c.ndim - 1))
            total: Any = c[0]
            for row in c[1:]:
                total = total * h + row
            ends = cumsum(total * h, axis=0)
            c = concatenate([c, concatenate([0 * ends[:1], ends[:-1]])[None]])
        return _piecewise(c, self.x, False if self.extrapolate == "periodic" else self.extrapolate, self.axis)

    def integrate(self, a: ArrayLike, b: ArrayLike, extrapolate: Any = None) -> Inexact[Array, "..."]:
        """The integral from a to b."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            raise ArgumentError("PPoly.integrate: periodic polynomials are integrated over one period only")
        primitive = self.antiderivative()
        return primitive(b, 0, extrapolate) - primitive(a, 0, extrapolate)


def placed(out: Array, count: int, axis: int) -> Array:
    """An array whose first `count` axes, those of queries, move to where the axis was."""
    order = list(range(out.ndim))
    return transpose(out, order[count : count + axis] + order[:count] + order[count + axis :]) if axis else out


def _piecewise(c: Any, x: Any, extrapolate: Any, axis: int) -> PPoly:
    made = object.__new__(PPoly)
    made._set(c, x, extrapolate, axis)
    return made


def samples(name: str, x: ArrayLike, y: ArrayLike, axis: int, least: int = 2) -> tuple[Array, Array, int]:
    """The points, the values with the axis in front, and the axis, checked."""
    x, y = asarray(x), inexact(y)
    x = x if x.dtype.kind == "f" else x.astype(float)
    axis = normalize_axis_index(axis, y.ndim)
    if x.ndim != 1 or x.size < least or y.shape[axis] != x.size:
        raise ValueError(
            f"{name}: x must be a vector of at least {least} points, as long as y along the axis; got shapes {x.shape} "
            f"and {y.shape}"
        )
    rising = known((diff(x) > 0).all())
    if rising is not None and not rising:
        raise ValueError(f"{name}: x must increase strictly")
    kind = result_type(x, y)
    return x, moveaxis(y.astype(kind), axis, 0), axis


def _chords(x: Array, y: Array) -> tuple[Array, Array]:
    """The distances between points, with the axes of y, and the slopes of the chords over them."""
    h = diff(x).reshape(-1, *(1,) * (y.ndim - 1))
    return h, diff(y, axis=0) / h


@tree.register_pytree_node_class
class CubicHermiteSpline(PPoly):
    """The piecewise cubic polynomial with given values and slopes.

    Arguments:
        x: the points, in ascending order.
        y: the values there.
        dydx: the slopes there.
        axis: the axis of y that goes with x.
        extrapolate: as for `PPoly`.

    Raises:
        ValueError: the shapes do not fit, or x does not increase.

    Example:
        >>> from funcgrad.scipy.interpolate import CubicHermiteSpline
        >>> CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 0.0])(0.5)
        Array(0.5, dtype=float64)

    Source: scipy.interpolate.CubicHermiteSpline
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.CubicHermiteSpline.html)
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, dydx: ArrayLike, axis: int = 0, extrapolate: Any = None) -> None:
        points, values, axis = samples("CubicHermiteSpline", x, y, axis)
        slopes = moveaxis(asarray(dydx), axis, 0)
        if slopes.shape != values.shape:
            raise ValueError(f"CubicHermiteSpline: dydx must be like y, got shape {asarray(dydx).shape}")
        self._from_slopes(points, values, slopes, axis, extrapolate)

    def _from_slopes(self, x: Array, y: Array, s: Array, axis: int, extrapolate: Any) -> None:
        h, slope = _chords(x, y)
        t = (s[:-1] + s[1:] - 2 * slope) / h
        c = stack([t / h, (slope - s[:-1]) / h - t, s[:-1], y[:-1]])
        self._set(c, x, True if extrapolate is None else extrapolate, axis)


@tree.register_pytree_node_class
class CubicSpline(CubicHermiteSpline):
    """The cubic spline through given values: its second derivative is continuous.

    Arguments:
        x: the points, in ascending order.
        y: the values there.
        axis: the axis of y that goes with x.
        bc_type: what holds at the ends: "not-a-knot", "natural", "clamped", "periodic", or a pair of them, or of pairs
            (order, value) of derivatives.
        extrapolate: as for `PPoly`; by default "periodic" for periodic splines.

    Raises:
        ValueError: the shapes do not fit, x does not increase, or bc_type is unknown.

    Example:
        >>> from funcgrad.scipy.interpolate import CubicSpline
        >>> x = np.array([0.0, 1.0, 2.0, 3.0])
        >>> CubicSpline(x, x**3)(1.5)
        Array(3.375, dtype=float64)
        >>> fg.grad(lambda y: CubicSpline(x, y)(1.5))(x**3)
        Array([-0.0625,  0.5625,  0.5625, -0.0625], dtype=float64)

    Source: scipy.interpolate.CubicSpline
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.CubicSpline.html)
    """

    def __init__(
        self, x: ArrayLike, y: ArrayLike, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
    ) -> None:
        points, values, axis = samples("CubicSpline", x, y, axis)
        first, last = _ends(bc_type, values)
        periodic = first == "periodic"
        if extrapolate is None:
            extrapolate = "periodic" if periodic else True
        if periodic:
            ends = known(absolute(values[0] - values[-1]).max(initial=0.0))
            if ends is not None and ends > 1e-15 + 1e-15 * np.abs(known(values)[0]).max(initial=0.0):
                raise ValueError('CubicSpline: with bc_type "periodic" the first and last values must be equal')
            slopes = _periodic_slopes(points, values)
        else:
            slopes = _spline_slopes(points, values, first, last)
        self._from_slopes(points, values, slopes, axis, extrapolate)


def _ends(bc_type: Any, y: Array) -> tuple[Any, Any]:
    """What holds at each end: "not-a-knot", "periodic", or the order and value of a derivative."""
    both = (bc_type, bc_type) if isinstance(bc_type, str) else tuple(bc_type)
    found = []
    for end in both:
        if isinstance(end, str):
            if end not in ("not-a-knot", "periodic", "natural", "clamped"):
                raise ValueError(f"CubicSpline: bc_type {end!r} is unknown")
            orders = {"natural": 2, "clamped": 1}
            found.append((orders[end], zeros(y.shape[1:], y.dtype)) if end in orders else end)
            continue
        order, value = end
        value = asarray(value)
        if order not in (1, 2) or value.shape != y.shape[1:]:
            raise ValueError(
                f"CubicSpline: bc_type may give a derivative of order 1 or 2 of shape {y.shape[1:]}, got order {order} "
                f"and shape {value.shape}"
            )
        found.append((order, value))
    if len(found) != 2 or ("periodic" in [f for f in found if isinstance(f, str)] and found[0] != found[1]):
        raise ValueError(f"CubicSpline: bc_type must be a pair, of which none or both are periodic; got {bc_type!r}")
    return found[0], found[1]


def _spline_slopes(x: Array, y: Array, first: Any, last: Any) -> Array:
    """The slopes of the spline, from the equations that its second derivative is continuous."""
    n = x.size
    h, (tall, slope) = diff(x), _chords(x, y)
    free = [isinstance(end, str) for end in (first, last)]
    if n == 2:  # a straight line as far as the ends allow
        first, last = [(1, slope[0]) if f else end for f, end in zip(free, (first, last), strict=True)]
        free = [False, False]
    if n == 3 and all(free):  # a parabola
        middle = (tall[1] * slope[0] + tall[0] * slope[1]) / (tall[0] + tall[1])
        return stack([2 * slope[0] - middle, middle, 2 * slope[1] - middle])
    one, nil = h[:1] * 0 + 1, h[:1] * 0
    if free[0]:
        d = x[2] - x[0]
        row0, next0 = h[1:2], d[None]
        right0 = ((tall[0] + 2 * d) * tall[1] * slope[0] + tall[0] ** 2 * slope[1]) / d
    elif first[0] == 1:
        row0, next0, right0 = one, nil, first[1] + 0 * slope[0]
    else:
        row0, next0, right0 = 2 * h[:1], h[:1], -0.5 * first[1] * tall[0] ** 2 + 3 * (y[1] - y[0])
    if free[1]:
        d = x[-1] - x[-3]
        row1, next1 = h[-2:-1], d[None]
        right1 = (tall[-1] ** 2 * slope[-2] + (2 * d + tall[-1]) * tall[-2] * slope[-1]) / d
    elif last[0] == 1:
        row1, next1, right1 = one, nil, last[1] + 0 * slope[0]
    else:
        row1, next1, right1 = 2 * h[-1:], h[-1:], 0.5 * last[1] * tall[-1] ** 2 + 3 * (y[-1] - y[-2])
    middle = 3 * (tall[1:] * slope[:-1] + tall[:-1] * slope[1:])
    ab = stack(
        [
            concatenate([nil, next0, h[:-1]]),
            concatenate([row0, 2 * (h[:-1] + h[1:]), row1]),
            concatenate([h[1:], next1, nil]),
        ]
    )
    right = concatenate([right0[None], middle, right1[None]])
    return solve_banded((1, 1), ab, right.reshape(n, -1)).reshape(y.shape)


def _periodic_slopes(x: Array, y: Array) -> Array:
    n = x.size - 1
    h, (tall, slope) = diff(x), _chords(x, y)
    i = np.arange(n)
    before, h_before, slope_before = i - 1, h[i - 1], slope[i - 1]
    system = zeros((n, n), h.dtype).at[i, i].add(2 * (h + h_before))
    system = system.at[i, before].add(h).at[i, (i + 1) % n].add(h_before)
    right = 3 * (tall * slope_before + tall[before] * slope)
    found = solve(system, right.reshape(n, -1)).reshape(right.shape)
    return concatenate([found, found[:1]])


@tree.register_pytree_node_class
class PchipInterpolator(CubicHermiteSpline):
    """The piecewise cubic polynomial that is monotone where the values are.

    Arguments:
        x: the points, in ascending order.
        y: the values there, which are real.
        axis: the axis of y that goes with x.
        extrapolate: as for `PPoly`.

    Raises:
        ValueError: the shapes do not fit, x does not increase, or y is complex.

    Example:
        >>> from funcgrad.scipy.interpolate import PchipInterpolator
        >>> PchipInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])(1.5)
        Array(1., dtype=float64)

    Source: scipy.interpolate.PchipInterpolator
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.PchipInterpolator.html)
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, axis: int = 0, extrapolate: Any = None) -> None:
        points, values, axis = samples("PchipInterpolator", x, y, axis)
        if values.dtype.kind == "c":
            raise ValueError("PchipInterpolator takes real values: complex ones are not monotone")
        self._from_slopes(points, values, _monotone_slopes(points, values), axis, extrapolate)


def _monotone_slopes(x: Array, y: Array) -> Array:
    h, m = _chords(x, y)
    if len(m) == 1:
        return concatenate([m, m])
    flat = (sign(m[1:]) != sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    left, right = (where(flat, 1.0, v) for v in (m[:-1], m[1:]))
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    inner = where(flat, 0.0, (w1 + w2) / (w1 / left + w2 / right))
    return concatenate([_end_slope(h[0], h[1], m[0], m[1])[None], inner, _end_slope(h[-1], h[-2], m[-1], m[-2])[None]])


def _end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope of the parabola through three points at the first, cut off where it would not be monotone."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (sign(m0) != sign(m1)) & (absolute(d) > 3 * absolute(m0))
    return where(sign(d) != sign(m0), 0.0, where(steep, 3 * m0, d))


def pchip_interpolate(xi: ArrayLike, yi: ArrayLike, x: ArrayLike, der: int = 0, axis: int = 0) -> Inexact[Array, "..."]:
    """Values of the interpolant of `PchipInterpolator`, or derivatives of it.

    Arguments:
        xi, yi, axis: the points, the values and the axis.
        x: the queries.
        der: the order of the derivative.

    Raises:
        ValueError: as for `PchipInterpolator`.

    Example:
        >>> from funcgrad.scipy.interpolate import pchip_interpolate
        >>> pchip_interpolate([0.0, 1.0, 2.0], [0.0, 1.0, 1.0], 1.5)
        Array(1., dtype=float64)
    """
    return PchipInterpolator(xi, yi, axis)(x, der)


@tree.register_pytree_node_class
class Akima1DInterpolator(CubicHermiteSpline):
    """Akima's piecewise cubic polynomial, whose slopes depend on the nearest points only.

    Arguments:
        x: the points, in ascending order.
        y: the values there, which are real.
        axis: the axis of y that goes with x.
        method: "akima", or "makima" for the one that overshoots less.
        extrapolate: as for `PPoly`; by default False.

    Raises:
        ValueError: the shapes do not fit, x does not increase, or the method is unknown.

    Example:
        >>> from funcgrad.scipy.interpolate import Akima1DInterpolator
        >>> Akima1DInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 4.0, 9.0])(1.5)
        Array(2.25, dtype=float64)

    Source: scipy.interpolate.Akima1DInterpolator
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.interpolate.Akima1DInterpolator.html)
    """

    def __init__(
        self, x: ArrayLike, y: ArrayLike, axis: int = 0, *, method: str = "akima", extrapolate: Any = None
    ) -> None:
        if method not in ("akima", "makima"):
            raise ValueError(f'Akima1DInterpolator: method must be "akima" or "makima", got {method!r}')
        points, values, axis = samples("Akima1DInterpolator", x, y, axis)
        slopes = _akima_slopes(points, values, method == "makima")
        self._from_slopes(points, values, slopes, axis, False if extrapolate is None else extrapolate)


def _akima_slopes(x: Array, y: Array, modified: bool) -> Array:
    _, m = _chords(x, y)
    if len(m) == 1:
        return concatenate([m, m])
    front, back = 2 * m[0] - m[1], 2 * m[-1] - m[-2]
    m = concatenate([(2 * front - m[0])[None], front[None], m, back[None], (2 * back - m[-1])[None]])
    change = absolute(diff(m, axis=0))
    f1, f2 = change[2:], change[:-2]
    if modified:
        size = absolute(m[1:] + m[:-1])
        f1, f2 = f1 + 0.5 * size[2:], f2 + 0.5 * size[:-2]
    total = f1 + f2
    clear = total > 1e-9 * stop_gradient(total.max(initial=-np.inf))
    weight = where(clear, f2, 0.0) / where(clear, total, 1.0)
    return where(clear, m[1:-2] + weight * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))
