"""Reductions: sum, mean, product, trace; whether all or any elements are true, and how many are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import COMPLEX, FLOATING, of_numpy
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.kernels import check_not_recorded
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import counted, write_out
from funcgrad.torch.ops.reducing import (
    EVERY,
    UNSET,
    applied,
    contiguous,
    converted,
    dims_of,
    is_traced,
    recorded,
    shown,
    shown_one,
    simple,
    title,
)
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.plans import filled, looking
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import F4, F8, raw, wrapped
from funcgrad.torch.texts import reductions as texts

add_reduce: Any = np.add.reduce
I8 = np.dtype("i8")
HALVES = ("float16", "bfloat16")

SUM_ALL = Operation(core.reduce_sum, "SumBackward0", operands=("self",), again=True)
SUM_OF_ONE = Operation(core.reduce_sum, "SumBackward0", operands=("self",), pulls=looking)
SUM = SUM_ALL.some = SUM_OF_ONE.some = Operation(core.reduce_sum, "SumBackward1", operands=("self",))
MEAN_ALL = Operation(core.reduce_mean, "MeanBackward0", operands=("self",), pulls=filled, again=True)
MEAN = MEAN_ALL.some = Operation(core.reduce_mean, "MeanBackward1", operands=("self",), pulls=filled)
PROD_ALL = Operation(core.reduce_prod, "ProdBackward0", operands=("self",), saves_out=True, again=True)
PROD = PROD_ALL.some = Operation(core.reduce_prod, "ProdBackward1", operands=("self",), saves_out=True)

ALL_OR_DIM = (
    "(Tensor input, *, torch.dtype dtype = None)",
    "(Tensor input, tuple of ints? dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
)


def summed(value: np.ndarray, dims: tuple[int, ...], keepdim: bool) -> Any:
    """The sum of floats over dimensions.

    NumPy adds in pairs along the innermost dimension only. Elsewhere long sums of single precision are carried in
    double, because torch's are cascaded and lose nothing either.
    """
    kind = value.dtype
    if kind is F8 or value.size < 1024 or (value.flags.c_contiguous and value.ndim - 1 in dims):
        return add_reduce(value, dims, None, None, keepdim)
    if kind is F4:
        return np.asarray(add_reduce(value, dims, F8, None, keepdim)).astype(F4)
    return add_reduce(value, dims, None, None, keepdim)


@op("sum", *ALL_OR_DIM, writes=1, records=(SUM_ALL, SUM_OF_ONE, SUM))
def sum(input: Any, dim: Any = UNSET, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of the elements, over all dimensions or some.

    Arguments:
        input: the tensor.
        dim: a dimension or several; without it, None or () all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to add up; by default that of input, int64 for integers and bools.

    Example:
        >>> from funcgrad import torch
        >>> torch.sum(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
        tensor([4., 6.])
    """
    if dim is UNSET:
        op, dims, saved = SUM_ALL if input._value.ndim else SUM_OF_ONE, EVERY[input._value.ndim], {}
    else:
        op, dims = SUM, dims_of(dim, input._value.ndim)
        saved = {"dim": shown(dim), "keepdim": keepdim}
    value = input._value
    kind = value.dtype
    saved["self_sym_sizes"] = value.shape
    params = {"axis": dims, "keepdims": keepdim}
    if dtype is None and (kind is F4 or kind is F8) and simple(input):
        return recorded(op, input, value, quiet.run(summed, value, dims, keepdim), params, saved)
    d = dtype or of_numpy(kind)
    if dtype is None and d.category < FLOATING:
        d = dtypes.int64
    return _accumulated(op, input, d, params, saved)


def _accumulated(op: Operation, x: Any, d: Any, params: dict, saved: dict) -> Tensor:
    """A reduction in another dtype than the tensor's, or in one that needs a wider one to add up in."""
    if d.name in HALVES:
        return applied(_HALF[op.name], (x,), params | {"dtype": d.numpy}, saved)
    if d is dtypes.bool_:
        value = converted(x, d.numpy)
        ufunc = np.logical_or if op.name.startswith("Sum") else np.logical_and
        return wrapped(np.asarray(ufunc.reduce(value, params["axis"], None, None, params["keepdims"])))
    if d.category < FLOATING:
        params = params | {"dtype": d.numpy}
    return applied(op, (x,), params, saved, d.numpy)


def _half_sum(x: Any, *, axis: tuple, keepdims: bool, dtype: Any) -> Any:
    return core.reduce_sum(x.astype(np.float32), axis=axis, keepdims=keepdims).astype(dtype)


def _half_mean(x: Any, *, axis: tuple, keepdims: bool, dtype: Any) -> Any:
    return core.reduce_mean(x.astype(np.float32), axis=axis, keepdims=keepdims).astype(dtype)


def _half_prod(x: Any, *, axis: tuple, keepdims: bool, dtype: Any) -> Any:
    return core.reduce_prod(x.astype(np.float32), axis=axis, keepdims=keepdims).astype(dtype)


_HALF = {
    name: Operation(f, name, operands=("self",), saves=(0,) if f is _half_prod else (), saves_out=f is _half_prod)
    for f, names in (
        (_half_sum, ("SumBackward0", "SumBackward1")),
        (_half_mean, ("MeanBackward0", "MeanBackward1")),
        (_half_prod, ("ProdBackward0", "ProdBackward1")),
    )
    for name in names
}


@op(
    "mean",
    "(Tensor input, *, torch.dtype dtype = None, Tensor out = None)",
    "(Tensor input, tuple of ints? dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
    records=(MEAN_ALL, MEAN),
)
def mean(input: Any, dim: Any = UNSET, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of the elements, over all dimensions or some.

    Arguments:
        input: the tensor, of floating or complex dtype unless dtype is given.
        dim: a dimension or several; without it, None or () all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.

    Raises:
        RuntimeError: the dtype is one of integers or bools.
    """
    value = input._value
    kind, saved = value.dtype, {}
    d = dtype or of_numpy(kind)
    if d.category < FLOATING:
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(texts.MEAN_DTYPE.format(which=which, dtype=d.title))
    if dim is UNSET:
        op, dims = MEAN_ALL, EVERY[value.ndim]
    else:
        op, dims = MEAN, dims_of(dim, value.ndim)
        saved = {"dim": shown(dim), "keepdim": keepdim}
    saved |= {"self_sym_sizes": value.shape, "self_sym_numel": value.size}
    params = {"axis": dims, "keepdims": keepdim}
    if input._inference:  # torch adds up in place
        check_not_recorded("sum", input)
        return counted(_accumulated(op, input, d, params, saved), 1 if d.numpy.itemsize == 2 else 2, input)
    if dtype is None and (kind is F4 or kind is F8) and simple(input):
        return recorded(op, input, value, quiet.run(_averaged, value, dims, keepdim), params, saved)
    return _accumulated(op, input, d, params, saved)


def _averaged(value: np.ndarray, dims: tuple[int, ...], keepdim: bool) -> Any:
    return summed(value, dims, keepdim) / core.count(value.shape, dims)


@op(
    "prod",
    "(Tensor input, *, torch.dtype dtype = None)",
    "(Tensor input, int dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
    writes=1,
    records=(PROD_ALL, PROD),
)
def prod(input: Any, dim: Any = UNSET, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of the elements, over all dimensions or one.

    Arguments:
        input: the tensor.
        dim: the dimension; without it all of them.
        keepdim: whether the dimension stays, with size one.
        dtype: in which to multiply; by default that of input, int64 for integers and bools.
    """
    value = input._value
    if dim is UNSET:
        op, dims, saved = PROD_ALL, EVERY[value.ndim], {}
    else:
        op, dims = PROD, dims_of(dim, value.ndim)
        saved = {"dim": shown_one(dim), "keepdim": keepdim}
    d = dtype or of_numpy(value.dtype)
    if dtype is None and d.category < FLOATING:
        d = dtypes.int64
    return _accumulated(op, input, d, {"axis": dims, "keepdims": keepdim}, saved)


# Sums that leave out nan.


def _nansum(x: Any, *, axis: tuple, keepdims: bool, dtype: Any) -> Any:
    wide = np.float32 if dtype.itemsize == 2 else dtype
    return core.reduce_sum(fnp.where(x != x, 0, x).astype(wide), axis=axis, keepdims=keepdims).astype(dtype)


NANSUM = Operation(_nansum, "NansumBackward0", operands=("self",))


@op(
    "nansum",
    "(Tensor input, tuple of ints dim = None, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
    writes=1,
    records=(SUM_ALL, SUM_OF_ONE, SUM, NANSUM),
)
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of the elements that are numbers, over all dimensions or some.

    Arguments:
        input: the tensor.
        dim: a dimension or several; None or () for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to add up.
    """
    dims = dims_of(dim, input._value.ndim)
    d = dtype or of_numpy(input._value.dtype)
    if input._value.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if input._value.dtype.kind in "iub":
        return sum(input, dims if dim is not None else None, keepdim, dtype=dtype)
    if d.category == COMPLEX:
        raise NotImplementedError(f"\"nansum_cpu\" not implemented for '{d.title}'")
    if d.category < FLOATING:
        input = wrapped(converted(input, d.numpy))
        return sum(input, dims if dim is not None else None, keepdim, dtype=dtype)
    saved = {"dim": shown(dim), "keepdim": keepdim}
    return applied(NANSUM, (input,), {"axis": dims, "keepdims": keepdim, "dtype": d.numpy}, saved)


@op(
    "nanmean",
    "(Tensor input, tuple of ints dim = None, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)",
)
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of the elements that are numbers, over all dimensions or some.

    Arguments:
        input: the tensor, of floating or complex dtype.
        dim: a dimension or several; None or () for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    dims = dims_of(dim, input._value.ndim)
    if input._value.dtype.kind in "iub":
        raise RuntimeError(texts.NANMEAN_DTYPE.format(dtype=title(input)))
    value = raw(input)
    numbers = wrapped(core.reduce_sum((value == value).astype(I8), axis=dims, keepdims=keepdim))
    return nansum(input, dim, keepdim, dtype=dtype) / numbers


# Truth.

_TRUTH = (
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)",
    "(Tensor input, int dim, bool keepdim = False, *, Tensor out = None)",
)


def _truth(primitive: Any, name: str, input: Any, dim: Any, keepdim: bool, out: Any) -> Tensor:
    found = _truth_of(primitive, input, dim, keepdim)
    if out is None:
        return found
    if isinstance(out, Tensor) and out.dtype not in (dtypes.bool_, dtypes.uint8):
        raise RuntimeError(texts.TRUTH_OUT.format(name=name, found=out.dtype.title))
    return write_out(name, found.to(out.dtype) if isinstance(out, Tensor) else found, out, (input,))


def _truth_of(primitive: Any, input: Any, dim: Any, keepdim: bool) -> Tensor:
    value = input._value
    if isinstance(dim, (tuple, list)) and not dim and value.ndim:
        out = raw(input) != 0
    else:
        out = primitive(raw(input), axis=dims_of(dim, value.ndim), keepdims=keepdim)
    if not is_traced(input):
        out = contiguous(np.asarray(out))
    if value.dtype.name == "uint8":
        out = out.astype(value.dtype)
    return followed(primitive.name.removeprefix("reduce_"), wrapped(out), input)


@op("all", *_TRUTH, writes=1)
def all(input: Any, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Tensor:
    """Whether all elements are true (not zero), over all dimensions or some.

    Arguments:
        input: the tensor.
        dim: a dimension or several; None for all of them.
        keepdim: whether the dimensions stay, with size one.

    Returns:
        A tensor of bools; for uint8 one of uint8.
    """
    return _truth(core.reduce_and, "all", input, dim, keepdim, out)


@op("any", *_TRUTH, writes=1)
def any(input: Any, dim: Any = None, keepdim: bool = False, *, out: Any = None) -> Tensor:
    """Whether any element is true (not zero), over all dimensions or some; arguments and result as for `all`."""
    return _truth(core.reduce_or, "any", input, dim, keepdim, out)


def _check_bool(line: str, input: Tensor) -> None:
    if input.dtype is not dtypes.bool_:
        raise RuntimeError(texts.NOT_BOOL.format(line=line))


@op("_is_all_true", "(Tensor input)")
def _is_all_true(input: Tensor) -> Tensor:
    """Whether all elements of a tensor of bools are true."""
    _check_bool("2144", input)
    return _truth_of(core.reduce_and, input, None, False)


@op("_is_any_true", "(Tensor input)")
def _is_any_true(input: Tensor) -> Tensor:
    """Whether any element of a tensor of bools is true."""
    _check_bool("2148", input)
    return _truth_of(core.reduce_or, input, None, False)


@op("count_nonzero", "(Tensor input, int dim = None)", "(Tensor input, tuple of ints dim)")
def count_nonzero(input: Any, dim: Any = None) -> Tensor:
    """How many elements are not zero, over all dimensions or some.

    Arguments:
        input: the tensor.
        dim: a dimension or several; None for all of them.
    """
    dims = dims_of(dim, input._value.ndim)
    out = core.reduce_sum((raw(input) != 0).astype(I8), axis=dims)
    counts = wrapped(out if is_traced(input) else contiguous(np.asarray(out)))
    return followed("count_nonzero", counts, input)


# The trace, and the sum to a smaller size.


def _trace(x: Any) -> Any:
    return core.reduce_sum(fnp.diagonal(x), axis=(0,))


TRACE = Operation(_trace, "TraceBackward0", operands=("self",), saves=())


@op("trace", "(Tensor input)", records=(TRACE,))
def trace(input: Any) -> Tensor:
    """The sum of the elements on the diagonal of a matrix."""
    value = input._value
    if value.dtype.kind == "b":
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    if value.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {value.ndim}")
    if value.dtype.kind in "iu":
        return wrapped(np.asarray(np.trace(raw(input), dtype=I8)))
    return applied(TRACE, (input,), {}, {"self_sym_sizes": value.shape})


@op("Tensor.sum_to_size", "(Tensor input, tuple of ints size)", records=(SUM_ALL, SUM_OF_ONE, SUM))
def sum_to_size(input: Any, size: Any) -> Tensor:
    """The sum over dimensions by which input was expanded from this size.

    Arguments:
        input: the tensor.
        size: the sizes; those of one are what is left of the dimensions that are summed.
    """
    wanted = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    shape = input._value.shape
    lead = len(shape) - len(wanted)
    if lead < 0 or not _expands(wanted, shape[lead:]):
        sizes = ", ".join(map(str, wanted)), ", ".join(map(str, shape))
        raise RuntimeError(f"size {{[{sizes[0]}]}} is not expandable to size {{[{sizes[1]}]}}.")
    dims = [*range(lead), *[lead + i for i, n in enumerate(wanted) if n == 1 and shape[lead + i] != 1]]
    if not dims:
        return input
    found = counted(sum(input, dims, True), 1, input)
    return found.view(wanted) if lead else found


def _expands(small: tuple, shape: tuple) -> bool:
    return not [1 for n, m in zip(small, shape, strict=True) if n not in (1, m)]
