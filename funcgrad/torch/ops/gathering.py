"""Reading along a dimension: gather, take_along_dim, index_select; and take, which counts through the whole tensor.

Each turns its arguments into an index of NumPy's, with an array for the dimension in question.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.ops import index as core
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.indexed import READ, READ_WATCHED, read_at
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import wrap_dim
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import indexing as texts

GATHER = Operation(READ_WATCHED, "GatherBackward0", operands=("self", "index"), edges=1, again=True)
INDEX_SELECT = Operation(READ, "IndexSelectBackward0", operands=("self", "index"), edges=1)
TAKE = Operation(READ_WATCHED, "TakeBackward0", operands=("self", "index"), edges=1)


# Arguments.


def is_index(value: Any) -> bool:
    return value.dtype == np.int64 or value.dtype == np.int32


def outside(value: Any, size: int, low: int = 0) -> Any:
    """The first index that is not in [low, size), or None."""
    if isinstance(value, Array) or not value.size:
        return None
    if value.min() >= low and value.max() < size:
        return None
    return value[(value < low) | (value >= size)].reshape(-1)[0]


def nonempty(shape: tuple) -> tuple:
    """A shape in which 0 dimensions count as one of size 1."""
    return shape or (1,)


def places(value: Any, dim: int) -> tuple:
    """The index of the elements that value names along dim; along the other dimensions it runs as value does."""
    if value.ndim < 2:
        return (core.HERE if isinstance(value, Array) else value,)
    found: list[Any] = list(np.ogrid[tuple([slice(n) for n in value.shape])])
    found[dim] = core.HERE if isinstance(value, Array) else value
    return tuple(found)


def rows(value: Any, dim: int) -> tuple:
    """The index that takes whole slices along dim."""
    return (*(slice(None),) * dim, core.HERE if isinstance(value, Array) else value)


# Reading.


@op(
    "gather", "(Tensor input, int dim, Tensor index, *, bool sparse_grad = False, Tensor out = None)", records=(GATHER,)
)
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Read one element along dim for each element of index, whose place says where on the other dimensions.

    Arguments:
        dim: the dimension that index is about.
        index: int64 or int32, with as many dimensions as input.
        sparse_grad: has no effect; gradients are always dense.

    Example:
        >>> from funcgrad import torch
        >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
        tensor([[1, 1],
                [4, 3]])
    """
    dim = wrap_dim(dim, input._value.ndim)
    value = raw(index)
    shape, given = nonempty(input._value.shape), nonempty(value.shape)
    if value.size:
        if not is_index(value):
            raise RuntimeError("gather(): Expected dtype int32/int64 for index")
        if len(shape) != len(given):
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        for d, (n, m) in enumerate(zip(given, shape, strict=True)):
            if d != dim and n > m:
                raise RuntimeError(
                    texts.GATHER_SIZE.format(at=d, index=list(value.shape), shape=list(input._value.shape), dim=dim)
                )
        wrong = outside(value, shape[dim])
        if wrong is not None:
            raise RuntimeError(texts.OUT_OF_BOUNDS.format(index=wrong, dim=dim, n=shape[dim]))
    elif len(shape) != len(given) and value.ndim == 1:
        nowhere = np.zeros(input._value.shape, bool)
        return read_at(GATHER, input, nowhere, (index,), dim=dim, sparse_grad=sparse_grad)
    elif len(shape) != len(given):
        return input.new_empty(value.shape)
    else:
        value = value.astype(np.int64)
    return read_at(GATHER, input, places(value, dim), (index,), dim=dim, sparse_grad=sparse_grad)


@op("take_along_dim", "(Tensor input, Tensor indices, int dim = None, *, Tensor out = None)", records=(GATHER,))
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """As `gather`, with input and indices broadcast against each other apart from dim.

    Without dim, both are flattened. Negative indices count from the end.
    """
    if indices._value.dtype != np.int64:
        raise RuntimeError(texts.TAKE_ALONG_DIM_DTYPE.format(dtype=indices.dtype.title))
    if dim is None:
        return gather(input.view(-1), 0, indices.view(-1))
    have, want = input._value.shape, indices._value.shape
    if len(have) != len(want):
        raise RuntimeError(texts.TAKE_ALONG_DIM_DIMENSIONS.format(have=len(have), want=len(want)))
    dim = wrap_dim(dim, input._value.ndim)
    if not have:
        raise IndexError(texts.NO_DIMENSIONS.format(dim=dim))
    size = []
    for d, (n, m) in enumerate(zip(have, want, strict=True)):
        if d != dim and n != m and 1 not in (n, m):
            raise RuntimeError(texts.SIZES_DIFFER.format(n=n, m=m, dim=d))
        size.append(m if n == 1 else n)
    index = indices.expand([want[d] if d == dim else n for d, n in enumerate(size)])
    n = have[dim] if have else 1
    if n == 0 and raw(indices).size:
        raise RuntimeError("ZeroDivisionError")
    index = index.where(index >= 0, index + n) if outside(raw(index), n) is not None else index
    return gather(input.expand([n if d == dim else m for d, m in enumerate(size)]), dim, index)


@op("index_select", "(Tensor input, int dim, Tensor index, *, Tensor out = None)", records=(INDEX_SELECT,))
def index_select(input: Any, dim: int, index: Any) -> Any:
    """The slices of input along dim that index, a vector, names.

    Example:
        >>> from funcgrad import torch
        >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([1, 1, 0]))
        tensor([[2, 2, 1],
                [4, 4, 3]])
    """
    dim = wrap_dim(dim, input._value.ndim)
    value = raw(index)
    shape = input._value.shape
    if value.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not shape and value.size != 1:
        raise RuntimeError(texts.INDEX_SELECT_OF_NUMBER.format(n=value.size))
    if not is_index(value):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    n = nonempty(shape)[dim]
    of_none = len(shape) > 1 and 0 in shape
    if of_none and value.size and n == 0:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    wrong = outside(value, n)
    if wrong is not None:
        if dim == 0 and not of_none:
            raise IndexError(texts.OUT_OF_RANGE)
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={n}")
    if not shape:
        value = value.reshape(())
    where = rows(value.reshape(-1) if shape else value, dim)
    return read_at(INDEX_SELECT, input, where, (index,), dim=dim, index=index, self_sym_sizes=shape)


def flat_index(name: str, x: Any, index: Any, empty: str) -> tuple:
    """The index of elements that are counted through the whole tensor."""
    value = raw(index)
    if value.dtype != np.int64:
        raise RuntimeError(texts.INDEX_NOT_LONG.format(name=name, dtype=index.dtype.title))
    size, shape = x._value.size, x._value.shape
    if value.size and not size:
        raise IndexError(empty)
    wrong = outside(value, size, -size)
    if wrong is not None:
        raise IndexError(texts.TAKE_OUT_OF_RANGE.format(index=wrong, n=size))
    if not value.size:
        return tuple([value for _ in nonempty(shape)])
    return np.unravel_index(np.where(value < 0, value + size, value), shape or (1,))


@op("take", "(Tensor input, Tensor index, *, Tensor out = None)", records=(TAKE,))
def take(input: Any, index: Any) -> Any:
    """The elements that index names, counted through the whole of input.

    Example:
        >>> from funcgrad import torch
        >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([3, 0]))
        tensor([4, 1])
    """
    if isinstance(index._value, Array):
        return input.reshape(-1)[index]
    where = flat_index("take", input, index, "take(): tried to take from an empty tensor")
    return read_at(TAKE, input, where, (index,), index=index)
