"""Functions that give the elements of an array another arrangement: reshape, transpose, broadcast, flip, repeat, …"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array, is_inexact, native
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ArgumentError
from funcgrad.numpy.convert import asarray, normalize_axes, normalize_axis_index, whole
from funcgrad.ops import structural

__all__ = [
    "astype",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "copy",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
    "trim_zeros",
]


def integers(given: Any) -> tuple[int, ...]:
    """A shape, or several axes, which may be one number or any sequence of them, as a tuple of ints."""
    if type(given) is not tuple:
        try:
            return (index(given),)
        except TypeError:
            if isinstance(given, (int, float, complex)) or getattr(given, "shape", None) == ():
                return (
                    whole(given, "a length, an axis or a place"),
                )  # raises: it is a number, but not an integer or not known
    return tuple([n if type(n) is int else whole(n, "a length, an axis or a place") for n in given])


def shape(a: ArrayLike) -> tuple[int, ...]:
    """The lengths of the axes of an array.

    Example:
        >>> fnp.shape([[1, 2, 3]])
        (1, 3)
    """
    return a.shape if hasattr(a, "shape") else asarray(a).shape


def ndim(a: ArrayLike) -> int:
    """The number of axes of an array.

    Example:
        >>> fnp.ndim([[1, 2, 3]])
        2
    """
    return len(shape(a))


def size(a: ArrayLike, axis: int | tuple[int, ...] | None = None) -> int:
    """The number of elements of an array, or its length along some axes.

    Example:
        >>> fnp.size([[1, 2, 3]]), fnp.size([[1, 2, 3]], 1)
        (3, 3)
    """
    s = shape(a)
    return math.prod(s[i] for i in normalize_axes(axis, len(s)))


# One array in another shape.


def reshape(
    a: ArrayLike, shape: int | Sequence[int] | ArrayLike, order: str = "C", *, copy: bool | None = None
) -> Shaped[Array, "..."]:
    """The elements of an array in a new shape.

    Arguments:
        a: the array.
        shape: the new lengths; one of them may be -1 and follows from the others.
        order: how elements are counted off: last axis fastest ("C"), first axis fastest ("F"), or as they lie in
            memory ("A": "F" if the array lies in that order, else "C").
        copy: without effect; whether memory is shared cannot be seen.

    Raises:
        ValueError: the new shape has another number of elements.

    Example:
        >>> fnp.reshape([1.0, 2.0, 3.0, 4.0], (2, -1))
        Array([[1., 2.],
               [3., 4.]], dtype=float64)
    """
    a = asarray(a)
    return structural.reshape(a, shape=_complete(shape, a.size), order=order if order == "C" else _order(a, order))


def _complete(shape: Any, size: int) -> tuple[int, ...]:
    """A shape with the length that is given as -1 filled in."""
    shape = integers(shape)
    if -1 in shape:
        known = math.prod([n for n in shape if n != -1])
        if shape.count(-1) > 1:
            raise ValueError(f"reshape: only one length can be -1, got {shape}")
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
        return tuple([size // known if n == -1 else n for n in shape])
    return shape


def _order(a: Array, order: str) -> str:
    if order == "A":
        flags = np.asarray(a._concrete('order="A"')).flags
        return "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    if order not in ("C", "F"):
        raise ValueError(f'order must be "C", "F" or "A", got {order!r}')
    return order


def ravel(a: ArrayLike, order: str = "C") -> Shaped[Array, " n"]:
    """The elements of an array in one row.

    Arguments:
        a: the array.
        order: as for `reshape`; "K" is the order in memory, whatever the axes.

    Example:
        >>> fnp.ravel([[1.0, 2.0], [3.0, 4.0]], order="F")
        Array([1., 3., 2., 4.], dtype=float64)
    """
    a = asarray(a)
    if order == "K":
        strides = np.asarray(a._concrete('order="K"')).strides
        a, order = transpose(a, sorted(range(a.ndim), key=lambda i: -abs(strides[i]))), "C"
    return structural.reshape(a, shape=(a.size,), order=order if order == "C" else _order(a, order))


def resize(a: ArrayLike, new_shape: int | Sequence[int]) -> Shaped[Array, "..."]:
    """An array of a new shape, filled with the elements of an array in turn, as often as it takes.

    Example:
        >>> fnp.resize([1.0, 2.0], (3,))
        Array([1., 2., 1.], dtype=float64)
    """
    a, new_shape = ravel(a), integers(new_shape)
    if any(n < 0 for n in new_shape):
        raise ValueError(f"resize: lengths must not be negative, got {new_shape}")
    size = math.prod(new_shape)
    if not a.size:
        return structural.pad(a, widths=((0, size),)).reshape(new_shape)
    return tile(a, -(-size // a.size))[:size].reshape(new_shape)


def expand_dims(a: ArrayLike, axis: int | Sequence[int]) -> Shaped[Array, "..."]:
    """An array with further axes of length one.

    Arguments:
        a: the array.
        axis: where the new axes are in the result.

    Example:
        >>> fnp.expand_dims([1.0, 2.0], 1)
        Array([[1.],
               [2.]], dtype=float64)
    """
    a, axis = asarray(a), integers(axis)
    n = a.ndim + len(axis)
    new, old = normalize_axes(axis, n), iter(a.shape)
    return structural.reshape(a, shape=tuple([1 if i in new else next(old) for i in range(n)]), order="C")


def squeeze(a: ArrayLike, axis: int | Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """An array without its axes of length one, or without some of them.

    Arguments:
        a: the array.
        axis: the axes to remove; all of length one if None.

    Raises:
        ValueError: one of these axes has another length.

    Example:
        >>> fnp.squeeze([[1.0], [2.0]])
        Array([1., 2.], dtype=float64)
    """
    a = asarray(a)
    shape = a.shape
    if axis is None:
        kept = [n for n in shape if n != 1]
    else:
        ndim = len(shape)
        one = type(axis) is int and -ndim <= axis < ndim
        gone = (axis % ndim,) if one else normalize_axes(integers(axis), ndim)  # type: ignore[operator]  # an int
        for i in gone:
            if shape[i] != 1:
                raise ValueError(f"squeeze can remove axes of length one, but axis {i} of shape {shape} is longer")
        kept = [n for i, n in enumerate(shape) if i not in gone]
    return structural.reshape(a, shape=tuple(kept), order="C")


def atleast_nd(a: ArrayLike, n: int) -> Array:
    """An array with at least n axes: new ones in front, but the third axis of atleast_3d at the end."""
    a = asarray(a)
    if a.ndim >= n:
        return a
    shape = (1,) * (n - a.ndim) + a.shape
    if n == 3 and a.ndim:
        shape = (1, *a.shape, 1) if a.ndim == 1 else (*a.shape, 1)
    return structural.reshape(a, shape=shape, order="C")


def _each_atleast(arys: tuple, n: int) -> Any:
    return atleast_nd(arys[0], n) if len(arys) == 1 else tuple([atleast_nd(a, n) for a in arys])


def atleast_1d(*arys: ArrayLike) -> Any:
    """Arrays with at least one axis: one array, or a tuple if several are given.

    Example:
        >>> fnp.atleast_1d(2.0)
        Array([2.], dtype=float64)
    """
    return _each_atleast(arys, 1)


def atleast_2d(*arys: ArrayLike) -> Any:
    """Arrays with at least two axes, the new ones in front.

    Example:
        >>> fnp.atleast_2d([1.0, 2.0])
        Array([[1., 2.]], dtype=float64)
    """
    return _each_atleast(arys, 2)


def atleast_3d(*arys: ArrayLike) -> Any:
    """Arrays with at least three axes: (n,) becomes (1, n, 1) and (m, n) becomes (m, n, 1).

    Example:
        >>> fnp.atleast_3d([1.0, 2.0]).shape
        (1, 2, 1)
    """
    return _each_atleast(arys, 3)


# Axes in another order.


def transpose(a: ArrayLike, axes: Sequence[int] | np.ndarray | None = None) -> Shaped[Array, "..."]:
    """An array with its axes in another order.

    Arguments:
        a: the array.
        axes: axis i of the result is axis axes[i] of a; by default the order is reversed.

    Raises:
        ValueError: axes is no permutation of the axes of a.

    Example:
        >>> fnp.transpose([[1.0, 2.0], [3.0, 4.0]])
        Array([[1., 3.],
               [2., 4.]], dtype=float64)
    """
    a = asarray(a)
    if axes is None:
        axes = range(a.ndim - 1, -1, -1)
    else:
        axes = normalize_axes(integers(axes), a.ndim)
        if len(axes) != a.ndim:
            raise ValueError(f"transpose: axes must name each of the {a.ndim} axes of the array, got {axes}")
    return structural.transpose(a, axes=tuple(axes))


permute_dims = transpose


def matrix_transpose(x: ArrayLike, /) -> Shaped[Array, "... m n"]:
    """An array with its last two axes interchanged.

    Raises:
        ValueError: the array has fewer than two axes.

    Example:
        >>> fnp.matrix_transpose([[1.0, 2.0]])
        Array([[1.],
               [2.]], dtype=float64)
    """
    x = asarray(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose takes an array of at least two axes, got shape {x.shape}")
    return swapaxes(x, -1, -2)


def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Shaped[Array, "..."]:
    """An array with two axes interchanged.

    Example:
        >>> fnp.swapaxes([[1.0, 2.0]], 0, 1)
        Array([[1.],
               [2.]], dtype=float64)
    """
    a = asarray(a)
    i, k = normalize_axis_index(axis1, a.ndim), normalize_axis_index(axis2, a.ndim)
    axes = list(range(a.ndim))
    axes[i], axes[k] = k, i
    return structural.transpose(a, axes=tuple(axes))


def moveaxis(a: ArrayLike, source: int | Sequence[int], destination: int | Sequence[int]) -> Shaped[Array, "..."]:
    """An array with some axes in another place; the others keep their order.

    Arguments:
        a: the array.
        source: the axes to move.
        destination: where they are in the result.

    Raises:
        ValueError: as many destinations as sources are needed.

    Example:
        >>> fnp.moveaxis(fnp.zeros((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    a = asarray(a)
    source, destination = normalize_axes(integers(source), a.ndim), normalize_axes(integers(destination), a.ndim)
    if len(source) != len(destination):
        raise ValueError(f"moveaxis: source {source} and destination {destination} must have the same length")
    axes = [i for i in range(a.ndim) if i not in source]
    for to, axis in sorted(zip(destination, source, strict=True)):
        axes.insert(to, axis)
    return structural.transpose(a, axes=tuple(axes))


def rollaxis(a: ArrayLike, axis: int, start: int = 0) -> Shaped[Array, "..."]:
    """An array with one axis moved to before another; `moveaxis` says it more plainly.

    Example:
        >>> fnp.rollaxis(fnp.zeros((2, 3, 4)), 2).shape
        (4, 2, 3)
    """
    a = asarray(a)
    axis = normalize_axis_index(axis, a.ndim)
    start = normalize_axis_index(start if start >= 0 else start + a.ndim, a.ndim + 1)
    return moveaxis(a, axis, start - (axis < start))


# Broadcasting and repeating.


def broadcast_to(array: ArrayLike, shape: int | Sequence[int], subok: bool = False) -> Shaped[Array, "..."]:
    """An array spread over a larger shape: axes of length one, and new ones in front, are repeated.

    Raises:
        ValueError: the array does not fit the shape.

    Example:
        >>> fnp.broadcast_to([1.0, 2.0], (2, 2))
        Array([[1., 2.],
               [1., 2.]], dtype=float64)
    """
    return structural.broadcast_to(asarray(array), shape=integers(shape))


def broadcast_shapes(*args: int | Sequence[int]) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together.

    Raises:
        ValueError: they do not fit.

    Example:
        >>> fnp.broadcast_shapes((3, 1), (2,))
        (3, 2)
    """
    return np.broadcast_shapes(*[integers(s) for s in args])


def broadcast_arrays(
    *args: ArrayLike | str | None, subok: bool = False
) -> tuple[Shaped[Array, "..."] | np.ndarray, ...]:
    """Arrays spread over the shape that they have together.

    None and texts, which plotting libraries put among them, are spread as ndarrays.

    Raises:
        ValueError: the shapes do not fit.

    Example:
        >>> fnp.broadcast_arrays([1.0, 2.0], 3.0)
        (Array([1., 2.], dtype=float64), Array([3., 3.], dtype=float64))
    """
    arrays = [np.asarray(a) if a is None or isinstance(a, str) else asarray(a) for a in args]
    out = np.broadcast_shapes(*[a.shape for a in arrays])
    return tuple([a if a.shape == out else np.broadcast_to(a, out) for a in arrays])


def tile(A: ArrayLike, reps: int | Sequence[int]) -> Shaped[Array, "..."]:
    """An array repeated as a whole along its axes.

    Arguments:
        A: the array.
        reps: how often along each axis; with fewer numbers than axes they count for the last ones, with more the array
            gets new axes in front.

    Example:
        >>> fnp.tile([1.0, 2.0], 2)
        Array([1., 2., 1., 2.], dtype=float64)
    """
    a, times = asarray(A), integers(reps)
    n = max(a.ndim, len(times))
    old, times = (1,) * (n - a.ndim) + a.shape, (1,) * (n - len(times)) + times
    if all(t == 1 for t in times):
        return structural.reshape(a, shape=old, order="C")
    apart = structural.reshape(a, shape=tuple([k for n in old for k in (1, n)]), order="C")
    spread = structural.broadcast_to(apart, shape=tuple([k for pair in zip(times, old, strict=True) for k in pair]))
    return structural.reshape(spread, shape=tuple([t * n for t, n in zip(times, old, strict=True)]), order="C")


def repeat(
    a: ArrayLike, repeats: int | ArrayLike, axis: int | None = None, *, total_repeat_length: int | None = None
) -> Shaped[Array, "..."]:
    """An array with each element repeated along an axis.

    Arguments:
        a: the array.
        repeats: how often: one number, or one for each element of the axis.
        axis: by default the flattened array is taken.
        total_repeat_length: the length of the result, which is cut there, or filled with the last element (as in JAX).

    Raises:
        ValueError: the number of repeats is not the length of the axis.

    Example:
        >>> fnp.repeat([1.0, 2.0], [1, 2])
        Array([1., 2., 2.], dtype=float64)
    """
    a = asarray(a)
    if axis is None or not a.ndim:
        a = ravel(a)
    axis = normalize_axis_index(0 if axis is None else axis, a.ndim)
    n, before, after = a.shape[axis], a.shape[:axis], a.shape[axis + 1 :]
    if isinstance(repeats, Tracer) and total_repeat_length is not None:
        return a[(slice(None),) * axis + (_repeated(repeats, n, total_repeat_length),)]
    times = repeats if type(repeats) is int else _counts(repeats)
    if type(times) is int and total_repeat_length is None:
        if times < 0:
            raise ValueError(f"repeat: repeats must not be negative, got {times}")
        apart = structural.reshape(a, shape=(*before, n, 1, *after), order="C")
        spread = structural.broadcast_to(apart, shape=(*before, n, times, *after))
        return structural.reshape(spread, shape=(*before, n * times, *after), order="C")
    which = np.repeat(np.arange(n), times)
    if total_repeat_length is not None:
        which = which[:total_repeat_length]
        which = np.pad(which, (0, total_repeat_length - len(which)), mode="edge" if len(which) else "constant")
    return a[(slice(None),) * axis + (which,)]


def _repeated(repeats: Tracer, n: int, total: int) -> Any:
    """Which of n elements is in each of `total` places, if they are repeated as often as numbers without values say."""
    if repeats.dtype.kind not in "iub" or repeats.ndim > 1 or repeats.size not in (1, n):
        raise ArgumentError(f"repeat: repeats must be one integer or {n} of them, got {repeats.describe()}")
    ends = np.cumsum(structural.broadcast_to(repeats.reshape(-1), shape=(n,)))
    return np.minimum(np.searchsorted(ends, np.arange(index(total)), "right"), n - 1)


def _counts(repeats: ArrayLike) -> int | np.ndarray:
    """The numbers of repeats, as one int if there is but one."""
    given = asarray(repeats)
    if given.dtype.kind not in "iub":
        raise ArgumentError(f"repeat: repeats must be integers, got {given.describe()}")
    values = np.asarray(given._concrete("repeats in repeat(x, repeats)"))
    return int(values.reshape(())) if values.size == 1 else values


# The other way round.


def flip(m: ArrayLike, axis: int | Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """An array with the elements along some axes, by default all, in reverse order.

    Example:
        >>> fnp.flip([1.0, 2.0, 3.0])
        Array([3., 2., 1.], dtype=float64)
    """
    m = asarray(m)
    return structural.flip(m, axes=normalize_axes(None if axis is None else integers(axis), m.ndim))


def fliplr(m: ArrayLike) -> Shaped[Array, "..."]:
    """An array with the elements along its second axis in reverse order.

    Example:
        >>> fnp.fliplr([[1.0, 2.0]])
        Array([[2., 1.]], dtype=float64)
    """
    return flip(m, 1)


def flipud(m: ArrayLike) -> Shaped[Array, "..."]:
    """An array with the elements along its first axis in reverse order.

    Example:
        >>> fnp.flipud([1.0, 2.0])
        Array([2., 1.], dtype=float64)
    """
    return flip(m, 0)


def rot90(m: ArrayLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Shaped[Array, "..."]:
    """An array turned by quarter turns in the plane of two axes, from the first towards the second.

    Arguments:
        m: the array.
        k: the number of quarter turns.
        axes: the two axes.

    Raises:
        ValueError: axes are not two different ones.

    Example:
        >>> fnp.rot90([[1.0, 2.0], [3.0, 4.0]])
        Array([[2., 4.],
               [1., 3.]], dtype=float64)
    """
    m = asarray(m)
    axes = normalize_axes(integers(axes), m.ndim)
    if len(axes) != 2:
        raise ValueError(f"rot90 turns in the plane of two axes, got axes={axes}")
    k = whole(k, "rot90: k") % 4
    if k == 0:
        return m
    if k == 2:
        return flip(m, axes)
    return swapaxes(flip(m, axes[1]), *axes) if k == 1 else flip(swapaxes(m, *axes), axes[1])


def roll(
    a: ArrayLike, shift: int | Sequence[int] | ArrayLike, axis: int | Sequence[int] | None = None
) -> Shaped[Array, "..."]:
    """An array with its elements moved along axes; what leaves at one end comes in at the other.

    Arguments:
        a: the array.
        shift: by how many places, for each of the axes.
        axis: by default the flattened array is rolled, and gets its shape back.

    Example:
        >>> fnp.roll([1.0, 2.0, 3.0], 1)
        Array([3., 1., 2.], dtype=float64)
    """
    a, shift = asarray(a), integers(shift)
    if axis is None:
        return roll(ravel(a), (sum(shift),), 0).reshape(a.shape)
    axes = tuple([normalize_axis_index(i, a.ndim) for i in integers(axis)])
    if len(shift) != len(axes):
        if 1 not in (len(shift), len(axes)):
            raise ValueError(f"roll: there must be one shift for each axis, got shift={shift} and axis={axes}")
        shift, axes = shift * len(axes) if len(shift) == 1 else shift, axes * len(shift) if len(axes) == 1 else axes
    return structural.roll(a, shift=shift, axes=axes)


# Dtype, copies, margins.


def astype(
    x: ArrayLike, dtype: Any, /, order: str = "K", *, copy: bool = True, device: str | None = None
) -> Shaped[Array, "..."]:
    """An array in another dtype. To integers and booleans there is no derivative: the result is a constant.

    Arguments:
        x: the array.
        dtype: the new dtype. A complex array gives its real part to a real one, with NumPy's ComplexWarning.
        order, copy: without effect, as neither can be seen.
        device: "cpu" or None.

    Example:
        >>> fnp.astype(fnp.array([1.5, 2.0]), fnp.int64)
        Array([1, 2], dtype=int64)
    """
    x, dtype = asarray(x), native(dtype)
    if device is not None:
        x.to_device(device)
    if dtype == x.dtype:
        return x
    if dtype.kind in "biu":
        if x.dtype.kind == "c" and dtype.kind != "b":
            _warn_complex()
        return structural.truncate(x, dtype=dtype)
    if not is_inexact(dtype):
        raise ArgumentError(f"funcgrad arrays hold numbers and booleans, so {x.describe()} cannot become {dtype}")
    if x.dtype.kind == "c" and dtype.kind == "f":
        _warn_complex()
    return structural.astype(x, dtype=dtype)


def _warn_complex() -> None:
    text = "Casting complex values to real discards the imaginary part"
    warnings.warn(text, np.exceptions.ComplexWarning, stacklevel=3)


def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> Shaped[Array, "..."]:
    """An array with the same elements. An Array, which nobody can write to, is its own copy.

    Example:
        >>> fnp.copy([1.0, 2.0])
        Array([1., 2.], dtype=float64)
    """
    return asarray(a)


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: int | Sequence[int] | None = None) -> Shaped[Array, "..."]:
    """An array without the zeros at its margins.

    Arguments:
        filt: the array.
        trim: "f" for the front, "b" for the back, "fb" for both.
        axis: the axes that are trimmed; by default all.

    Raises:
        NoValueError: the values are not known, as in make_tape; the shape of the result depends on them.

    Example:
        >>> fnp.trim_zeros([0.0, 1.0, 0.0, 2.0, 0.0])
        Array([1., 0., 2.], dtype=float64)
    """
    a, trim = asarray(filt), trim.lower()
    if trim not in ("f", "b", "fb", "bf"):
        raise ValueError(f'trim_zeros: trim must be made of "f" and "b", got {trim!r}')
    if not a.ndim:
        return a
    places = np.nonzero(np.asarray(a._concrete("trim_zeros(x)")))
    window = [slice(None)] * a.ndim
    for i in normalize_axes(None if axis is None else integers(axis), a.ndim):
        found = places[i]
        low, high = (int(found.min()), int(found.max()) + 1) if found.size else (a.shape[i], a.shape[i])
        window[i] = slice(low if "f" in trim else None, high if "b" in trim else None)
        if not found.size and "f" not in trim:
            window[i] = slice(0, 0)
    return a[tuple(window)]
