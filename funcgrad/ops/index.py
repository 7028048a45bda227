"""Primitives that read and write parts of an array: getitem, gather, index_set, index_add, where, take_along_axis.

The index is a parameter of these, in the form that `funcgrad.numpy.indexing.normalize_index` gives it: Python ints,
slices, None, Ellipsis, and owned arrays of integers or booleans. Where an integer array in it
is not known yet, because make_tape or vmap runs, the index has the word HERE in its place and the array is an operand:
`indices` stacks them, all of one shape. (Primitives that write always have the operand; it is None if the index is
complete.)

Note [indexing is sparse backwards]. The cotangent of `x[i]` is zero but for one place. As an array it would cost the
size of x, and a loop that reads each of n elements would cost n². So the backward rule of getitem gives an
`IndexedCotangent`, a list of (index, cotangent) that the walk adds to in constant time; when all have arrived it is
made dense at once, by `scatter_add`. That is a primitive, and its own transpose is again a list of getitems, so the
cost stays linear at every order of differentiation.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core import batching
from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, elementwise, joint, linear, primitive
from funcgrad.core.trace import zeros
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.errors import ShapeError
from funcgrad.ops.add_rows import LENGTH, ROUNDS, add_rows
from funcgrad.ops.choosing import choose
from funcgrad.ops.runs import add_runs

__all__ = [
    "HERE",
    "IndexedCotangent",
    "fill",
    "gather",
    "getitem",
    "index_add",
    "index_max",
    "index_min",
    "index_set",
    "pick_along_axis",
    "read",
    "repeats",
    "scatter_add",
    "scatter_along_axis",
    "take_along_axis",
    "where",
]

HERE = "here"
"""In an index: the next array of the operand `indices` belongs here."""

_INTEGERS = Zero("integer operand")


def fill(index: Any, indices: Any) -> Any:
    """The index with the arrays of `indices` in their places."""
    if indices is None:
        return index
    if type(index) is not tuple:
        return indices[0]
    arrays = iter(indices)
    return tuple([next(arrays) if type(e) is str else e for e in index])


def repeats(index: Any) -> bool:
    """Whether an element may occur several times: only arrays of integers can name it twice."""
    if type(index) is tuple:
        return any(repeats(e) for e in index)
    return type(index) is np.ndarray and index.dtype.kind != "b" and index.size > 1


def add_at(out: np.ndarray, index: Any, g: Any) -> None:
    """`out[index] += g` with elements that occur several times counted each time; out is contiguous."""
    if not repeats(index) and out.dtype.kind not in "iu":  # integers count around, which += on one of them warns of
        out[index] += g
    elif out.ndim == 1 and type(index) is np.ndarray and np.shape(g) == index.shape:
        np.add.at(out, *add_runs(index.reshape(-1), np.reshape(g, -1)))  # eight times faster than with two axes
    elif type(index) is np.ndarray and _added_by_rows(out, index, g):
        pass
    elif out.ndim == 1 or 8 * np.size(g) < out.size:
        np.add.at(out, index, _spread(g, out.shape, index))
    else:  # NumPy is several times faster on flat arrays
        if type(index) is np.ndarray and index.ndim == 1 and index.size <= np.size(g) <= 8 * index.size:  # short rows
            index, g = add_runs(index, np.broadcast_to(g, (index.size, *out.shape[1:])))
        places = np.arange(out.size).reshape(out.shape)[index]
        np.add.at(out.reshape(-1), places.reshape(-1), np.broadcast_to(g, places.shape).reshape(-1))


def _added_by_rows(out: np.ndarray, index: np.ndarray, g: Any) -> bool:
    length = math.prod(out.shape[1:])
    if length < LENGTH or not 0 < index.size <= ROUNDS * len(out):
        return False
    rows = np.broadcast_to(g, (*index.shape, *out.shape[1:]))
    return add_rows(out.reshape(-1, length), index.reshape(-1), rows.reshape(index.size, length))


def _spread(v: Any, shape: tuple[int, ...], index: Any) -> np.ndarray:
    """Values in the shape of the part that they go to: np.add.at reads beyond the end of those it had to broadcast."""
    part = np.broadcast_to(np.zeros((), bool), shape)[index].shape
    given = np.shape(v)
    return np.broadcast_to(np.reshape(v, given[max(len(given) - len(part), 0) :]), part)


# Note [the batch dimension of an index]. NumPy puts the dimensions that the arrays of an index make, its block, where
# the arrays stand if they stand side by side, and in front if a slice, None or Ellipsis is between them; integers count
# as arrays where there is one. In batching rules the index gets a slice in front, for the batch dimension, or, where
# each example has indices of its own, one more array, which counts the examples. With the slice a block that is apart
# comes before the batch dimension; with the array the block comes right behind it, wherever it was in one example.


class Block(NamedTuple):
    """Where in `x[index]` the dimensions are that arrays in the index make."""

    apart: bool  # whether something is between the arrays
    start: int  # the first dimension of the block
    rank: int  # how many it has; none if there are no arrays
    ndim: int  # how many dimensions the whole result has


def _entries(index: Any) -> tuple:
    return index if type(index) is tuple else (index,)


def block_of(index: Any, ndim: int, traced: int) -> Block:
    """The block of `x[index]`, where x has ndim dimensions and the arrays in the places of HERE have `traced`."""
    entries = _entries(index)
    used = added = rank = 0
    places = []
    for k, e in enumerate(entries):
        if e is None:
            added += 1
        elif type(e) is slice:
            used, added = used + 1, added + 1
        elif e is not Ellipsis:
            places.append(k)
            mask = type(e) is bool or (type(e) is np.ndarray and e.dtype.kind == "b")
            used += np.ndim(e) if mask else 1
            rank = max(rank, 1 if mask else traced if type(e) is str else np.ndim(e))
    rest = ndim - used
    result = added + rest + rank
    if not rank:
        return Block(False, 0, 0, result)
    first, last = places[0], places[-1]
    if last - first >= len(places):
        return Block(True, 0, rank, result)
    return Block(False, first + (rest - 1 if any(e is Ellipsis for e in entries[:first]) else 0), rank, result)


def _sliced(index: Any) -> tuple:
    return (slice(None), *_entries(index))


def _moved(x: Any, start: int, rank: int, to: int) -> Any:
    """x with `rank` dimensions from `start` on brought to another place."""
    return x if start == to else np.moveaxis(x, range(start, start + rank), range(to, to + rank))


def _lined_up(indices: Any, rank: int) -> Any:
    """Batched indices with the batch dimension in front of the block, which has this rank: first come the arrays."""
    indices = np.moveaxis(indices, 0, 1)
    shape = indices.shape
    return indices.reshape(shape[:2] + (1,) * (rank - len(shape) + 2) + shape[2:])


def _counted(indices: Any, rank: int) -> Any:
    """Batched indices and, before them, the array that counts the examples."""
    indices = _lined_up(indices, rank)
    if indices.dtype != np.intp:
        indices = indices.astype(np.intp)
    size, shape = indices.shape[1], indices.shape[1:]
    numbers = np.broadcast_to(np.arange(size).reshape((size,) + (1,) * rank), shape)
    return np.concatenate([numbers[None], indices])


# Reading.


class IndexedCotangent(Deferred):
    """The cotangent of an array of which parts were read; see Note [indexing is sparse backwards].

    Each comes from one call of a rule and belongs to the walk, so adding to it changes it in place.
    """

    __slots__ = ("gs", "indices", "rest")

    def __init__(self, g: Any, index: Any, x_shape: tuple[int, ...], x_dtype: np.dtype) -> None:
        self.gs, self.indices, self.shape, self.dtype = [g], [index], x_shape, x_dtype
        self.rest: Any = None  # what arrived dense

    def __add__(self, other: Any) -> IndexedCotangent:
        rest = other
        if type(other) is IndexedCotangent:
            self.gs += other.gs
            self.indices += other.indices
            rest = other.rest
        if rest is not None:
            self.rest = rest if self.rest is None else self.rest + rest
        return self

    def dense(self) -> Any:
        total = self.rest
        for part in _parts(self.gs) if len(self.gs) > 1 else ([0],):
            gs = [self.gs[k] for k in part]
            term = scatter_add(*gs, indices=tuple([self.indices[k] for k in part]), shape=self.shape)
            total = term if total is None else total + term
        return total


def _parts(gs: list[Any]) -> list[list[int]]:
    """The numbers of the plain arrays among gs, and those of the traced ones in groups of a thousand.

    A plan is built for each number of traced operands, and its size grows with it.
    """
    plain = [k for k, g in enumerate(gs) if not isinstance(g, Array)]
    traced = [k for k, g in enumerate(gs) if isinstance(g, Array)]
    return ([plain] if plain else []) + [traced[k : k + 1000] for k in range(0, len(traced), 1000)]


def _getitem(x: Any, *, index: Any) -> Any:
    return x[index]


def _getitem_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x,), index = args, params["index"]
    block = block_of(index, x.ndim - 1, 0)
    out = primitive(x, index=_sliced(index))
    return np.moveaxis(out, block.rank, 0) if block.apart else out


getitem = linear(
    _getitem,
    transpose=lambda g, index, x_shape, x_dtype: IndexedCotangent(g, index, x_shape, x_dtype),
    batch=_getitem_batch,
    samples=lambda draw: [
        Sample(draw(3), index=-1),
        Sample(draw(2, 3), index=1),
        Sample(draw(2, 3), index=(slice(None, None, -1), slice(1, None))),
        Sample(draw.strided(3, 2), index=(Ellipsis, None, 0)),
        Sample(draw(), index=()),
        Sample(draw(), index=(None, Ellipsis)),
        Sample(draw(0, 2), index=(slice(None), 1)),
        Sample(draw(4), index=np.array([1, 1, -1, 3])),
        Sample(draw(2, 3), index=(np.array([[0], [1]]), np.array([2, 2]))),
        Sample(draw(2, 3, 2), index=(np.array([0, 1, 0]), slice(None), 1)),
        Sample(draw.strided(2, 3), index=np.array([[True, False, True], [False, False, True]])),
        Sample(draw(2, 3), index=(slice(None), np.array([True, False, True]))),
        Sample(draw(3), index=np.array([], int)),
    ],
)


def _scatter_add(*gs: Any, indices: tuple, shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, dtype_of(gs[0]) if len(gs) == 1 else np.result_type(*{dtype_of(g) for g in gs}))
    for index, g in zip(indices, gs, strict=True):
        if type(index) is int:
            out[index] += g
        else:
            add_at(out, index, g)
    return out


def _fronted(v: Any, batched: bool, ndim: int) -> Any:
    """Values to write to a part of ndim dimensions, with the batch dimension, or one of length one, in front."""
    shape = shape_of(v)[batched:]
    if not batched and not shape:
        return v
    shape = shape[max(len(shape) - ndim, 0) :]  # assignment leaves out leading axes of length one
    return v.reshape((v.shape[0] if batched else 1,) + (1,) * (ndim - len(shape)) + shape)


def _behind(v: Any, block: Block) -> Any:
    """Values with the batch dimension where it is in a part that is read with `_sliced`."""
    return np.moveaxis(v, 0, block.rank) if block.apart and shape_of(v) else v


def _scatter_add_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    indices, shape = params["indices"], params["shape"]
    blocks = [block_of(index, len(shape), 0) for index in indices]
    gs = [_behind(_fronted(g, m, b.ndim), b) for g, m, b in zip(args, mask, blocks, strict=True)]
    return primitive(*gs, indices=tuple([_sliced(i) for i in indices]), shape=(size, *shape))


scatter_add = linear(
    _scatter_add,
    transpose=lambda g, indices, linked: [
        getitem(g, index=i) if link else None for i, link in zip(indices, linked, strict=True)
    ],
    operands=None,
    shape=lambda *gs, indices, shape: ShapeDtypeStruct(shape, np.result_type(*{dtype_of(g) for g in gs})),
    batch=_scatter_add_batch,
    samples=lambda draw: [
        Sample(draw(), indices=(1,), shape=(3,)),
        Sample(draw(), draw(), draw(2), indices=(0, 0, slice(1, 3)), shape=(3,)),
        Sample(draw(3), draw.strided(2, 3), indices=((1, slice(None)), np.array([1, 1])), shape=(2, 3)),
        Sample(draw(2), draw(2), indices=((np.array([0, 0]), np.array([2, 2])), (slice(None), 1)), shape=(2, 3)),
        Sample(draw(2), indices=(np.array([True, False, True]),), shape=(3,)),
        Sample(draw(0), indices=(np.array([], int),), shape=(2,)),
    ],
)


def _gather(x: Any, indices: Any, *, index: Any) -> Any:
    return x[fill(index, indices)]


def _gather_back(g: Any, indices: Any, index: Any, x_shape: tuple, x_dtype: np.dtype) -> Any:
    if isinstance(indices, Array):
        return index_add(zeros(x_shape, x_dtype), g, indices, index=index)
    return IndexedCotangent(g, fill(index, indices), x_shape, x_dtype)  # of a loop on a tape, which runs on values


def _gather_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x, indices), index = args, params["index"]
    block = block_of(index, x.ndim - mask[0], indices.ndim - 1 - mask[1])
    if not mask[1]:
        out = primitive(x, indices, index=_sliced(index))
        return np.moveaxis(out, block.rank, 0) if block.apart else out
    if not mask[0]:
        out = primitive(x, _lined_up(indices, block.rank), index=index)
        return np.moveaxis(out, block_of(index, x.ndim, block.rank + 1).start, 0)
    out = primitive(x, _counted(indices, block.rank), index=(HERE, *_entries(index)))
    return _moved(out, 1, block.rank, block.start + 1)


gather = linear(
    _gather,
    operands="x indices",
    transpose=(_gather_back, _INTEGERS),
    batch=_gather_batch,
    samples=lambda draw: [
        Sample(draw(3), np.array([1]), index=HERE),
        Sample(draw(3, 2), np.array([[2, 0, 2]]), index=(HERE, slice(None))),
        Sample(draw(2, 3), np.array([[0, 1], [2, 2]]), index=(HERE, HERE)),
        Sample(draw(2, 3, 2), np.array([[1, 1]]), index=(0, slice(None), HERE)),
    ],
)


def read(x: Any, indices: Any, index: Any) -> Any:
    """`x[index]`, by the primitive that the index asks for."""
    return getitem(x, index=index) if indices is None else gather(x, indices, index=index)


# Writing. The result is a copy with some elements changed.


def _index_set(x: Any, v: Any, indices: Any, *, index: Any) -> np.ndarray:
    out = np.array(x)
    out[fill(index, indices)] = v
    return out


def _set_back(g: Any, indices: Any, index: Any) -> Any:
    """What flows to the values that were written: of those written to one place only the last one counts."""
    part = read(g, indices, index)
    if not repeats(index) and (indices is None or math.prod(shape_of(indices)[1:]) <= 1):
        return part
    numbers = np.arange(math.prod(part.shape)).reshape(part.shape)
    written = index_set(np.zeros(g.shape, int), numbers, indices, index=index)
    return where(np.equal(read(written, indices, index), numbers), part, 0)


def _set_push(tangents: tuple, indices: Any, index: Any, out_shape: tuple, out_dtype: np.dtype) -> Any:
    x, v, _ = tangents
    return index_set(np.zeros(out_shape, out_dtype) if x is None else x, 0 if v is None else v, indices, index=index)


def _written_shape(x: Any, v: Any, indices: Any, *, index: Any) -> ShapeDtypeStruct:
    """The shape rule of the primitives that write, which sees to it that the index is one and the values fit."""
    zeros = None if indices is None else np.zeros(shape_of(indices), int)
    part = np.broadcast_to(np.zeros((), bool), shape_of(x))[fill(index, zeros)].shape
    given = shape_of(v)
    ones = len(given) - len(part)  # axes that assignment leaves out
    if ones > 0 and set(given[:ones]) == {1}:
        given = given[ones:]
    if len(given) > len(part) or any(n not in (1, m) for n, m in zip(given[::-1], part[::-1], strict=False)):
        raise ShapeError(f"x.at[i]: values of shape {shape_of(v)} do not broadcast to the part of x, of shape {part}")
    return ShapeDtypeStruct(shape_of(x), dtype_of(x))


def _write_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(3), draw(), None, index=-1),
        Sample(draw(2, 3), draw(3), None, index=1),
        Sample(draw(2, 3), draw(2, 1), None, index=(Ellipsis, slice(0, 2))),
        Sample(draw.strided(3, 2), 1.5, None, index=(slice(None, None, 2), 1)),
        Sample(draw(), draw(), None, index=()),
        Sample(draw(4), draw(3), None, index=np.array([1, 1, -1])),
        Sample(draw(4), draw(2, 2), None, index=np.array([[1, 1], [-1, 0]])),
        Sample(draw(2, 3), draw(1), None, index=(np.array([0, 0]), np.array([2, 2]))),
        Sample(draw(2, 3), draw(2), None, index=np.array([[True, False, False], [False, False, True]])),
        Sample(draw(3), draw(0), None, index=np.array([], int)),
        Sample(draw(3, 2), draw(3, 2), np.array([[2, 0, 2]]), index=HERE),
        Sample(draw(2, 3), draw(), np.array([1]), index=(slice(None), HERE)),
    ]


def _write_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x, v, indices), index = args, params["index"]
    traced = 0 if indices is None else indices.ndim - 1 - mask[2]
    block = block_of(index, x.ndim - mask[0], traced)
    (x,) = batching.everywhere((x,), mask[:1], size)
    v = _fronted(v, mask[1], block.ndim)
    if not mask[2]:
        return primitive(x, _behind(v, block), indices, index=_sliced(index))
    if shape_of(v):
        v = _moved(v, block.start + 1, block.rank, 1)
    return primitive(x, v, _counted(indices, block.rank), index=(HERE, *_entries(index)))


# linear() would say that the operations are linear in each operand alone; these are linear in x and v together

index_set: Primitive = primitive(
    _index_set,
    operands="x v indices",
    shape=_written_shape,
    vjp=(lambda g, indices, index: index_set(g, 0, indices, index=index), _set_back, _INTEGERS),
    jvp=joint(_set_push),
    batch=_write_batch,
    samples=_write_samples,
)


def _index_add(x: Any, v: Any, indices: Any, *, index: Any) -> np.ndarray:
    out = np.array(x, order="C")
    add_at(out, fill(index, indices), v)
    return out


def _add_push(tangents: tuple, indices: Any, index: Any, out_shape: tuple, out_dtype: np.dtype) -> Any:
    x, v, _ = tangents
    if v is None:
        return x
    return index_add(np.zeros(out_shape, out_dtype) if x is None else x, v, indices, index=index)


index_add = primitive(
    _index_add,
    operands="x v indices",
    shape=_written_shape,
    vjp=(lambda g: g, lambda g, indices, index: read(g, indices, index), _INTEGERS),
    jvp=joint(_add_push),
    batch=_write_batch,
    samples=_write_samples,
)


def _extremum(ufunc: np.ufunc, name: str) -> Any:
    """The primitive of `x[index] = ufunc(x[index], v)` for minimum and maximum; those that tie share evenly."""

    def evaluate(x: Any, v: Any, indices: Any, *, index: Any) -> np.ndarray:
        out = np.array(x)
        index = fill(index, indices)
        if repeats(index):
            ufunc.at(out, index, _spread(v, out.shape, index))
        else:
            out[index] = ufunc(out[index], v)
        return out

    def ties(x: Any, v: Any, out: Any, indices: Any, index: Any) -> tuple[Any, Any, Any]:
        in_x, in_v = np.equal(x, out), np.equal(v, read(out, indices, index))
        count = index_add(where(in_x, 1, 0), where(in_v, 1, 0), indices, index=index)
        return in_x, in_v, np.maximum(count, 1).astype(dtype_of(out))  # none ties with NaN

    def to_x(g: Any, x: Any, v: Any, out: Any, indices: Any, index: Any) -> Any:
        in_x, _, count = ties(x, v, out, indices, index)
        return where(in_x, g / count, 0)

    def to_v(g: Any, x: Any, v: Any, out: Any, indices: Any, index: Any) -> Any:
        _, in_v, count = ties(x, v, out, indices, index)
        return where(in_v, read(g / count, indices, index), 0)

    def push(tangents: tuple, x: Any, v: Any, out: Any, indices: Any, index: Any) -> Any:
        in_x, in_v, count = ties(x, v, out, indices, index)
        tx, tv, _ = tangents
        total = np.zeros(shape_of(out), dtype_of(out)) if tx is None else where(in_x, tx, 0)
        if tv is not None:
            total = index_add(total, where(in_v, tv, 0), indices, index=index)
        return total / count

    return primitive(
        evaluate,
        name=name,
        operands="x v indices",
        shape=_written_shape,
        vjp=(to_x, to_v, _INTEGERS),
        jvp=joint(push),
        batch=_write_batch,
        samples=_write_samples,
    )


index_min = _extremum(np.minimum, "index_min")
index_max = _extremum(np.maximum, "index_max")


# Choosing.


def _where_shape(condition: Any, x: Any, y: Any) -> ShapeDtypeStruct:
    kinds = [v if isinstance(v, (int, float, complex)) else dtype_of(v) for v in (x, y)]
    return ShapeDtypeStruct(np.broadcast_shapes(*map(shape_of, (condition, x, y))), np.result_type(*kinds))


def _where_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(np.array([True, False, True]), draw(3), draw(3)),
        Sample(np.array([[True], [False]]), draw(3), draw(2, 1)),
        Sample(np.array(True), draw(2), draw(1)),
        Sample(np.array([0, 2]), draw(), draw.strided(2)),
        Sample(np.array([True, False]), draw(2), 1),
        Sample(np.array([True, False]), 0.5, draw(1, 2)),
        Sample(np.zeros((0, 2), bool), draw(2), draw(0, 1)),
    ]


where: Primitive = elementwise(
    choose,
    Zero("piecewise constant"),
    lambda g, condition: where(condition, g, 0),
    lambda g, condition: where(condition, 0, g),
    name="where",
    operands="condition x y",
    shape=_where_shape,
    samples=_where_samples,
    dtypes="fdFD",
)


# Along one axis: for each place on the other axes its own indices. `unique` says that none of them repeats.


def _take_along_axis(x: Any, indices: Any, *, axis: int, unique: bool) -> Any:
    return x[_along(x.shape, axis, indices)]


def _along(shape: tuple[int, ...], axis: int, indices: Any) -> tuple:
    """The index of one element along an axis for each place on the others; quicker than np.take_along_axis finds it."""
    rank = len(shape)
    return tuple(
        [
            indices
            if k == axis
            else np.arange(n).reshape((n,) + (1,) * (rank - 1 - k))
            if k < rank - 1
            else np.arange(n)
            for k, n in enumerate(shape)
        ]
    )


def _along_shape(shape: tuple[int, ...], places: tuple[int, ...], axis: int, dtype: Any) -> ShapeDtypeStruct:
    """What indices of the shape `places` pick along an axis of an array."""
    if len(places) != len(shape):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    rest = (*shape[:axis], 1, *shape[axis:][1:])
    return ShapeDtypeStruct(np.broadcast_shapes(rest, places), dtype)


def _scatter_along_axis(x: Any, indices: Any, *, shape: tuple[int, ...], axis: int, unique: bool) -> np.ndarray:
    out = np.zeros(shape, x.dtype)
    index = _along(shape, axis, indices)
    if unique or indices.shape[axis] == 1:
        out[index] = x
    else:
        add_at(out, index, x)
    return out


def _along_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(3), np.array([2, 0, 0, -1]), axis=0, unique=False),
        Sample(draw(2, 3), np.array([[2, 1], [0, 0]]), axis=1, unique=False),
        Sample(draw.strided(3, 2), np.array([[2, 1]]), axis=0, unique=True),
        Sample(draw(1, 3), np.array([[2, 1], [1, 0]]), axis=1, unique=False),
        Sample(draw(0, 2), np.zeros((0, 2), int), axis=0, unique=True),
    ]


take_along_axis = linear(
    _take_along_axis,
    shape=lambda x, indices, axis, unique: _along_shape(shape_of(x), shape_of(indices), axis, dtype_of(x)),
    operands="x indices",
    transpose=(
        lambda g, indices, x_shape, axis, unique: scatter_along_axis(
            g, indices, shape=x_shape, axis=axis, unique=unique
        ),
        _INTEGERS,
    ),
    batch=batching.shifted("axis"),
    samples=_along_samples,
)

scatter_along_axis: Primitive = linear(
    _scatter_along_axis,
    operands="x indices",
    transpose=(
        lambda g, indices, axis, unique: take_along_axis(g, indices, axis=axis, unique=unique),
        _INTEGERS,
    ),
    shape=lambda x, indices, shape, axis, unique: ShapeDtypeStruct(shape, dtype_of(x)),
    batch=batching.shifted("axis", shape="shape"),
    samples=lambda draw: [
        Sample(draw(4), np.array([2, 0, 0, -1]), shape=(3,), axis=0, unique=False),
        Sample(draw(2, 2), np.array([[2, 1], [0, 0]]), shape=(2, 3), axis=1, unique=False),
        Sample(draw.strided(2, 2), np.array([[2, 1], [0, 2]]), shape=(3, 2), axis=0, unique=True),
    ],
)


# One element for each row along an axis, which goes away: what an extremum does once it is known where it is.


def _pick_along_axis(x: Any, indices: Any, *, axis: int) -> Any:
    if x.ndim == 1:
        return x[indices]
    if x.ndim == 2 and indices.ndim == 1:
        rows = np.arange(len(indices))
        return x[rows, indices] if axis == 1 else x[indices, rows]
    return np.take_along_axis(x, np.expand_dims(indices, axis), axis).squeeze(axis)


def _pick_shape(x: Any, indices: Any, axis: int) -> ShapeDtypeStruct:
    shape, places = shape_of(x), shape_of(indices)
    if len(shape) == 1:
        return ShapeDtypeStruct(places, dtype_of(x))
    rest = (*shape[:axis], *shape[axis:][1:])
    return ShapeDtypeStruct(np.broadcast_shapes(rest, places), dtype_of(x))


def _pick_back(g: Any, indices: Any, x_shape: tuple[int, ...], x_dtype: np.dtype, axis: int) -> Any:
    if len(x_shape) == 1 and not isinstance(indices, Array):
        return IndexedCotangent(g, int(indices), x_shape, x_dtype)
    places = np.expand_dims(indices, axis)
    return scatter_along_axis(np.expand_dims(g, axis), places, shape=x_shape, axis=axis, unique=True)


pick_along_axis: Primitive = linear(
    _pick_along_axis,
    shape=_pick_shape,
    operands="x indices",
    transpose=(_pick_back, _INTEGERS),
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(3), np.array(1), axis=0),
        Sample(draw(2, 3), np.array([2, 0]), axis=1),
        Sample(draw.strided(3, 2), np.array([2, 1]), axis=0),
        Sample(draw(2, 0), np.zeros(0, int), axis=0),
    ],
)
