"""Memory: copies and their layout, looking at a storage with any strides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.meta import channels_last, channels_last_3d, contiguous_format, memory_format, preserve_format
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.base.storage import UntypedStorage, strided
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import count_writes
from funcgrad.torch.ops.geometry import saved
from funcgrad.torch.ops.view_ops import ALIAS, CLONE
from funcgrad.torch.tensor.gradient_memory import dense
from funcgrad.torch.tensor.inplace import check_inplace, move_retain
from funcgrad.torch.tensor.levels import batched
from funcgrad.torch.tensor.operation import Operation, link_one
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import memory_shown
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.tensor.views import AS_STRIDED, geometry, place, seen
from funcgrad.torch.texts import memory as texts

# Layout.

_IN_ORDER = "*, torch.memory_format memory_format = torch.contiguous_format"

_CHANNELS_LAST = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}
"""The order of dimensions in memory, from the slowest to the fastest."""


def _order(layout: memory_format) -> tuple[int, ...] | None:
    return _CHANNELS_LAST.get(layout)


def empty_in(layout: memory_format, shape: tuple, kind: np.dtype) -> ndarray:
    """Uninitialised memory in which the dimensions follow each other as a memory format has it.

    Raises:
        RuntimeError: the format is for another number of dimensions.
    """
    order = _order(layout)
    if order is None:
        return np.empty(shape, kind)
    if len(shape) != len(order):
        raise RuntimeError(texts.RANK_OF_FORMAT.format(rank=len(order), layout=layout.name))
    out = np.empty([shape[d] for d in order], kind)
    return out.transpose(np.argsort(order))


def empty_as(value: ndarray) -> ndarray:
    """Uninitialised memory with the strides of an array; if that has gaps or overlaps, in the order of its strides."""
    if dense(value):
        return np.ndarray(value.shape, value.dtype, strides=value.strides)
    order = _dense_order(value.shape, value.strides)
    out = np.empty([value.shape[d] for d in order], value.dtype)
    return out.transpose(np.argsort(order))


def _dense_order(shape: tuple, strides: tuple) -> list[int]:
    """The dimensions from the largest stride to the smallest.

    Two of them are only exchanged if their strides say so; expanded dimensions, of stride 0, say nothing.
    """
    order = list(range(len(shape)))[::-1]
    for i in range(1, len(order)):
        here = i
        for j in range(i - 1, -1, -1):
            a, b = order[j], order[here]
            if strides[a] == 0 or strides[b] == 0:
                continue
            if strides[a] < strides[b]:
                break
            if strides[a] > strides[b] or shape[a] > shape[b]:
                order[j], order[here] = b, a
                here = j
    return order[::-1]


def copied(value: Any, layout: memory_format) -> Any:
    """A copy of an array in a memory format."""
    if isinstance(value, Array):
        return value
    if layout is preserve_format:
        if value.flags.c_contiguous and 1 not in value.shape:
            return value.copy()
        out = empty_as(value)
    elif layout is contiguous_format:
        return value.copy()
    else:
        out = empty_in(layout, value.shape, value.dtype)
    out[...] = value
    return out


def lies_in(value: Any, layout: memory_format) -> bool:
    """Whether the elements follow each other without gaps in the order of a memory format."""
    order = _order(layout)
    if order is None or isinstance(value, Array):
        return order is None and (isinstance(value, Array) or value.flags.c_contiguous)
    return value.ndim == len(order) and (value.transpose(order).flags.c_contiguous)


@op("Tensor.is_contiguous", f"(Tensor input, {_IN_ORDER})")
def is_contiguous(self: Tensor, *, memory_format: Any = contiguous_format) -> bool:
    """Whether the elements follow each other in memory in the order of a memory format.

    Arguments:
        memory_format: torch.contiguous_format, or torch.channels_last for images, torch.channels_last_3d for volumes.
    """
    return _lies_in(self, memory_format)


def _lies_in(x: Tensor, layout: memory_format) -> bool:
    if not isinstance(x._value, Array):
        return lies_in(x._value, layout)
    if layout is not contiguous_format and batched(x):
        raise RuntimeError(texts.IS_CONTIGUOUS_IN_VMAP)
    memory = memory_shown(x)
    return lies_in(x._value if memory is None else memory, layout)


# Copies.


def recorded_as(op: Operation, x: Tensor, source: Any, value: Any, **params: Any) -> Tensor:
    """A new tensor around value, recorded as what op makes of x, whose raw value is source."""
    if isinstance(source, Array):
        return op(x, **params)
    t = wrapped(value)
    link_one(op, x, source, params, value, t)
    if x._tangent is not None and state.forward_grad:
        give_tangent(t, op(x._tangent, **params))
    return t


@op("clone", "(Tensor input, *, torch.memory_format memory_format = None)", records=(CLONE,))
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy of a tensor, through which gradients flow back to it.

    Arguments:
        input: the tensor.
        memory_format: by default the copy has the strides of input, if that fills its memory.

    Returns:
        The copy.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.clone()
        tensor([1., 1.], grad_fn=<CloneBackward0>)
    """
    value = raw(input)
    if memory_format is None:
        memory_format = preserve_format
    t = recorded_as(CLONE, input, value, copied(value, memory_format), shape=value.shape)
    if not value.size and memory_format is preserve_format and not isinstance(value, Array):
        place(t, UntypedStorage(), value.shape, input.stride(), 0)
    if input._inference:
        count_writes(t, 1)
    return t


@op("Tensor.contiguous", f"(Tensor input, {_IN_ORDER})", records=(CLONE,))
def contiguous(self: Tensor, *, memory_format: Any = contiguous_format) -> Tensor:
    """This tensor if its elements follow each other in memory, else a copy in which they do."""
    if _lies_in(self, memory_format):
        return self
    return clone(self, memory_format=memory_format)


@op("detach", "(Tensor input)", method=False)
def detach(input: Tensor) -> Tensor:
    """A tensor on the same memory that requires no grad."""
    return input.detach()


@op("detach_", "(Tensor input)", method=False)
def detach_(input: Tensor) -> Tensor:
    """Make a tensor forget its history."""
    return input.detach_()


def alias(x: Tensor) -> Tensor:
    """The tensor itself as a view."""
    return saved(ALIAS(x, shape=x._value.shape))


# What tensors share.


@op("Tensor.is_set_to", "(Tensor input, Tensor tensor)")
def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    """Whether both are the same part of the same storage with the same strides."""
    return (
        input._storage() is tensor._storage()
        and input.storage_offset() == tensor.storage_offset()
        and input.shape == tensor.shape
        and input.stride() == tensor.stride()
    )


@op("is_same_size", "(Tensor input, Tensor other)")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same sizes."""
    return input._value.shape == other._value.shape


@op("numel", "(Tensor input)", method=False)
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


# Any strides.


def strided_params(input: Tensor, size: Any, stride: Any, storage_offset: int | None) -> dict:
    """The arguments of as_strided, checked, as AS_STRIDED has them."""
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        if batched(input):
            raise RuntimeError(texts.AS_STRIDED_LENGTHS.format(size=list(size), stride=list(stride)))
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(texts.AS_STRIDED_NEGATIVE.format(strides=list(stride)))
    if any(n < 0 for n in size):
        raise RuntimeError(texts.STORAGE_TOO_LARGE.format(sizes=list(size), strides=list(stride)))
    offset = input.storage_offset() if storage_offset is None else storage_offset
    if offset < 0:
        raise RuntimeError(texts.INVALID_OFFSET.format(offset=offset))
    of = (input._value.shape, input.stride(), 0) if isinstance(input._value, Array) else geometry(input)
    return {"size": size, "stride": stride, "offset": offset, "of": of}


@op(
    "as_strided",
    "(Tensor input, tuple of ints! size, tuple of ints! stride, int storage_offset = None)",
    records=(AS_STRIDED,),
)
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """A view of the storage of a tensor with any sizes, strides and offset, counted in elements.

    Arguments:
        input: the tensor.
        size: the sizes of the view.
        stride: by how many elements memory moves from one index to the next, in each dimension.
        storage_offset: where in the storage it begins; by default where input does.

    Returns:
        The view; several of its elements may be the same place in memory.

    Example:
        >>> from funcgrad import torch
        >>> torch.arange(4).as_strided((3, 2), (1, 1))
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
    """
    params = strided_params(input, size, stride, storage_offset)
    t = AS_STRIDED(input, **params)
    return saved(t, size=params["size"], stride=params["stride"], storage_offset=storage_offset)


_AS_STRIDED_ = type(AS_STRIDED)(AS_STRIDED.primitive, "AsStridedBackward1", saves=())


def change_view(x: Tensor, op: Any, value: ndarray | None = None, /, **params: Any) -> Tensor:
    """Apply a view operation in place, which `check_inplace` has allowed: x becomes the view of what it was."""
    t = seen(op, x, params, value)
    x._set(value=t._value)
    if t._tangent is not None:
        give_tangent(x, t._tangent)
    x._bump()
    if t._node is not None:
        move_retain(x, t._node, 0)
        x._node, x._nr, x._requires, x._entry = t._node, 0, False, t._entry
    if x._view is not None:
        x._view.version = x._counter[0]
    return x


@op(
    "as_strided_",
    "(Tensor input, tuple of ints! size, tuple of ints! stride, int storage_offset = None)",
    records=(_AS_STRIDED_,),
)
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """As `as_strided`, in place: the tensor itself looks at its storage in this way from now on."""
    check_inplace(input, name="as_strided_")
    params = strided_params(input, size, stride, storage_offset)
    value = strided(input._storage(), input._value.dtype, params["size"], params["stride"], params["offset"])
    change_view(input, _AS_STRIDED_, value, **params)
    return saved(input, size=params["size"], stride=params["stride"], storage_offset=storage_offset)


# What sparse tensors have, and tensors that lie in memory with strides have not.


@op("Tensor.values", "(Tensor input)")
def values(self: Tensor) -> Tensor:
    """The values of a sparse tensor; there are none here."""
    raise RuntimeError("values expected sparse tensor layout but got Strided")


@op("Tensor.indices", "(Tensor input)")
def indices(self: Tensor) -> Tensor:
    """The indices of a sparse tensor; there are none here."""
    raise RuntimeError("indices expected sparse coordinate tensor layout but got Strided")
