"""Reductions: sum, mean, product, extrema, variance, logsumexp; argmax and the logical ones; counting into bins.

`axis` is a tuple of non-negative axes, `keepdims` is left out where it is false. What the derivative rules need of a
result is its shape against that of the operand, so they do not ask for keepdims: `_expand` sees it in the rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, Zero, linear, primitive, same_shape
from funcgrad.core.sums import sum_last, sum_leading
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.cumulative import cumprod, shift
from funcgrad.ops.structural import reshape, transpose

__all__ = [
    "argmax",
    "argmin",
    "bincount",
    "log_softmax",
    "logsumexp",
    "reduce_and",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_or",
    "reduce_prod",
    "reduce_sum",
    "reduce_var",
    "softmax",
]

# The ufunc methods themselves, without annotations: NumPy's stubs do not let keepdims be positional or a variable.
add_reduce: Any = np.add.reduce
multiply_reduce: Any = np.multiply.reduce
maximum_reduce: Any = np.maximum.reduce


def reduced_shape(shape: tuple[int, ...], axis: tuple[int, ...], keepdims: bool = False) -> tuple[int, ...]:
    """The shape that is left when `axis` is reduced."""
    if keepdims:
        return tuple([1 if i in axis else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in axis])


def count(shape: tuple[int, ...], axis: tuple[int, ...]) -> int:
    """How many elements go into each element of the result."""
    return math.prod([shape[i] for i in axis])


def _shape_rule(dtype_from: Callable[[np.ndarray], Any]) -> Callable:
    """The shape rule of a reduction whose dtype is that of `dtype_from` on an array of one element."""

    def shape(x: Any, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None, **params: Any) -> Any:
        dtype = dtype or dtype_from(np.ones(1, dtype_of(x))).dtype
        return ShapeDtypeStruct(reduced_shape(shape_of(x), axis, keepdims), dtype)

    return shape


def _expand(a: Any, axis: tuple[int, ...], x_shape: tuple[int, ...]) -> Any:
    """A result of reducing `axis`, in a shape that broadcasts against the operand."""
    if a.ndim == len(x_shape) or a.ndim == 0 or max(axis) < len(axis):  # the last: leading axes are gone
        return a
    return a.reshape(reduced_shape(x_shape, axis, True))


def _reduce(a: Any, axis: tuple[int, ...], out_shape: tuple[int, ...]) -> Any:
    """A sum over `axis` in the shape of the result, whether that has kept its axes or not."""
    total = reduce_sum(a, axis=axis)
    return total if total.shape == out_shape else reshape(total, shape=out_shape, order="C")


# Linear ones.


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(), axis=()),
        Sample(draw(3), axis=(0,)),
        Sample(draw(2, 3), axis=(0,)),
        Sample(draw(2, 3), axis=(1,), keepdims=True),
        Sample(draw(3, 3), axis=(1,)),
        Sample(draw(2, 3), axis=(0, 1)),
        Sample(draw.strided(2, 3, 2), axis=(2, 0)),
        Sample(draw(2, 1, 2), axis=(1, 2), keepdims=True),
        Sample(draw(2, 3), axis=()),
        Sample(draw(2, 0), axis=(0,)),
    ]


def added(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    """The sum over axes: `add_reduce` without options, in the fastest way."""
    if len(axis) == 1 and type(x) is np.ndarray:
        if axis[0] == x.ndim - 1:
            total = sum_last(x)
            if total is not None:
                return total[..., None] if keepdims else total
        elif axis[0] == 0:
            total = sum_leading(x, 1)
            return total[None] if keepdims else total
    return add_reduce(x, axis, None, None, keepdims)


def _reduce_sum(x: Any, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None) -> Any:
    return added(x, axis, keepdims) if dtype is None else add_reduce(x, axis, dtype, None, keepdims)


reduce_sum = linear(
    _reduce_sum,
    transpose=lambda g, axis, x_shape: _expand(g, axis, x_shape),
    shape=_shape_rule(np.add.reduce),
    batch=batching.shifted("axis"),
    samples=lambda draw: [*_samples(draw), Sample(draw(0, 2), axis=(0,)), Sample(np.arange(3), axis=(0,))],
)


def _reduce_mean(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    kind, n = x.dtype, count(x.shape, axis)
    if kind.kind in "biu":
        return add_reduce(x, axis, np.float64, None, keepdims) / n
    if kind.char == "e":  # half precision is added up in single precision
        return (add_reduce(x, axis, np.float32, None, keepdims) / n).astype(kind)
    return added(x, axis, keepdims) / n


reduce_mean = linear(
    _reduce_mean,
    transpose=lambda g, axis, x_shape: _expand(g / count(x_shape, axis), axis, x_shape),
    shape=_shape_rule(np.mean),
    batch=batching.shifted("axis"),
    samples=lambda draw: [*_samples(draw), Sample(np.arange(3), axis=(0,))],
)


# The product: its derivative is the product of all other elements, without a division, so zeros are no exception.


def _reduce_prod(x: Any, axis: tuple[int, ...], keepdims: bool = False, dtype: Any = None) -> Any:
    return multiply_reduce(x, axis, dtype, None, keepdims)


def _others(x: Any, axis: tuple[int, ...]) -> Any:
    """For each element the product of all others that are reduced with it: of those before times of those after."""
    if not axis:
        return 1
    if len(axis) > 1:
        rest = tuple([i for i in range(x.ndim) if i not in axis])
        order = rest + axis
        lengths = tuple([x.shape[i] for i in order])
        rows = reshape(transpose(x, axes=order), shape=(*lengths[: len(rest)], count(x.shape, axis)), order="C")
        others = reshape(_others(rows, (len(rest),)), shape=lengths, order="C")
        return transpose(others, axes=tuple(sorted(range(x.ndim), key=order.__getitem__)))
    i = axis[0]
    before = shift(cumprod(x, axis=i, reverse=False), axis=i, by=1, fill=1)
    after = shift(cumprod(x, axis=i, reverse=True), axis=i, by=-1, fill=1)
    return before * after


def _with_zeros(draw: Draw) -> list[Sample]:
    one, two = draw(4), draw(2, 3)
    one[1], two[0, 1:], two[1, 0] = 0, 0, 0
    return [Sample(one, axis=(0,)), Sample(two, axis=(1,)), Sample(two, axis=(0, 1)), Sample(0 * one, axis=(0,))]


reduce_prod = primitive(
    _reduce_prod,
    shape=_shape_rule(np.multiply.reduce),
    vjp=lambda g, x, axis, x_shape: _expand(g, axis, x_shape) * _others(x, axis),
    jvp=lambda t, x, axis, out_shape: _reduce(t * _others(x, axis), axis, out_shape),
    batch=batching.shifted("axis"),
    samples=lambda draw: [*_samples(draw), *_with_zeros(draw), Sample(draw(0, 2), axis=(0,))],
)


# Extrema: where several elements attain one, they share the cotangent evenly.


def _shares(x: Any, out: Any, axis: tuple[int, ...]) -> Any:
    """The derivative of an extremum by each element: 1/k if it is one of the k that attain it, else 0."""
    attained = (x == _expand(out, axis, x.shape)).astype(x.dtype)
    return attained / reduce_sum(attained, axis=axis, keepdims=True)


SHORT_ROWS = 32
"""The length of rows up to which their extrema are quicker to find one place after the other, for all rows at once."""


def _extremum(ufunc: Any, name: str) -> Any:
    """NumPy takes 20 to 100 ns to begin a row: 23 µs for the maxima of 200 rows of 5, and 4 if these are columns."""

    def impl(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        if type(x) is not np.ndarray or axis != (x.ndim - 1,) or not 1 < x.shape[-1] <= SHORT_ROWS or x.size < 1 << 9:
            return ufunc.reduce(x, axis, None, None, keepdims)
        found = ufunc.reduce(x.reshape(-1, x.shape[-1]).T.copy(), 0)
        return found.reshape(reduced_shape(x.shape, axis, keepdims))

    return primitive(
        impl,
        name=name,
        shape=_shape_rule(ufunc.reduce),
        vjp=lambda g, x, out, axis, x_shape: _expand(g, axis, x_shape) * _shares(x, out, axis),
        jvp=lambda t, x, out, axis, out_shape: _reduce(t * _shares(x, out, axis), axis, out_shape),
        batch=batching.shifted("axis"),
        samples=_samples_apart,
    )


def _samples_apart(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.apart(), axis=()),
        Sample(draw.apart(4), axis=(0,)),
        Sample(draw.apart(2, 3), axis=(0,)),
        Sample(draw.apart(2, 3), axis=(1,), keepdims=True),
        Sample(draw.apart(3, 2, 2)[::-1, :, ::-1], axis=(2, 0)),
        Sample(draw.apart(2, 3), axis=(0, 1)),
        Sample(draw.apart(2, 3), axis=()),
        Sample(draw.apart(2, 0), axis=(0,)),
        Sample(np.array([3, 1, 3]), axis=(0,)),
    ]


reduce_max = _extremum(np.maximum, "reduce_max")
reduce_min = _extremum(np.minimum, "reduce_min")


# The variance as one operation, which keeps nothing but x.


def _reduce_var(x: Any, axis: tuple[int, ...], ddof: float, keepdims: bool = False) -> Any:
    d = x - _reduce_mean(x, axis, True)
    d = (d * d.conj()).real if d.dtype.kind == "c" else d * d
    return add_reduce(d, axis, None, None, keepdims) / max(count(x.shape, axis) - ddof, 0)


def _deviation(x: Any, axis: tuple[int, ...], ddof: float) -> Any:
    """The derivative of the variance by each element."""
    freedom = count(x.shape, axis) - ddof
    d = x - reduce_mean(x, axis=axis, keepdims=True)
    return (np.conj(d) if x.dtype.kind == "c" else d) * (2 / freedom if freedom > 0 else math.nan)


reduce_var = primitive(
    _reduce_var,
    shape=_shape_rule(np.var),
    vjp=lambda g, x, axis, ddof, x_shape: _expand(g, axis, x_shape) * _deviation(x, axis, ddof),
    jvp=lambda t, x, axis, ddof, out_shape: _reduce((t * _deviation(x, axis, ddof)).real, axis, out_shape),
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(3), axis=(0,), ddof=0),
        Sample(draw(2, 3), axis=(0,), ddof=1),
        Sample(draw(2, 3), axis=(1,), ddof=0.5, keepdims=True),
        Sample(draw.strided(2, 3, 2), axis=(2, 0), ddof=0),
        Sample(draw(2, 3), axis=(), ddof=0),
        Sample(draw(2, 0), axis=(0,), ddof=0),
    ],
)


# The logarithm of a sum of exponentials; its derivative is the softmax, which the result gives without another sum.


def _logsumexp(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    top = maximum_reduce(x, axis, None, None, True, None if x.size else -np.inf)
    if math.isfinite(add_reduce(top, None)):
        total = added(np.exp(x - top), axis, keepdims)
        return np.log(total) + top.reshape(total.shape)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore", over="ignore"):  # rows of -inf, and of +inf beside large numbers
        total = added(np.exp(x - top), axis, keepdims)
        return np.log(total) + top.reshape(total.shape)


def _softmax(x: Any, out: Any, axis: tuple[int, ...]) -> Any:
    out = np.maximum(out, _LOWEST[out.dtype])  # so that a row of -inf has derivative 0, not exp(-inf + inf)
    return np.exp(x - _expand(out, axis, x.shape))


_LOWEST = {np.dtype(t): float(np.finfo(t).min) for t in (np.float16, np.float32, np.float64, np.longdouble)}


logsumexp = primitive(
    _logsumexp,
    shape=_shape_rule(np.exp),
    vjp=lambda g, x, out, axis, x_shape: _expand(g, axis, x_shape) * _softmax(x, out, axis),
    jvp=lambda t, x, out, axis, out_shape: _reduce(t * _softmax(x, out, axis), axis, out_shape),
    batch=batching.shifted("axis"),
    samples=lambda draw: [*_samples(draw), Sample(1000 + draw(3), axis=(0,))],
    dtypes="fd",
)


# Two that reduce nothing: softmax and its logarithm. The results give the derivatives.


def _shifted(x: Any, axis: int) -> Any:
    """x in at least single precision, minus its largest element along the axis, which changes no softmax."""
    if x.dtype.itemsize == 2:
        x = x.astype(np.float32)
    return x - maximum_reduce(x, axis, None, None, True, None if x.size else -np.inf)


def _softmax_impl(x: Any, axis: int) -> Any:
    e = np.exp(_shifted(x, axis))
    e /= added(e, (axis,), True)
    return e if e.dtype == x.dtype else e.astype(x.dtype)


def _log_softmax_impl(x: Any, axis: int) -> Any:
    d = _shifted(x, axis)
    if d.size:
        d -= np.log(added(np.exp(d), (axis,), True))
    return d if d.dtype == x.dtype else d.astype(x.dtype)


def _softmax_rule(g: Any, out: Any, axis: int) -> Any:
    product = g * out
    return product - out * reduce_sum(product, axis=(axis,), keepdims=True)


def _along_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(4), axis=0),
        Sample(draw(2, 3), axis=0),
        Sample(draw.strided(2, 3, 2), axis=1),
        Sample(draw(3, 1), axis=1),
        Sample(draw(2, 0), axis=1),
        Sample(1000 + draw(3), axis=0),
    ]


softmax = primitive(
    _softmax_impl,
    name="softmax",
    shape=same_shape,
    vjp=_softmax_rule,
    jvp=_softmax_rule,
    batch=batching.shifted("axis"),
    samples=_along_samples,
    preserves=True,
    dtypes="fd",
)

log_softmax = primitive(
    _log_softmax_impl,
    name="log_softmax",
    shape=same_shape,
    vjp=lambda g, out, axis: g - np.exp(out) * reduce_sum(g, axis=(axis,), keepdims=True),
    jvp=lambda t, out, axis: t - reduce_sum(np.exp(out) * t, axis=(axis,), keepdims=True),
    batch=batching.shifted("axis"),
    samples=_along_samples,
    preserves=True,
    dtypes="fd",
)


# Reductions to integers and booleans.


def _arg_shape(x: Any, axis: int | None, keepdims: bool = False) -> ShapeDtypeStruct:
    shape = shape_of(x)
    axes = tuple(range(len(shape))) if axis is None else (axis,)
    return ShapeDtypeStruct(reduced_shape(shape, axes, keepdims), np.intp)


def _arg_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x,), axis, keepdims = args, params["axis"], params.get("keepdims", False)
    if axis is not None:
        return primitive(x, axis=axis + 1, keepdims=keepdims)
    out = primitive(x.reshape((size, math.prod(x.shape[1:]))), axis=1)
    return out.reshape((size,) + (1,) * (x.ndim - 1)) if keepdims else out


def _arg(function: Callable, name: str) -> Any:
    def impl(x: Any, axis: int | None, keepdims: bool = False) -> Any:
        return function(x, axis, keepdims=keepdims)

    return primitive(
        impl,
        name=name,
        shape=_arg_shape,
        vjp=Zero("integer output"),
        batch=_arg_batch,
        samples=lambda draw: [
            Sample(draw(4), axis=0),
            Sample(draw(2, 3), axis=None),
            Sample(draw(2, 3), axis=1, keepdims=True),
            Sample(draw.strided(2, 3), axis=None, keepdims=True),
        ],
    )


argmax = _arg(np.argmax, "argmax")
argmin = _arg(np.argmin, "argmin")


def _logical(ufunc: Any, name: str) -> Any:
    def impl(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> Any:
        return ufunc.reduce(x, axis, None, None, keepdims)

    return primitive(
        impl,
        name=name,
        shape=_shape_rule(ufunc.reduce),
        vjp=Zero("boolean output"),
        batch=batching.shifted("axis"),
        samples=lambda draw: [
            Sample(np.array([[True, False], [True, True]]), axis=(0,)),
            Sample(draw(2, 3), axis=(0, 1)),
            Sample(draw(0, 3), axis=(0,), keepdims=True),
        ],
    )


reduce_and = _logical(np.logical_and, "reduce_and")
reduce_or = _logical(np.logical_or, "reduce_or")


# Sums into bins.


def _bincount(x: Any, weights: Any, length: int) -> Any:
    if not len(x):  # NumPy gives integers then
        return np.zeros(length)
    return np.bincount(x, weights, length)


def _bincount_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """Each example counts into bins of its own, which lie one behind the other."""
    (x, weights), length = batching.everywhere(args, mask, size), params["length"]
    x = x + length * np.arange(size)[:, None]
    out = primitive(x.reshape(-1), weights.reshape(-1), length=size * length)
    return out.reshape((size, length))


bincount = linear(
    _bincount,
    operands="x weights",
    transpose=(Zero("integer operand"), lambda g, x: np.take(g, x)),
    shape=lambda x, weights, length: ShapeDtypeStruct((length,), np.float64),
    batch=_bincount_batch,
    samples=lambda draw: [
        Sample(np.array([2, 0, 2, 1]), draw(4), length=3),
        Sample(np.array([1, 1]), draw.strided(2), length=4),
        Sample(np.array([], int), draw(0), length=2),
    ],
    dtypes="fd",
)
