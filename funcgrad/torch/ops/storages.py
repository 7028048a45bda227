"""What memory a tensor looks at: changing its size, pointing it elsewhere, sharing."""

from __future__ import annotations

import itertools
import math
from typing import Any

from funcgrad.torch.base import meta
from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import (
    TypedStorage,
    UntypedStorage,
    channels_last_strides,
    check_geometry,
    reach,
    strided,
)
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.legacy import LEGACY_STORAGES
from funcgrad.torch.tensor.inplace import check_inplace, rebase
from funcgrad.torch.tensor.operation import Operation, link
from funcgrad.torch.tensor.tensor import Tensor, contiguous_strides
from funcgrad.torch.tensor.values import new, requires
from funcgrad.torch.texts import memory as texts
from funcgrad.torch.texts import namespaces as namespaces_texts

_FORMAT = "torch.memory_format memory_format = None"


def look_at(x: Tensor, storage: UntypedStorage, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> None:
    """Let x be this part of a storage, which grows if it is too small."""
    kind = x._value.dtype
    needed = reach(size, stride, offset) * kind.itemsize
    if needed > storage.bytes.size:
        storage.resize_(needed)
    x._store = storage
    x._value = strided(storage, kind, size, stride, offset)


def _resized(x: Tensor, size: tuple[int, ...], memory_format: Any) -> Tensor:
    if state.grad and x.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if any(n < 0 for n in size) or math.prod(size) >= 2**63:
        raise RuntimeError(texts.NUMEL_OVERFLOW)
    if memory_format is meta.preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    if memory_format in (meta.channels_last, meta.channels_last_3d):
        rank = 4 if memory_format is meta.channels_last else 5
        if len(size) != rank:
            raise RuntimeError(texts.RANK_OF_FORMAT.format(rank=rank, layout=memory_format.name))
        stride = channels_last_strides(size)
    else:
        stride = contiguous_strides(size)
    if size != x._value.shape or memory_format is not None:
        if any(s >= 2**63 for s in (*stride, stride[0] * size[0] if size else 0)):
            raise RuntimeError("Stride calculation overflowed")
        if math.prod(size) * x._value.itemsize >= 2**63:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")
        look_at(x, x._storage(), size, stride, x.storage_offset())
        x._bump()
        held = x._accumulate() if x._accumulate is not None else None
        if held is not None:
            held.shape = size
    return x


@op("Tensor.resize_", f"(Tensor input, tuple of ints! size, *, {_FORMAT})")
def resize_(input: Tensor, size: Any, *, memory_format: Any = None) -> Tensor:
    """Change the sizes in place; elements keep their order in memory, and memory is added if there is too little.

    Arguments:
        size: ints, or a tuple of them.
        memory_format: how the dimensions follow each other in memory.

    Raises:
        RuntimeError: the tensor requires grad.
    """
    return _resized(input, tuple(size), memory_format)


@op("resize_as_", f"(Tensor input, Tensor the_template, *, {_FORMAT})")
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """As `resize_`, to the size of another tensor."""
    if memory_format is meta.preserve_format:
        memory_format = None
    return _resized(input, the_template._value.shape, memory_format)


def _set_form(source: Any, offset: Any) -> str:
    """What torch's dispatcher calls set_ with these arguments."""
    if source is None:
        return "set_"
    form = "set_.source_Tensor" if isinstance(source, Tensor) else "set_.source_Storage"
    return form if offset is None else f"{form}_storage_offset"


def _other_memory(x: Any, source: Any) -> Any:
    return source


SET = Operation(Undifferentiable(_other_memory, "set_"), "NotImplemented")

_WHERE = "int storage_offset, tuple of ints! size, tuple of ints! stride = None"


@op(
    "Tensor.set_",
    "(Tensor input)",
    "(Tensor input, torch.Storage source)",
    f"(Tensor input, torch.Storage source, {_WHERE})",
    "(Tensor input, Tensor source)",
    f"(Tensor input, Tensor source, {_WHERE})",
    records=(SET,),
)
def set_(self: Tensor, source: Any = None, storage_offset: Any = None, size: Any = None, stride: Any = None) -> Tensor:
    """Look at other memory: set_(source), or set_(source, storage_offset, size, stride).

    Arguments:
        source: a tensor or a storage; none: no memory at all.
        storage_offset: where in it to begin, in elements.
        size: the new sizes.
        stride: the new strides; by default those of C order.
    """
    check_inplace(self, source, name=_set_form(source, storage_offset))
    storage = _source_storage(self, source)
    operands = (self, source if isinstance(source, Tensor) else None)
    mask = tuple([state.grad and requires(x) for x in operands])
    node = None
    if True in mask:
        node = link(SET, SET.recordings[mask], operands, (), {}, self._value, None, new(Tensor))
    item = self._value.itemsize
    if size is not None:
        size, offset = tuple(size), storage_offset
        stride = contiguous_strides(size) if stride is None else tuple(stride)
        check_geometry(size, stride, offset)
    elif isinstance(source, Tensor):
        size, stride, offset = source._value.shape, source.stride(), source.storage_offset()
    else:
        size, stride, offset = (storage.bytes.size // item,), (1,), 0
    look_at(self, storage, size, stride, offset)
    self._bump()
    self._accumulate = None  # graphs recorded before lead to the tensor that it was
    if node is not None:
        node.shape = self._value.shape
        rebase(self, node, 0)
    return self


def _source_storage(x: Tensor, source: Any) -> UntypedStorage:
    if source is None:
        return UntypedStorage()
    if isinstance(source, Tensor):
        if source.dtype is not x.dtype:
            new, old = (CXX_NAMES[d.name] for d in (source.dtype, x.dtype))
            raise RuntimeError(f"Could not set tensor of type {new} to a tensor of type {old}")
        return source._storage()
    if isinstance(source, TypedStorage) and source.dtype is not x.dtype:
        raise RuntimeError(texts.STORAGE_OF_OTHER_TYPE.format(wanted=x.dtype.title.lower(), got=source.dtype.title))
    return source.untyped()


@op("Tensor.share_memory_")
def share_memory_(self: Tensor) -> Tensor:
    """Mark the memory as shared between processes; between threads it always is."""
    self._storage().share_memory_()
    return self


@op("Tensor.is_shared")
def is_shared(self: Tensor) -> bool:
    """Whether `share_memory_` was called."""
    return self._storage().is_shared()


@op("Tensor.is_pinned", "(Tensor input, torch.device device = None)")
def is_pinned(input: Tensor, device: Any = None) -> bool:
    """False: there is no device to pin memory for."""
    return False


@op("Tensor.pin_memory", "(Tensor input, torch.device device = None)")
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Refused: there is no device to pin memory for."""
    raise RuntimeError(namespaces_texts.NO_ACCELERATOR)


@op("Tensor.storage_type")
def storage_type(self: Tensor) -> type:
    """The legacy class of this tensor's storage."""
    return LEGACY_STORAGES[self.dtype]


def _lies_in_several_orders(x: Tensor) -> bool:
    """Whether a dimension has one element, or two neighbours have one stride, so that either may come first."""
    strides = x.stride()
    return 1 in x._value.shape or any(a == b for a, b in itertools.pairwise(strides))


@op("Tensor.dim_order")
def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions in the order in which they lie in memory, from the slowest to the fastest.

    Arguments:
        ambiguity_check: True, or a list of memory formats: refuse a tensor that lies in memory in several such ways.
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(isinstance(f, meta.memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    ambiguous = ambiguity_check is not False and _lies_in_several_orders(self)
    if ambiguous and sum(self.is_contiguous(memory_format=f) for f in formats) != 1:
        raise RuntimeError(texts.DIM_ORDER_AMBIGUOUS)
    if self.is_contiguous():
        return tuple(range(self.ndim))
    strides = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda d: -strides[d]))
