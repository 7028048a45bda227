"""Linear filters: difference equations applied to signals, forwards, and forwards and backwards.

A filter is a convolution with b followed by a recurrence with a (ops/linear_recurrence.py), both linear in the signal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Inexact, Shaped
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import atleast_1d, concatenate, eye, flip, moveaxis, pad, result_type, stack, zeros
from funcgrad.numpy.convert import asarray, normalize_axis_index, wrap
from funcgrad.numpy.linalg import solve
from funcgrad.ops.convolve_axes import convolve_axes
from funcgrad.ops.linear_recurrence import linear_recurrence

__all__ = ["filtfilt", "lfilter", "lfilter_zi", "lfiltic", "sosfilt", "sosfilt_zi", "sosfiltfilt"]


def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filter a signal: a[0] y[n] = b[0] x[n] + b[1] x[n-1] + … - a[1] y[n-1] - a[2] y[n-2] - …

    Arguments:
        b, a: vectors, the coefficients of numerator and denominator. The first of a must not be zero.
        x: the signal.
        axis: the axis along which it runs.
        zi: the state before the first sample, with max(len(a), len(b)) - 1 elements along the axis; zero by default.

    Returns:
        The filtered signal; with zi a pair of it and the state after the last sample.

    Raises:
        ValueError: b or a is no vector, a[0] is known to be zero, or zi has another shape.

    Example:
        >>> from funcgrad.scipy.signal import lfilter
        >>> lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
        Array([1.  , 0.5 , 0.25], dtype=float64)
        >>> fg.grad(lambda a: lfilter([1.0], [1.0, a], np.array([1.0, 0.0, 0.0]))[2])(-0.5)
        Array(-1., dtype=float64)
    """
    b, a = _coefficients("lfilter", b, a)
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("lfilter: x must have at least one axis")
    state = None if zi is None else asarray(zi)
    kind = _kind(b, a, x, *[v for v in (state,) if v is not None])
    b, a, x = b.astype(kind), a.astype(kind), x.astype(kind)
    b, a = b / a[0], a[1:] / a[0]
    axis = normalize_axis_index(axis, x.ndim)
    order = max(len(a), len(b) - 1)
    x = moveaxis(x, axis, -1)
    if state is not None:
        shape = (*x.shape[:-1], order)
        state = moveaxis(state.astype(kind), axis, -1) if state.ndim == x.ndim else state
        if state.ndim != x.ndim or any(m not in (1, n) for m, n in zip(state.shape, shape, strict=True)):
            raise ValueError(
                f"lfilter: zi must have {order} elements along the axis and otherwise the shape of x, so "
                f"{shape} with the axis moved to the end; got shape {state.shape}"
            )
    y, after = _filtered(b, a, x, state, order)
    return moveaxis(y, -1, axis) if after is None else (moveaxis(y, -1, axis), moveaxis(after, -1, axis))


def _filtered(b: Any, a: Any, x: Any, state: Any, order: int) -> tuple[Any, Any]:
    """A filter along the last axis, a without its first element, which is one, and the state after it."""
    n = x.shape[-1]
    y = _convolved(x, b)[..., :n]
    if state is not None:
        y = y + _fitted(state, n)
    if len(a):
        y = wrap(linear_recurrence(y, a))
    if state is None:
        return y, None
    last_x, last_y = _last(x, order), _last(y, order)
    after = _fitted(_convolved(last_x, b)[..., order:], order) + _fitted(state[..., n:], order)
    if len(a):
        after = after - _fitted(_convolved(last_y, concatenate([zeros(1, a.dtype), a]))[..., order:], order)
    return y, after


def _convolved(x: Any, b: Any) -> Array:
    return wrap(convolve_axes(x, b.reshape((1,) * (x.ndim - 1) + (-1,)), mode="full", axes=(x.ndim - 1,)))


def _fitted(x: Any, n: int) -> Array:
    """The first n elements along the last axis, zeros where there are no more."""
    missing = n - x.shape[-1]
    return pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)]) if missing > 0 else x[..., :n]


def _last(x: Any, n: int) -> Array:
    """The last n elements along the last axis, zeros in front where there are fewer."""
    missing = n - x.shape[-1]
    return pad(x, [(0, 0)] * (x.ndim - 1) + [(missing, 0)]) if missing > 0 else x[..., x.shape[-1] - n :]


def _coefficients(name: str, b: ArrayLike, a: ArrayLike) -> tuple[Any, Any]:
    b, a = atleast_1d(asarray(b)), atleast_1d(asarray(a))
    if b.ndim != 1 or a.ndim != 1 or not b.size or not a.size:
        raise ValueError(f"{name}: b and a must be vectors of one element at least, got shapes {b.shape} and {a.shape}")
    first = known(a[0])
    if first is not None and first == 0:
        raise ValueError(f"{name}: the first element of a must not be zero")
    return b, a


def _kind(*arrays: Any) -> Any:
    kind = result_type(*arrays)
    return kind if kind.kind in "fc" else np.dtype(float)


def lfilter_zi(b: ArrayLike, a: ArrayLike) -> Shaped[Array, " n"]:
    """The state of a filter that has answered a step of height one for ever.

    Arguments:
        b, a: as for `lfilter`.

    Raises:
        ValueError: as for `lfilter`.
        LinAlgError: the filter has no steady state.

    Example:
        >>> from funcgrad.scipy.signal import lfilter_zi
        >>> lfilter_zi([1.0, 0.0], [1.0, -0.5])
        Array([1.], dtype=float64)
    """
    b, a = _coefficients("lfilter_zi", b, a)
    kind = _kind(b, a)
    n = max(len(a), len(b))
    b, a = _fitted(b.astype(kind), n) / a[0].astype(kind), _fitted(a.astype(kind), n) / a[0].astype(kind)
    if n == 1:
        return zeros(0, kind)
    # z = A z + B with A the companion matrix of a, transposed, and B = b[1:] - a[1:] b[0]
    shift = eye(n - 1, k=1, dtype=kind)
    system = eye(n - 1, dtype=kind) - shift + concatenate([a[1:, None], zeros((n - 1, n - 2), kind)], axis=1)
    return solve(system, b[1:] - a[1:] * b[0])


def lfiltic(b: ArrayLike, a: ArrayLike, y: ArrayLike, x: ArrayLike | None = None) -> Shaped[Array, " n"]:
    """The state of a filter from the last samples of its output and input.

    Arguments:
        b, a: as for `lfilter`.
        y, x: the samples before the first, the latest first: y[-1], y[-2], …, and x[-1], x[-2], …; zeros where there
            are no more.

    Raises:
        ValueError: as for `lfilter`.

    Example:
        >>> from funcgrad.scipy.signal import lfiltic
        >>> lfiltic([1.0], [1.0, -0.5], [2.0])
        Array([1.], dtype=float64)
    """
    b, a = _coefficients("lfiltic", b, a)
    y = atleast_1d(asarray(y))
    x = zeros(0) if x is None else atleast_1d(asarray(x))
    kind = _kind(b, a, y, x)
    b, a = b.astype(kind) / a[0].astype(kind), a.astype(kind) / a[0].astype(kind)
    order = max(len(a), len(b)) - 1
    if order == 0:
        return zeros(0, kind)
    before_x, before_y = (_fitted(v.astype(kind), order)[::-1] for v in (x, y))
    back = concatenate([zeros(1, kind), a[1:]])
    after = _fitted(_convolved(before_x, b)[order:], order)
    return after - _fitted(_convolved(before_y, back)[order:], order)


def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filter a signal by a chain of filters of second order.

    Arguments:
        sos: for each of them a row b0, b1, b2, a0, a1, a2. SciPy asks for a0 = 1; here it divides the others.
        x: the signal.
        axis: the axis along which it runs.
        zi: the states before the first sample: the number of filters in front, and two along the axis.

    Returns:
        The filtered signal; with zi a pair of it and the states after the last sample.

    Raises:
        ValueError: sos has no six columns, or zi has another shape.

    Example:
        >>> from funcgrad.scipy.signal import sosfilt
        >>> sosfilt(np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]), np.array([1.0, 0.0, 0.0]))
        Array([1.  , 0.5 , 0.25], dtype=float64)
    """
    sos, x = _sections("sosfilt", sos), asarray(x)
    states = None if zi is None else asarray(zi)
    axis = normalize_axis_index(axis, x.ndim)
    if states is not None:
        shape = (len(sos), *[2 if i == axis else n for i, n in enumerate(x.shape)])
        if states.shape != shape:
            raise ValueError(f"sosfilt: zi must have shape {shape}, got {states.shape}")
    after = []
    for i, row in enumerate(sos):
        if states is None:
            x = lfilter(row[:3], row[3:], x, axis)
        else:
            x, state = lfilter(row[:3], row[3:], x, axis, states[i])
            after.append(state)
    return x if states is None else (x, stack(after))


def _sections(name: str, sos: ArrayLike) -> Array:
    sos = asarray(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError(f"{name}: sos must have a row of six numbers for each section, got shape {sos.shape}")
    return sos


def sosfilt_zi(sos: ArrayLike) -> Shaped[Array, "n 2"]:
    """The states of a chain of filters that has answered a step of height one for ever.

    Arguments:
        sos: as for `sosfilt`.

    Raises:
        ValueError: as for `sosfilt`.

    Example:
        >>> from funcgrad.scipy.signal import sosfilt_zi
        >>> sosfilt_zi(np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]))
        Array([[1., 0.]], dtype=float64)
    """
    sos = _sections("sosfilt_zi", sos)
    sos = sos.astype(_kind(sos))
    scale: Any = 1.0
    states = []
    for row in sos:
        states.append(scale * lfilter_zi(row[:3], row[3:]))
        scale = scale * row[:3].sum() / row[3:].sum()
    return stack(states)


def filtfilt(
    b: ArrayLike,
    a: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> Inexact[Array, "..."]:
    """Filter a signal forwards and then backwards, so that nothing is delayed.

    Arguments:
        b, a, x, axis: as for `lfilter`.
        padtype: how the signal is extended at both ends first: "odd", "even", "constant" or None.
        padlen: by how many samples; by default 3 max(len(a), len(b)).
        method: "pad". SciPy's "gust" is not there.
        irlen: of the method "gust".

    Raises:
        ValueError: the signal is no longer than padlen, or padtype is unknown.
        UnsupportedError: method is not "pad".

    Example:
        >>> from funcgrad.scipy.signal import filtfilt
        >>> filtfilt([0.5, 0.5], [1.0], np.array([0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]))
        Array([0., 1., 2., 1., 0., 0., 0.], dtype=float64)
    """
    if method != "pad":
        raise UnsupportedError(f'filtfilt has the method "pad" only, got {method!r}')
    b, a = _coefficients("filtfilt", b, a)
    x = moveaxis(asarray(x), axis, -1)
    extended, edge = _extended("filtfilt", x, padtype, padlen, 3 * max(len(a), len(b)))
    zi = lfilter_zi(b, a).reshape((1,) * (x.ndim - 1) + (-1,))
    y, _ = lfilter(b, a, extended, -1, zi * extended[..., :1])
    y, _ = lfilter(b, a, flip(y, -1), -1, zi * y[..., -1:])
    y = flip(y, -1)
    return moveaxis(y[..., edge : y.shape[-1] - edge], -1, axis)


def sosfiltfilt(
    sos: ArrayLike, x: ArrayLike, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None
) -> Inexact[Array, "..."]:
    """Filter a signal by a chain of filters of second order, forwards and then backwards.

    Arguments:
        sos, x, axis: as for `sosfilt`.
        padtype, padlen: as for `filtfilt`. The default of padlen depends on how many of the coefficients b2 and a2 are
            zero.

    Raises:
        ValueError: as for `sosfilt` and `filtfilt`.

    Example:
        >>> from funcgrad.scipy.signal import sosfiltfilt
        >>> sosfiltfilt(np.array([[0.5, 0.5, 0.0, 1.0, 0.0, 0.0]]), np.array([0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]))
        Array([0., 1., 2., 1., 0., 0., 0.], dtype=float64)
    """
    sos, x = _sections("sosfiltfilt", sos), moveaxis(asarray(x), axis, -1)
    usual = 0
    if padlen is None and padtype is not None:
        firsts = min(int((sos[:, 2] == 0).sum()), int((sos[:, 5] == 0).sum()))  # sections that are of first order
        usual = 3 * (2 * len(sos) + 1 - firsts)
    extended, edge = _extended("sosfiltfilt", x, padtype, padlen, usual)
    zi = sosfilt_zi(sos)
    zi = zi.reshape(len(zi), *(1,) * (x.ndim - 1), 2)
    y, _ = sosfilt(sos, extended, -1, zi * extended[..., :1])
    y, _ = sosfilt(sos, flip(y, -1), -1, zi * y[..., -1:])
    y = flip(y, -1)
    return moveaxis(y[..., edge : y.shape[-1] - edge], -1, axis)


def _extended(name: str, x: Array, padtype: str | None, padlen: int | None, usual: int) -> tuple[Array, int]:
    """A signal with its continuation at both ends, and by how many samples."""
    if padtype not in ("odd", "even", "constant", None):
        raise ValueError(f'{name}: padtype must be "odd", "even", "constant" or None, got {padtype!r}')
    edge = 0 if padtype is None else usual if padlen is None else padlen
    if x.shape[-1] <= edge:
        raise ValueError(f"{name}: the signal must be longer than padlen, {edge}; it has {x.shape[-1]} samples")
    if not edge:
        return x, 0
    widths = [(0, 0)] * (x.ndim - 1) + [(edge, edge)]
    if padtype == "constant":
        return pad(x, widths, mode="edge"), edge
    return pad(x, widths, mode="reflect", reflect_type=padtype), edge
