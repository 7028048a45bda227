"""Linear filters of images: sums of the elements around each, with weights. The image is continued at its edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ArgumentError
from funcgrad.numpy import exp, flip, full, pad, result_type, stack, zeros
from funcgrad.numpy.convert import asarray, inexact, normalize_axes, normalize_axis_index, reject, wrap
from funcgrad.ops.convolve_axes import convolve_axes
from funcgrad.scipy.signal import convolve as signal_convolve

__all__ = [
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "uniform_filter",
    "uniform_filter1d",
]

_PADDING = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}


def _continued(name: str, x: Array, widths: list[tuple[int, int]], mode: str, cval: Any) -> Array:
    if mode not in _PADDING:
        raise ValueError(f"{name}: mode must be one of {', '.join(_PADDING)}; got {mode!r}")
    if _PADDING[mode] == "constant":
        return pad(x, widths, constant_values=asarray(cval).astype(x.dtype))
    return pad(x, widths, mode=_PADDING[mode])


def _margins(name: str, size: int, origin: int) -> tuple[int, int]:
    """How far an image is continued before and behind by weights of this number."""
    before = size // 2 + origin
    if not 0 <= before < max(size, 1) or size < 1:
        raise ValueError(f"{name}: origin must be from {-(size // 2)} to {(size - 1) // 2} for {size} weights")
    return before, size - 1 - before


def _for_each(given: Any, count: int) -> list[Any]:
    """An option for each of several axes: one number is for all."""
    return [given] * count if given is None or isinstance(given, int) else list(given)


def _like(out: Any, x: Array) -> Array:
    """A result in the dtype of the image, as in SciPy."""
    return wrap(out) if out.dtype == x.dtype or x.dtype.kind in "fc" else wrap(out).astype(x.dtype)


def correlate1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    origin: int = 0,
) -> Shaped[Array, "..."]:
    """The sums of the elements around each along an axis, with weights.

    Arguments:
        input: the image.
        weights: a vector.
        axis: the axis.
        output: not supported: arrays are immutable.
        mode: how the image goes on outside: mirrored with the edge repeated ("reflect"), or not ("mirror"), with the
            element at the edge ("nearest"), with cval ("constant"), or repeated ("wrap").
        cval: that value.
        origin: by how many elements the weights are moved.

    Raises:
        ValueError: weights is no vector, the mode is unknown, or origin is too large.

    Example:
        >>> from funcgrad.scipy.ndimage import correlate1d
        >>> correlate1d(np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.0, 1.0]))
        Array([3., 5., 6.], dtype=float64)
    """
    reject("correlate1d", output=output)
    x, w = asarray(input), asarray(weights)
    if w.ndim != 1:
        raise ValueError(f"correlate1d: weights must be a vector, got shape {w.shape}")
    axis = normalize_axis_index(axis, x.ndim)
    margins = _margins("correlate1d", w.size, origin)
    around = _continued(
        "correlate1d", inexact(x), [margins if i == axis else (0, 0) for i in range(x.ndim)], mode, cval
    )
    tall = flip(w.astype(result_type(around, w) if w.dtype.kind == "c" else around.dtype)).reshape(
        [-1 if i == axis else 1 for i in range(x.ndim)]
    )
    return _like(convolve_axes(around, tall, mode="valid", axes=(axis,)), x)


def convolve1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    origin: int = 0,
) -> Shaped[Array, "..."]:
    """`correlate1d` with the weights in reverse.

    Arguments:
        input, weights, axis, output, mode, cval, origin: as for `correlate1d`.

    Raises:
        ValueError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import convolve1d
        >>> convolve1d(np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.0, -1.0]))
        Array([1., 3., 2.], dtype=float64)
    """
    w = asarray(weights)
    shift = -origin - (w.ndim == 1 and w.size % 2 == 0)
    return correlate1d(input, flip(w), axis, output, mode, cval, shift)


def correlate(
    input: ArrayLike,
    weights: ArrayLike,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    origin: int | Sequence[int] = 0,
) -> Shaped[Array, "..."]:
    """The sums of the elements around each, with weights.

    Arguments:
        input: the image.
        weights: an array with as many axes.
        output, mode, cval: as for `correlate1d`.
        origin: as there, a number for all axes or one for each.

    Raises:
        ValueError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import correlate
        >>> correlate(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
        Array([[2., 3.],
               [4., 5.]], dtype=float64)
    """
    reject("correlate", output=output)
    x, w = asarray(input), asarray(weights)
    if w.ndim != x.ndim:
        raise ValueError(f"correlate: weights must have {x.ndim} axes, got shape {w.shape}")
    origins = _for_each(origin, x.ndim)
    margins = [_margins("correlate", n, o) for n, o in zip(w.shape, origins, strict=True)]
    around = _continued("correlate", inexact(x), margins, mode, cval)
    w = w.astype(result_type(around, w) if w.dtype.kind == "c" else around.dtype)
    return _like(signal_convolve(around, flip(w), "valid"), x)


def convolve(
    input: ArrayLike,
    weights: ArrayLike,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    origin: int | Sequence[int] = 0,
) -> Shaped[Array, "..."]:
    """`correlate` with the weights in reverse along all axes.

    Arguments:
        input, weights, output, mode, cval, origin: as for `correlate`.

    Raises:
        ValueError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import convolve
        >>> convolve(np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.0, -1.0]))
        Array([1., 3., 2.], dtype=float64)
    """
    w = asarray(weights)
    origins = _for_each(origin, w.ndim)
    shifts = [-o - (n % 2 == 0) for n, o in zip(w.shape, origins, strict=True)]
    return correlate(input, flip(w), output, mode, cval, shifts)


def uniform_filter1d(
    input: ArrayLike,
    size: int,
    axis: int = -1,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    origin: int = 0,
) -> Shaped[Array, "..."]:
    """The means of the elements around each along an axis.

    Arguments:
        input: the image.
        size: the number of elements of a mean.
        axis, output, mode, cval, origin: as for `correlate1d`.

    Raises:
        ValueError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import uniform_filter1d
        >>> uniform_filter1d(np.array([0.0, 3.0, 6.0]), 3)
        Array([1., 3., 5.], dtype=float64)
    """
    if size < 1:
        raise ValueError(f"uniform_filter1d: size must be at least 1, got {size}")
    x = asarray(input)
    return correlate1d(x, full(size, 1.0 / size), axis, output, mode, cval, origin)


def uniform_filter(
    input: ArrayLike,
    size: int | Sequence[int] = 3,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    origin: int = 0,
    *,
    axes: Sequence[int] | None = None,
) -> Shaped[Array, "..."]:
    """The means of the elements around each.

    Arguments:
        input: the image.
        size: the number of elements of a mean along each axis.
        output, mode, cval, origin: as for `correlate1d`.
        axes: the axes; by default all.

    Raises:
        ValueError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import uniform_filter
        >>> uniform_filter(np.array([[0.0, 3.0, 6.0]]))
        Array([[1., 3., 5.]], dtype=float64)
    """
    x = asarray(input)
    along = normalize_axes(axes, x.ndim)
    sizes = _for_each(size, len(along))
    for axis, n in zip(along, sizes, strict=True):
        if n > 1:
            x = uniform_filter1d(x, n, axis, output, mode, cval, origin)
    return x


def gaussian_filter1d(
    input: ArrayLike,
    sigma: ArrayLike,
    axis: int = -1,
    order: int = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> Shaped[Array, "..."]:
    """An image smoothed by a Gaussian along an axis, or a derivative of it.

    Arguments:
        input: the image.
        sigma: the width, which may be differentiated: the number of weights is taken for constant.
        axis: the axis.
        order: the order of the derivative along the axis.
        output, mode, cval: as for `correlate1d`.
        truncate: how many sigmas the weights reach.
        radius: how many elements they reach, in place of that; needed where sigma is not known, as under `jit`.

    Raises:
        ValueError: as for `correlate1d`, or order or radius is negative.
        ArgumentError: sigma is not known, and there is no radius.

    Example:
        >>> from funcgrad.scipy.ndimage import gaussian_filter1d
        >>> gaussian_filter1d(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), 0.5).round(3)
        Array([0.   , 0.106, 0.787, 0.106, 0.   ], dtype=float64)
    """
    sigma = asarray(sigma).astype(float)
    if radius is None:
        width = known(sigma)
        if width is None:
            raise ArgumentError("gaussian_filter: sigma is not known here, so give the number of weights by radius=")
        radius = int(float(truncate) * float(width) + 0.5)
    if radius < 0 or order < 0:
        raise ValueError(f"gaussian_filter1d: radius and order must not be negative, got {radius} and {order}")
    weights = _gaussian(sigma, order, radius)
    return correlate1d(input, flip(weights), axis, output, mode, cval)


def _gaussian(sigma: Array, order: int, radius: int) -> Array:
    x = np.arange(-radius, radius + 1.0)
    bell = exp(-0.5 * x**2 / sigma**2)
    bell = bell / bell.sum()
    # A derivative is the bell times a polynomial q: q' - x q / sigma² is that of the next order.
    q: Any = _one(order)
    for _ in range(order):
        powers = np.arange(1.0, order + 1)
        down = stack([*[q[i + 1] * p for i, p in enumerate(powers)], 0 * q[0]])
        up = stack([0 * q[0], *[-q[i] / sigma**2 for i in range(order)]])
        q = down + up
    return (x[:, None] ** np.arange(order + 1.0)) @ q * bell if order else bell


def _one(order: int) -> Array:
    """The coefficients of the polynomial 1, among those up to an order."""
    return zeros(order + 1).at[0].set(1.0)


def gaussian_filter(
    input: ArrayLike,
    sigma: Any,
    order: int | Sequence[int] = 0,
    output: Any = None,
    mode: str = "reflect",
    cval: ArrayLike = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
) -> Shaped[Array, "..."]:
    """An image smoothed by a Gaussian, or a derivative of it.

    Arguments:
        input: the image.
        sigma, order, radius: as for `gaussian_filter1d`, a number for all axes or one for each.
        output, mode, cval, truncate: as there.
        axes: the axes; by default all.

    Raises:
        ValueError, ArgumentError: as there.

    Example:
        >>> from funcgrad.scipy.ndimage import gaussian_filter
        >>> gaussian_filter(np.eye(3), 0.5).round(3)
        Array([[0.809, 0.179, 0.012],
               [0.179, 0.641, 0.179],
               [0.012, 0.179, 0.809]], dtype=float64)
    """
    x = asarray(input)
    along = normalize_axes(axes, x.ndim)
    k = len(along)
    widths = list(asarray(sigma)) if np.ndim(sigma) else [sigma] * k
    orders = _for_each(order, k)
    reaches = _for_each(radius, k)
    for axis, s, o, r in zip(along, widths, orders, reaches, strict=True):
        width = known(asarray(s))
        if width is None or width > 1e-15:
            x = gaussian_filter1d(x, s, axis, o, output, mode, cval, truncate, radius=r)
    return x
