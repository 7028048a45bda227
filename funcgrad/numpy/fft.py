"""Discrete Fourier transforms: the functions of numpy.fft, with their dtypes (float32 gives complex64).

Transforms over several axes go from one axis to the next, as NumPy's do. All are linear, and their derivatives exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Complex, Float, Inexact, Shaped
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, reject, with_shape, wrap
from funcgrad.numpy.shapes import integers, roll
from funcgrad.numpy.ufuncs import conjugate
from funcgrad.ops import fft as ops

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _norm(norm: str | None) -> str:
    if norm is None:
        return "backward"
    if norm not in ops.SWAPPED:
        raise ValueError(f'norm must be one of "backward", "ortho" and "forward", or None; got {norm!r}')
    return norm


def _transform(primitive: Callable, a: Any, n: int | None, axis: int, norm: str | None, back: bool = False) -> Array:
    """One transform; `back` is for a real result, whose default length is that of its own full spectrum."""
    axis = normalize_axis_index(index(axis), a.ndim)
    if n is None:
        n = 2 * (a.shape[axis] - 1) if back else a.shape[axis]
    n = index(n)
    if n < 1:
        raise ValueError(f"the length of a Fourier transform must be at least 1, got {n}")
    return wrap(primitive(a, n=n, axis=axis, norm=_norm(norm)))


def fft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Complex[Array, "..."]:
    """The discrete Fourier transform along an axis.

    Arguments:
        a: the array.
        n: the length of the transform: the axis is cut to it, or filled up with zeros. By default its own length.
        axis: the axis.
        norm: where to divide by n: in the inverse ("backward" or None), by its square root in both ("ortho"), or here
            ("forward").
        out: not supported.

    Raises:
        ValueError: n is less than 1, or norm is unknown.

    Example:
        >>> fnp.fft.fft([1.0, 0.0, 0.0])
        Array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128)
    """
    reject("fft.fft", out=out)
    return _transform(ops.fft, with_shape(a), n, axis, norm)


def ifft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Complex[Array, "..."]:
    """The inverse of `fft` along an axis. The arguments are those of `fft`.

    Example:
        >>> fnp.fft.ifft([1.0, 1.0])
        Array([1.+0.j, 0.+0.j], dtype=complex128)
    """
    reject("fft.ifft", out=out)
    return _transform(ops.ifft, with_shape(a), n, axis, norm)


def rfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Complex[Array, "..."]:
    """The first n // 2 + 1 elements of `fft` of a real array; the others mirror them.

    Arguments:
        a: the array.
        n, axis, norm, out: as for `fft`.

    Raises:
        TypeError: the array is complex.
        ValueError: as for `fft`.

    Example:
        >>> fnp.fft.rfft([1.0, 1.0, 0.0, 0.0])
        Array([2.+0.j, 1.-1.j, 0.+0.j], dtype=complex128)
    """
    reject("fft.rfft", out=out)
    a = with_shape(a)
    if a.dtype.kind == "c":
        raise TypeError(f"rfft takes a real array, got dtype {a.dtype}; use fft, or pass a.real")
    return _transform(ops.rfft, a, n, axis, norm)


def irfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Float[Array, "..."]:
    """The inverse of `rfft`: a real array from the first half of its spectrum.

    Arguments:
        a: the array.
        n: the length of the result; by default 2 * (m - 1) for an axis of length m. Give it where it is odd.
        axis, norm, out: as for `fft`.

    Raises:
        ValueError: as for `fft`.

    Example:
        >>> fnp.fft.irfft([2.0, 0.0])
        Array([1., 1.], dtype=float64)
    """
    reject("fft.irfft", out=out)
    return _transform(ops.irfft, with_shape(a), n, axis, norm, back=True)


def hfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Float[Array, "..."]:
    """The `fft`, which is real, of a signal that mirrors itself conjugated, from the first half of it.

    Arguments:
        a: the first half of the signal.
        n: the length of the result; by default 2 * (m - 1) for an axis of length m.
        axis, norm, out: as for `fft`.

    Raises:
        ValueError: as for `fft`.

    Example:
        >>> fnp.fft.hfft([1.0, 2.0])
        Array([ 3., -1.], dtype=float64)
    """
    reject("fft.hfft", out=out)
    return _transform(ops.irfft, conjugate(with_shape(a)), n, axis, ops.SWAPPED[_norm(norm)], back=True)


def ihfft(
    a: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Complex[Array, "..."]:
    """The inverse of `hfft`: the first n // 2 + 1 elements. The arguments are those of `rfft`.

    Example:
        >>> fnp.fft.ihfft([3.0, -1.0])
        Array([1.-0.j, 2.-0.j], dtype=complex128)
    """
    reject("fft.ihfft", out=out)
    return conjugate(rfft(a, n, axis, ops.SWAPPED[_norm(norm)]))


# Several axes.


def _two_axes(name: str, axes: Sequence[int]) -> None:
    if len(integers(axes)) != 2:
        other = name.replace("2", "n")
        raise ValueError(f"fft.{name} transforms along two axes, got axes={axes!r}; fft.{other} takes any number")


def _lengths(
    a: Any, s: Sequence[int] | None, axes: Sequence[int] | None, back: bool = False
) -> tuple[list[int | None], list[int]]:
    """For a transform over several axes the length along each, and the axes."""
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(a.ndim)
    axes = [normalize_axis_index(i, a.ndim) for i in integers(axes)]
    if s is None:
        lengths: list[int | None] = [a.shape[i] for i in axes]
        if back and axes:
            lengths[-1] = 2 * (a.shape[axes[-1]] - 1)
    else:
        lengths = [a.shape[i] if n == -1 else n for n, i in zip(s, axes, strict=False)]
        if len(s) != len(axes):
            raise ValueError(f"s and axes must have the same length, got s={tuple(s)} and axes={tuple(axes)}")
    return lengths, axes


def _over_axes(
    primitive: Callable, a: Any, lengths: Sequence[int | None], axes: Sequence[int], norm: str | None
) -> Any:
    """The complex transform over axes, the last one first."""
    for n, axis in zip(reversed(lengths), reversed(axes), strict=True):
        a = _transform(primitive, a, n, axis, norm)
    return a


def _complex_transform(
    name: str,
    primitive: Callable,
    a: Any,
    s: Sequence[int] | None,
    axes: Sequence[int] | None,
    norm: str | None,
    out: Any,
) -> Array:
    reject(f"fft.{name}", out=out)
    a = asarray(a)
    return _over_axes(primitive, a, *_lengths(a, s, axes), norm)


def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Any = None,
) -> Inexact[Array, "..."]:
    """The discrete Fourier transform over several axes.

    Arguments:
        a: the array.
        s: the length of the transform along each axis, as n for `fft`; -1 stands for the length of the axis.
        axes: by default all, or with s given the last `len(s)`.
        norm, out: as for `fft`.

    Raises:
        ValueError: s and axes differ in length; or as for `fft`.

    Example:
        >>> fnp.fft.fftn([[1.0, 0.0], [0.0, 0.0]])
        Array([[1.+0.j, 1.+0.j],
               [1.+0.j, 1.+0.j]], dtype=complex128)
    """
    return _complex_transform("fftn", ops.fft, a, s, axes, norm, out)


def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Any = None,
) -> Inexact[Array, "..."]:
    """The inverse of `fftn`. The arguments are those of `fftn`.

    Example:
        >>> fnp.fft.ifftn([[4.0, 0.0], [0.0, 0.0]])
        Array([[1.+0.j, 1.+0.j],
               [1.+0.j, 1.+0.j]], dtype=complex128)
    """
    return _complex_transform("ifftn", ops.ifft, a, s, axes, norm, out)


def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Inexact[Array, "..."]:
    """`fftn` over the last two axes.

    Example:
        >>> fnp.fft.fft2([[1.0, 1.0]])
        Array([[2.+0.j, 0.+0.j]], dtype=complex128)
    """
    _two_axes("fft2", axes)
    return _complex_transform("fft2", ops.fft, a, s, axes, norm, out)


def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Inexact[Array, "..."]:
    """`ifftn` over the last two axes.

    Example:
        >>> fnp.fft.ifft2([[2.0, 0.0]])
        Array([[1.+0.j, 1.+0.j]], dtype=complex128)
    """
    _two_axes("ifft2", axes)
    return _complex_transform("ifft2", ops.ifft, a, s, axes, norm, out)


def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Any = None,
) -> Complex[Array, "..."]:
    """`rfft` over the last of several axes, then `fft` over the others.

    Arguments:
        a: a real array.
        s, axes, norm, out: as for `fftn`.

    Raises:
        TypeError: the array is complex.
        ValueError: there is no axis to transform; or as for `fftn`.

    Example:
        >>> fnp.fft.rfftn([[1.0, 0.0], [1.0, 0.0]])
        Array([[2.+0.j, 2.+0.j],
               [0.+0.j, 0.+0.j]], dtype=complex128)
    """
    reject("fft.rfftn", out=out)
    a = asarray(a)
    lengths, axes = _lengths(a, s, axes)
    _need_axis("rfftn", axes)
    return _over_axes(ops.fft, rfft(a, lengths[-1], axes[-1], norm), lengths[:-1], axes[:-1], norm)


def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: str | None = None,
    out: Any = None,
) -> Float[Array, "..."]:
    """The inverse of `rfftn`.

    Arguments:
        a: the array.
        s: the lengths of the result; along the last of the axes by default 2 * (m - 1).
        axes, norm, out: as for `fftn`.

    Raises:
        ValueError: there is no axis to transform; or as for `fftn`.

    Example:
        >>> fnp.fft.irfftn([[2.0, 2.0], [0.0, 0.0]])
        Array([[1., 0.],
               [1., 0.]], dtype=float64)
    """
    reject("fft.irfftn", out=out)
    a = asarray(a)
    lengths, axes = _lengths(a, s, axes, back=True)
    _need_axis("irfftn", axes)
    for n, axis in zip(lengths[:-1], axes[:-1], strict=True):
        a = ifft(a, n, axis, norm)
    return irfft(a, lengths[-1], axes[-1], norm)


def _need_axis(name: str, axes: Sequence[int]) -> None:
    if not axes:
        raise ValueError(f"{name} needs at least one axis to transform")


def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Complex[Array, "..."]:
    """`rfftn` over the last two axes.

    Example:
        >>> fnp.fft.rfft2([[1.0, 1.0]])
        Array([[2.+0.j, 0.+0.j]], dtype=complex128)
    """
    _two_axes("rfft2", axes)
    return rfftn(a, s, axes, norm, out)


def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: str | None = None,
    out: Any = None,
) -> Float[Array, "..."]:
    """`irfftn` over the last two axes.

    Example:
        >>> fnp.fft.irfft2([[2.0, 0.0]])
        Array([[1., 1.]], dtype=float64)
    """
    _two_axes("irfft2", axes)
    return irfftn(a, s, axes, norm, out)


# Frequencies and their order.


def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """A spectrum with the zero frequency moved to the middle of each axis, by default of all.

    Example:
        >>> fnp.fft.fftshift([0.0, 1.0, -1.0])
        Array([-1.,  0.,  1.], dtype=float64)
    """
    return _shifted(x, axes, 1)


def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """The inverse of `fftshift`, which differs from it where a length is odd.

    Example:
        >>> fnp.fft.ifftshift([-1.0, 0.0, 1.0])
        Array([ 0.,  1., -1.], dtype=float64)
    """
    return _shifted(x, axes, -1)


def _shifted(x: ArrayLike, axes: int | Sequence[int] | None, sign: int) -> Array:
    x = asarray(x)
    if axes is None:
        axes = range(x.ndim)
    axes = tuple(axes) if hasattr(axes, "__iter__") else (axes,)
    return roll(x, [sign * (x.shape[i] // 2) for i in axes], axes)


def fftfreq(n: int, d: ArrayLike = 1.0, device: str | None = None) -> Float[Array, " n"]:
    """The frequencies of the elements of `fft`, in cycles per unit of d.

    Arguments:
        n: the length of the transform.
        d: the distance between samples.
        device: "cpu" or None.

    Raises:
        ValueError: n is not an integer.

    Example:
        >>> fnp.fft.fftfreq(4, 0.5)
        Array([ 0. ,  0.5, -1. , -0.5], dtype=float64)
    """
    n = _length("fftfreq", n, device)
    return wrap(np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)])) * (1.0 / (n * operand(d)))


def rfftfreq(n: int, d: ArrayLike = 1.0, device: str | None = None) -> Float[Array, " m"]:
    """The frequencies of the elements of `rfft`. The arguments are those of `fftfreq`.

    Example:
        >>> fnp.fft.rfftfreq(4, 0.5)
        Array([0. , 0.5, 1. ], dtype=float64)
    """
    n = _length("rfftfreq", n, device)
    return wrap(np.arange(n // 2 + 1)) * (1.0 / (n * operand(d)))


def _length(name: str, n: int, device: str | None) -> int:
    if device not in (None, "cpu"):
        raise ValueError(f"funcgrad arrays live on the device 'cpu', got {device!r}")
    if not isinstance(n, (int, np.integer)):
        raise ValueError(f"{name}: n must be an integer, got {n!r}")
    return int(n)


publish(__name__, source="numpy.fft")
