"""Sums and extrema over windows: what pooling layers compute, and `jax.lax.reduce_window`.

A window has a size along every axis of the array. Sums and extrema go axis by axis, so that a window costs the sum of
its sizes and not their product. An extremum is picked from its window at a place that `window_argmax` finds: the place
is counted within the window, so it says the same whatever axes are added in front.

A window that lies in the padding as a whole has the sum zero, the smallest number there is as its largest element, and
no derivative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, linear, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.windows import Pairs, met, window_counts

__all__ = [
    "window_argmax",
    "window_argmin",
    "window_largest",
    "window_max",
    "window_min",
    "window_pick",
    "window_place",
    "window_spread",
    "window_sum",
]

_INTEGERS = Zero("integer operand")


def _shape(x: Any, *, size: Any, strides: Any, padding: Any, dilation: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(window_counts(shape_of(x), size, strides, padding, dilation), dtype_of(x))


def _at(ndim: int, axis: int, part: Any) -> tuple:
    return (*(slice(None),) * axis, part, *(slice(None),) * (ndim - axis - 1))


def _moving(x: np.ndarray, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> Any:
    """The axes along which windows are more than single elements in their order, the last one first, and what is said
    of each: the axis, its length, the number of windows, their size, stride, padding before them and dilation.
    """
    counts = window_counts(x.shape, size, strides, padding, dilation)
    for axis in reversed(range(x.ndim)):
        n, k, s, (low, high), d = x.shape[axis], size[axis], strides[axis], padding[axis], dilation[axis]
        if k != 1 or s != 1 or low or high:
            yield axis, n, counts[axis], k, s, low, d


def _wide(x: np.ndarray) -> np.ndarray:
    """Numbers of two bytes in float32, in which they are added up."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


def _reduced(ufunc: np.ufunc, start: Any, x: np.ndarray, windows: dict) -> np.ndarray:
    for axis, n, count, k, s, low, d in _moving(x, **windows):
        shape = list(x.shape)
        shape[axis] = count
        out = np.full(shape, start, x.dtype)
        if k <= count:  # place by place in all windows
            for i in range(k):
                if found := met(n, count, i, s, low, d):
                    into = out[_at(x.ndim, axis, found[0])]
                    ufunc(into, x[_at(x.ndim, axis, found[1])], out=into)
        else:  # window by window
            for j in range(count):
                if found := met(n, k, j, d, low, s):  # the places of a window, as if they were windows
                    part = x[_at(x.ndim, axis, found[1])]
                    out[_at(x.ndim, axis, j)] = ufunc.reduce(part, axis, x.dtype)
        x = out
    return x


# Sums.


def _window_sum(x: Any, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
    windows = {"size": size, "strides": strides, "padding": padding, "dilation": dilation}
    return _reduced(np.add, 0, _wide(x), windows).astype(x.dtype)


def _window_spread(g: Any, *, shape: tuple, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
    dtype, g = g.dtype, _wide(g)
    windows = {"size": size, "strides": strides, "padding": padding, "dilation": dilation}
    for axis, n, count, k, s, low, d in reversed([*_moving(np.broadcast_to(np.zeros((), g.dtype), shape), **windows)]):
        lengths = list(g.shape)
        lengths[axis] = n
        out = np.zeros(lengths, g.dtype)
        for i in range(k):
            if found := met(n, count, i, s, low, d):
                out[_at(g.ndim, axis, found[1])] += g[_at(g.ndim, axis, found[0])]
        g = out
    return g.astype(dtype)


# Extrema.


def lowest(dtype: np.dtype) -> Any:
    """The number that no other one of a dtype is smaller than."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return False if dtype.kind == "b" else -np.inf


def highest(dtype: np.dtype) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).max
    return True if dtype.kind == "b" else np.inf


def place_dtype(size: tuple[int, ...]) -> np.dtype:
    """The dtype of places in a window of this size; one behind the last says that there is no element."""
    return np.min_scalar_type(math.prod(size))


def extremum(
    x: np.ndarray, largest: bool, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple
) -> tuple[np.ndarray, np.ndarray]:
    """The largest or smallest element of each window, and its place: the first of several, but nan before numbers."""
    windows = {"size": size, "strides": strides, "padding": padding, "dilation": dilation}
    values, which = _found(x, largest, False, windows)
    if x.dtype.kind in "fV" and np.isnan(values).any():
        values, which = _found(x, largest, True, windows)
    for axis, empty in _empty(x.shape, **windows):
        which[_at(x.ndim, axis, empty)] = math.prod(size)
    return values, which


def _found(x: np.ndarray, largest: bool, nans: bool, windows: dict) -> tuple[np.ndarray, np.ndarray]:
    """As `extremum`. With nans the last of them is found; without, the place of one may be wrong."""
    ufunc, better = (np.maximum, np.greater) if largest else (np.minimum, np.less)
    start = (lowest if largest else highest)(x.dtype)
    dtype = place_dtype(windows["size"])
    values, which, inner = x, None, 1
    for axis, n, count, k, s, low, d in _moving(x, **windows):
        shape = list(values.shape)
        shape[axis] = count
        best = np.full(shape, start, x.dtype)
        first = np.clip(-((np.arange(count) * s - low) // d), 0, k - 1)  # the first place that is not in the padding
        places = np.empty(shape, dtype)
        places[...] = (first * inner).astype(dtype).reshape(_at_ones(len(shape), axis))
        if which is not None:
            here = np.clip(np.arange(count) * s - low + first * d, 0, n - 1)
            places += np.take(which, here, axis)
        for i in range(k):
            if not (found := met(n, count, i, s, low, d)):
                continue
            at, part = _at(x.ndim, axis, found[0]), _at(x.ndim, axis, found[1])
            new, known = values[part], best[at]
            if i == 0 and found[0] == slice(0, count):  # there is nothing to compare with
                best[...] = new
                continue
            mask = better(new, known)
            if nans:
                mask |= new != new
            # Places grow with i, so the larger one is the later one. This is quicker than to copy where the mask is.
            offset = dtype.type(i * inner)
            later = (offset if which is None else which[part] + offset) * mask
            np.maximum(places[at], later, out=places[at])
            ufunc(known, new, out=known)
        values, which, inner = best, places, inner * k
    return values, np.zeros(x.shape, dtype) if which is None else which


def _at_ones(ndim: int, axis: int) -> tuple[int, ...]:
    return (*(1,) * axis, -1, *(1,) * (ndim - axis - 1))


def _empty(shape: tuple[int, ...], *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> list:
    """The axes with windows that have no element there, and which windows those are."""
    found = []
    counts = window_counts(shape, size, strides, padding, dilation)
    for axis, (n, count, k, s, (low, high), d) in enumerate(
        zip(shape, counts, size, strides, padding, dilation, strict=True)
    ):
        if low > 0 or high > 0:
            spots = np.arange(count)[:, None] * s - low + np.arange(k) * d
            empty = ~((spots >= 0) & (spots < n)).any(1)
            if empty.any():
                found.append((axis, empty))
    return found


def flat_indices(
    which: np.ndarray, shape: tuple[int, ...], *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple
) -> np.ndarray:
    """Where places of windows are in the last axes of an array, as indices of these axes flattened.

    Arguments:
        which: the places, with any axes in front.
        shape: the lengths of the last axes. The others are of these axes, too.
    """
    index: Any = 0
    step, inner = 1, 1
    counts = which.shape[which.ndim - len(shape) :]
    moving = [a for a, k in enumerate(size) if k > 1]
    for axis in reversed(range(len(shape))):
        k, s, low, d = size[axis], strides[axis], padding[axis][0], dilation[axis]
        start = ((np.arange(counts[axis]) * s - low) * step).reshape(_at_ones(len(shape), axis))
        index = index + start
        if k > 1:
            place = which // inner if axis == moving[0] else which // inner % k
            index = index + place.astype(np.intp) * (d * step)
            inner *= k
        step *= shape[axis]
    return np.broadcast_to(index, which.shape)


def _picked_from(which: np.ndarray, shape: tuple, windows: dict) -> tuple[np.ndarray, Any]:
    """The flat index of each place in the whole array, and a mask of the windows that have no element."""
    index = flat_indices(which, shape, **windows)
    if not _empty(shape, **windows):
        return index, None
    nothing = which == math.prod(windows["size"])
    return np.where(nothing, 0, index), nothing


def _window_pick(x: Any, which: Any, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
    windows = {"size": size, "strides": strides, "padding": padding, "dilation": dilation}
    if not x.size:
        return np.zeros(which.shape, x.dtype)
    index, nothing = _picked_from(which, x.shape, windows)
    out = x.reshape(-1)[index]
    if nothing is not None:
        out[nothing] = 0
    return out


_FEW = 16  # up to so many places in a window, going through them is quicker than to look each one up
_BITS = {"f": np.int32, "d": np.int64}


def _place_one_by_one(
    g: np.ndarray, which: np.ndarray, out: np.ndarray, size: tuple, strides: tuple, dilation: tuple
) -> None:
    """Write g into zeros, for windows that do not overlap and have no padding, one place in all of them at a time.

    The bits are multiplied by 0 or 1, so that infinity and nan stay where they belong.
    """
    bits, into = g.view(_BITS[g.dtype.char]), out.view(_BITS[g.dtype.char])
    for number, place in enumerate(np.ndindex(*size)):
        met = zip(place, which.shape, strides, dilation, strict=True)
        at = tuple([slice(i * d, i * d + (count - 1) * s + 1, s) for i, count, s, d in met])
        np.multiply(bits, which == number, out=into[(*at, ...)])


def _window_place(
    g: Any, which: Any, *, shape: tuple, size: tuple, strides: tuple, padding: Pairs, dilation: tuple
) -> np.ndarray:
    windows = {"size": size, "strides": strides, "padding": padding, "dilation": dilation}
    out = np.zeros(shape, g.dtype)
    if not (out.size and g.size):
        return out
    apart = all(s >= (k - 1) * d + 1 for k, s, d in zip(size, strides, dilation, strict=True))
    if apart and math.prod(size) <= _FEW and g.dtype.char in _BITS and not any(low or high for low, high in padding):
        _place_one_by_one(g, which, out, size, strides, dilation)
        return out
    index, nothing = _picked_from(which, shape, windows)
    if nothing is not None:
        g = np.where(nothing, 0, g)
    if apart and nothing is None:
        out.reshape(-1)[index] = g  # windows do not overlap
    else:
        wide = _wide(out.reshape(-1))
        np.add.at(wide, index.reshape(-1), g.reshape(-1).astype(wide.dtype, copy=False))
        out = wide.reshape(shape).astype(g.dtype, copy=False)
    return out


def _argument(largest: bool, name: str) -> Primitive:
    def impl(x: Any, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
        return extremum(x, largest, size=size, strides=strides, padding=padding, dilation=dilation)[1]

    def shape(x: Any, **windows: Any) -> ShapeDtypeStruct:
        return ShapeDtypeStruct(_shape(x, **windows).shape, place_dtype(windows["size"]))

    return primitive(
        impl,
        name=name,
        shape=shape,
        vjp=Zero("integer result"),
        batch=_batch,
        samples=lambda draw: [Sample(draw.apart(*s), **w) for s, w in _windows()],
        dtypes="fd",
    )


def _extremum(ufunc: np.ufunc, start: Any, name: str, argument: Primitive) -> Primitive:
    def impl(x: Any, *, size: tuple, strides: tuple, padding: Pairs, dilation: tuple) -> np.ndarray:
        windows = {"size": size, "strides": strides, "padding": padding, "dilation": dilation}
        found = _reduced(ufunc, start(x.dtype), x, windows)
        return found.copy() if found is x else found

    return primitive(
        impl,
        name=name,
        shape=_shape,
        vjp=lambda g, x, x_shape, size, strides, padding, dilation: window_place(
            g,
            argument(x, size=size, strides=strides, padding=padding, dilation=dilation),
            shape=x_shape,
            size=size,
            strides=strides,
            padding=padding,
            dilation=dilation,
        ),
        jvp=lambda t, x, size, strides, padding, dilation: window_pick(
            t,
            argument(x, size=size, strides=strides, padding=padding, dilation=dilation),
            size=size,
            strides=strides,
            padding=padding,
            dilation=dilation,
        ),
        batch=_batch,
        samples=lambda draw: [Sample(draw.apart(*s), **w) for s, w in _windows() if not _empty(s, **w)],
        dtypes="fd",
    )


# Declarations.


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The batch is one more axis, with windows of one element."""
    one = {"size": 1, "strides": 1, "padding": (0, 0), "dilation": 1, "shape": size}
    return primitive(*batching.everywhere(args, mask, size), **{k: (one[k], *v) for k, v in params.items()})


def _windows() -> list[tuple[tuple, dict]]:
    """Shapes of arrays, and windows on them."""
    found = []
    for shape, size, strides, padding, dilation in [
        ((4,), (2,), (2,), ((0, 0),), (1,)),
        ((5,), (3,), (1,), ((1, 1),), (1,)),
        ((2, 5), (1, 2), (1, 2), ((0, 0), (0, 1)), (1, 3)),
        ((3, 4), (2, 3), (1, 2), ((0, 1), (1, 0)), (2, 1)),
        ((2, 3, 2), (2, 2, 1), (1, 1, 1), ((0, 0), (-1, 2), (0, 0)), (1, 1, 1)),
        ((6,), (6,), (1,), ((0, 0),), (1,)),
        ((2,), (1,), (1,), ((1, 1),), (1,)),
        ((2,), (3,), (1,), ((0, 0),), (1,)),
        ((), (), (), (), ()),
    ]:
        found.append((shape, {"size": size, "strides": strides, "padding": padding, "dilation": dilation}))
    return found


def _of_results(draw: Draw) -> list[tuple[tuple, np.ndarray, dict]]:
    """For each of those: the shape of the array, an array like the result, and the windows."""
    return [(s, draw(*window_counts(s, **w)), w) for s, w in _windows()]


def _placed(draw: Draw) -> list[tuple[tuple, np.ndarray, dict]]:
    """For each of those without padding in front: the shape of the array, places that exist, and the windows."""
    found = []
    for s, w in _windows():
        if not any(low for low, _ in w["padding"]):
            which = extremum(draw.apart(*s).real, True, **w)[1]
            found.append((s, np.zeros_like(which) if any(high for _, high in w["padding"]) else which, w))
    return found


window_sum: Primitive = linear(
    _window_sum,
    transpose=lambda g, x_shape, size, strides, padding, dilation: window_spread(
        g, shape=x_shape, size=size, strides=strides, padding=padding, dilation=dilation
    ),
    shape=_shape,
    batch=_batch,
    samples=lambda draw: (
        [Sample(draw(*s), **w) for s, w in _windows()]
        + [Sample(draw.strided(3, 4), **w) for s, w in _windows() if s == (3, 4)]
    ),
)

window_spread: Primitive = linear(
    _window_spread,
    transpose=lambda g, size, strides, padding, dilation: window_sum(
        g, size=size, strides=strides, padding=padding, dilation=dilation
    ),
    operands="y",
    shape=lambda y, shape, **windows: ShapeDtypeStruct(shape, dtype_of(y)),
    batch=_batch,
    samples=lambda draw: [Sample(y, shape=s, **w) for s, y, w in _of_results(draw)],
)

window_argmax = _argument(True, "window_argmax")
window_argmin = _argument(False, "window_argmin")
window_max = _extremum(np.maximum, lowest, "window_max", window_argmax)
window_min = _extremum(np.minimum, highest, "window_min", window_argmin)

window_largest: Primitive = primitive(
    lambda x, **windows: extremum(x, True, **windows),
    name="window_largest",  # the element and its place, looked for once
    operands="x",
    shape=lambda x, **windows: (
        shape := _shape(x, **windows),
        ShapeDtypeStruct(shape.shape, place_dtype(windows["size"])),
    ),
    vjp=lambda g, out, x_shape, size, strides, padding, dilation: window_place(
        g[0], out[1], shape=x_shape, size=size, strides=strides, padding=padding, dilation=dilation
    ),
    jvp=lambda t, out, size, strides, padding, dilation: (
        window_pick(t, out[1], size=size, strides=strides, padding=padding, dilation=dilation),
        None,
    ),
    batch=_batch,
    samples=lambda draw: [Sample(draw.apart(*s), **w) for s, w in _windows() if not _empty(s, **w)],
    dtypes="fd",
    multiple=True,
)

window_pick: Primitive = linear(
    _window_pick,
    operands="x which",
    transpose=(
        lambda g, which, x_shape, size, strides, padding, dilation: window_place(
            g, which, shape=x_shape, size=size, strides=strides, padding=padding, dilation=dilation
        ),
        _INTEGERS,
    ),
    shape=lambda x, which, **windows: ShapeDtypeStruct(shape_of(which), dtype_of(x)),
    batch=_batch,
    samples=lambda draw: [Sample(draw(*s), which, **w) for s, which, w in _placed(draw)],
)

window_place: Primitive = linear(
    _window_place,
    operands="y which",
    transpose=(
        lambda g, which, size, strides, padding, dilation: window_pick(
            g, which, size=size, strides=strides, padding=padding, dilation=dilation
        ),
        _INTEGERS,
    ),
    shape=lambda y, which, shape, **windows: ShapeDtypeStruct(shape, dtype_of(y)),
    batch=_batch,
    samples=lambda draw: [Sample(draw(*which.shape), which, shape=s, **w) for s, which, w in _placed(draw)],
)
