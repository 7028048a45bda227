"""`pad`: arrays with margins, in all modes of NumPy.

Zeros are one primitive. The other modes extend one axis after the other: a piece in front, the array so far, a piece
behind, joined by `concatenate`. A mode is a function that gives these two pieces from differentiable operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import UnsupportedError
from funcgrad.numpy.constructors import linspace
from funcgrad.numpy.convert import asarray, normalize_axis_index
from funcgrad.numpy.shapes import astype, flip
from funcgrad.ops import structural

__all__ = ["pad"]

# The options that each mode takes, as in NumPy.
_OPTIONS = {
    "constant": ("constant_values",),
    "edge": (),
    "empty": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}


def pad(array: ArrayLike, pad_width: Any, mode: str | Callable = "constant", **kwargs: Any) -> Shaped[Array, "..."]:
    """An array with margins around it.

    Arguments:
        array: the array.
        pad_width: the widths of the margins: one number, (before, after), one such pair for each axis, or a dict from
            axes to numbers or pairs.
        mode: what is in the margins: "constant" values, the "edge" element, a "linear_ramp" down to end values, the
            "maximum", "mean", "median" or "minimum" of the axis, the array mirrored ("reflect", or "symmetric" if the
            edge is repeated) or repeated ("wrap"), or anything ("empty").
        kwargs: constant_values, end_values, stat_length, reflect_type ("even" or "odd"), for the modes that have them.
            Values may be differentiated, too.

    Raises:
        ValueError: an unknown mode or option, negative widths, or an empty axis that cannot be extended.
        UnsupportedError: mode is a function, which would write into memory.

    Example:
        >>> fnp.pad([1.0, 2.0], (1, 2))
        Array([0., 1., 2., 0., 0.], dtype=float64)
        >>> fnp.pad([1.0, 2.0, 3.0], 2, mode="reflect")
        Array([3., 2., 1., 2., 3., 2., 1.], dtype=float64)
    """
    if callable(mode):
        raise UnsupportedError("pad: a function as mode writes into memory; join pieces with concatenate instead")
    if mode not in _OPTIONS:
        raise ValueError(f"pad: mode must be one of {sorted(_OPTIONS)}, got {mode!r}")
    unknown = set(kwargs) - set(_OPTIONS[mode])
    if unknown:
        raise ValueError(f"pad: mode {mode!r} takes {_OPTIONS[mode] or 'no options'}, got {sorted(unknown)}")
    x = asarray(array)
    widths = _widths(pad_width, x.ndim)
    constant = kwargs.get("constant_values", 0)
    if mode == "empty" or (mode == "constant" and type(constant) in (int, float) and constant == 0):
        return structural.pad(x, widths=widths)
    extend = _mode(x, mode, kwargs)
    for axis, (low, high) in enumerate(widths):
        if (low or high) and x.shape[axis] == 0 and mode != "constant":
            raise ValueError(f"pad: axis {axis} is empty, so it can only be extended in the mode 'constant' or 'empty'")
        if low or high:
            pieces = extend(x, axis, low, high)
            x = structural.concatenate(pieces[0], x, pieces[1], axis=axis)
    return x


def _widths(given: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    if isinstance(given, dict):
        table: list[Any] = [(0, 0)] * ndim
        for axis, width in given.items():
            table[normalize_axis_index(axis, ndim)] = width if isinstance(width, tuple) else (width, width)
        given = table
    raw = np.asarray(asarray(given)._concrete("pad(x, pad_width)")) if ndim else np.zeros((0, 2), int)
    if raw.dtype.kind not in "iu":
        raise TypeError(f"pad: widths must be integers, got {given!r}")
    pairs = np.broadcast_to(raw, (ndim, 2)).tolist()
    if any(n < 0 for pair in pairs for n in pair):
        raise ValueError(f"pad: widths must not be negative, got {given!r}")
    return tuple([tuple(pair) for pair in pairs])


def _mode(x: Array, mode: str, options: dict[str, Any]) -> Callable:
    """The function `(x, axis, low, high) -> (piece in front, piece behind)` of a mode."""
    if mode == "constant":
        return _constant(x, options.get("constant_values", 0))
    if mode == "linear_ramp":
        return _linear_ramp(x, options.get("end_values", 0))
    if mode in ("maximum", "mean", "median", "minimum"):
        return _statistic(x, mode, options.get("stat_length"))
    kind = options.get("reflect_type", "even")
    if kind not in ("even", "odd"):
        raise ValueError(f'pad: reflect_type must be "even" or "odd", got {kind!r}')
    return _mirrored_odd(mode) if kind == "odd" else _copied(mode)


def _pairs(given: Any, ndim: int) -> Array:
    """Values for both ends of each axis."""
    return structural.broadcast_to(asarray(given), shape=(ndim, 2))


def _ends(x: Array, axis: int) -> tuple[Array, Array]:
    before = (slice(None),) * axis
    return x[(*before, slice(0, 1))], x[(*before, slice(-1, None))]


def _spread(piece: Array, axis: int, n: int, like: Array) -> Array:
    """n copies of a slice of length one."""
    return structural.broadcast_to(piece, shape=(*like.shape[:axis], n, *like.shape[axis + 1 :]))


def _constant(x: Array, values: Any) -> Callable:
    table = astype(_pairs(values, x.ndim), x.dtype)

    def extend(x: Array, axis: int, low: int, high: int) -> tuple[Array, Array]:
        return _spread(table[axis, 0], axis, low, x), _spread(table[axis, 1], axis, high, x)

    return extend


def _linear_ramp(x: Array, values: Any) -> Callable:
    table = _pairs(values, x.ndim)

    def extend(x: Array, axis: int, low: int, high: int) -> tuple[Array, ...]:
        def ramp(edge: Array, n: int, side: int) -> Array:
            edge = edge.reshape(edge.shape[:axis] + edge.shape[axis + 1 :])
            return linspace(table[axis, side], edge, n, endpoint=False, dtype=x.dtype, axis=axis)

        first, last = _ends(x, axis)
        return ramp(first, low, 0), flip(ramp(last, high, 1), axis)

    return extend


def _statistic(x: Array, mode: str, stat_length: Any) -> Callable:
    function = {"maximum": np.max, "mean": np.mean, "median": np.median, "minimum": np.min}[mode]
    if stat_length is None:
        table = None
    else:
        table = np.broadcast_to(np.asarray(stat_length), (x.ndim, 2)).tolist()
        if any(n < 0 for pair in table for n in pair):
            raise ValueError(f"pad: stat_length must not be negative, got {stat_length!r}")
        if mode in ("maximum", "minimum") and any(n == 0 for pair in table for n in pair):
            raise ValueError("pad: a stat_length of 0 has no maximum and no minimum")

    def extend(x: Array, axis: int, low: int, high: int) -> tuple[Array, Array]:
        before, n = (slice(None),) * axis, x.shape[axis]
        front, back = (n, n) if table is None else [min(k, n) for k in table[axis]]

        def piece(window: slice, width: int) -> Array:
            value = function(x[(*before, window)], axis=axis, keepdims=True)
            value = np.rint(value) if x.dtype.kind in "iu" and value.dtype.kind == "f" else value
            return _spread(astype(value, x.dtype), axis, width, x)

        return piece(slice(0, front), low), piece(slice(n - back, n), high)

    return extend


def _copied(mode: str) -> Callable:
    """Modes whose margins are copies of elements. NumPy says of which, by padding their numbers."""

    def extend(x: Array, axis: int, low: int, high: int) -> tuple[Array, Array]:
        before, n = (slice(None),) * axis, x.shape[axis]
        source = np.pad(np.arange(n), (low, high), mode=mode)
        return x[(*before, source[:low])], x[(*before, source[low + n :])]

    return extend


def _mirrored_odd(mode: str) -> Callable:
    """Mirrored in both senses: `2 * edge - reflected`.

    Each mirroring at an end takes the axis one period further. After q of them, element r has become
    x[r] + q * (last - first) if q is even, and (q + 1) * last - (q - 1) * first - x[n - 1 - r] if q is odd.
    """

    def extend(x: Array, axis: int, low: int, high: int) -> tuple[Array, Array]:
        before, n = (slice(None),) * axis, x.shape[axis]
        first, last = _ends(x, axis)
        column = (-1,) + (1,) * (x.ndim - axis - 1)

        def piece(places: np.ndarray) -> Array:
            if n == 1:  # mirroring one element gives itself
                return _spread(first, axis, len(places), x)
            q, r = np.divmod(places, n if mode == "symmetric" else n - 1)
            odd = q % 2
            mirrored = x[(*before, np.where(odd, n - 1 - r, r))]
            sign, q, odd = (s.astype(x.dtype).reshape(column) for s in (1 - 2 * odd, q, odd))
            return sign * mirrored + (q + odd) * last - (q - odd) * first

        return piece(np.arange(-low, 0)), piece(np.arange(n, n + high))

    return extend
