"""Reading and writing by tensors of indices and masks: what `x[i]` and `x[i] = v` come to when i is a tensor."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.ops import index as core
from funcgrad.torch.base.overloads import OWN_NAME
from funcgrad.torch.declare.arguments import fitted
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.geometry import view_strides
from funcgrad.torch.ops.indexed import WithIndices, as_operand, contiguous, read_at, write_at, writing
from funcgrad.torch.ops.overwriting import check_apart, overlaps
from funcgrad.torch.tensor.inplace import check_inplace
from funcgrad.torch.tensor.levels import check_not_batched
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import contiguous_strides
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import indexing as texts

# From tensors of indices to an index of NumPy's.


def numpy_index(shape: tuple, indices: list) -> tuple:
    """The index that a list of tensors, one or None for each dimension, stands for: slices and arrays of integers.

    Masks become the indices of their true elements.

    Raises:
        IndexError: a tensor is no index, a mask does not fit, there are too many, or they do not broadcast.
    """
    found: list[Any] = []
    for i in indices:
        if i is None:
            found.append(slice(None))
            continue
        value = i._value if i._plain else i._resolved()
        kind = value.dtype
        if kind.kind == "b" or kind == np.uint8:
            if kind == np.uint8:
                _warn_of_bytes()
            for j, n in enumerate(value.shape):
                at = len(found) + j
                if at >= len(shape):
                    raise IndexError(texts.TOO_MANY_INDICES.format(ndim=len(shape)))
                if n != shape[at]:
                    raise IndexError(texts.MASK_SHAPE.format(mask=list(value.shape), at=j, shape=list(shape), dim=at))
            found += np.nonzero(value)
        elif kind == np.int64 or kind == np.int32:
            found.append(value)
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if len(found) > len(shape):
        raise IndexError(texts.TOO_MANY_INDICES_GOT.format(ndim=len(shape), got=len(found)))
    _check_broadcast([a for a in found if type(a) is not slice])
    if 0 in shape:
        found = _within_empty(shape, found)
    while found and type(found[-1]) is slice:
        found.pop()
    return tuple(found)


def _warn_of_bytes() -> None:
    warnings.warn(texts.BYTES_AS_MASK, UserWarning, stacklevel=6)


def _check_broadcast(arrays: list) -> None:
    if len(arrays) > 1:
        try:
            np.broadcast_shapes(*[a.shape for a in arrays])
        except ValueError:
            shapes = ", ".join(str(list(a.shape)) for a in arrays)
            raise IndexError(texts.INDEX_SHAPES.format(shapes=shapes)) from None


def _within_empty(shape: tuple, index: list) -> list:
    """The index of a tensor without elements: torch looks at indices only where there is something to read."""
    arrays = [(a, n) for a, n in zip(index, shape, strict=False) if type(a) is not slice]
    if any(a.size == 0 for a, _ in arrays):
        return index
    if any(n == 0 for _, n in arrays):
        raise IndexError("index is out of bounds for dimension with size 0")
    return [a if type(a) is slice else np.zeros_like(a) for a in index]


def out_of_bounds(shape: tuple, index: tuple) -> IndexError | None:
    """The error about the first of the arrays in an index that reaches too far, if there is one."""
    arrays = [(a, n) for a, n in zip(index, shape, strict=False) if type(a) is not slice]
    for k, (a, n) in enumerate(arrays):
        if type(a) is ndarray and a.size and (a.min() < -n or a.max() >= n):
            wrong = a[(a < -n) | (a >= n)]
            return IndexError(texts.OUT_OF_BOUNDS.format(index=wrong.reshape(-1)[0], dim=k, n=n))
    return None


# The memory order of what is read.


def laid_out(out: ndarray, x: ndarray, index: tuple) -> ndarray:
    """The result of reading in the memory order of the operands, where they have one."""
    arrays = [a for a in index if type(a) is not slice]
    if not out.size or not arrays or all(_in_order(a) for a in (x, *arrays)):
        return contiguous(out)
    order = memory_order(out.shape, _strides_by_operand(x, index, out.shape))
    fresh = np.empty([out.shape[k] for k in order], out.dtype).transpose(np.argsort(order))
    if fresh.strides == out.strides:
        return out
    fresh[...] = out
    return fresh


def _in_order(x: ndarray) -> bool:
    """Whether an array steps through memory as a contiguous one, in dimensions of size 1 as well."""
    if x.ndim < 2:
        return True
    return x.flags.c_contiguous and x.strides == tuple([x.itemsize * s for s in contiguous_strides(x.shape)])


def _strides_by_operand(x: ndarray, index: tuple, shape: tuple) -> list[list[int]]:
    """How far each dimension of the result steps through x and through each array of the index.

    What torch finds for dimensions of size 1 takes part in the comparison, too.
    """
    full = index + (slice(None),) * (x.ndim - len(index))
    places = [k for k, e in enumerate(full) if type(e) is not slice]
    arrays = [full[k] for k in places]
    sizes = np.broadcast_shapes(*[a.shape for a in arrays])
    ndim, block = len(shape), len(sizes)
    adjacent = places[-1] - places[0] == len(places) - 1
    start = places[0] if adjacent else 0
    kept = [x.strides[k] for k, e in enumerate(full) if type(e) is slice]
    rows = [kept[:start] + [0] * block + kept[start:]]
    for a in arrays:
        new = (1,) * start + sizes + (1,) * (ndim - start - block)
        own = view_strides(sizes, _expanded_strides(a, sizes), new) or (0,) * ndim
        rows.append([s if n == m else 0 for s, n, m in zip(own, new, shape, strict=True)])
    return rows


def _expanded_strides(a: ndarray, sizes: tuple) -> tuple:
    """The strides of an array that is expanded to some sizes."""
    found: list[int] = []
    for d in range(1, len(sizes) + 1):
        if d <= a.ndim:
            n, step = a.shape[-d], a.strides[-d]
        else:
            n, step = 1, sizes[-d + 1] * found[-1]
        found.append(step if n == sizes[-d] else 0)
    return tuple(reversed(found))


def memory_order(shape: tuple, strides: list) -> list[int]:
    """The dimensions from the slowest to the fastest, as elementwise operations of torch choose them.

    The last dimension is the fastest unless the strides of an operand say otherwise; the first operand that steps along
    both of two dimensions decides, and among equal strides the larger size is the outer one.
    """
    order = list(reversed(range(len(shape))))

    def swapped(a: int, b: int) -> int:
        for s in strides:
            if s[a] == 0 or s[b] == 0:
                continue
            if s[a] != s[b]:
                return -1 if s[a] < s[b] else 1
            if shape[a] > shape[b]:
                return 1
        return 0

    for i in range(1, len(order)):
        at = i
        for k in range(i - 1, -1, -1):
            c = swapped(order[k], order[at])
            if c > 0:
                order[k], order[at] = order[at], order[k]
                at = k
            elif c < 0:
                break
    return order[::-1]


# Reading and writing.

INDEX = Operation(
    WithIndices(core.getitem, core.getitem, layout=laid_out), "IndexBackward0", operands=("self",), edges=1
)


PUT, ADD = (writing("IndexPutBackward0", ("self", "values"), add=add, layout=as_operand) for add in (False, True))


def read_by(x: Any, indices: list) -> Any:
    """`x[indices]`, for a list of tensors of indices, one or None for each of the first dimensions of x."""
    tensors = tuple([i for i in indices if i is not None])
    index = _index_of(x, indices, tensors)
    shape = x._value.shape
    try:
        return read_at(INDEX, x, index, tensors, indices=tuple(indices), self_sym_sizes=shape)
    except IndexError as error:
        raise (out_of_bounds(shape, index) or error) from None


def _index_of(x: Any, indices: list, tensors: tuple) -> tuple:
    if any(isinstance(i._value, Array) for i in tensors):
        check_not_batched("indexing with a mask", *[i for i in tensors if i._value.dtype.kind == "b"])
        return tuple([slice(None) if i is None else core.HERE for i in indices])
    return numpy_index(x._value.shape, indices)


@op(
    "index_put",
    "(Tensor input, tuple of Tensors indices, Tensor values, bool accumulate = False)",
    inplace="itself",
    inplace_function=True,
    records=(ADD, PUT),
    refusal=OWN_NAME,
)
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False, *, inplace: bool = False) -> Any:
    """Put values at the places that tensors of indices name.

    Arguments:
        indices: a tuple of tensors, one for each of the first dimensions.
        values: a tensor that broadcasts to what the indices read.
        accumulate: whether values are added; of those that go to one place only the last stays otherwise.

    Example:
        >>> from funcgrad import torch
        >>> torch.index_put(torch.zeros(3), (torch.tensor([0, 2]),), torch.tensor(5.0))
        tensor([5., 0., 5.])
    """
    return put_by(input, list(indices), values, accumulate, inplace=inplace, stacklevel=5)


def put_by(x: Any, indices: list, values: Any, accumulate: bool, *, inplace: bool, stacklevel: int = 4) -> Any:
    """Put values into x at a list of tensors of indices, one or None for each of the first dimensions of x."""
    tensors = tuple([i for i in indices if i is not None])
    v, shape = raw(values), x._value.shape
    # torch fills where a mask is all there is to the index, which converts the value and needs no indices.
    fills = not accumulate and v.size == 1 and len(tensors) == 1 and tensors[0]._value.dtype.kind in "bu"
    if fills and type(v) is ndarray:
        v = v.copy()  # the number is read before anything is written
    if inplace:
        check_inplace(x, *indices, values, name="index_put_")
        if not fills:
            check_apart(x, values, *tensors)
        if overlaps(x):
            warn_of_expanded("index_put_", "tensor[indices] = tensor", 976, stacklevel)
    if fills and tensors[0]._value.dtype == np.uint8:
        _index_of(x, [None if i is None else i.bool() for i in indices], tensors)  # raises if the mask does not fit
        raise RuntimeError(texts.MASK_OF_BYTES)
    if fills and inplace and overlaps(x):
        warn_of_expanded("masked_fill_", "tensor[mask] = scalar", 2450, stacklevel)
    index = _index_of(x, indices, tensors)
    known = core.HERE not in [e for e in index if type(e) is str]
    if known:
        _check_value(shape, index, v.shape)
    if v.dtype != x._value.dtype:
        if not fills or isinstance(v, Array):
            raise RuntimeError(texts.INDEX_PUT_DTYPES.format(destination=x.dtype.title, source=values.dtype.title))
        v = fitted(v.reshape(-1)[0].item(), x.dtype).reshape(v.shape)
    if known and (error := out_of_bounds(shape, index)) is not None:
        raise error
    op = ADD if accumulate else PUT
    return write_at(op, x, values, index, tensors, inplace=inplace, v=v, indices=tuple(indices), accumulate=accumulate)


def _check_value(shape: tuple, index: tuple, given: tuple) -> None:
    """Raise torch's error if a value of shape `given` does not broadcast to what an index reads."""
    within = tuple([a if type(a) is slice else np.zeros(a.shape, np.int64) for a in index])
    part = np.broadcast_to(np.zeros((), bool), shape)[within].shape
    try:
        if np.broadcast_shapes(given, part) == part:
            return
    except ValueError:
        pass
    raise RuntimeError(texts.VALUE_SHAPE.format(given=list(given), part=list(part)))


def warn_of_expanded(name: str, written_as: str, line: int, stacklevel: int = 4) -> None:
    """Warn that elements which are one place in memory are written to."""
    warnings.warn(
        texts.EXPANDED_DEPRECATED.format(name=name, written_as=written_as, line=line),
        UserWarning,
        stacklevel=stacklevel,
    )
