"""Primitives that move elements without computing with them: reshape, transpose, concatenate, pad, …

They are linear, so each states one more map only, its transpose, and that is mostly another member of the family.
Axes and shapes arrive normalised: non-negative, complete, as tuples.
"""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np

from funcgrad.core import batching
from funcgrad.core.cotangent import Deferred
from funcgrad.core.primitive import (
    SAME_OPERATION,
    Draw,
    Primitive,
    Sample,
    Zero,
    elementwise,
    linear,
    primitive,
    same_shape,
)
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

__all__ = [
    "DiagonalCotangent",
    "astype",
    "broadcast_to",
    "concatenate",
    "diagonal",
    "embed_diagonal",
    "flip",
    "pad",
    "reshape",
    "roll",
    "split",
    "stack",
    "stop",
    "transpose",
    "tril",
    "triu",
    "truncate",
    "unstack",
]


def _stop(x: Any) -> Any:
    return x


stop = elementwise(_stop, Zero("a constant by request"), samples=lambda draw: [Sample(draw(2, 3))], dtypes="fdFD")


def _name(x: Any, *, name: str) -> Any:
    return x


name = linear(
    _name,
    transpose=lambda g: g,
    shape=same_shape,
    batch=batching.elementwise,
    samples=lambda draw: [Sample(draw(2, 3), name="hidden"), Sample(draw(), name="loss")],
)
"""A value that has a name: the same value, which the policy of a checkpoint may recognise, and tapes show."""


# The same elements in another arrangement.


def _reshape(x: Any, *, shape: tuple[int, ...], order: str = "C") -> Any:
    return x.reshape(shape, order=order)


def _reshape_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    shape, order = params["shape"], params.get("order", "C")
    if order == "C":
        return reshape(args[0], shape=(size, *shape), order="C")
    out = reshape(np.moveaxis(args[0], 0, -1), shape=(*shape, size), order=order)  # the last index varies slowest
    return np.moveaxis(out, -1, 0)


reshape: Primitive = linear(
    _reshape,
    transpose=lambda g, x_shape, order: reshape(g, shape=x_shape, order=order),
    batch=_reshape_batch,
    samples=lambda draw: [
        Sample(draw(2, 3), shape=(6,), order="C"),
        Sample(draw(2, 3), shape=(3, 2), order="F"),
        Sample(draw(6), shape=(1, 3, 1, 2), order="C"),
        Sample(draw.strided(2, 3), shape=(3, 2), order="F"),
        Sample(draw(), shape=(1, 1), order="C"),
        Sample(draw(1), shape=(), order="F"),
        Sample(draw(0, 2), shape=(3, 0), order="C"),
    ],
)


def _transpose(x: Any, *, axes: tuple[int, ...]) -> Any:
    return x.transpose(axes)


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))


def _transpose_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    return transpose(args[0], axes=(0, *[a + 1 for a in params["axes"]]))


transpose: Primitive = linear(
    _transpose,
    transpose=lambda g, axes: transpose(g, axes=_inverse(axes)),
    batch=_transpose_batch,
    samples=lambda draw: [
        Sample(draw(2, 3), axes=(1, 0)),
        Sample(draw(2, 3, 1), axes=(1, 2, 0)),
        Sample(draw.strided(2, 1, 3), axes=(2, 0, 1)),
        Sample(draw(), axes=()),
        Sample(draw(0, 2), axes=(1, 0)),
    ],
)


def _broadcast_to(x: Any, *, shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(x, shape)


def _broadcast_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x,), shape = args, params["shape"]
    x = x.reshape((size,) + (1,) * (len(shape) - x.ndim + 1) + x.shape[1:])
    return primitive(x, shape=(size, *shape))


broadcast_to = linear(
    _broadcast_to,
    transpose=lambda g: g,  # the backward walk undoes broadcasting
    batch=_broadcast_batch,
    samples=lambda draw: [
        Sample(draw(3), shape=(2, 3)),
        Sample(draw(), shape=(2, 2)),
        Sample(draw(2, 1), shape=(2, 4)),
        Sample(draw(1, 3, 1), shape=(2, 1, 3, 2)),
        Sample(draw(1), shape=(0,)),
        Sample(draw.strided(3), shape=(3,)),
    ],
)


def _flip(x: Any, *, axes: tuple[int, ...]) -> Any:
    return x[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))]


flip: Primitive = linear(
    _flip,
    transpose=lambda g, axes: flip(g, axes=axes),
    shape=same_shape,
    batch=batching.shifted("axes"),
    samples=lambda draw: [
        Sample(draw(3), axes=(0,)),
        Sample(draw(2, 3), axes=(1,)),
        Sample(draw.strided(2, 3, 2), axes=(0, 2)),
        Sample(draw(0, 2), axes=(0, 1)),
    ],
)


def _roll(x: Any, *, shift: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    return np.roll(x, shift, axes)


roll: Primitive = linear(
    _roll,
    transpose=lambda g, shift, axes: roll(g, shift=tuple([-s for s in shift]), axes=axes),
    shape=same_shape,
    batch=batching.shifted("axes"),
    samples=lambda draw: [
        Sample(draw(4), shift=(1,), axes=(0,)),
        Sample(draw(2, 3), shift=(-1, 5), axes=(0, 1)),
        Sample(draw.strided(3, 2), shift=(1, 1), axes=(0, 0)),
        Sample(draw(0, 2), shift=(1,), axes=(0,)),
    ],
)


# Joining and extending.


def _concatenate(*xs: Any, axis: int) -> Any:
    return np.concatenate(xs, axis)


def _split_back(g: Any, xs_shapes: tuple, axis: int, linked: tuple[bool, ...]) -> list[Any]:
    """The pieces of g that belong to the linked operands of concatenate."""
    before = (slice(None),) * axis
    ends = list(itertools.accumulate([s[axis] for s in xs_shapes], initial=0))
    return [g[(*before, slice(*ends[i : i + 2]))] if link else None for i, link in enumerate(linked)]


def _concatenate_shape(*xs: Any, axis: int) -> ShapeDtypeStruct:
    shapes = [shape_of(x) for x in xs]
    first = shapes[0]
    if any(s[:axis] != first[:axis] or s[axis + 1 :] != first[axis + 1 :] for s in shapes):
        raise ValueError(f"the arrays to concatenate must have the same lengths except along axis {axis}, got {shapes}")
    out = (*first[:axis], sum(s[axis] for s in shapes), *first[axis + 1 :])
    return ShapeDtypeStruct(out, np.result_type(*[dtype_of(x) for x in xs]))


concatenate = linear(
    _concatenate,
    transpose=_split_back,
    operands=None,
    shape=_concatenate_shape,
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(3), axis=0),
        Sample(draw(2), draw(3), draw(1), axis=0),
        Sample(draw(2, 1), draw.strided(2, 3), axis=1),
        Sample(draw(1, 2), draw(0, 2), draw(2, 2), axis=0),
        Sample(draw(2, 1, 2), draw(2, 2, 2), axis=1),
        Sample(draw(2), np.array([1, 2]), axis=0),
    ],
)


def _stack(*xs: Any, axis: int) -> Any:
    if not shape_of(xs[0]):  # numbers: np.stack would make an array of each
        return np.array(xs)
    return np.stack(xs, axis)


def _unstack(g: Any, axis: int, linked: tuple[bool, ...]) -> list[Any]:
    before = (slice(None),) * axis
    return [g[(*before, i)] if link else None for i, link in enumerate(linked)]


def _stack_shape(*xs: Any, axis: int) -> ShapeDtypeStruct:
    first = shape_of(xs[0])
    return ShapeDtypeStruct((*first[:axis], len(xs), *first[axis:]), np.result_type(*[dtype_of(x) for x in xs]))


stack = linear(
    _stack,
    transpose=_unstack,
    operands=None,
    shape=_stack_shape,
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(), draw(), draw(), axis=0),
        Sample(draw(3), draw(3), axis=0),
        Sample(draw(2, 3), axis=1),
        Sample(draw(2, 3), draw.strided(2, 3), axis=1),
        Sample(draw(2, 1), draw(2, 1), draw(2, 1), axis=2),
        Sample(draw(0), draw(0), axis=1),
        Sample(draw(), 1.5, axis=0),
    ],
)


# Taking apart: the transposes of concatenate and stack, as operations of their own with several results.


def _split(x: Any, *, ends: tuple[int, ...], axis: int) -> tuple:
    before = (slice(None),) * axis
    return tuple([x[(*before, slice(a, b))] for a, b in itertools.pairwise((0, *ends))])


split = primitive(
    _split,
    vjp=lambda g, axis: concatenate(*g, axis=axis),
    jvp=SAME_OPERATION,
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(5), ends=(2, 5), axis=0),
        Sample(draw(2, 3), ends=(1, 1, 3), axis=1),
        Sample(draw.strided(3, 2), ends=(3,), axis=0),
        Sample(draw(2, 3, 2), ends=(1, 2, 3), axis=1),
        Sample(draw(0, 2), ends=(1, 2), axis=1),
    ],
    multiple=True,
)


def _unstacked(x: Any, *, axis: int) -> tuple:
    before = (slice(None),) * axis
    return tuple([x[(*before, i, ...)] for i in range(x.shape[axis])])


unstack = primitive(
    _unstacked,
    name="unstack",
    vjp=lambda g, axis: stack(*g, axis=axis),
    jvp=SAME_OPERATION,
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(3), axis=0),
        Sample(draw(2, 3), axis=1),
        Sample(draw.strided(3, 2), axis=0),
        Sample(draw(2, 1, 3), axis=1),
        Sample(draw(2, 0), axis=0),
    ],
    multiple=True,
)


def _pad(x: Any, *, widths: tuple[tuple[int, int], ...]) -> Any:
    out = np.zeros([n + low + high for n, (low, high) in zip(x.shape, widths, strict=True)], x.dtype)
    out[_inside(x.shape, widths)] = x
    return out


def _inside(shape: tuple[int, ...], widths: tuple[tuple[int, int], ...]) -> tuple[slice, ...]:
    return tuple([slice(low, low + n) for n, (low, _) in zip(shape, widths, strict=True)])


def _pad_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    return primitive(args[0], widths=((0, 0), *params["widths"]))


pad = linear(
    _pad,
    transpose=lambda g, x_shape, widths: g[_inside(x_shape, widths)],
    shape=lambda x, widths: ShapeDtypeStruct(
        tuple([n + low + high for n, (low, high) in zip(shape_of(x), widths, strict=True)]), dtype_of(x)
    ),
    batch=_pad_batch,
    samples=lambda draw: [
        Sample(draw(3), widths=((1, 2),)),
        Sample(draw(2, 2), widths=((0, 1), (2, 0))),
        Sample(draw.strided(2, 1), widths=((1, 0), (0, 0))),
        Sample(draw(0, 2), widths=((1, 1), (0, 0))),
        Sample(draw(), widths=()),
    ],
)


# Diagonals and triangles.


def _diagonal(x: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    return x.diagonal(offset, axis1, axis2)


class DiagonalCotangent(Deferred):
    """The cotangent of matrices, the last two axes of an array, of which the main diagonal was read.

    That of a logarithm of a determinant is one: the rule of a factorization need not multiply by its zeros.

    Arguments:
        diagonal, shape: what arrived at the diagonal, and the shape of the matrices.
    """

    __slots__ = ("diagonal",)
    known_to: ClassVar[set[Any]] = set()
    """The primitives whose backward rules take this form."""

    def __init__(self, diagonal: Any, shape: tuple[int, ...]) -> None:
        self.diagonal, self.shape, self.dtype = diagonal, shape, diagonal.dtype

    def __add__(self, other: Any) -> Any:
        if type(other) is DiagonalCotangent:
            return DiagonalCotangent(self.diagonal + other.diagonal, self.shape)
        return other + self.dense()

    def for_rule_of(self, primitive: Any) -> Any:
        return self if primitive in self.known_to else self.dense()

    def dense(self) -> Any:
        n = len(self.shape)
        return embed_diagonal(self.diagonal, shape=self.shape, offset=0, axis1=n - 2, axis2=n - 1)


def _diagonal_transpose(g: Any, x_shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Any:
    if offset == 0 and (axis1, axis2) == (len(x_shape) - 2, len(x_shape) - 1):
        return DiagonalCotangent(g, x_shape)
    return embed_diagonal(g, shape=x_shape, offset=offset, axis1=axis1, axis2=axis2)


diagonal = linear(
    _diagonal,
    transpose=_diagonal_transpose,
    batch=batching.shifted("axis1", "axis2"),
    samples=lambda draw: [
        Sample(draw(3, 3), offset=0, axis1=0, axis2=1),
        Sample(draw(2, 4), offset=1, axis1=0, axis2=1),
        Sample(draw(3, 2), offset=-1, axis1=1, axis2=0),
        Sample(draw.strided(2, 3, 2), offset=0, axis1=0, axis2=2),
        Sample(draw(2, 2), offset=5, axis1=0, axis2=1),
    ],
)


def _embed_diagonal(x: Any, *, shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Any:
    out = np.zeros(shape, x.dtype)
    i = np.arange(x.shape[-1])
    np.moveaxis(out, (axis1, axis2), (-2, -1))[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return out


embed_diagonal: Primitive = linear(
    _embed_diagonal,
    transpose=lambda g, offset, axis1, axis2: diagonal(g, offset=offset, axis1=axis1, axis2=axis2),
    shape=lambda x, shape, offset, axis1, axis2: ShapeDtypeStruct(shape, dtype_of(x)),
    batch=batching.shifted("axis1", "axis2", shape="shape"),
    samples=lambda draw: [
        Sample(draw(3), shape=(3, 3), offset=0, axis1=0, axis2=1),
        Sample(draw.strided(2), shape=(3, 3), offset=-1, axis1=0, axis2=1),
        Sample(draw(2, 1), shape=(3, 2, 2), offset=2, axis1=2, axis2=0),
        Sample(draw(0), shape=(2, 2), offset=3, axis1=0, axis2=1),
    ],
)


def _triangle_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(3, 3), k=0),
        Sample(draw(2, 4), k=1),
        Sample(draw.strided(2, 3, 2), k=-1),
        Sample(draw(0, 2), k=0),
    ]


def _tril(x: Any, *, k: int) -> Any:
    return np.tril(x, k)


def _triu(x: Any, *, k: int) -> Any:
    return np.triu(x, k)


tril: Primitive = linear(
    _tril,
    transpose=lambda g, k: tril(g, k=k),
    shape=same_shape,
    batch=batching.trailing(2),
    samples=_triangle_samples,
)
triu: Primitive = linear(
    _triu,
    transpose=lambda g, k: triu(g, k=k),
    shape=same_shape,
    batch=batching.trailing(2),
    samples=_triangle_samples,
)


# Another dtype.


def _astype(x: Any, *, dtype: np.dtype) -> Any:
    x = np.asarray(x)
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real  # without NumPy's warning, which the caller gives
    return x.astype(dtype)


def _astype_shape(x: Any, dtype: np.dtype) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(x), dtype)


# Two primitives, for whether there is a derivative depends on the new dtype: `astype` goes to floating and complex
# numbers, `truncate` to integers and booleans.

astype = linear(
    _astype,
    transpose=lambda g: g,  # the backward walk casts to the operand's dtype
    shape=_astype_shape,
    batch=batching.elementwise,
    samples=lambda draw: [
        *[Sample(draw(2, 3), dtype=np.dtype(code)) for code in ("fdFD" if draw.dtype.char in "fF" else "dD")],
        Sample(draw(), dtype=np.dtype("D")),
        Sample(draw.strided(3), dtype=np.dtype("d")),
        Sample(draw(0), dtype=np.dtype("D")),
    ],
)

truncate = elementwise(
    _astype,
    Zero("integer output"),
    name="truncate",
    shape=_astype_shape,
    dtypes="fdFD",
    samples=lambda draw: [
        Sample(draw(2, 3), dtype=np.dtype(int)),
        Sample(draw(), dtype=np.dtype(bool)),
        Sample(draw.strided(3), dtype=np.dtype("int8")),
    ],
)
