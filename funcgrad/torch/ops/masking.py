"""Masks: masked_fill, masked_select, masked_scatter, and where a tensor is not zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import index as core
from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.overloads import ARITHMETIC, tensors
from funcgrad.torch.base.storage import allocate
from funcgrad.torch.declare.arguments import fitted
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import count_writes, write_out
from funcgrad.torch.ops.advanced_indexing import warn_of_expanded
from funcgrad.torch.ops.geometry import saved
from funcgrad.torch.ops.indexed import READ_WATCHED, contiguous, read_at
from funcgrad.torch.ops.overwriting import check_apart, overlaps
from funcgrad.torch.tensor.inplace import check_inplace, check_overlap, write
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.levels import check_not_batched
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.plans import filled
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import masking as texts


def _filled(x: Any, value: Any, mask: Any) -> Any:
    return np.where(mask, value, x)


def _scattered(x: Any, source: Any, watched: Any, *, mask: Any) -> Any:
    count = int(np.count_nonzero(mask))
    return core.index_set(x, fnp.reshape(source, (-1,))[:count], None, index=mask)


FILL_NUMBER = Operation(_filled, "MaskedFillBackward0", operands=("self", "value", "mask"), saves=(2,), edges=1)
FILL_TENSOR = Operation(_filled, "MaskedFillBackward1", operands=("self", "value", "mask"), saves=(2,), edges=2)
SCATTER = Operation(
    _scattered, "MaskedScatterBackward0", operands=("self", "source", "mask"), saves=(2,), edges=2, pulls=filled
)
SELECT = Operation(READ_WATCHED, "MaskedSelectBackward0", operands=("self", "mask"), edges=1)


def _as_arithmetic(others: tuple) -> str:
    """How vmap refuses `masked_fill_`: as arithmetic if the value is no batch."""
    _, value = others
    return "aten::masked_fill_" if isinstance(getattr(value, "_value", None), Array) else ARITHMETIC


@op(
    "masked_fill",
    "(Tensor input, Tensor mask, Tensor value)",
    "(Tensor input, Tensor mask, Number value)",
    inplace="itself",
    records=(FILL_TENSOR, FILL_NUMBER),
    form=lambda args, named: ".Tensor" if tensors(args) > 1 else ".Scalar",
    refusal=_as_arithmetic,
)
def masked_fill(input: Any, mask: Any, value: Any, *, inplace: bool = False) -> Any:
    """Set the elements where mask, a tensor of bool, is true to value, a number or a 0-d tensor.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor([1.0, 2.0, 3.0]).masked_fill(torch.tensor([True, False, True]), 0)
        tensor([0., 2., 0.])
    """
    if inplace:
        check_inplace(input, mask, value, name="masked_fill_")
    is_tensor = isinstance(value, Tensor)
    if is_tensor and not inplace and state.grad and value.requires_grad and input._value.dtype.kind in "iub":
        raise RuntimeError(f"Autograd not support dtype: {input.dtype.title}")
    if is_tensor and value._value.ndim:
        raise RuntimeError(texts.FILL_VALUE_HAS_DIMENSIONS.format(ndim=value._value.ndim))
    where = raw(mask)
    check_broadcast([where, input._value])
    if where.dtype.kind != "b":
        raise RuntimeError(texts.FILL_MASK_NOT_BOOL.format(dtype=CXX_NAMES[mask.dtype.name]))
    if inplace:
        if overlaps(input):
            warn_of_expanded("masked_fill_", "tensor[mask] = scalar", 2450)
        check_apart(input, mask, same=True)
    kind = input._value.dtype
    if is_tensor:
        v = raw(value)
        if v.dtype != kind:
            v = fitted(value.item(), input.dtype)
    else:
        v = fitted(value.item() if isinstance(value, np.generic) else value, input.dtype)
    args, values = (input, value if is_tensor else None, mask), [raw(input), v, where]
    t = record(FILL_TENSOR if is_tensor else FILL_NUMBER, args, values, {})
    return write_through(input, t) if inplace else in_order(t)


def in_order(t: Any) -> Any:
    """A new result, made contiguous."""
    if type(t._value) is ndarray:
        t._value = contiguous(t._value)
    return t


def write_through(x: Any, result: Any) -> Any:
    """Write into x, also where several of its elements are one place in memory and get one value."""
    if not overlaps(x):
        return write(x, result)
    np.copyto(x._value, raw(result))
    x._bump()
    return x


@op("masked_scatter", "(Tensor input, Tensor mask, Tensor source)", inplace="itself", records=(SCATTER,))
def masked_scatter(input: Any, mask: Any, source: Any, *, inplace: bool = False) -> Any:
    """Write the elements of source, one after the other, to where mask, a tensor of bool, is true."""
    where = raw(mask)
    check_broadcast([where, input._value])
    shape = np.broadcast_shapes(where.shape, input._value.shape)
    if inplace:
        if shape != input._value.shape:
            mask.expand(input._value.shape)  # raises torch's error
        check_inplace(input, mask, source, name="masked_scatter_")
        check_overlap(input)
    if source.dtype is not input.dtype:
        raise RuntimeError(texts.SCATTER_DTYPES.format(have=input.dtype.title, source=source.dtype.title))
    if where.dtype.kind != "b":
        raise RuntimeError(texts.SCATTER_MASK_NOT_BOOL.format(dtype=mask.dtype.title))
    where = np.broadcast_to(where, shape)
    if np.count_nonzero(where) > source._value.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    value = raw(input)
    if value.shape != shape:
        value = np.broadcast_to(value, shape)
    t = record(SCATTER, (input, source, mask), [value, raw(source), raw(mask)], {"mask": where})
    saved(t, source_sym_sizes=source._value.shape)
    return write(input, t) if inplace else in_order(t)


@op("masked_select", "(Tensor input, Tensor mask, *, Tensor out = None)", records=(SELECT,))
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where mask, a tensor of bool, is true, as a tensor of one dimension.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.masked_select(x, x > 1)
        tensor([2., 3.])
    """
    check_not_batched("masked_select", mask)
    where = raw(mask)
    if where.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = input._value.shape
    check_broadcast([where, input._value])
    if where.shape != shape or not shape:
        whole = shape or (1,)
        places = np.nonzero(np.broadcast_to(where, np.broadcast_shapes(where.shape, whole)))[-len(whole) :]
        where = tuple([p if n != 1 else np.zeros_like(p) for p, n in zip(places, whole, strict=True)])
    return read_at(SELECT, input, where, (mask,))


# Where a tensor is not zero.


@op("nonzero", "(Tensor input, *, bool as_tuple = False, Tensor out = None)")
def nonzero(input: Any, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The indices of the elements that are not zero.

    Arguments:
        as_tuple: whether to give a tensor for each dimension, as an index has them, instead of a row for each element.

    Example:
        >>> from funcgrad import torch
        >>> torch.nonzero(torch.tensor([0, 3, 5]))
        tensor([[1],
                [2]])
    """
    if out is not None:
        if as_tuple:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if out._value.dtype != np.int64:
            raise RuntimeError(texts.NONZERO_OUT_NOT_INT64.format(dtype=out.dtype.title))
    check_not_batched("nonzero", input)
    value = raw(input)
    if as_tuple and not value.ndim:
        value = value.reshape(1)
    if value.ndim:
        found = wrapped(_columns(np.nonzero(value)))
    else:
        found = wrapped(allocate((int(bool(value)), 0), np.dtype(np.int64), (1, int(bool(value)))))
    followed("nonzero", found, input)
    if input._inference:
        count_writes(found, 1)
    if as_tuple:
        return found.unbind(1)
    return found if out is None else write_out("nonzero", found, out)


def _columns(places: tuple) -> ndarray:
    """Vectors of one length as the columns of a matrix, which lie one after the other in memory, as in torch."""
    n = len(places[0])
    out = allocate((n, len(places)), np.dtype(np.int64), (1, n))
    for k, place in enumerate(places):
        out[:, k] = place
    return out


@op("argwhere", "(Tensor input)")
def argwhere(input: Any) -> Any:
    """The indices of the elements that are not zero, one row for each."""
    return nonzero(input)


@op(
    "nonzero_static",
    "(Tensor input, *, int size, int fill_value = -1, Tensor out = None)",
    exact="nonzero_static: Expected out tensor to have scalar type {expected} but got scalar type{found}",
)
def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """As `nonzero`, cut or filled up to a given number of rows."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    rows = nonzero(input)._value[:size]
    found = np.full((size, rows.shape[1]), fill_value, np.int64)
    found[: len(rows)] = rows
    return wrapped(found)
