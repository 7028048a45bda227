"""Operations along one dimension: cumulative sums, products and extrema, differences, integrals."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import cumulative as core
from funcgrad.ops.elementwise import divide, multiply
from funcgrad.ops.structural import stop
from funcgrad.torch.base import dtypes, return_types
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.creation import zeros_like
from funcgrad.torch.ops.joining import cat
from funcgrad.torch.ops.reducing import Picking, applied, contiguous, is_traced, shown_one, title
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.plans import filled
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import reductions as texts

HALVES = ("float16", "bfloat16")


class _Sum(Operation):
    """A cumulative sum, which begins with zero, also where a transform applies it: -0. becomes 0."""

    __slots__ = ()

    def in_rule(self, tensors: tuple, values: list, params: dict) -> Any:
        out = super().in_rule(tensors, values, params)
        if type(out._value) is np.ndarray:
            out._value += 0
        return out


CUMSUM = _Sum(core.cumsum, "CumsumBackward0", operands=("self",))
CUMPROD = Operation(core.cumprod, "CumprodBackward0", operands=("self",))


def _half_cumsum(x: Any, *, axis: int, reverse: bool, dtype: Any) -> Any:
    return core.cumsum(x.astype(np.float32), axis=axis, reverse=reverse).astype(dtype)


def _half_cumprod(x: Any, *, axis: int, reverse: bool, dtype: Any) -> Any:
    return core.cumprod(x.astype(np.float32), axis=axis, reverse=reverse).astype(dtype)


def _scalar(x: Any, *, axis: int, reverse: bool) -> Any:
    return fnp.reshape(x, ())


HALF = {
    "CumsumBackward0": Operation(_half_cumsum, "CumsumBackward0", operands=("self",), saves=()),
    "CumprodBackward0": Operation(_half_cumprod, "CumprodBackward0", operands=("self",), saves=(0,), saves_out=True),
}
SCALAR = {
    "CumsumBackward0": Operation(_scalar, "CumsumBackward0", operands=("self",), saves=()),
    "CumprodBackward0": Operation(_scalar, "CumprodBackward0", operands=("self",), saves=(0,), saves_out=True),
}


def _accumulated(op: Operation, input: Any, dim: Any, dtype: Any) -> Tensor:
    value = input._value
    along = wrap_dim(dim, value.ndim)
    d = dtype or of_numpy(value.dtype)
    if dtype is None and d.category < FLOATING:
        d = dtypes.int64
    params: dict[str, Any] = {"axis": along, "reverse": False}
    saved = {"dim": shown_one(dim)}
    if not value.ndim:
        return applied(SCALAR[op.name], (input,), params, saved, d.numpy)
    if d.name in HALVES:
        return applied(HALF[op.name], (input,), params | {"dtype": d.numpy}, saved)
    if d.category < FLOATING:
        params["dtype"] = d.numpy
    found = applied(op, (input,), params, saved, d.numpy)
    if op is CUMSUM and type(found._value) is np.ndarray:
        found._value += 0  # torch begins with zero, to which -0. is added
    return found


_CUMULATIVE = "(Tensor input, int dim, *, torch.dtype dtype = None, Tensor out = None)"


def _sum_in_place(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    _check_written("cumsum", input, dtype)
    return _accumulated(CUMSUM, input, dim, dtype)


def _product_in_place(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    _check_written("cumprod", input, dtype)
    return _accumulated(CUMPROD, input, dim, dtype)


def _check_written(name: str, x: Any, dtype: Any) -> None:
    """Bools are added up as integers, which cannot be written into them."""
    if x._value.dtype.kind == "b" and dtype is None:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")


@op("cumsum", _CUMULATIVE, inplace=_sum_in_place, records=CUMSUM)
def cumsum(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    """The sum of each element and all that come before it along a dimension.

    Arguments:
        input: the tensor.
        dim: the dimension.
        dtype: in which to add up; by default that of input, int64 for integers and bools.
    """
    return _accumulated(CUMSUM, input, dim, dtype)


@op("cumprod", _CUMULATIVE, inplace=_product_in_place, records=CUMPROD)
def cumprod(input: Any, dim: Any, *, dtype: Any = None) -> Tensor:
    """The product of each element and all that come before it along a dimension; arguments as for `cumsum`."""
    return _accumulated(CUMPROD, input, dim, dtype)


# Extrema so far: of several equal ones the last, and nan once there was one.


CUMMAX, CUMMIN = (Picking(f"{n}Backward0", unique=False, saves=(0, 1)) for n in ("Cummax", "Cummin"))


def _extrema(pick: Picking, places: Any, kernel: str, input: Any, dim: Any) -> tuple[Tensor, Tensor]:
    value = input._value
    if not value.ndim and dim not in (0, -1):
        name = kernel.removesuffix("_cpu")
        raise IndexError(texts.NO_SUCH_DIM_OF_SCALAR.format(name=name, dim=dim))
    along = wrap_dim(dim, value.ndim)
    if value.dtype.kind == "c" and value.ndim and value.size:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{title(input)}'")
    indices = places(raw(input), axis=along) if value.size and value.ndim else np.zeros(value.shape, np.int64)
    if not is_traced(input) and indices.ndim:
        indices = contiguous(indices)
    at = wrapped(indices)
    return pick(input, at, along, {"dim": shown_one(dim)}), at


@op(
    "cummax",
    "(Tensor input, int dim, *, tuple of Tensors out = None)",
    writes=1,
    records=CUMMAX.operations,
    exact=texts.NOT_THE_SCALAR_TYPE,
)
def cummax(input: Any, dim: Any) -> Any:
    """The largest element so far along a dimension: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        dim: the dimension.
    """
    return return_types.cummax(_extrema(CUMMAX, core.cummax_indices, "cummax_cpu", input, dim))


@op(
    "cummin",
    "(Tensor input, int dim, *, tuple of Tensors out = None)",
    writes=1,
    records=CUMMIN.operations,
    exact=texts.NOT_THE_SCALAR_TYPE,
)
def cummin(input: Any, dim: Any) -> Any:
    """The smallest element so far along a dimension: the named tuple (values, indices).

    Arguments:
        input: the tensor.
        dim: the dimension.
    """
    return return_types.cummin(_extrema(CUMMIN, core.cummin_indices, "cummin_cpu", input, dim))


def _logcumsumexp(x: Any, *, axis: int) -> Any:
    """By sums of exponentials that are rescaled by the largest element so far, so that none overflows."""
    if not x.ndim:
        return fnp.reshape(x, ())
    if not x.size:
        return x * 1
    n = x.shape[axis]
    rows = fnp.moveaxis(x, axis, -1)
    real = np.real(rows) if x.dtype.kind == "c" else rows
    lower = np.tril(np.ones((n, n), bool))
    top = stop(np.max(fnp.where(lower, real[..., None, :], -np.inf), -1))
    shift = fnp.where(np.isfinite(top), top, 0)[..., None]
    terms = fnp.where(lower, np.exp(rows[..., None, :] - shift), 0)
    out = fnp.moveaxis(np.log(np.sum(terms, -1)) + shift[..., 0], -1, axis)
    return out if out.dtype == x.dtype else out.astype(x.dtype)


LOGCUMSUMEXP = Operation(
    _logcumsumexp, "LogcumsumexpBackward0", operands=("self",), saves=(0,), saves_out=True, pulls=filled
)


@op("logcumsumexp", "(Tensor input, int dim, *, Tensor out = None)", records=(LOGCUMSUMEXP,))
def logcumsumexp(input: Any, dim: Any) -> Tensor:
    """The logarithm of the cumulative sum of exponentials along a dimension, computed without overflow.

    Arguments:
        input: the tensor, of floating or complex dtype.
        dim: the dimension.
    """
    along = wrap_dim(dim, input._value.ndim)
    if input._value.dtype.kind in "iub":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{title(input)}'")
    return applied(LOGCUMSUMEXP, (input,), {"axis": along}, {"dim": shown_one(dim)})


# Differences and integrals: of several operations, as their nodes show.


@op(
    "diff", "(Tensor input, int n = 1, int dim = -1, Tensor prepend = None, Tensor append = None, *, Tensor out = None)"
)
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The differences of neighbours along a dimension, taken n times.

    Arguments:
        input: the tensor.
        n: how often.
        dim: the dimension.
        prepend, append: tensors to put before and behind input first.
    """
    if not input._value.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    along = wrap_dim(dim, input._value.ndim)
    for t in (prepend, append):
        if t is not None:
            _check_extension(input, t, along)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [t for t in (prepend, input, append) if t is not None]
    x = cat(parts, along) if len(parts) > 1 else input
    if n == 0:
        return zeros_like(x).copy_(x)
    size = x._value.shape[along]
    for _ in range(min(n, size)):
        size = x._value.shape[along]
        later, earlier = x.narrow(along, 1, size - 1), x.narrow(along, 0, size - 1)
        x = later.logical_xor(earlier) if x._value.dtype.kind == "b" else later - earlier
    return x


def _scaled(x: Any, *, by: float) -> Any:
    return multiply(x, by)


def _halved(x: Any) -> Any:
    return divide(x, 2.0)


SCALED = Operation(_scaled, "MulBackward1", operands=("self",), saves=(), promote="float")
HALVED = Operation(_halved, "DivBackward1", operands=("self",), saves=(), promote="float")


def _check_extension(input: Any, t: Any, along: int) -> None:
    if t._value.ndim != input._value.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for i, (have, got) in enumerate(zip(input._value.shape, t._value.shape, strict=True)):
        if i != along and have != got:
            raise RuntimeError(texts.DIFF_SHAPES.format(dim=i, have=have, got=got))


def _spacing(name: str, y: Tensor, x: Tensor, along: int) -> Tensor:
    """The distances of the sample points, in a shape that broadcasts against the samples."""
    if not x._value.ndim:
        raise RuntimeError(texts.SAMPLE_POINTS.format(name=name))
    last = x._value.ndim == 1
    if x._value.shape[-1 if last else along - y._value.ndim] != y._value.shape[along]:
        raise RuntimeError(texts.SAMPLE_POINTS.format(name=name))
    if last:
        x = x.view([-1 if i == along else 1 for i in range(y._value.ndim)])
    return diff(x, 1, along - y._value.ndim)


def _samples(name: str, y: Any, x: Any, dim: Any) -> tuple[Any, Any, int]:
    if not isinstance(y, Tensor):
        raise TypeError(f"{name}(): argument 'y' (position 1) must be Tensor, not {type(y).__name__}")
    if not y._value.ndim:
        if name == "trapezoid":
            raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=dim if x is None else 0))
        _refuse_bools(name, y, x)
        raise IndexError(indexing_texts.SLICE_NO_DIMENSIONS)
    along = wrap_dim(dim, y._value.ndim)
    if name != "trapezoid" or y._value.shape[along]:
        _refuse_bools(name, y, x)
    return y, x, along


def _refuse_bools(name: str, y: Any, x: Any) -> None:
    if any(isinstance(t, Tensor) and t._value.dtype.kind == "b" for t in (y, x)):
        what = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {what}, but bool is not supported")


@op(
    "trapezoid",
    "(Tensor y, Tensor x, *, int dim = -1)",
    "(Tensor y, *, Number dx = 1, int dim = -1)",
    method=False,
    names=("trapz",),
    records=(HALVED, SCALED),
)
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule.

    Arguments:
        y: the samples.
        x: the points they belong to.
        dx: the distance of the points, if it is the same for all.
        dim: the dimension.
    """
    y, x, along = _samples("trapezoid", y, x, dim)
    shape = y._value.shape
    if not shape[along]:
        return y.new_empty([n for i, n in enumerate(shape) if i != along]).zero_()
    n = shape[along]
    if x is not None:
        spacing = _spacing("trapezoid", y, x, along)
        return HALVED((_pairs(y, along) * spacing).sum(along))
    step = 1 if dx is None else dx
    ends = SCALED(y.select(along, 0) + y.select(along, n - 1), by=0.5)
    return SCALED(y.sum(along) - ends, by=float(step))


def _pairs(y: Tensor, along: int) -> Tensor:
    """The sums of neighbours."""
    n = y._value.shape[along]
    return y.narrow(along, 0, max(n - 1, 0)) + y.narrow(along, min(n, 1), max(n - 1, 0))


@op(
    "cumulative_trapezoid",
    "(Tensor y, Tensor x, *, int dim = -1)",
    "(Tensor y, *, Number dx = 1, int dim = -1)",
    method=False,
    records=(HALVED, CUMSUM, SCALED),
)
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integrals from the first sample to each other one by the trapezoidal rule; arguments as for `trapezoid`."""
    y, x, along = _samples("cumulative_trapezoid", y, x, dim)
    if x is not None:
        return HALVED((_pairs(y, along) * _spacing("cumulative_trapezoid", y, x, along)).cumsum(along))
    step = 1 if dx is None else dx
    return SCALED(_pairs(y, along), by=float(step) / 2.0).cumsum(along)
