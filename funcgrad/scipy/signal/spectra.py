"""Spectra from short segments of a signal: `stft` and its inverse, `periodogram`, `welch`, `csd`, `coherence`.

A signal is cut into segments that overlap, each of which is freed of its trend, multiplied with a window and
transformed. `Segments` says how.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Complex, Float, Inexact
from funcgrad.numpy import concatenate, conjugate, median, moveaxis, pad, reshape, result_type, sqrt, sum, where
from funcgrad.numpy.convert import asarray, inexact, normalize_axis_index
from funcgrad.numpy.fft import fft, fftfreq, ifft, irfft, rfft, rfftfreq
from funcgrad.scipy.signal.detrending import detrend as without_trend
from funcgrad.scipy.signal.windows import get_window

__all__ = ["coherence", "csd", "istft", "periodogram", "stft", "welch"]

_BOUNDARIES = ("even", "odd", "constant", "zeros", None)


class Segments(NamedTuple):
    """How a signal is cut up: the window, its length, the step from one segment to the next, the transform's length."""

    window: Array
    length: int
    step: int
    size: int


def _segments(name: str, window: Any, nperseg: int | None, noverlap: int | None, nfft: int | None, n: int) -> Segments:
    """The segments that the arguments of a function of this name say, of a signal of length n."""
    if isinstance(window, (str, tuple)):
        length = 256 if nperseg is None else int(nperseg)
        if length < 1:
            raise ValueError(f"{name}: nperseg must be positive, got {nperseg}")
        if length > n:
            if nperseg is not None:
                warnings.warn(f"{name}: nperseg = {length} is more than the {n} samples, so it is {n}", stacklevel=4)
            length = n
        win = get_window(window, length)
    else:
        win = asarray(window)
        if win.ndim != 1:
            raise ValueError(f"{name}: the window must be a vector, got shape {win.shape}")
        length = win.shape[0]
        if length > n:
            raise ValueError(f"{name}: the window has {length} elements, the signal only {n}")
        if nperseg is not None and nperseg != length:
            raise ValueError(f"{name}: nperseg = {nperseg}, but the window has {length} elements")
    overlap = length // 2 if noverlap is None else int(noverlap)
    if overlap >= length:
        raise ValueError(f"{name}: noverlap must be less than nperseg, {length}; got {overlap}")
    size = length if nfft is None else int(nfft)
    if size < length:
        raise ValueError(f"{name}: nfft must be at least nperseg, {length}; got {size}")
    return Segments(win, length, length - overlap, size)


def _cut(x: Any, s: Segments) -> Array:
    """The segments of a signal along the last axis, in an axis before it."""
    count = (x.shape[-1] - s.length) // s.step + 1
    if s.length % s.step == 0:  # rows of one step, joined: cheaper than indices, and so is their transpose
        k = s.length // s.step
        rows = reshape(x[..., : (count + k - 1) * s.step], (*x.shape[:-1], count + k - 1, s.step))
        if k == 1:
            return rows
        return concatenate([rows[..., i : i + count, :] for i in range(k)], axis=-1)
    return x[..., s.step * np.arange(count)[:, None] + np.arange(s.length)]


def _spectra(x: Any, s: Segments, trend: Any, onesided: bool) -> Array:
    """The Fourier transforms of the segments of a signal."""
    parts = _detrender(trend)(_cut(x, s)) * s.window
    return (rfft if onesided else fft)(parts, s.size)


def _detrender(trend: Any) -> Callable:
    if callable(trend):
        return trend
    if trend is False or trend is None:
        return lambda x: x
    return lambda x: without_trend(x, type=trend)


def _frequencies(s: Segments, fs: Any, onesided: bool) -> Array:
    frequencies = (rfftfreq if onesided else fftfreq)(s.size)
    return frequencies * fs


def _scale(s: Segments, fs: Any, scaling: str, name: str) -> Any:
    if scaling == "density":
        return 1.0 / (fs * sum(s.window * s.window))
    if scaling == "spectrum":
        return 1.0 / sum(s.window) ** 2
    raise ValueError(f'{name}: scaling must be "density" or "spectrum", got {scaling!r}')


def _like(x: Any, *given: Any) -> Any:
    """x in the precision of what was given: windows are computed in double precision."""
    precision = result_type(*given, np.float32).char.lower()
    return x.astype(precision.upper() if x.dtype.kind == "c" else precision)


def stft(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[Float[Array, " f"], Float[Array, " t"], Complex[Array, "..."]]:
    """The short-time Fourier transform: spectra of segments of a signal.

    Arguments:
        x: the signal.
        fs: the sampling frequency.
        window: the name of a window, see `get_window`, or an array, which may be differentiated.
        nperseg: the length of a segment; by default that of the window if it is an array, else 256.
        noverlap: how many samples a segment shares with the next; by default half of them.
        nfft: the length of the Fourier transforms; zeros fill the segments up. By default that of the segments.
        detrend: False, or "constant", "linear" or a function of the segments: what is taken from each.
        return_onesided: whether a real signal has the frequencies from zero on only.
        boundary: how the signal is continued by half a segment at both ends: "zeros", "even", "odd", "constant", None.
        padded: whether zeros are added to make the last segment full.
        axis: the axis along which the signal runs.
        scaling: "spectrum", or "psd" for squares that are densities.

    Returns:
        The frequencies, the times of the middles of the segments, and the spectra: frequencies along `axis`, times
        along the last axis.

    Raises:
        ValueError: an option is unknown, or the lengths do not fit together.

    Example:
        >>> from funcgrad.scipy.signal import stft
        >>> f, t, Z = stft(np.cos(np.pi * np.arange(8)), window=np.ones(4), boundary=None)
        >>> f, t, abs(Z[:, 0]).round(9)
        (Array([0.  , 0.25, 0.5 ], dtype=float64), Array([2., 4., 6.], dtype=float64),
         Array([0., 0., 1.], dtype=float64))
    """
    x = inexact(x)
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f'stft: scaling must be "spectrum" or "psd", got {scaling!r}')
    axis = normalize_axis_index(axis, x.ndim)
    x = moveaxis(x, axis, -1)
    given = nperseg if isinstance(window, (str, tuple)) or nperseg != 256 else None
    s = _segments("stft", window, given, noverlap, nfft, x.shape[-1])
    x = _continued("stft", x, boundary, s.length // 2)
    if padded:
        x = _filled(x, s)
    onesided = return_onesided and x.dtype.kind != "c"
    Z = _spectra(x, s, detrend, onesided) * sqrt(_scale(s, fs, "spectrum" if scaling == "spectrum" else "density", ""))
    times = np.arange(s.length / 2, x.shape[-1] - s.length / 2 + 1, s.step)
    times = (times - (s.length / 2 if boundary is not None else 0)) / fs
    Z = _like(moveaxis(Z, -1, -2), x)
    return _frequencies(s, fs, onesided), asarray(times), moveaxis(Z, -2, axis if axis < x.ndim - 1 else -2)


def _continued(name: str, x: Array, boundary: str | None, edge: int) -> Array:
    """A signal with its continuation at both ends."""
    if boundary not in _BOUNDARIES:
        raise ValueError(f"{name}: the boundary must be one of {', '.join(map(repr, _BOUNDARIES))}; got {boundary!r}")
    if boundary is None or edge == 0:
        return x
    widths = [(0, 0)] * (x.ndim - 1) + [(edge, edge)]
    if boundary == "zeros":
        return pad(x, widths)
    if boundary == "constant":
        return pad(x, widths, mode="edge")
    if edge > x.shape[-1] - 1:
        raise ValueError(f"{name}: the signal is too short to be continued by {edge} samples")
    return pad(x, widths, mode="reflect", reflect_type=boundary)


def _filled(x: Array, s: Segments) -> Array:
    """A signal with zeros behind that make its last segment full."""
    missing = (-(x.shape[-1] - s.length) % s.step) % s.length
    return pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)]) if missing else x


def istft(
    Zxx: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[Float[Array, " t"], Inexact[Array, "..."]]:
    """The signal of which spectra of segments are given: the inverse of `stft`.

    Arguments:
        Zxx: the spectra.
        fs, window, noverlap, nfft, scaling: as they were for `stft`.
        nperseg: the length of a segment; by default what the number of frequencies says.
        input_onesided: whether there are the frequencies from zero on only.
        boundary: whether the signal had been continued at both ends, which is cut off.
        time_axis, freq_axis: where times and frequencies are.

    Returns:
        The times of a signal as long as the first axis of the result (which is the signal if it has no other axes), and
        the signal: its axes are those of Zxx without that of the frequencies.

    Raises:
        ValueError: the lengths do not fit together, or an option is unknown.

    Example:
        >>> from funcgrad.scipy.signal import istft, stft
        >>> Z = stft(np.array([1.0, 2.0, 3.0, 4.0]), nperseg=4)[2]
        >>> istft(Z, nperseg=4)[1].round(9)
        Array([1., 2., 3., 4.], dtype=float64)
    """
    Z = asarray(Zxx)
    Z = Z if Z.dtype.kind == "c" else Z.astype(np.complex64 if Z.dtype == np.float32 else complex)
    if Z.ndim < 2:
        raise ValueError(f"istft: the spectra must have at least two axes, got shape {Z.shape}")
    time, frequency = normalize_axis_index(time_axis, Z.ndim), normalize_axis_index(freq_axis, Z.ndim)
    if time == frequency:
        raise ValueError(f"istft: time_axis and freq_axis must differ, both are {time_axis}")
    if scaling not in ("spectrum", "psd"):
        raise ValueError(f'istft: scaling must be "spectrum" or "psd", got {scaling!r}')
    Z = moveaxis(Z, (frequency, time), (-1, -2))
    default = 2 * (Z.shape[-1] - 1) if input_onesided else Z.shape[-1]
    length = default if nperseg is None else int(nperseg)
    if nfft is None:
        size = length if input_onesided and length == default + 1 else default
    else:
        size = int(nfft)
    if size < length:
        raise ValueError(f"istft: nfft must be at least nperseg, {length}; got {size}")
    if isinstance(window, (str, tuple)):
        win = get_window(window, length)
    else:
        win = asarray(window)
        if win.shape != (length,):
            raise ValueError(f"istft: the window must be a vector of {length} elements, got shape {win.shape}")
    overlap = length // 2 if noverlap is None else int(noverlap)
    if overlap >= length:
        raise ValueError(f"istft: noverlap must be less than nperseg, {length}; got {overlap}")
    s = Segments(win, length, length - overlap, size)
    parts = (irfft if input_onesided else ifft)(Z, size)[..., :length]
    factor = sum(win) if scaling == "spectrum" else sqrt(fs * sum(win * win))
    signal = _added(parts * (win * factor), s)
    weights = _added(win[None] ** 2 * np.ones((parts.shape[-2], 1)), s)
    edge = length // 2 if boundary else 0
    signal, weights = (v[..., edge : v.shape[-1] - edge] for v in (signal, weights))
    present = weights > 1e-10
    if known(present.all()) is not None and not present.all():
        warnings.warn("istft: some samples are in no segment, or the window is zero there", stacklevel=2)
    x = _like(signal / where(present, weights, 1.0), Z)
    x = moveaxis(x, -1, time - 1 if frequency < time else time)
    return asarray(np.arange(x.shape[0]) / fs), x  # the length of the first axis, as in SciPy and JAX


def _added(parts: Array, s: Segments) -> Array:
    """The sum of segments at their places: the transpose of `_cut`."""
    count = parts.shape[-2]
    pieces = -(-s.length // s.step)
    parts = pad(parts, [(0, 0)] * (parts.ndim - 1) + [(0, pieces * s.step - s.length)])
    rows = reshape(parts, (*parts.shape[:-1], pieces, s.step))
    before = [(0, 0)] * (parts.ndim - 2)
    total: Any = 0
    for i in range(pieces):
        total = total + pad(rows[..., i, :], [*before, (i, pieces - 1 - i), (0, 0)])
    return reshape(total, (*total.shape[:-2], -1))[..., : (count - 1) * s.step + s.length]


def csd(
    x: ArrayLike,
    y: ArrayLike | None,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Float[Array, " f"], Inexact[Array, "..."]]:
    """The density of the cross spectrum of two signals, by Welch's method: the average over segments.

    Arguments:
        x, y: the signals. With None for y, or x itself, the density of the spectrum of x.
        fs, window, nperseg, noverlap, nfft, detrend, return_onesided, axis: as for `stft`.
        scaling: "density", or "spectrum" for squares of amplitudes.
        average: "mean" or "median", of the segments.

    Returns:
        The frequencies, and the density at them.

    Raises:
        ValueError: as for `stft`.

    Example:
        >>> from funcgrad.scipy.signal import csd
        >>> f, P = csd(np.array([1.0, -1.0, 1.0, -1.0]), np.array([2.0, -2.0, 2.0, -2.0]), window="boxcar", nperseg=2)
        >>> P.round(9)
        Array([0.+0.j, 4.+0.j], dtype=complex128)
    """
    same = y is None or y is x
    first = inexact(x)
    second = first if same else inexact(y)
    axis = normalize_axis_index(axis, first.ndim)
    first, second = moveaxis(first, axis, -1), moveaxis(second, axis, -1)
    n, m = first.shape[-1], second.shape[-1]
    if not first.size or not second.size:
        raise ValueError(f"csd: the signals must not be empty, got shapes {first.shape} and {second.shape}")
    if n != m:
        longest = [(0, 0)] * (first.ndim - 1) + [(0, max(n - m, 0))], [(0, 0)] * (first.ndim - 1) + [(0, max(m - n, 0))]
        first, second = pad(first, longest[1]), pad(second, longest[0])
    s = _segments("csd", window, nperseg, noverlap, nfft, first.shape[-1])
    onesided = return_onesided and first.dtype.kind != "c" and second.dtype.kind != "c"
    one = _spectra(first, s, detrend, onesided)
    if same:
        P = one.real**2 + one.imag**2
    else:
        P = conjugate(one) * _spectra(second, s, detrend, onesided)
    P = P * _scale(s, fs, scaling, "csd")
    if onesided:  # each of the others stands for two frequencies
        twice = np.full(P.shape[-1], 2.0, P.real.dtype)
        twice[0] = 1
        if s.size % 2 == 0:
            twice[-1] = 1
        P = P * twice
    P = _averaged(P, average)
    return _frequencies(s, fs, onesided), moveaxis(_like(P, first, second), -1, axis)


def _averaged(P: Array, average: str) -> Array:
    """The average over the segments, which are along the last axis but one."""
    if average == "mean":
        return P.mean(axis=-2)
    if average != "median":
        raise ValueError(f'average must be "mean" or "median", got {average!r}')
    n = P.shape[-2]
    k = 2.0 * np.arange(1, (n - 1) // 2 + 1)
    bias = 1 + float(np.sum(1 / (k + 1) - 1 / k))  # of the median of squares of normal variables
    if P.dtype.kind == "c":
        return (median(P.real, axis=-2) + 1j * median(P.imag, axis=-2)) / bias
    return median(P, axis=-2) / bias


def welch(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Float[Array, " f"], Float[Array, "..."]]:
    """The density of the spectrum of a signal, by Welch's method: the average over segments.

    Arguments:
        x: the signal.
        fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average: as for `csd`.

    Returns:
        The frequencies, and the density at them.

    Raises:
        ValueError: as for `stft`.

    Example:
        >>> from funcgrad.scipy.signal import welch
        >>> welch(np.array([1.0, -1.0, 1.0, -1.0]), window="boxcar", nperseg=2)[1].round(9)
        Array([0., 2.], dtype=float64)
    """
    return csd(x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)


def periodogram(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "boxcar",
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[Float[Array, " f"], Float[Array, "..."]]:
    """The density of the spectrum of a signal, from all of it at once.

    Arguments:
        x: the signal.
        nfft: the length of the Fourier transform: the signal is cut to it, or filled up with zeros.
        fs, window, detrend, return_onesided, scaling, axis: as for `csd`.

    Returns:
        The frequencies, and the density at them.

    Raises:
        ValueError: as for `stft`.

    Example:
        >>> from funcgrad.scipy.signal import periodogram
        >>> periodogram(np.array([1.0, -1.0, 1.0, -1.0]))[1].round(9)
        Array([0., 0., 4.], dtype=float64)
    """
    x = inexact(x)
    axis = normalize_axis_index(axis, x.ndim)
    if window is None:
        window = "boxcar"
    n = x.shape[axis]
    length = n if nfft is None or nfft >= n else int(nfft)
    if length < n:
        x = x[(slice(None),) * axis + (slice(length),)]
    if not isinstance(window, (str, tuple)) and asarray(window).shape != (length,):
        raise ValueError(f"periodogram: the window must be a vector of {length} elements")
    size = length if nfft is None else int(nfft)
    return welch(x, fs, window, length, 0, size, detrend, return_onesided, scaling, axis)


def coherence(
    x: ArrayLike,
    y: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    axis: int = -1,
) -> tuple[Float[Array, " f"], Float[Array, "..."]]:
    """How much two signals agree at each frequency: their cross spectrum, squared, over the product of their spectra.

    Arguments:
        x, y, fs, window, nperseg, noverlap, nfft, detrend, axis: as for `csd`.

    Returns:
        The frequencies, and numbers from 0 to 1.

    Raises:
        ValueError: as for `stft`.

    Example:
        >>> from funcgrad.scipy.signal import coherence
        >>> x = np.array([1.0, -2.0, 4.0, 1.0, 3.0, -1.0, 2.0, 5.0])
        >>> coherence(x, 3 * x, nperseg=4, detrend=False)[1].round(9)
        Array([1., 1., 1.], dtype=float64)
    """
    options = (fs, window, nperseg, noverlap, nfft, detrend)
    frequencies, xx = welch(x, *options, axis=axis)
    _, yy = welch(y, *options, axis=axis)
    _, xy = csd(x, y, *options, axis=axis)
    return frequencies, (xy.real**2 + xy.imag**2) / xx / yy
