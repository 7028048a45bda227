"""Integrals of functions of which samples are given: the rules of Simpson and Romberg, and running integrals."""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Inexact
from funcgrad.numpy import concatenate, cumsum, diff, flip, full, moveaxis, reshape, stack, sum, where
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index

__all__ = ["cumulative_simpson", "cumulative_trapezoid", "romb", "simpson"]


def _taken(name: str, y: ArrayLike, x: Any, dx: ArrayLike, axis: int) -> tuple[Array, Any, int]:
    """The samples along the last axis, the distances between them, and the axis along which they were."""
    y = inexact(y)
    axis = normalize_axis_index(axis, y.ndim)
    y = moveaxis(y, axis, -1)
    if x is None:
        step = asarray(dx)
        if step.ndim and (step.ndim != y.ndim or step.shape[axis] != 1):
            return y, step, axis  # one for each row, as far as it broadcasts
        return y, step if not step.ndim else moveaxis(step, axis, -1), axis
    x = asarray(x)
    points = x if x.ndim == 1 else moveaxis(x, axis, -1)
    if points.shape[-1] != y.shape[-1] or (x.ndim > 1 and x.ndim != y.ndim):
        raise ValueError(f"{name}: x must be a vector as long as y along the axis, or like y; got shape {x.shape}")
    return y, diff(points), axis


def _steps(d: Any, n: int) -> Array:
    """The n distances between n + 1 samples."""
    return d if d.ndim and d.shape[-1] == n else d * full(n, 1.0, d.dtype if d.dtype.kind == "f" else float)


def simpson(y: ArrayLike, x: ArrayLike | None = None, *, dx: ArrayLike = 1.0, axis: int = -1) -> Inexact[Array, "..."]:
    """Integral along an axis by Simpson's rule, a parabola through three samples at a time.

    Arguments:
        y: the samples.
        x: where they are taken: an array like y, or of one axis.
        dx: their distance, if x is not given.
        axis: along which.

    Returns:
        The integral. For an even number of samples the last interval has a formula of its own (Cartwright).

    Raises:
        ValueError: x does not fit y.

    Example:
        >>> from funcgrad.scipy.integrate import simpson
        >>> simpson(np.array([0.0, 1.0, 4.0]))
        Array(2.66666667, dtype=float64)
    """
    y, d, _ = _taken("simpson", y, x, dx, axis)
    n = y.shape[-1]
    if n < 2:
        return sum(y, axis=-1) * 0
    d = _steps(d, n - 1)
    if n == 2:
        return 0.5 * d[..., 0] * (y[..., 0] + y[..., 1])
    odd = n - 1 + n % 2  # the samples that pairs of intervals cover
    h0, h1 = d[..., 0 : odd - 1 : 2], d[..., 1 : odd - 1 : 2]
    y0, y1, y2 = y[..., 0 : odd - 2 : 2], y[..., 1 : odd - 1 : 2], y[..., 2:odd:2]
    h = h0 + h1
    parts = h / 6 * (y0 * (2 - _over(h1, h0)) + y1 * _over(h * h, h0 * h1) + y2 * (2 - _over(h0, h1)))
    total = sum(parts, axis=-1)
    if n % 2 == 0:
        h0, h1 = d[..., -2], d[..., -1]
        last = _over(2 * h1**2 + 3 * h0 * h1, 6 * (h0 + h1)) * y[..., -1]
        total = total + last + _over(h1**2 + 3 * h0 * h1, 6 * h0) * y[..., -2]
        total = total - _over(h1**3, 6 * h0 * (h0 + h1)) * y[..., -3]
    return total


def _over(a: Any, b: Any) -> Any:
    """a / b, and zero where b is zero: samples in one place."""
    return where(b == 0, 0.0, a / where(b == 0, 1.0, b))


def cumulative_trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1, initial: float | None = None
) -> Inexact[Array, "..."]:
    """The running integral along an axis by the trapezoidal rule.

    Arguments:
        y, x, dx, axis: as for `simpson`.
        initial: 0 to begin with the integral up to the first sample; None to leave it out.

    Raises:
        ValueError: x does not fit y, or initial is neither.

    Example:
        >>> from funcgrad.scipy.integrate import cumulative_trapezoid
        >>> cumulative_trapezoid(np.array([0.0, 1.0, 4.0]), initial=0)
        Array([0. , 0.5, 3. ], dtype=float64)
    """
    y, d, axis = _taken("cumulative_trapezoid", y, x, dx, axis)
    if not y.shape[-1]:
        raise ValueError("cumulative_trapezoid takes one sample at least along the axis")
    if initial is not None and initial != 0:
        raise ValueError(f"cumulative_trapezoid: initial must be 0 or None, got {initial}")
    running = cumsum(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    return moveaxis(running if initial is None else concatenate([0 * y[..., :1], running], axis=-1), -1, axis)


def cumulative_simpson(
    y: ArrayLike, *, x: ArrayLike | None = None, dx: ArrayLike = 1.0, axis: int = -1, initial: ArrayLike | None = None
) -> Inexact[Array, "..."]:
    """The running integral along an axis by Simpson's rule.

    Arguments:
        y, x, dx, axis: as for `simpson`. x must increase.
        initial: the integral up to the first sample, which is added to all and put in front; None for no such element.

    Raises:
        ValueError: x does not fit y, or does not increase.

    Example:
        >>> from funcgrad.scipy.integrate import cumulative_simpson
        >>> cumulative_simpson(np.array([0.0, 1.0, 4.0]), initial=0)
        Array([0.        , 0.33333333, 2.66666667], dtype=float64)
    """
    y, d, axis = _taken("cumulative_simpson", y, x, dx, axis)
    n = y.shape[-1]
    if x is not None:
        rising = known((d > 0).all())
        if rising is not None and not rising:
            raise ValueError("cumulative_simpson: x must increase strictly")
    if n < 3:
        running = cumsum(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    else:
        d = _steps(d, n - 1)
        first = _first_intervals(y, d)
        second = flip(_first_intervals(flip(y, -1), flip(d, -1)), -1)
        # Two intervals at a time: the first of three samples from the left, the second from the right.
        pairs = stack([first[..., ::2], second[..., ::2]], axis=-1)
        pieces = reshape(pairs, (*pairs.shape[:-2], -1))
        if n % 2 == 0:
            pieces = concatenate([pieces, second[..., -1:]], axis=-1)
            pieces = pieces[..., : n - 1] if pieces.shape[-1] >= n - 1 else pieces
        running = cumsum(pieces, axis=-1)
    if initial is not None:
        start = asarray(initial)
        start = start if not start.ndim else moveaxis(start, axis, -1)
        running = concatenate([start + 0 * y[..., :1], start + running], axis=-1)
    return moveaxis(running, -1, axis)


def _first_intervals(y: Array, d: Array) -> Array:
    """The integrals over the first of two intervals of the parabolas through each three samples."""
    a, b = d[..., :-1], d[..., 1:]
    ratio = a / (a + b)
    product = ratio * (a / b)
    weighted = (3 - ratio) * y[..., :-2] + (3 + product + ratio) * y[..., 1:-1] - product * y[..., 2:]
    return a / 6 * weighted


def romb(y: ArrayLike, dx: ArrayLike = 1.0, axis: int = -1, show: bool = False) -> Inexact[Array, "..."]:
    """Integral along an axis by Romberg's method, of 2ᵏ + 1 samples at equal distances.

    Arguments:
        y, dx, axis: as for `simpson`.
        show: accepted as in SciPy, where it prints a table.

    Raises:
        ValueError: the number of samples is another one.

    Example:
        >>> from funcgrad.scipy.integrate import romb
        >>> romb(np.array([0.0, 1.0, 4.0]))
        Array(2.66666667, dtype=float64)
    """
    y, h, _ = _taken("romb", y, None, dx, axis)
    intervals = y.shape[-1] - 1
    if intervals < 1 or intervals & (intervals - 1):
        raise ValueError(f"romb takes 2**k + 1 samples along the axis, got {intervals + 1}")
    row: list[Any] = [(y[..., 0] + y[..., -1]) / 2.0 * h * intervals]
    step = intervals
    while step > 1:  # twice as many samples, and one extrapolation more
        half = step // 2
        following: list[Any] = [0.5 * row[0] + h * half * sum(y[..., half::step], axis=-1)]
        for j, before in enumerate(row):
            following.append(following[j] + (following[j] - before) / (4 ** (j + 1) - 1))
        row, step = following, half
    return row[-1]
