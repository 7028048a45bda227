"""Functions that make arrays: array, zeros, full, arange, linspace, eye, …

What they are given may be differentiated: `full(3, x)`, `linspace(0, x)` and `array([x, y])` are functions of x and y.
Without a tracer among the arguments NumPy makes the array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from funcgrad.core.array import NATIVE, NUMBERS, Array, native
from funcgrad.core.trace import Tracer, abstract, uniform
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.numpy import convert
from funcgrad.numpy.convert import normalize_axis_index, whole, wrap
from funcgrad.numpy.joining import concatenate, stack
from funcgrad.numpy.shapes import astype, broadcast_to, expand_dims, integers, moveaxis, reshape
from funcgrad.numpy.shapes import shape as shape_of

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "frombuffer",
    "fromiter",
    "fromstring",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "require",
    "tri",
    "vander",
    "zeros",
    "zeros_like",
]


def _made(value: np.ndarray) -> Array:
    """An Array around memory that was just made, if it holds numbers."""
    if value.dtype in NATIVE:
        return wrap(value)
    if value.dtype.kind not in NUMBERS:
        raise ArgumentError(f"funcgrad arrays hold numbers and booleans, the dtype {value.dtype} was asked for")
    return wrap(value.astype(native(value.dtype)))


def _constant(shape: tuple[int, ...], dtype: Any, make: Callable[[], np.ndarray]) -> Array:
    """An Array that `make` makes; a large one of which just the shape is asked for is not made."""
    if math.prod(shape) >= _LARGE and abstract() is not None:
        return uniform(0, shape, native(np.dtype(dtype)))
    return _made(make())


_LARGE = 1 << 16  # elements


def _on_cpu(device: str | None) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f"funcgrad arrays live on the device 'cpu', got {device!r}")


def _traced(*xs: Any) -> bool:
    """Whether some argument is a tracer, or a list that holds one."""
    return any(isinstance(x, Tracer) or (isinstance(x, (list, tuple)) and _traced(*x)) for x in xs)


def _plain(x: Any) -> Any:
    """An argument for NumPy: Arrays give what they hold."""
    if isinstance(x, (list, tuple)):
        return [_plain(e) for e in x]
    return x._value if isinstance(x, Array) else x


# From data.


def array(
    object: ArrayLike,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
) -> Shaped[Array, "..."]:
    """An array with the given elements; lists may hold tracers, which are joined.

    Arguments:
        object: an array, a number, or nested lists of them.
        dtype: of the result; by default that to which the elements promote.
        copy, order, subok: without effect; an Array shares no memory that anybody can write to.
        ndmin: the least number of axes; new ones come in front.

    Raises:
        ArgumentError: the elements are no numbers.
        ValueError: nested lists of different lengths.

    Example:
        >>> fnp.array([1.0, fnp.sin(0.0)])
        Array([1., 0.], dtype=float64)
    """
    a = convert.asarray(object, dtype)
    return a if a.ndim >= whole(ndmin, "array: ndmin") else reshape(a, (1,) * (ndmin - a.ndim) + a.shape)


def asarray(
    a: ArrayLike, dtype: Any = None, order: str | None = None, *, device: str | None = None, copy: bool | None = None
) -> Shaped[Array, "..."]:
    """The given elements as an array; an Array, or a tracer, is given back as it is.

    Arguments:
        a: an array, a number, or nested lists of them.
        dtype: of the result; by default that to which the elements promote.
        order, copy: without effect.
        device: "cpu" or None.

    Raises:
        ArgumentError: the elements are no numbers.

    Example:
        >>> fnp.asarray([1, 2], dtype=float)
        Array([1., 2.], dtype=float64)
    """
    _on_cpu(device)
    return array(a, dtype)


def asanyarray(
    a: ArrayLike, dtype: Any = None, order: str | None = None, *, device: str | None = None, copy: bool | None = None
) -> Shaped[Array, "..."]:
    """`asarray`: funcgrad has no other kinds of arrays."""
    return asarray(a, dtype, order, device=device, copy=copy)


def asarray_chkfinite(a: ArrayLike, dtype: Any = None, order: str | None = None) -> Shaped[Array, "..."]:
    """`asarray`, if there are neither infinities nor NaN.

    Raises:
        ValueError: an element is infinite or NaN.

    Example:
        >>> fnp.asarray_chkfinite([1.0, 2.0])
        Array([1., 2.], dtype=float64)
    """
    x = asarray(a, dtype, order)
    if not np.isfinite(x).all():
        raise ValueError("array must not contain infs or NaNs")
    return x


def ascontiguousarray(a: ArrayLike, dtype: Any = None) -> Shaped[Array, "..."]:
    """`asarray` with at least one axis. How an Array lies in memory cannot be seen.

    Example:
        >>> fnp.ascontiguousarray(1.0)
        Array([1.], dtype=float64)
    """
    return array(a, dtype, ndmin=1)


def asfortranarray(a: ArrayLike, dtype: Any = None) -> Shaped[Array, "..."]:
    """`asarray` with at least one axis. How an Array lies in memory cannot be seen."""
    return array(a, dtype, ndmin=1)


def require(a: ArrayLike, dtype: Any = None, requirements: str | Sequence[str] | None = None) -> Shaped[Array, "..."]:
    """`asarray`, for code that asks for a layout in memory, which Arrays do not show.

    Raises:
        UnsupportedError: memory that can be written to is required ("W").
    """
    if any(r.upper() in ("W", "WRITEABLE") for r in requirements or ()):
        raise UnsupportedError("require: funcgrad arrays are immutable, so the requirement 'W' cannot be met")
    return array(a, dtype)


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Shaped[Array, "..."]:
    """A copy of an array of another library, by the DLPack protocol."""
    _on_cpu(device)
    return x if isinstance(x, Array) else _made(np.from_dlpack(x).copy())


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Shaped[Array, " n"]:
    """A copy of the numbers in a bytes-like object.

    Example:
        >>> fnp.frombuffer(b"ab", dtype=fnp.uint8)
        Array([97, 98], dtype=uint8)
    """
    return _made(np.frombuffer(buffer, dtype, count, offset).copy())


def fromiter(iter: Iterable, dtype: Any, count: int = -1) -> Shaped[Array, " n"]:
    """An array of the numbers, which may be tracers, that an iterable gives.

    Arguments:
        iter: the iterable.
        dtype: of the result.
        count: how many to take; -1 for all.

    Raises:
        ValueError: the iterable gives fewer.

    Example:
        >>> fnp.fromiter((i * i for i in range(3)), float)
        Array([0., 1., 4.], dtype=float64)
    """
    items = list(iter) if count < 0 else [x for _, x in zip(range(count), iter, strict=False)]
    if len(items) < count:
        raise ValueError(f"fromiter: {count} elements were expected, but the iterable gives {len(items)}")
    return array(items, dtype)


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> Shaped[Array, " n"]:
    """An array of the numbers written in a text.

    Example:
        >>> fnp.fromstring("1, 2", sep=",")
        Array([1., 2.], dtype=float64)
    """
    return _made(np.fromstring(string, dtype, count, sep=sep))


# One value everywhere.


def zeros(
    shape: int | Sequence[int], dtype: Any = float, order: str = "C", *, device: str | None = None
) -> Shaped[Array, "..."]:
    """An array of zeros.

    Arguments:
        shape: the lengths of the axes.
        dtype: of the result.
        order: without effect.
        device: "cpu" or None.

    Example:
        >>> fnp.zeros(2)
        Array([0., 0.], dtype=float64)
    """
    _on_cpu(device)
    shape = integers(shape)
    return _constant(shape, dtype, lambda: np.zeros(shape, dtype))


def ones(
    shape: int | Sequence[int], dtype: Any = None, order: str = "C", *, device: str | None = None
) -> Shaped[Array, "..."]:
    """An array of ones; the arguments are those of `zeros`.

    Example:
        >>> fnp.ones(2)
        Array([1., 1.], dtype=float64)
    """
    _on_cpu(device)
    shape = integers(shape)
    return _constant(shape, dtype, lambda: np.ones(shape, dtype))


def empty(
    shape: int | Sequence[int], dtype: Any = float, order: str = "C", *, device: str | None = None
) -> Shaped[Array, "..."]:
    """An array of zeros: an immutable array cannot be filled later.

    Example:
        >>> fnp.empty(2).shape
        (2,)
    """
    return zeros(shape, dtype, device=device)


def full(
    shape: int | Sequence[int], fill_value: ArrayLike, dtype: Any = None, order: str = "C", *, device: str | None = None
) -> Shaped[Array, "..."]:
    """An array with one value everywhere, or with an array spread over it; it may be differentiated.

    Arguments:
        shape: the lengths of the axes.
        fill_value: the value, or an array that broadcasts to the shape.
        dtype: of the result; by default that of the value.
        order: without effect.
        device: "cpu" or None.

    Example:
        >>> fnp.full(2, 3.0)
        Array([3., 3.], dtype=float64)
    """
    _on_cpu(device)
    if not _traced(fill_value):
        value, shape = np.asarray(_plain(fill_value), dtype), integers(shape)
        return _constant(shape, value.dtype, lambda: np.full(shape, value))
    return broadcast_to(array(fill_value, dtype), shape)


def _like(a: Any, dtype: Any, shape: Any) -> tuple[tuple[int, ...], Any]:
    """The shape and dtype of an array, unless others are given."""
    if not hasattr(a, "dtype"):
        a = convert.asarray(a)
    return a.shape if shape is None else integers(shape), a.dtype if dtype is None else dtype


def zeros_like(
    a: ArrayLike,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: str | None = None,
) -> Shaped[Array, "..."]:
    """An array of zeros, a constant, with the shape and dtype of another.

    Arguments:
        a: the other array.
        dtype, shape: others than those of a.
        order, subok: without effect.
        device: "cpu" or None.

    Example:
        >>> fnp.zeros_like([1.0, 2.0])
        Array([0., 0.], dtype=float64)
    """
    return zeros(*_like(a, dtype, shape), device=device)


def ones_like(
    a: ArrayLike,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: str | None = None,
) -> Shaped[Array, "..."]:
    """An array of ones, a constant, with the shape and dtype of another; the arguments are those of `zeros_like`.

    Example:
        >>> fnp.ones_like([1.0, 2.0])
        Array([1., 1.], dtype=float64)
    """
    return ones(*_like(a, dtype, shape), device=device)


def empty_like(
    prototype: ArrayLike,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: str | None = None,
) -> Shaped[Array, "..."]:
    """`zeros_like`: an immutable array cannot be filled later."""
    return zeros(*_like(prototype, dtype, shape), device=device)


def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: int | Sequence[int] | None = None,
    *,
    device: str | None = None,
) -> Shaped[Array, "..."]:
    """An array with one value everywhere and the shape and dtype of another; the value may be differentiated.

    Arguments:
        a: the other array.
        fill_value: the value, or an array that broadcasts to the shape.
        dtype, shape: others than those of a.
        order, subok: without effect.
        device: "cpu" or None.

    Example:
        >>> fnp.full_like([1.0, 2.0], 3)
        Array([3., 3.], dtype=float64)
    """
    shape, dtype = _like(a, dtype, shape)
    return full(shape, fill_value, dtype, device=device)


# Ranges.


def arange(
    start: ArrayLike,
    stop: ArrayLike | None = None,
    step: ArrayLike | None = None,
    dtype: Any = None,
    *,
    device: str | None = None,
) -> Shaped[Array, " n"]:
    """Numbers at equal distances, up to and without stop.

    Arguments:
        start: the first; with one argument alone that is stop, and start is 0.
        stop: the end.
        step: the distance; by default 1.
        dtype: of the result; by default that of the arguments.
        device: "cpu" or None.

    Start and step may be differentiated. The length of the result depends on their values, and stop counts for nothing
    else.

    Raises:
        NoValueError: the values of the arguments are not known, as in make_tape.

    Example:
        >>> fnp.arange(1.0, 2.0, 0.5)
        Array([1. , 1.5], dtype=float64)
    """
    _on_cpu(device)
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    given = (start, stop, step)
    values: list[Any] = [x._concrete("arange(start, stop, step)") if isinstance(x, Array) else x for x in given]
    if abstract() is None:
        out = _made(np.arange(*values, dtype=dtype))
    else:
        size = max(0, math.ceil((values[1] - values[0]) / values[2])) if values[2] else 0
        kind = np.result_type(*values) if dtype is None else dtype
        out = _constant((size,), kind, lambda: np.arange(*values, dtype=dtype))
    if not _traced(start, step) or out.dtype.kind not in "fc":
        return out
    start = convert.asarray(start)
    return astype(start + step * np.arange(out.size), out.dtype)


def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: str | None = None,
) -> Any:
    """Numbers at equal distances between two, which may be differentiated, or be arrays.

    Arguments:
        start, stop: the ends.
        num: how many numbers.
        endpoint: whether stop is the last of them.
        retstep: whether to give the distance as well.
        dtype: of the result; integers are rounded down.
        axis: the axis of the numbers, if the ends are arrays.
        device: "cpu" or None.

    Returns:
        The numbers, or `(numbers, distance)`.

    Raises:
        ValueError: num is negative.

    Example:
        >>> fnp.linspace(0.0, 1.0, 3)
        Array([0. , 0.5, 1. ], dtype=float64)
    """
    _on_cpu(device)
    num = index(num)
    if not _traced(start, stop):
        out, step = np.linspace(_plain(start), _plain(stop), num, endpoint, True, dtype, whole(axis, "an axis"))
        return (_made(out), wrap(np.asarray(step)[()])) if retstep else _made(out)
    if num < 0:
        raise ValueError(f"linspace: num must not be negative, got {num}")
    start, stop = convert.operand(start), convert.operand(stop)
    kind = ((start + stop) * 1.0).dtype
    start, stop = array(start, kind), array(stop, kind)  # before they are subtracted: unsigned integers wrap around
    delta = stop - start
    intervals = num - 1 if endpoint else num
    step = delta / intervals if intervals > 0 else delta * np.nan
    places = np.arange(num, dtype=kind).reshape((num,) + (1,) * delta.ndim)
    out = start + places * (step if intervals > 0 else delta)
    if endpoint and num > 1:  # NumPy's last number is stop itself, without rounding
        last = broadcast_to(stop, (1, *delta.shape))
        out = concatenate([out[:-1], last])
    out = moveaxis(out, 0, axis)
    if dtype is not None:
        out = astype(np.floor(out) if np.dtype(dtype).kind in "iu" else out, dtype)
    return (out, step if intervals > 0 else wrap(np.float64(np.nan))) if retstep else out


def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Shaped[Array, "..."]:
    """Numbers in equal ratios: a base to the powers of `linspace`. Ends and base may be differentiated.

    Arguments:
        start, stop: the exponents at the ends.
        num, endpoint, axis: as for `linspace`.
        base: the base; arrays broadcast with the ends.
        dtype: of the result.

    Example:
        >>> fnp.logspace(0.0, 2.0, 3)
        Array([  1.,  10., 100.], dtype=float64)
    """
    if not _traced(start, stop, base):
        axis = whole(axis, "an axis")
        return _made(np.logspace(_plain(start), _plain(stop), num, endpoint, _plain(base), dtype, axis))
    start, stop, base = convert.operand(start), convert.operand(stop), convert.operand(base)
    if shape_of(base):
        together = np.broadcast_shapes(shape_of(start), shape_of(stop), base.shape)
        start, stop, base = (broadcast_to(x, together) for x in (start, stop, base))
        base = expand_dims(base, axis)
    out = np.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return out if dtype is None else astype(out, dtype)


def geomspace(
    start: ArrayLike, stop: ArrayLike, num: SupportsIndex = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Shaped[Array, "..."]:
    """Numbers in equal ratios between two, which may be differentiated.

    Arguments:
        start, stop: the ends: not zero, and of one sign if they are real.
        num, endpoint, axis: as for `linspace`.
        dtype: of the result.

    Raises:
        ValueError: an end is zero. (One that is being differentiated is divided by instead.)

    Example:
        >>> fnp.geomspace(1.0, 4.0, 3)
        Array([1., 2., 4.], dtype=float64)
    """
    if not _traced(start, stop):
        return _made(np.geomspace(_plain(start), _plain(stop), num, endpoint, dtype, whole(axis, "an axis")))
    start, stop = convert.asarray(start), convert.asarray(stop)
    double = np.result_type(start.dtype, stop.dtype, np.float64)  # as NumPy computes it, whatever the ends
    start, stop = astype(start, double), astype(stop, double)
    ratio = stop / start
    axis = normalize_axis_index(axis, ratio.ndim + 1)
    places = linspace(0.0, 1.0, num, endpoint).reshape((-1,) + (1,) * (ratio.ndim - axis))
    out = expand_dims(broadcast_to(start, ratio.shape), axis) * expand_dims(ratio, axis) ** places
    return out if dtype is None else astype(out, dtype)


# Matrices.


def eye(
    N: int,
    M: int | None = None,
    k: int | ArrayLike = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: str | None = None,
) -> Shaped[Array, "n m"]:
    """A matrix with ones on a diagonal and zeros elsewhere.

    Arguments:
        N, M: the numbers of rows and columns; by default it is square.
        k: how far above the main diagonal; below it if negative.
        dtype: of the result.
        order: without effect.
        device: "cpu" or None.

    Example:
        >>> fnp.eye(2)
        Array([[1., 0.],
               [0., 1.]], dtype=float64)
    """
    _on_cpu(device)
    n, m = index(N), index(N if M is None else M)
    if isinstance(k, Tracer):
        return _against_diagonal(np.equal, n, m, k, dtype)
    return _constant((n, m), dtype, lambda: np.eye(n, m, whole(k, "eye: k"), dtype))


def identity(n: int, dtype: Any = None) -> Shaped[Array, "n n"]:
    """The square matrix with ones on the diagonal and zeros elsewhere.

    Example:
        >>> fnp.identity(1)
        Array([[1.]], dtype=float64)
    """
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int | ArrayLike = 0, dtype: Any = float) -> Shaped[Array, "n m"]:
    """A matrix with ones on a diagonal and below, and zeros above.

    Arguments:
        N, M: the numbers of rows and columns; by default it is square.
        k: how far the diagonal is above the main one.
        dtype: of the result.

    Example:
        >>> fnp.tri(2)
        Array([[1., 0.],
               [1., 1.]], dtype=float64)
    """
    n, m = index(N), index(N if M is None else M)
    if isinstance(k, Tracer):
        return _against_diagonal(np.less_equal, n, m, k, dtype)
    return _constant((n, m), dtype, lambda: np.tri(n, m, whole(k, "tri: k"), dtype))


def _against_diagonal(compare: np.ufunc, n: int, m: int, k: Tracer, dtype: Any) -> Array:
    """The matrix of how columns compare with the k-th diagonal, where k has no value."""
    if k.ndim or k.dtype.kind not in "iu":
        raise TypeError(f"the number of a diagonal is an integer, got {k.describe()}")
    return astype(compare(np.arange(m), np.arange(n)[:, None] + k), native(float if dtype is None else dtype))


def vander(x: ArrayLike, N: int | None = None, increasing: bool = False) -> Shaped[Array, "n m"]:
    """The matrix whose columns are powers of a vector.

    Arguments:
        x: the vector.
        N: the number of columns; by default it is square.
        increasing: whether the powers rise from left to right.

    Raises:
        ValueError: x is no vector.

    Example:
        >>> fnp.vander([2.0, 3.0])
        Array([[2., 1.],
               [3., 1.]], dtype=float64)
    """
    x = convert.asarray(x)
    if x.ndim != 1:
        raise ValueError(f"vander takes a vector, got shape {x.shape}")
    n = x.size if N is None else index(N)
    x = astype(x, np.promote_types(x.dtype, int))
    if n == 0:
        return zeros((x.size, 0), x.dtype)
    columns = [ones_like(x)]
    while len(columns) < n:  # products, not powers: the derivative of x ** 0 at zero needs no care
        columns.append(columns[-1] * x)
    return stack(columns if increasing else columns[::-1], axis=1)
