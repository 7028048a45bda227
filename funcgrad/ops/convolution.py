"""Convolution as networks have it: a kernel that moves over the last axes of many examples with many features.

    out[n, o, i] = Σ x[n, c, i * stride + k * dilation - padding] w[o, c, k]

There is one sum of products of three arrays, the examples, the kernel and the result. Each of the three primitives
gives the array that is missing from the two others: `conv` the result, `conv_input` what comes back to the examples,
`conv_kernel` what comes back to the kernel. So each is bilinear, and its transposes are the other two.

Examples have the shape (n, c, *lengths), kernels (o, c / groups, *size), results (n, o, *counts). The windows of a few
examples at a time are copied side by side, so that BLAS does the sum as one product of matrices: what is copied stays
in the cache, and no more memory is used than that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, multilinear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.windows import Pairs, blocks, padded, places, window_counts, windows

__all__ = ["conv", "conv_input", "conv_kernel"]

BLOCK = 1 << 21
"""Bytes of windows that are copied at a time: what the cache of one core holds."""

SHORT = 64
"""Windows of an example: with fewer than these, those of several examples go into one product."""

NARROW = 32
"""Windows along the last axis: with fewer than these, what comes back is added up for many examples side by side."""


def _wide(*xs: np.ndarray) -> tuple[Any, ...]:
    """Operands in the dtype in which they are computed, and the dtype of the result: halves are added up in float32."""
    dtype = np.result_type(*xs)
    if dtype.itemsize == 2 and dtype.kind in "fV":
        return *[x.astype(np.float32) for x in xs], dtype
    return *[x if x.dtype == dtype else x.astype(dtype) for x in xs], dtype


def _columns(
    x: np.ndarray, some: slice, rows: slice, counts: tuple[int, ...], size: tuple[int, ...], params: dict
) -> np.ndarray:
    """The windows of some examples in these rows: (examples, features, *size, *counts), a view."""
    strides, dilation = params["strides"], params["dilation"]
    x = padded(x[some], params["padding"])
    if counts:
        first = rows.start * strides[0]
        x, counts = x[:, :, first:], (rows.stop - rows.start, *counts[1:])
    return windows(x, size, counts, strides, dilation)


def _pieces(n: int, c: int, size: tuple[int, ...], counts: tuple[int, ...], itemsize: int) -> Iterator:
    """Examples, rows, and where the windows of these rows are among all, in pieces."""
    row = math.prod(counts[1:])
    for some, rows in blocks(n, counts, c * math.prod(size) * itemsize, BLOCK):
        yield some, rows, slice(rows.start * row, rows.stop * row)


def _conv(
    x: Any, w: Any, *, strides: tuple[int, ...], padding: Pairs, dilation: tuple[int, ...], groups: int
) -> np.ndarray:
    x, w, dtype = _wide(x, w)
    (n, c), size, o = x.shape[:2], w.shape[2:], w.shape[0]
    counts = window_counts(x.shape[2:], size, strides, padding, dilation)
    if not c * math.prod(size):
        return np.zeros((n, o, *counts), dtype)
    params = {"strides": strides, "padding": padding, "dilation": dilation}
    out = np.empty((n, groups, o // groups, math.prod(counts)), x.dtype)
    if out.size:
        kernel = w.reshape(groups, o // groups, -1)
        for some, rows, part in _pieces(n, c, size, counts, x.itemsize):
            columns = _columns(x, some, rows, counts, size, params)
            many = len(columns)
            if part.stop - part.start < SHORT and many > 1:
                columns = columns.reshape(many, groups, -1, part.stop - part.start)
                together = columns.transpose(1, 2, 0, 3).reshape(groups, kernel.shape[2], -1)
                found = np.matmul(kernel, together).reshape(groups, o // groups, many, -1)
                out[some, :, :, part] = found.transpose(2, 0, 1, 3)
            else:
                columns = columns.reshape(many, groups, kernel.shape[2], -1)
                np.matmul(kernel, columns, out=out[some, :, :, part])
    return out.reshape(n, o, *counts).astype(dtype, copy=False)


def _conv_input(
    y: Any,
    w: Any,
    *,
    lengths: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Pairs,
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    y, w, dtype = _wide(y, w)
    (n, o), counts, size, c = y.shape[:2], y.shape[2:], w.shape[2:], w.shape[1] * groups
    out = np.zeros((n, c, *lengths), y.dtype)
    if not (out.size and y.size and w.size):
        return out.astype(dtype, copy=False)
    kernel = w.reshape(groups, o // groups, -1).mT
    flat = y.reshape(n, groups, o // groups, -1)
    reach = tuple([m + low + high for m, (low, high) in zip(lengths, padding, strict=True)])
    inside = any(low or high for low, high in padding)
    whole = np.zeros((0, c, *reach), y.dtype)
    for some, rows, part in _pieces(n, c, size, counts, y.itemsize):
        given, here = flat[some, :, :, part], (rows.stop - rows.start, *counts[1:]) if counts else ()
        many, span = len(given), part.stop - part.start
        if o > groups and many > 1 and counts and counts[-1] < NARROW:  # examples innermost: inner loops are longer
            given = np.moveaxis(given, 0, -1).reshape(groups, o // groups, span * many)
            columns = np.matmul(kernel, given).reshape(c, *size, *here, many)
            turned = np.zeros((c, *reach, many), y.dtype)
            for place, met in places(size, here, strides, dilation):
                turned[(slice(None), *met)] += columns[(slice(None), *place)]
            out[some] = padded(np.moveaxis(turned, -1, 0), tuple([(-low, -high) for low, high in padding]))
            continue
        if o == groups:  # sums of one element
            columns = (kernel * given).reshape(many, c, *size, *here)
        else:
            columns = np.matmul(kernel, given).reshape(many, c, *size, *here)
        if not rows.start:
            whole = np.zeros((many, c, *reach), y.dtype) if inside else out[some]
        into = whole[:, :, rows.start * strides[0] :] if counts else whole
        for place, met in places(size, here, strides, dilation):
            into[(..., *met)] += columns[(slice(None), slice(None), *place)]
        if inside and (not counts or rows.stop == counts[0]):
            out[some] = padded(whole, tuple([(-low, -high) for low, high in padding]))
    return out.astype(dtype, copy=False)


def _conv_kernel(
    x: Any,
    y: Any,
    *,
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Pairs,
    dilation: tuple[int, ...],
    groups: int,
) -> np.ndarray:
    x, y, dtype = _wide(x, y)
    (n, c), o, counts = x.shape[:2], y.shape[1], y.shape[2:]
    out = np.zeros((groups, o // groups, c // groups * math.prod(size)), x.dtype)
    if out.size and x.size and y.size:
        params = {"strides": strides, "padding": padding, "dilation": dilation}
        flat = y.reshape(n, groups, o // groups, -1)
        for some, rows, part in _pieces(n, c, size, counts, x.itemsize):
            columns = _columns(x, some, rows, counts, size, params)
            many, span = len(columns), part.stop - part.start
            columns, given = columns.reshape(many, groups, out.shape[2], -1), flat[some, :, :, part]
            if span < SHORT and many > 1:
                given = given.transpose(1, 2, 0, 3).reshape(groups, o // groups, -1)
                out += np.matmul(given, columns.transpose(1, 0, 3, 2).reshape(groups, many * span, -1))
            else:
                out += np.matmul(given, columns.mT).sum(0)
    return out.reshape(o, c // groups, *size).astype(dtype, copy=False)


# Shapes.


def _conv_shape(x: Any, w: Any, *, strides: Any, padding: Any, dilation: Any, groups: int) -> ShapeDtypeStruct:
    (n, c, *lengths), (o, i, *size) = shape_of(x), shape_of(w)
    if c != i * groups or o % groups or len(lengths) != len(size):
        raise ValueError(f"conv: a kernel of shape {shape_of(w)} does not fit {shape_of(x)} in {groups} groups")
    counts = window_counts(tuple(lengths), tuple(size), strides, padding, dilation)
    return ShapeDtypeStruct((n, o, *counts), np.result_type(dtype_of(x), dtype_of(w)))


def _conv_input_shape(y: Any, w: Any, *, lengths: tuple[int, ...], groups: int, **params: Any) -> ShapeDtypeStruct:
    shape = (shape_of(y)[0], shape_of(w)[1] * groups, *lengths)
    return ShapeDtypeStruct(shape, np.result_type(dtype_of(y), dtype_of(w)))


def _conv_kernel_shape(x: Any, y: Any, *, size: tuple[int, ...], groups: int, **params: Any) -> ShapeDtypeStruct:
    shape = (shape_of(y)[1], shape_of(x)[1] // groups, *size)
    return ShapeDtypeStruct(shape, np.result_type(dtype_of(x), dtype_of(y)))


# Batches. An index that a batched operand shares with the result alone takes the batch in: that of the examples, or
# that of the features on one side. Where both operands are batched, the examples of the batch are groups.

_SHARED = {  # by the two arrays that share an index: its axis in each, and whether that axis is divided into groups
    frozenset("xy"): {"x": (0, False), "y": (0, False)},
    frozenset("xw"): {"x": (1, True), "w": (1, False)},
    frozenset("wy"): {"w": (0, True), "y": (1, True)},
}
_GROUPED = {"x": 1, "w": 0, "y": 1}


def _merged(x: Any, axis: int, groups: int) -> Any:
    """x with its batch, which is in front, joined with an axis, in each of its groups."""
    size, *shape = x.shape
    before, n, after = shape[:axis], shape[axis], shape[axis + 1 :]
    x = x.reshape((size, *before, groups, n // groups, *after))
    return np.moveaxis(x, 0, axis + 1).reshape((*before, n * size, *after))


def _parted(x: Any, axis: int, size: int, groups: int) -> Any:
    """The opposite of `_merged`."""
    shape = x.shape
    before, n, after = shape[:axis], shape[axis] // size, shape[axis + 1 :]
    x = x.reshape((*before, groups, size, n // groups, *after))
    return np.moveaxis(x, axis + 1, 0).reshape((size, *before, n, *after))


def _batch_rule(first: str, second: str, result: str) -> Any:
    def rule(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
        if not size:
            return batching.one_by_one(primitive, size, args, mask, params)
        (a, b), groups = args, params["groups"]
        if all(mask):
            a, b = _merged(a, _GROUPED[first], 1), _merged(b, _GROUPED[second], 1)
            return _parted(primitive(a, b, **{**params, "groups": groups * size}), _GROUPED[result], size, 1)
        batched = first if mask[0] else second
        shared = _SHARED[frozenset((batched, result))]
        axis, divided = shared[batched]
        if mask[0]:
            a = _merged(a, axis, groups if divided else 1)
        else:
            b = _merged(b, axis, groups if divided else 1)
        axis, divided = shared[result]
        return _parted(primitive(a, b, **params), axis, size, groups if divided else 1)

    return rule


# Declarations.


def _samples(draw: Draw) -> Iterator[tuple[np.ndarray, np.ndarray, dict]]:
    """Examples and kernels, and the parameters."""
    for x, w, strides, padding, dilation, groups in [
        ((2, 1, 4), (2, 1, 2), (1,), ((0, 0),), (1,), 1),
        ((2, 2, 5), (2, 1, 2), (2,), ((1, 0),), (2,), 2),
        ((1, 2, 3, 4), (1, 2, 2, 3), (1, 2), ((1, 1), (0, 2)), (1, 1), 1),
        ((2, 2, 4, 3), (4, 1, 2, 1), (2, 1), ((-1, 0), (1, -1)), (1, 1), 2),
        ((1, 1, 2, 2, 3), (1, 1, 1, 2, 2), (1, 1, 2), ((0, 0), (1, 0), (0, 1)), (1, 1, 1), 1),
        ((2, 2, 3), (3, 2, 1), (1,), ((0, 0),), (1,), 1),
        ((2, 3), (2, 3), (), (), (), 1),
        ((1, 1, 2), (1, 1, 3), (1,), ((0, 0),), (1,), 1),
        ((0, 1, 3), (1, 1, 2), (1,), ((0, 0),), (1,), 1),
    ]:
        params = {"strides": strides, "padding": padding, "dilation": dilation, "groups": groups}
        yield draw(*x), draw(*w), params
    yield draw.strided(1, 1, 4), draw.strided(2, 1, 2), {**params, "padding": ((1, 1),)}


def _input_samples(draw: Draw) -> Iterator[Sample]:
    for x, w, params in _samples(draw):
        out = _conv_shape(x, w, **params).shape
        yield Sample(draw(*out), w, lengths=x.shape[2:], **params)


def _kernel_samples(draw: Draw) -> Iterator[Sample]:
    for x, w, params in _samples(draw):
        out = _conv_shape(x, w, **params).shape
        yield Sample(x, draw(*out), size=w.shape[2:], **params)


conv: Primitive = multilinear(
    _conv,
    operands="x w",
    transpose=(
        lambda g, x_shape, w, strides, padding, dilation, groups: conv_input(
            g, w, lengths=x_shape[2:], strides=strides, padding=padding, dilation=dilation, groups=groups
        ),
        lambda g, x, w_shape, strides, padding, dilation, groups: conv_kernel(
            x, g, size=w_shape[2:], strides=strides, padding=padding, dilation=dilation, groups=groups
        ),
    ),
    shape=_conv_shape,
    batch=_batch_rule("x", "w", "y"),
    samples=lambda draw: [Sample(x, w, **params) for x, w, params in _samples(draw)],
)

conv_input: Primitive = multilinear(
    _conv_input,
    operands="y w",
    transpose=(
        lambda g, w, strides, padding, dilation, groups: conv(
            g, w, strides=strides, padding=padding, dilation=dilation, groups=groups
        ),
        lambda g, y, w_shape, strides, padding, dilation, groups: conv_kernel(
            g, y, size=w_shape[2:], strides=strides, padding=padding, dilation=dilation, groups=groups
        ),
    ),
    shape=_conv_input_shape,
    batch=_batch_rule("y", "w", "x"),
    samples=_input_samples,
)

conv_kernel: Primitive = multilinear(
    _conv_kernel,
    operands="x y",
    transpose=(
        lambda g, x_shape, y, strides, padding, dilation, groups: conv_input(
            y, g, lengths=x_shape[2:], strides=strides, padding=padding, dilation=dilation, groups=groups
        ),
        lambda g, x, strides, padding, dilation, groups: conv(
            x, g, strides=strides, padding=padding, dilation=dilation, groups=groups
        ),
    ),
    shape=_conv_kernel_shape,
    batch=_batch_rule("x", "y", "w"),
    samples=_kernel_samples,
)
