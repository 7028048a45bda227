"""The same elements at other places, or several times: flip, roll, repeat, triangles and diagonals. All are copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import structural as core
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.meta import contiguous_format
from funcgrad.torch.base.storage import allocate
from funcgrad.torch.declare.arguments import OPTIONS, read_options
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import counted, counted_view
from funcgrad.torch.ops.creation import made
from funcgrad.torch.ops.geometry import distinct_dims, saved, unsigned
from funcgrad.torch.ops.memory import clone, empty_as, recorded_as
from funcgrad.torch.ops.shapes import sized_view
from funcgrad.torch.ops.splitting import diagonal_params, unbind
from funcgrad.torch.ops.view_ops import DIAGONAL, EXPAND, VIEW, in_copy
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.plans import filled, filled_in_order
from funcgrad.torch.tensor.tensor import Tensor, contiguous_strides, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import shapes as texts

# In reverse, in a circle.

FLIP = Operation(core.flip, "FlipBackward0", operands=("self",), pulls=filled_in_order)
ROLL = Operation(core.roll, "RollBackward0", operands=("self",))


def _roll_flat(x: Any, *, shift: int) -> Any:
    return fnp.roll(x, shift)


def _rot90(x: Any, *, k: int, axes: tuple[int, int]) -> Any:
    return fnp.rot90(x, k, axes)


ROLL_FLAT = Operation(_roll_flat, "RollBackward0", operands=("self",), saves=(), pulls=filled)
ROT90 = Operation(_rot90, "Rot90Backward0", operands=("self",), saves=(), pulls=filled)


def _flipped(x: Any, axes: tuple[int, ...]) -> Any:
    """An array in reverse along some axes, in memory of the same layout; of a tracer nothing."""
    if isinstance(x, Array):
        return None
    if not x.size:  # then NumPy may not say how it lies: its strides are 0
        strides = tuple([s // x.itemsize for s in x.strides])
        return allocate(x.shape, x.dtype, strides if any(strides) else contiguous_strides(x.shape))
    out = empty_as(x)
    out[...] = np.flip(x, axes)
    return out


@op("flip", "(Tensor input, tuple of ints! dims)", records=(FLIP,))
def flip(input: Tensor, dims: Any) -> Tensor:
    """A copy with some dimensions in reverse.

    Arguments:
        input: the tensor.
        dims: the dimensions.

    Returns:
        The copy.

    Example:
        >>> from funcgrad import torch
        >>> torch.flip(torch.tensor([1, 2, 3]), (0,))
        tensor([3, 2, 1])
    """
    value = raw(input)
    axes = distinct_dims(tuple(dims), value.ndim) if value.ndim else _no_dims(dims)
    return saved(recorded_as(FLIP, input, value, _flipped(value, axes), axes=axes), dims=_unsigned(dims))


def _no_dims(dims: Any) -> tuple[int, ...]:
    distinct_dims(dims, 0)
    return ()


def _unsigned(dims: Any) -> tuple[int, ...]:
    return tuple([unsigned(d) for d in dims])


@op("fliplr", "(Tensor input)", records=(FLIP,))
def fliplr(input: Tensor) -> Tensor:
    """A copy with dimension 1 in reverse: left and right exchanged."""
    if input._value.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@op("flipud", "(Tensor input)", records=(FLIP,))
def flipud(input: Tensor) -> Tensor:
    """A copy with dimension 0 in reverse: up and down exchanged."""
    if input._value.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


@op("roll", "(Tensor input, tuple of ints shifts, tuple of ints? dims = ())", records=(ROLL, ROLL_FLAT))
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """A copy with the elements moved along dimensions; what leaves at one end comes in at the other.

    Arguments:
        input: the tensor.
        shifts: by how many places, an int or a tuple of them.
        dims: for each shift the dimension; without it the elements are moved as if they were in one dimension.

    Returns:
        The copy.

    Example:
        >>> from funcgrad import torch
        >>> torch.roll(torch.tensor([1, 2, 3]), 1)
        tensor([3, 1, 2])
    """
    shifts, dims = (((n,) if isinstance(n, int) else tuple(n or ())) for n in (shifts, dims))
    value = raw(input)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and not (len(shifts) == 1 and not dims):
        raise RuntimeError(texts.SHIFTS_AND_DIMS.format(shifts=len(shifts), dims=len(dims)))
    if dims and not value.ndim:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dims[0]))
    axes = tuple([wrap_dim(d, value.ndim) for d in dims]) if value.size else ()
    moved = None
    if not isinstance(value, Array):
        moved = _in_order(np.roll(value, shifts, axes) if axes else np.roll(value, shifts[0]))
    if axes:
        t = recorded_as(ROLL, input, value, moved, shift=shifts, axes=axes)
    else:
        t = counted_view(recorded_as(ROLL_FLAT, input, value, moved, shift=shifts[0]), 0, input)
    return saved(t, shifts=_unsigned(shifts), dims=_unsigned(dims))


def _in_order(x: ndarray) -> ndarray:
    """A contiguous copy."""
    return np.ascontiguousarray(x) if x.ndim else x


@op("rot90", "(Tensor input, int k = 1, tuple of ints! dims = (0,1))", records=(FLIP, ROT90))
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """A copy turned by 90 degrees, k times, in the plane of two dimensions, from the first towards the second."""
    k, dims = k, tuple(dims)
    value = raw(input)
    ndim = value.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == ndim:
        raise RuntimeError(texts.ROTATION_DIMS_EQUAL.format(first=dims[0], second=dims[1]))
    a, b = wrap_dim(dims[0], ndim), wrap_dim(dims[1], ndim)
    turned = None
    if not isinstance(value, Array):
        turned = _flipped(value, ((), (b,), (a, b), (a,))[k % 4]) if k % 4 else np.array(value, order="C")
        turned = turned.swapaxes(a, b) if k % 2 else turned
    t = saved(recorded_as(ROT90, input, value, turned, k=k, axes=(a, b)), k=unsigned(k), dims=_unsigned(dims))
    return t if k % 4 == 2 else counted(t, 1, input)


# Several times.


def _repeat(x: Any, *, repeats: tuple[int, ...]) -> Any:
    return fnp.tile(x, repeats)


REPEAT = Operation(_repeat, "RepeatBackward0", operands=("self",), saves=(), pulls=filled)


def _repeated(x: Tensor, repeats: tuple[int, ...]) -> Tensor:
    value = raw(x)
    if len(repeats) < value.ndim:
        raise RuntimeError(texts.FEWER_REPEATS_THAN_DIMS)
    sizes = [n * r for n, r in zip((1,) * (len(repeats) - value.ndim) + value.shape, repeats, strict=True)]
    for n in sizes:
        if n < 0:
            raise RuntimeError(memory_texts.NEGATIVE_DIMENSION.format(n=n, sizes=sizes))
    made = None if isinstance(value, Array) else _in_order(np.tile(value, repeats))
    t = recorded_as(REPEAT, x, value, made, repeats=repeats)
    return counted_view(saved(t, repeats=repeats, self_sym_sizes=value.shape), 1, x)


@op("Tensor.repeat", "(Tensor input, tuple of ints! repeats)", records=(REPEAT,))
def repeat(input: Tensor, repeats: Any) -> Tensor:
    """A copy with the tensor repeated along its dimensions.

    Arguments:
        repeats: how often, for each dimension; if there are more, they are for new dimensions in front.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor([1, 2]).repeat(2, 2)
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
    """
    return _repeated(input, tuple(repeats))


@op("tile", "(Tensor input, tuple of ints! dims)", records=(REPEAT,))
def tile(input: Tensor, dims: Any) -> Tensor:
    """As `Tensor.repeat`, where missing repeats, for the first dimensions, are 1."""
    return _repeated(input, (1,) * (input._value.ndim - len(dims)) + tuple(dims))


@op(
    "repeat_interleave",
    "(Tensor input, Tensor repeats, int dim = None, *, int output_size = None)",
    "(Tensor repeats, *, int output_size = None)",
    "(Tensor input, int repeats, int dim = None, *, int output_size = None)",
    records=(EXPAND, VIEW),
)
def repeat_interleave(
    input: Any = None, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element several times in a row.

    Arguments:
        input: the tensor. Given alone it holds the repeats, and the result is which element each place belongs to.
        repeats: how often, an int or a tensor of ints.
        dim: the dimension along which slices are repeated; without it the elements in one dimension.
        output_size: how long the result will be, if known.

    Returns:
        A new tensor.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor([1, 2]).repeat_interleave(2)
        tensor([1, 1, 2, 2])
    """
    if repeats is None or input is None:
        return _places(repeats if input is None else input, output_size)
    if dim is None:
        input, dim = input.flatten(), 0
    shape = input._value.shape
    if isinstance(repeats, Tensor):
        if repeats._value.ndim > 1:
            raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
        axis = wrap_dim(dim, len(shape))
        n = shape[axis] if shape else 1
        if repeats._value.size == 1:
            repeats = repeats.reshape(1).expand(n)
        elif repeats._value.size != n:
            raise RuntimeError(texts.REPEAT_INTERLEAVE_SIZE.format(repeats=repeats._value.size, dim=dim, n=n))
        return input.index_select(axis, _places(repeats, output_size))
    axis = wrap_dim(dim, len(shape))
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    if not shape:
        wrap_dim(1, 0)
    total = shape[axis] * repeats
    if output_size is not None and output_size != total:
        raise RuntimeError(texts.REPEAT_INTERLEAVE_OUTPUT_SIZE.format(total=total, given=output_size))
    spread = sized_view(EXPAND, input.unsqueeze(axis + 1), (*shape[: axis + 1], repeats, *shape[axis + 1 :]))
    whole = clone(spread, memory_format=contiguous_format)
    return sized_view(VIEW, whole, (*shape[:axis], total, *shape[axis + 1 :]))


def _places(repeats: Tensor, output_size: int | None) -> Tensor:
    """Which element each place belongs to, when elements are repeated so often."""
    counts = raw(repeats)
    if counts.dtype not in (np.int64, np.int32):
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{repeats.dtype.title}'")
    if counts.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    if output_size is not None and counts.sum() != output_size:
        raise RuntimeError("allocated size does not match required size")
    return wrapped(np.repeat(np.arange(counts.size, dtype=counts.dtype), counts))


# Triangles.

TRIL = Operation(core.tril, "TrilBackward0", operands=("self",))
TRIU = Operation(core.triu, "TriuBackward0", operands=("self",))


def _triangle(op: Operation, x: Tensor, diagonal: Any, name: str) -> Tensor:
    value = raw(x)
    if value.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    made = None if isinstance(value, Array) else _in_order(op.impl(value, k=diagonal))
    return saved(recorded_as(op, x, value, made, k=diagonal), diagonal=unsigned(diagonal))


@op("tril", "(Tensor input, int diagonal = 0, *, Tensor out = None)", inplace=True, records=(TRIL,))
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices, with zeros above.

    Arguments:
        input: matrices, in the last two dimensions.
        diagonal: how far above (or, negative, below) the main diagonal the triangle ends.

    Returns:
        A new tensor.
    """
    return _triangle(TRIL, input, diagonal, "tril")


@op("triu", "(Tensor input, int diagonal = 0, *, Tensor out = None)", inplace=True, records=(TRIU,))
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices, with zeros below.

    Arguments:
        input: matrices, in the last two dimensions.
        diagonal: how far above (or, negative, below) the main diagonal the triangle begins.

    Returns:
        A new tensor.
    """
    return _triangle(TRIU, input, diagonal, "triu")


_INDICES = f"(int row, int col, int offset = 0, *, {OPTIONS})"


def _triangle_indices(f: Any, row: Any, col: Any, offset: Any, options: dict[str, Any], name: str) -> Tensor:
    dtype, requires_grad = read_options(**options)
    for n, word in ((row, "row"), (col, "col")):
        if n < 0:
            raise RuntimeError(f"{word} must be non-negative, got{n}")
    dtype = dtypes.int64 if dtype is None else dtype
    if dtype not in (dtypes.int64, dtypes.int32):
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtype.title}'")
    return made(np.array(f(row, offset, col), dtype.numpy), requires_grad)


@op("tril_indices", _INDICES, method=False)
def tril_indices(row: int, col: int, offset: int = 0, **options: Any) -> Tensor:
    """The places of the lower triangle of a matrix, row by row: their rows and, in the second row, their columns."""
    return _triangle_indices(np.tril_indices, row, col, offset, options, "tril_indices")


@op("triu_indices", _INDICES, method=False)
def triu_indices(row: int, col: int, offset: int = 0, **options: Any) -> Tensor:
    """The places of the upper triangle of a matrix, row by row: their rows and, in the second row, their columns."""
    return _triangle_indices(np.triu_indices, row, col, offset, options, "triu_indices")


# Diagonals.

DIAG_EMBED = Operation(core.embed_diagonal, "DiagEmbedBackward0", operands=("self",))
DIAGONAL_COPY = in_copy(DIAGONAL)


@op("diag_embed", "(Tensor input, int offset = 0, int dim1 = -2, int dim2 = -1)", records=(DIAG_EMBED,))
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension of a tensor on a diagonal, and zeros elsewhere.

    Arguments:
        input: the tensor.
        offset: how far above (or, negative, below) the main diagonal.
        dim1, dim2: which dimensions of the result are those of the matrices.

    Returns:
        A new tensor with a dimension more.
    """
    params = diagonal_params(input, offset, dim1, dim2, 1)
    *batch, n = input._value.shape
    shape = batch
    for axis in sorted((params["axis1"], params["axis2"])):
        shape.insert(axis, n + abs(offset))
    t = DIAG_EMBED(input, shape=tuple(shape), **params)
    return counted(saved(t, offset=unsigned(offset), dim1=unsigned(dim1), dim2=unsigned(dim2)), 2, input)


def diagonal_copied(x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """A copy of a diagonal."""
    t = DIAGONAL_COPY(x, **diagonal_params(x, offset, dim1, dim2))
    sizes = x._value.shape
    return saved(t, offset=unsigned(offset), dim1=unsigned(dim1), dim2=unsigned(dim2), self_sym_sizes=sizes)


@op("diag", "(Tensor input, int diagonal = 0, *, Tensor out = None)", records=(DIAG_EMBED, DIAGONAL_COPY))
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The matrix that has a vector on its diagonal, or, of a matrix, a copy of its diagonal.

    Arguments:
        input: a vector or a matrix.
        diagonal: which diagonal: how far above (or, negative, below) the main one.

    Returns:
        A new tensor.
    """
    ndim = input._value.ndim
    if ndim == 1:
        return diag_embed(input, diagonal)
    if ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return counted(diagonal_copied(input, diagonal, 0, 1), 1, input)


@op("diagflat", "(Tensor input, int offset = 0)", records=(DIAG_EMBED, VIEW))
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix that has all elements of a tensor on its diagonal."""
    return diag_embed(sized_view(VIEW, input.contiguous(), (input._value.size,)), offset)


# Places.


def _sizes_to_unravel(shape: Any) -> tuple[int, ...]:
    if type(shape) is int:
        return (shape,)
    if isinstance(shape, Tensor) or not hasattr(shape, "__iter__"):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    for n in shape:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    return tuple(shape)


@op("unravel_index", method=False)
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """For places in a tensor that is counted in one dimension, their places in each of its dimensions.

    Arguments:
        indices: a tensor of ints.
        shape: the sizes of the tensor.

    Returns:
        For each dimension a tensor of ints.

    Example:
        >>> from funcgrad import torch
        >>> torch.unravel_index(torch.tensor(5), (2, 3))
        (tensor(1), tensor(2))
    """
    if indices.is_complex() or indices.is_floating_point() or indices.dtype is dtypes.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = _sizes_to_unravel(shape)
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    steps = np.cumprod((1, *sizes[:0:-1]), dtype=np.int64)[::-1] if sizes else np.zeros(0, np.int64)
    return unbind(wrapped(raw(indices)[..., None] // steps % np.array(sizes, np.int64)), -1)
