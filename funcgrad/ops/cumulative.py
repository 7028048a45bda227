"""Operations that go along one axis: cumulative sums, products and extrema, first-order recurrences, differences.

`reverse` runs from the end of the axis to its beginning, which is how the transpose of a cumulative operation runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, joint, linear, primitive, same_shape
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

__all__ = ["cummax_indices", "cummin_indices", "cumprod", "cumsum", "difference", "recurrence", "shift"]


def _accumulate(ufunc: np.ufunc, x: Any, axis: int, reverse: bool, dtype: Any) -> Any:
    if reverse:
        return np.flip(ufunc.accumulate(np.flip(x, axis), axis, dtype), axis)
    return ufunc.accumulate(x, axis, dtype)


def _accumulate_shape(x: Any, axis: int, reverse: bool, dtype: Any = None) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(x), dtype or np.add.accumulate(np.ones(1, dtype_of(x))).dtype)


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(4), axis=0, reverse=False),
        Sample(draw(3, 2), axis=0, reverse=True),
        Sample(draw.strided(2, 3), axis=1, reverse=False),
        Sample(draw(2, 1, 2), axis=1, reverse=False),
        Sample(draw(0), axis=0, reverse=False),
        Sample(draw(2, 0), axis=0, reverse=True),
    ]


def _cumsum(x: Any, axis: int, reverse: bool, dtype: Any = None) -> Any:
    return _accumulate(np.add, x, axis, reverse, dtype)


cumsum: Primitive = linear(
    _cumsum,
    transpose=lambda g, axis, reverse: cumsum(g, axis=axis, reverse=not reverse),
    shape=_accumulate_shape,
    batch=batching.shifted("axis"),
    samples=lambda draw: [*_samples(draw), Sample(np.array([1, 2], np.int8), axis=0, reverse=False)],
)


# A shift by one brings the neighbour of each element to its place.


def _shift(x: Any, axis: int, by: int, fill: float) -> Any:
    out = np.full(x.shape, fill, x.dtype)
    to, source = out.swapaxes(0, axis), x.swapaxes(0, axis)
    if by > 0:
        to[by:] = source[:-by]
    else:
        to[:by] = source[-by:]
    return out


shift: Primitive = primitive(
    _shift,
    shape=same_shape,
    vjp=lambda g, axis, by: shift(g, axis=axis, by=-by, fill=0),
    jvp=lambda t, axis, by: shift(t, axis=axis, by=by, fill=0),
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(4), axis=0, by=1, fill=0),
        Sample(draw(3), axis=0, by=-1, fill=1),
        Sample(draw.strided(2, 3), axis=1, by=2, fill=1),
        Sample(draw(3, 2), axis=0, by=-1, fill=0),
        Sample(draw(1), axis=0, by=1, fill=1),
        Sample(draw(0, 2), axis=0, by=1, fill=0),
    ],
    preserves=True,
)


# The linear recurrence h[k] = a[k] h[k-1] + b[k], h[-1] = 0. Both derivatives of a cumulative product are of this form,
# and the form is closed: both derivatives of a recurrence are recurrences with the same factors.


def _recurrence(a: Any, b: Any, axis: int, reverse: bool) -> Any:
    order = slice(None, None, -1) if reverse else slice(None)
    dtype = np.result_type(a, b)
    a, b = [np.ascontiguousarray(np.moveaxis(x, axis, 0)[order]) for x in (a, b)]
    if b.ndim == 1:  # Python numbers are faster than NumPy's, element by element
        state, states = 0.0, []
        for factor, term in zip([0.0, *a[1:].tolist()], b.tolist(), strict=False):
            state = factor * state + term
            states.append(state)
        h = np.array(states, dtype)
    else:
        h = b.astype(dtype)
        for k in range(1, len(h)):
            h[k] += a[k] * h[k - 1]
    return np.moveaxis(h[order], 0, axis)


def _back(reverse: bool) -> int:
    """The shift that brings the next element, in the direction of the recurrence."""
    return 1 if reverse else -1


def _recurrence_vjp(g: Any, a: Any, out: Any, axis: int, reverse: bool, linked: tuple[bool, ...]) -> Any:
    later = shift(a, axis=axis, by=_back(reverse), fill=0)
    term = recurrence(later, g, axis=axis, reverse=not reverse)
    return (term * shift(out, axis=axis, by=-_back(reverse), fill=0) if linked[0] else None, term)


def _recurrence_jvp(tangents: tuple, a: Any, out: Any, axis: int, reverse: bool) -> Any:
    factor, term = tangents
    if factor is not None:
        product = factor * shift(out, axis=axis, by=-_back(reverse), fill=0)
        term = product if term is None else product + term
    return recurrence(a, term, axis=axis, reverse=reverse)


recurrence = primitive(
    _recurrence,
    operands="a b",
    shape=lambda a, b, axis, reverse: ShapeDtypeStruct(shape_of(b), np.result_type(dtype_of(a), dtype_of(b))),
    vjp=joint(_recurrence_vjp),
    jvp=joint(_recurrence_jvp),
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(4), draw(4), axis=0, reverse=False),
        Sample(draw(3), draw(3), axis=0, reverse=True),
        Sample(draw(3, 2), draw.strided(3, 2), axis=0, reverse=False),
        Sample(draw.strided(2, 3), draw(2, 3), axis=1, reverse=True),
        Sample(draw(0), draw(0), axis=0, reverse=False),
        Sample(draw(2, 0), draw(2, 0), axis=0, reverse=False),
    ],
)


def _cumprod(x: Any, axis: int, reverse: bool, dtype: Any = None) -> Any:
    return _accumulate(np.multiply, x, axis, reverse, dtype)


def _cumprod_vjp(g: Any, x: Any, out: Any, axis: int, reverse: bool) -> Any:
    later = shift(x, axis=axis, by=_back(reverse), fill=0)
    sums = recurrence(later, g, axis=axis, reverse=not reverse)
    return sums * shift(out, axis=axis, by=-_back(reverse), fill=1)


def _cumprod_jvp(t: Any, x: Any, out: Any, axis: int, reverse: bool) -> Any:
    return recurrence(x, t * shift(out, axis=axis, by=-_back(reverse), fill=1), axis=axis, reverse=reverse)


def _with_zeros(draw: Draw) -> list[Sample]:
    x = draw(4)
    x[[1, 3]] = 0
    return [Sample(x, axis=0, reverse=False), Sample(x, axis=0, reverse=True)]


cumprod = primitive(
    _cumprod,
    shape=_accumulate_shape,
    vjp=_cumprod_vjp,
    jvp=_cumprod_jvp,
    batch=batching.shifted("axis"),
    samples=lambda draw: [*_samples(draw), *_with_zeros(draw)],
)


# Cumulative extrema are elements of the operand: these say which. Of several equal ones it is the last, and of NaNs.


def _extremum_indices(ufunc: np.ufunc, name: str) -> Any:
    def impl(x: Any, axis: int) -> Any:
        attained = (x == ufunc.accumulate(x, axis)) | (x != x)
        places = np.arange(x.shape[axis]).reshape((-1,) + (1,) * (x.ndim - 1 - axis))
        return np.maximum.accumulate(np.where(attained, places, 0), axis)

    return primitive(
        impl,
        name=name,
        shape=lambda x, axis: ShapeDtypeStruct(shape_of(x), np.intp),
        vjp=Zero("integer output"),
        batch=batching.shifted("axis"),
        samples=lambda draw: [Sample(draw(5), axis=0), Sample(draw.strided(3, 2), axis=0), Sample(draw(2, 3), axis=1)],
    )


cummax_indices = _extremum_indices(np.maximum, "cummax_indices")
cummin_indices = _extremum_indices(np.minimum, "cummin_indices")


# Differences of neighbours. With `full` the array goes on with zeros at both ends, so the result is longer by one
# instead of shorter; up to the sign each form is the transpose of the other.


def _difference(x: Any, axis: int, full: bool) -> Any:
    before = (slice(None),) * axis
    later, earlier = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
    if not full:
        return later - earlier
    out = np.empty([n + (k == axis) for k, n in enumerate(x.shape)], x.dtype)
    if not x.shape[axis]:
        out[...] = 0
        return out
    out[(*before, slice(None, 1))] = x[(*before, slice(None, 1))]
    np.subtract(later, earlier, out[(*before, slice(1, -1))])
    np.subtract(0, x[(*before, slice(-1, None))], out[(*before, slice(-1, None))])
    return out


def _difference_shape(x: Any, axis: int, full: bool) -> ShapeDtypeStruct:
    shape = list(shape_of(x))
    shape[axis] = shape[axis] + 1 if full else max(shape[axis] - 1, 0)
    return ShapeDtypeStruct(tuple(shape), dtype_of(x))


difference: Primitive = linear(
    _difference,
    shape=_difference_shape,
    transpose=lambda g, axis, full: -difference(g, axis=axis, full=not full),
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(4), axis=0, full=False),
        Sample(draw(3), axis=0, full=True),
        Sample(draw.strided(2, 3), axis=1, full=False),
        Sample(draw(1, 2), axis=0, full=False),
        Sample(draw(2, 1), axis=1, full=True),
        Sample(draw(2, 0), axis=0, full=False),
    ],
)
