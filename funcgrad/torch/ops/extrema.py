"""The largest and the smallest elements, and where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import return_types
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import count_writes, counted
from funcgrad.torch.ops.reducing import (
    EVERY,
    UNSET,
    Picking,
    applied,
    contiguous,
    dims_of,
    is_traced,
    picked,
    recorded,
    shown,
    shown_one,
    simple,
    title,
)
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import F4, F8, raw, wrapped
from funcgrad.torch.texts import reductions as texts

maximum_reduce: Any = np.maximum.reduce
minimum_reduce: Any = np.minimum.reduce


def nan_of(x: Any, *, axis: tuple, keepdims: bool) -> Any:
    """An extremum that is nan: the elements that are nan share its gradient."""
    share = stop((x != x).astype(x.dtype))
    weighted = fnp.where(x != x, x, 0) * (share / core.reduce_sum(share, axis=axis, keepdims=True))
    return core.reduce_sum(weighted, axis=axis, keepdims=keepdims)


MAX_ALL = Operation(core.reduce_max, "MaxBackward1", operands=("self",), again=True)
MIN_ALL = Operation(core.reduce_min, "MinBackward1", operands=("self",), again=True)
NAN_MAX = Operation(nan_of, "MaxBackward1", operands=("self",), saves=(0,), saves_out=True)
NAN_MIN = Operation(nan_of, "MinBackward1", operands=("self",), saves=(0,), saves_out=True)
AMAX = Operation(core.reduce_max, "AmaxBackward0", operands=("self",))
AMIN = Operation(core.reduce_min, "AminBackward0", operands=("self",))
MAX_DIM, MIN_DIM = Picking("MaxBackward0", again=True), Picking("MinBackward0")


def _refuse_complex(x: Any, kernel: str) -> None:
    if x._value.dtype.kind == "c":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{title(x)}'")


def _extremum_of_all(name: str, op: Operation, of_nan: Operation, reduce: Any, x: Any) -> Tensor:
    value = x._value
    if not value.size:
        raise RuntimeError(texts.NEEDS_DIM.format(name=name))
    _refuse_complex(x, f"{name}_all")
    params = {"axis": EVERY[value.ndim], "keepdims": False}
    if simple(x):
        out = quiet.run(reduce, value, None)
        if (value.dtype is F4 or value.dtype is F8) and out == out:
            return recorded(op, x, value, out, params, {})
        if out != out:
            return applied(of_nan, (x,), params, {})
    return applied(op, (x,), params, {})


def _extremum(name: str, op: Picking, arg: Any, fancy: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """Along one dimension: the extremum and its index."""
    along = wrap_dim(dim, x._value.ndim)
    if x._value.ndim and not x._value.shape[along]:
        raise IndexError(f"{name}(): Expected reduction dim {along} to have non-zero size.")
    if x._value.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    value = raw(x)
    indices = arg(value, axis=along, keepdims=True) if value.ndim else np.zeros((), np.int64)
    return fancy(*picked(op, x, indices, along, keepdim, dim))


_THREE = (
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)",
)


@op("max", *_THREE, records=(MAX_ALL, NAN_MAX), exact="several")
def max(input: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The largest element; the largest along a dimension, with indices; or the larger of two, elementwise.

    Arguments:
        input: the tensor.
        dim: the dimension, or in its place another tensor, to compare with elementwise.
        keepdim: whether the dimension stays, with size one.

    Returns:
        A 0-d tensor; the named tuple (values, indices); or a tensor.

    Example:
        >>> from funcgrad import torch
        >>> torch.max(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
        torch.return_types.max(
        values=tensor([5., 7.]),
        indices=tensor([1, 0]))
    """
    if dim is UNSET:
        return counted(_extremum_of_all("max", MAX_ALL, NAN_MAX, maximum_reduce, input), 1, input)
    if isinstance(dim, Tensor):  # torch calls it other
        return input.maximum(dim)
    found = _extremum("max", MAX_DIM, core.argmax, return_types.max, input, dim, keepdim)
    return found if keepdim else counted(found, 2, input)


@op("min", *_THREE, records=(MIN_ALL, NAN_MIN), exact="several")
def min(input: Any, dim: Any = UNSET, keepdim: bool = False) -> Any:
    """The smallest element; the smallest along a dimension, with indices; or the smaller of two, elementwise.

    Arguments and result as for `max`.
    """
    if dim is UNSET:
        return counted(_extremum_of_all("min", MIN_ALL, NAN_MIN, minimum_reduce, input), 1, input)
    if isinstance(dim, Tensor):  # torch calls it other
        return input.minimum(dim)
    found = _extremum("min", MIN_DIM, core.argmin, return_types.min, input, dim, keepdim)
    return found if keepdim else counted(found, 2, input)


def _over_dims(name: str, op: Operation, input: Any, dim: Any, keepdim: bool) -> Tensor:
    shape = input._value.shape
    dims = dims_of(dim, len(shape))
    if 0 in shape:
        if dim is None or (isinstance(dim, (tuple, list)) and not dim):
            raise RuntimeError(texts.NEEDS_DIM.format(name=name))
        for d in dim if isinstance(dim, (tuple, list)) else (dim,):
            if not shape[d]:
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    _refuse_complex(input, f"{'max' if op is AMAX else 'min'}_values_cpu")
    saved = {"dim": shown(dim), "keepdim": keepdim}
    params = {"axis": dims, "keepdims": keepdim}
    if simple(input) and input._value.dtype in (F4, F8):
        reduce = maximum_reduce if op is AMAX else minimum_reduce
        return recorded(
            op, input, input._value, quiet.run(reduce, input._value, dims, None, None, keepdim), params, saved
        )
    return applied(op, (input,), params, saved)


_DIMS = "(Tensor input, tuple of ints? dim = (), bool keepdim = False, *, Tensor out = None)"


@op("amax", _DIMS, writes=1, records=(AMAX,), exact=texts.NOT_THE_DTYPE_OF_INPUT)
def amax(input: Any, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The largest element over dimensions; elements that attain it share the gradient.

    Arguments:
        input: the tensor.
        dim: a dimension or several; () for all of them.
        keepdim: whether the dimensions stay, with size one.
    """
    return _over_dims("amax", AMAX, input, dim, keepdim)


@op("amin", _DIMS, records=(AMAX, AMIN), exact=texts.NOT_THE_DTYPE_OF_INPUT)
def amin(input: Any, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The smallest element over dimensions; arguments as for `amax`."""
    found = _over_dims("amin", AMIN, input, dim, keepdim)
    return found if input._value.dtype == np.int64 else counted(found, 1, input)


def _aminmax(x: Any, *, axis: tuple, keepdims: bool) -> tuple:
    return core.reduce_min(x, axis=axis, keepdims=keepdims), core.reduce_max(x, axis=axis, keepdims=keepdims)


AMINMAX = Operation(
    Composite(_aminmax, multiple=True), "AminmaxBackward0", operands=("self",), saves=(0,), saves_out=True
)


@op(
    "aminmax",
    "(Tensor input, *, int dim = None, bool keepdim = False, tuple of Tensors out = None)",
    records=(AMINMAX,),
)
def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest and the largest element, over all dimensions or one: the named tuple (min, max).

    Arguments:
        input: the tensor.
        dim: the dimension; None for all of them.
        keepdim: whether the dimension stays, with size one.
    """
    shape = input._value.shape
    dims = EVERY[len(shape)] if dim is None else dims_of(dim, len(shape))
    if dim is None and 0 in shape:
        raise RuntimeError(texts.AMINMAX_OF_NOTHING)
    for d in dims:
        if not shape[d]:
            raise IndexError(f"aminmax: Expected reduction dim {d} to have non-zero size.")
    if dim is not None and not shape and input.is_complex():
        raise RuntimeError(f"aminmax not implemented for {title(input)}")
    _refuse_complex(input, "aminmax_cpu")
    saved = {"dim": None if dim is None else shown_one(dim), "keepdim": keepdim}
    found = return_types.aminmax(*applied(AMINMAX, (input,), {"axis": dims, "keepdims": keepdim}, saved))
    return counted(found, 1 if dim is None or keepdim else 2, input)


def _arg(name: str, primitive: Any, input: Any, dim: Any, keepdim: bool) -> Tensor:
    value = input._value
    if value.dtype.kind in "bc":
        raise RuntimeError(f"{name}(): does not support {'bool' if value.dtype.kind == 'b' else 'complex'} input")
    along = None if dim is None else wrap_dim(dim, value.ndim)
    if along is None and not value.size:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if along is not None and value.ndim and not value.shape[along]:
        raise IndexError(f"{name}(): Expected reduction dim {along} to have non-zero size.")
    out = primitive(raw(input), axis=along if value.ndim else None, keepdims=keepdim)
    if not is_traced(input):
        out = contiguous(np.asarray(out))
    found = followed(name, wrapped(out), input)
    if input._inference and along is not None and value.ndim and value.shape[along] == 1:
        count_writes(found, 1)  # the only place there is is filled in
    return found


_ARG = "(Tensor input, int dim = None, bool keepdim = False, *, Tensor out = None)"


@op("argmax", _ARG)
def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element, of several the first: in the flattened tensor, or along a dimension.

    Arguments:
        input: the tensor.
        dim: the dimension; None for the flattened tensor.
        keepdim: whether dimensions stay, with size one.
    """
    return _arg("argmax", core.argmax, input, dim, keepdim)


@op("argmin", _ARG)
def argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element, of several the first; arguments as for `argmax`."""
    return _arg("argmin", core.argmin, input, dim, keepdim)
