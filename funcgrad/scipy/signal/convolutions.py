"""Convolution and correlation of arrays of any number of dimensions, directly and by Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.numpy import conjugate, expand_dims, flip, moveaxis, pad, result_type, tensordot, transpose
from funcgrad.numpy.convert import asarray, normalize_axes, wrap
from funcgrad.numpy.fft import fftn, ifftn, irfftn, rfftn
from funcgrad.ops.convolve_axes import convolve_axes
from funcgrad.scipy.fft.lengths import next_fast_len

__all__ = [
    "choose_conv_method",
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "fftconvolve",
    "oaconvolve",
]

_MODES = ("full", "valid", "same")


def convolve(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    method: str = "auto",
    precision: Any = None,
    *,
    axes: Sequence[Sequence[int]] | None = None,
    dot_axes: Sequence[Sequence[int]] | None = None,
) -> Shaped[Array, "..."]:
    """The convolution of two arrays along all their axes, or along some.

    Arguments:
        in1, in2: arrays with equally many axes, unless `axes` is given.
        mode: which part of it: "full" for all, "valid" where one array covers the other, "same" for the middle part of
            the shape of in1.
        method: "direct" for sums, "fft" for Fourier transforms, "auto" for what is quicker.
        precision: accepted as in JAX.
        axes: the axes along which to convolve, a pair of lists: those of in1, and those of in2 in the same order.
        dot_axes: a pair of lists of axes to be multiplied and summed over, as in tensordot.

    Returns:
        An array. With `axes` or `dot_axes` its axes are the others of in1, the others of in2, and those convolved.

    Raises:
        ValueError: the arrays do not fit, or mode or method is unknown.

    Example:
        >>> from funcgrad.scipy.signal import convolve
        >>> convolve(fnp.array([1.0, 2.0, 3.0]), fnp.array([0.0, 1.0, 0.5]), mode="same")
        Array([1. , 2.5, 4. ], dtype=float64)

    Source: scipy.signal.convolve
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.signal.convolve.html). `axes` and `dot_axes` are
        those of `autograd.scipy.signal.convolve`.
    """
    x, y = asarray(in1), asarray(in2)
    _check("convolve", mode, method)
    if axes is not None or dot_axes is not None:
        return _convolve_some(x, y, mode, axes, dot_axes)
    if x.ndim != y.ndim:
        raise ValueError(f"convolve takes arrays with equally many axes, got shapes {x.shape} and {y.shape}")
    if x.ndim == 0:
        return x * y
    if mode == "valid" and _smaller("convolve", x.shape, y.shape, range(x.ndim)):
        x, y = y, x
    if method == "auto":
        method = choose_conv_method(x, y, mode)
    if method == "fft":
        out = fftconvolve(x, y, mode)
        kind = result_type(x, y)
        return out if kind.kind in "fc" else out.round().astype(kind)
    return _direct(x, y, mode)


def correlate(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto", precision: Any = None
) -> Shaped[Array, "..."]:
    """The cross-correlation of two arrays: the sums of products of in1 with in2, conjugated, at all displacements.

    Arguments:
        in1, in2, mode, method, precision: as for `convolve`.

    Raises:
        ValueError: as for `convolve`.

    Example:
        >>> from funcgrad.scipy.signal import correlate
        >>> correlate(fnp.array([1.0, 2.0, 3.0]), fnp.array([1.0, 10.0]))
        Array([10., 21., 32.,  3.], dtype=float64)
    """
    _check("correlate", mode, method)
    x, y = asarray(in1), asarray(in2)
    if x.ndim != y.ndim:
        raise ValueError(f"correlate takes arrays with equally many axes, got shapes {x.shape} and {y.shape}")
    return convolve(x, flip(_conjugated(y)), mode, method)


def convolve2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: ArrayLike = 0,
    precision: Any = None,
) -> Shaped[Array, "n m"]:
    """The convolution of two matrices, with a choice of what lies around the first.

    Arguments:
        in1, in2: matrices.
        mode: as for `convolve`.
        boundary: what lies around in1: "fill" for one value, "wrap" for in1 repeated, "symm" for in1 mirrored.
        fillvalue: that value.
        precision: accepted as in JAX.

    Raises:
        ValueError: the arrays are no matrices or do not fit, or mode or boundary is unknown.

    Example:
        >>> from funcgrad.scipy.signal import convolve2d
        >>> convolve2d(fnp.eye(3), fnp.array([[1.0, 2.0]]), mode="same")
        Array([[1., 2., 0.],
               [0., 1., 2.],
               [0., 0., 1.]], dtype=float64)
    """
    x, y = _matrices("convolve2d", in1, in2, mode)
    return _bounded(x, y, mode, boundary, fillvalue, [(k - 1) // 2 for k in y.shape])


def correlate2d(
    in1: ArrayLike,
    in2: ArrayLike,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: ArrayLike = 0,
    precision: Any = None,
) -> Shaped[Array, "n m"]:
    """The cross-correlation of two matrices, with a choice of what lies around the first.

    Arguments:
        in1, in2, mode, boundary, fillvalue, precision: as for `convolve2d`.

    Raises:
        ValueError: as for `convolve2d`.

    Example:
        >>> from funcgrad.scipy.signal import correlate2d
        >>> correlate2d(fnp.eye(3), fnp.array([[1.0, 2.0]]), mode="valid")
        Array([[1., 0.],
               [2., 1.],
               [0., 2.]], dtype=float64)
    """
    x, y = _matrices("correlate2d", in1, in2, mode)
    if mode == "valid" and _smaller("correlate2d", x.shape, y.shape, (0, 1)):
        x = _conjugated(x)  # SciPy conjugates the smaller one
    else:
        y = _conjugated(y)
    return _bounded(x, flip(y), mode, boundary, fillvalue, [k // 2 for k in y.shape])


def fftconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: int | Sequence[int] | None = None
) -> Shaped[Array, "..."]:
    """The convolution of two arrays by Fourier transforms.

    Arguments:
        in1, in2: arrays with equally many axes.
        mode: as for `convolve`.
        axes: the axes along which to convolve, all by default. Along the others the arrays are broadcast.

    Raises:
        ValueError: the arrays do not fit, or the mode is unknown.

    Example:
        >>> from funcgrad.scipy.signal import fftconvolve
        >>> fftconvolve(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0])).round(9)
        Array([ 1., 12., 23., 30.], dtype=float64)
    """
    x, y = asarray(in1), asarray(in2)
    _check("fftconvolve", mode, "fft")
    if x.ndim != y.ndim:
        raise ValueError(f"fftconvolve takes arrays with equally many axes, got shapes {x.shape} and {y.shape}")
    if x.ndim == 0:
        return x * y
    if not x.size or not y.size:
        return asarray(np.zeros(0, result_type(x, y)))
    along = _axes("fftconvolve", x, y, axes)
    moving = [a for a in along if x.shape[a] > 1 and y.shape[a] > 1]
    along = moving if mode == "valid" else along
    if mode == "valid" and _smaller("fftconvolve", x.shape, y.shape, along):
        x, y = y, x
    if not moving:
        return _part(x * y, x.shape, y.shape, mode, along)
    is_complex = x.dtype.kind == "c" or y.dtype.kind == "c"
    shape = [x.shape[a] + y.shape[a] - 1 for a in moving]
    fast = [next_fast_len(n, real=not is_complex) for n in shape]
    if is_complex:
        out = ifftn(fftn(x, fast, moving) * fftn(y, fast, moving), fast, moving)
    else:
        out = irfftn(rfftn(x, fast, moving) * rfftn(y, fast, moving), fast, moving)
    return _part(out[_slices(out.ndim, moving, [0] * len(moving), shape)], x.shape, y.shape, mode, along)


def oaconvolve(
    in1: ArrayLike, in2: ArrayLike, mode: str = "full", axes: int | Sequence[int] | None = None
) -> Shaped[Array, "..."]:
    """The convolution of two arrays, one of them much longer, by Fourier transforms of blocks.

    Arguments:
        in1, in2, mode, axes: as for `fftconvolve`, whose result it gives.

    Raises:
        ValueError: as for `fftconvolve`.

    Example:
        >>> from funcgrad.scipy.signal import oaconvolve
        >>> oaconvolve(np.arange(1000.0), np.array([1.0, -1.0]), mode="valid")[:3].round(9)
        Array([1., 1., 1.], dtype=float64)
    """
    x, y = asarray(in1), asarray(in2)
    _check("oaconvolve", mode, "fft")
    if x.ndim != y.ndim:
        raise ValueError(f"oaconvolve takes arrays with equally many axes, got shapes {x.shape} and {y.shape}")
    along = _axes("oaconvolve", x, y, axes) if x.ndim and x.size and y.size else []
    if len(along) != 1 or 1 in (x.shape[along[0]], y.shape[along[0]]):
        return fftconvolve(x, y, mode, axes)
    (axis,) = along
    if mode == "valid" and _smaller("oaconvolve", x.shape, y.shape, along):
        x, y = y, x
    n, m = x.shape[axis], y.shape[axis]
    long, short = (x, y) if n >= m else (y, x)
    size = next_fast_len(8 * min(n, m), real=True)
    step = size - min(n, m) + 1
    if max(n, m) < 2 * step:
        return fftconvolve(x, y, mode, axes)
    long, short = moveaxis(long, axis, -1), moveaxis(short, axis, -1)
    count = -(-max(n, m) // step)
    widths = [(0, 0)] * (long.ndim - 1)
    blocks = pad(long, [*widths, (0, count * step - max(n, m))]).reshape(*long.shape[:-1], count, step)
    parts = fftconvolve(blocks, expand_dims(short, -2), axes=-1)  # each overlaps the next by what the shorter one adds
    over = parts.shape[-1] - step
    heads, tails = parts[..., :step], parts[..., step:]
    inner = [(0, 0)] * (parts.ndim - 2)
    added = pad(heads, [*inner, (0, 1), (0, 0)]) + pad(tails, [*inner, (1, 0), (0, step - over)])
    whole = added.reshape(*added.shape[:-2], -1)[..., : n + m - 1]
    return _part(moveaxis(whole, -1, axis), x.shape, y.shape, mode, along)


def choose_conv_method(in1: ArrayLike, in2: ArrayLike, mode: str = "full") -> str:
    """Which way of convolving is quicker, "direct" or "fft", by a count of operations.

    Arguments:
        in1, in2: the arrays. Those of integers are convolved directly, for then the result is exact.
        mode: as for `convolve`.

    Example:
        >>> from funcgrad.scipy.signal import choose_conv_method
        >>> choose_conv_method(np.ones(10), np.ones(3)), choose_conv_method(np.ones(10000), np.ones(3000))
        ('direct', 'fft')

    Source: scipy.signal.choose_conv_method
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.signal.choose_conv_method.html). The times are those
        of the ways here.
    """
    x, y = asarray(in1), asarray(in2)
    _check("choose_conv_method", mode, "auto")
    if result_type(x, y).kind not in "fc" or not x.size or not y.size:
        return "direct"
    full = math.prod([a + b - 1 for a, b in zip(x.shape, y.shape, strict=True)])
    few, many = sorted([x.size, y.size])
    direct = 3e-6 + 3e-10 * few * many if x.ndim == 1 else few * (5e-6 + 3e-9 * many)
    fft = 8e-5 * x.ndim + 3e-9 * full * math.log2(full + 1)
    return "fft" if fft < direct else "direct"


# The steps.


def _check(name: str, mode: str, method: str) -> None:
    if mode not in _MODES:
        raise ValueError(f'{name}: mode must be "full", "valid" or "same", got {mode!r}')
    if method not in ("auto", "direct", "fft"):
        raise ValueError(f'{name}: method must be "auto", "direct" or "fft", got {method!r}')


def _conjugated(x: Array) -> Array:
    return conjugate(x) if x.dtype.kind == "c" else x


def _matrices(name: str, in1: ArrayLike, in2: ArrayLike, mode: str) -> tuple[Array, Array]:
    x, y = asarray(in1), asarray(in2)
    _check(name, mode, "direct")
    if x.ndim != 2 or y.ndim != 2:
        raise ValueError(f"{name} takes two matrices, got shapes {x.shape} and {y.shape}")
    return x, y


def _axes(name: str, x: Array, y: Array, axes: Any) -> list[int]:
    """The axes of a convolution; along the others the arrays must broadcast."""
    along = list(normalize_axes(axes, x.ndim))
    if not along:
        raise ValueError(f"{name}: axes must not be empty")
    for a in range(x.ndim):
        if a not in along and x.shape[a] != y.shape[a] and 1 not in (x.shape[a], y.shape[a]):
            raise ValueError(f"{name}: along axis {a} the arrays do not broadcast: shapes {x.shape} and {y.shape}")
    return along


def _smaller(name: str, x: tuple[int, ...], y: tuple[int, ...], along: Sequence[int]) -> bool:
    """Whether x is covered by y, and not y by x.

    Raises:
        ValueError: neither is.
    """
    if all(x[a] >= y[a] for a in along):
        return False
    if all(x[a] <= y[a] for a in along):
        return True
    raise ValueError(
        f'{name}: for mode "valid" one array must be at least as long as the other along every axis, got shapes '
        f"{x} and {y}"
    )


def _slices(ndim: int, axes: Sequence[int], starts: Sequence[int], lengths: Sequence[int]) -> tuple[slice, ...]:
    found = [slice(None)] * ndim
    for a, i, n in zip(axes, starts, lengths, strict=True):
        found[a] = slice(i, i + n)
    return tuple(found)


def _part(full: Array, x: tuple[int, ...], y: tuple[int, ...], mode: str, axes: Sequence[int]) -> Array:
    """The part of a full convolution that the mode says: the middle one of the shape of x, or of the valid one."""
    if mode == "full":
        return wrap(full)
    lengths = [x[a] if mode == "same" else x[a] - y[a] + 1 for a in axes]
    starts = [(full.shape[a] - n) // 2 for a, n in zip(axes, lengths, strict=True)]
    return full[_slices(full.ndim, axes, starts, lengths)]


def _direct(x: Array, y: Array, mode: str) -> Array:
    axes = tuple(range(x.ndim))
    if mode == "valid":
        return wrap(convolve_axes(x, y, mode="valid", axes=axes))
    return _part(wrap(convolve_axes(x, y, mode="full", axes=axes)), x.shape, y.shape, mode, axes)


def _bounded(x: Array, y: Array, mode: str, boundary: str, fillvalue: Any, before: Sequence[int]) -> Array:
    """A convolution of matrices with a boundary; `before` is where the part of mode "same" begins."""
    if boundary not in ("fill", "wrap", "symm"):
        raise ValueError(f'the boundary must be "fill", "wrap" or "symm", got {boundary!r}')
    if mode == "valid":
        return convolve(x, y, "valid")
    widths = [(k - 1, k - 1) for k in y.shape]
    if boundary == "fill":
        fill = asarray(fillvalue)
        kind = result_type(x, y)
        around = pad(x, widths, constant_values=fill.astype(kind) if fill.dtype != kind else fill)
    else:
        around = pad(x, widths, mode="wrap" if boundary == "wrap" else "symmetric")
    full = convolve(around, y, "valid")
    return full if mode == "full" else full[_slices(2, (0, 1), before, x.shape)]


def _convolve_some(x: Array, y: Array, mode: str, axes: Any, dot_axes: Any) -> Array:
    """A convolution along some axes: the others are kept, those of x first, or multiplied and summed over."""
    dots = [list(normalize_axes(tuple(d), v.ndim)) for d, v in zip(dot_axes or ((), ()), (x, y), strict=True)]
    given = (range(x.ndim), range(x.ndim)) if axes is None else axes
    along = [list(normalize_axes(tuple(a), v.ndim)) for a, v in zip(given, (x, y), strict=True)]
    if len(along[0]) != len(along[1]) or len(dots[0]) != len(dots[1]):
        raise ValueError(f"convolve: axes and dot_axes name as many axes of in1 as of in2, got {axes} and {dot_axes}")
    kept = [[i for i in range(v.ndim) if i not in a + d] for v, a, d in zip((x, y), along, dots, strict=True)]
    k, nx, ny, nd = len(along[0]), len(kept[0]), len(kept[1]), len(dots[0])
    x, y = (transpose(v, c + d + a) for v, c, d, a in zip((x, y), kept, dots, along, strict=True))
    inner = tuple(range(nx + ny, nx + ny + k))
    lengths, others = x.shape[nx + nd :], y.shape[ny + nd :]
    swapped = mode == "valid" and _smaller("convolve", lengths, others, range(k))
    if nd == 0:
        x, y = x.reshape(*x.shape[:nx], *[1] * ny, *lengths), y.reshape(*[1] * nx, *y.shape)
        if mode == "valid":
            return wrap(convolve_axes(*(y, x) if swapped else (x, y), mode="valid", axes=inner))
        full = wrap(convolve_axes(x, y, mode="full", axes=inner))
        return _part(full, (0,) * (nx + ny) + lengths, (0,) * (nx + ny) + others, mode, inner)
    # A product of matrices for each element of the kernel: far fewer products than the arrays would give, broadcast.
    if swapped:
        out = _windows(y, x, ny, nx, nd)
        return transpose(out, [*range(ny, ny + nx), *range(ny), *range(nx + ny, out.ndim)])
    if mode != "valid":
        x = pad(x, [(0, 0)] * (nx + nd) + [(n - 1, n - 1) for n in others])
    out = _windows(x, y, nx, ny, nd)
    return out if mode == "valid" else _part(out, (0,) * (nx + ny) + lengths, (0,) * (nx + ny) + others, mode, inner)


def _windows(x: Array, y: Array, nx: int, ny: int, nd: int) -> Array:
    """The valid convolution along the last axes of x, which is the longer, and y, summed over the nd axes before."""
    lengths = [n - m + 1 for n, m in zip(x.shape[nx + nd :], y.shape[ny + nd :], strict=True)]
    total: Any = 0
    for place in np.ndindex(*y.shape[ny + nd :]):
        starts = [m - 1 - i for i, m in zip(place, y.shape[ny + nd :], strict=True)]
        window = x[_slices(x.ndim, range(nx + nd, x.ndim), starts, lengths)]
        dot = (list(range(nx, nx + nd)), list(range(ny, ny + nd)))
        total = total + tensordot(window, y[(..., *place)], axes=dot)
    k = len(lengths)
    return moveaxis(total, list(range(nx, nx + k)), list(range(-k, 0)))
