"""Making tensors from sizes: filled with a number, with a sequence of numbers, or with nothing."""

from __future__ import annotations

import warnings
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.dtypes import CXX_NAMES
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.ranges import count, line, powers, stepped
from funcgrad.torch.base.sampling import cast
from funcgrad.torch.base.storage import UntypedStorage, allocate, channels_last_strides, preserved_strides
from funcgrad.torch.declare.arguments import (
    C_NAMES,
    OPTIONS,
    fitted,
    python_number,
    read_options,
    warn_native,
)
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.constructors import to_be_differentiated
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.levels import batched_like
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import place
from funcgrad.torch.texts import arguments as arguments_texts
from funcgrad.torch.texts import creation as texts
from funcgrad.torch.texts import memory as memory_texts


def made(value: ndarray, requires_grad: bool) -> Tensor:
    """A new tensor around an ndarray, for functions with the keyword requires_grad=."""
    t = wrapped(value)
    return to_be_differentiated(t) if requires_grad else t


def into(name: str, out: Any, value: ndarray, dtype: Any) -> Tensor:
    """Write a new value into a tensor given as out=, which takes its size."""
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {dtype.title} does not match dtype of out parameter ({out.dtype.title})")
    if out.requires_grad and state.grad:
        raise RuntimeError(texts.OUT_NEEDS_NO_GRAD.format(name=name))
    resized = out._value.shape != value.shape
    if resized:
        out.resize_(value.shape)
    inplace.store(out, value)
    if not resized:  # which has moved the version on
        inplace.bump(out)
    return out


def _kind(dtype: Any) -> np.dtype:
    return (dtypes.get_default_dtype() if dtype is None else dtype).numpy


# From sizes.


@op("zeros", f"(tuple of ints! size, *, Tensor out = None, {OPTIONS})", method=False)
def zeros(size: Any, *, out: Any = None, **options: Any) -> Tensor:
    """A tensor of zeros.

    Arguments:
        size: ints, or a tuple of them.
        out: a tensor to fill instead.
        dtype: by default the default dtype.

    Example:
        >>> from funcgrad import torch
        >>> torch.zeros(2, 3)
        tensor([[0., 0., 0.],
                [0., 0., 0.]])
    """
    shape = tuple(size)
    if shape and min(shape) < 0:
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    dtype, requires_grad = read_options(**options)
    if out is not None:
        return into("zeros", out, np.zeros(shape, out._value.dtype if dtype is None else dtype.numpy), dtype)
    return made(allocate(shape, _kind(dtype), make=np.zeros), requires_grad)


@op("ones", f"(tuple of ints! size, *, Tensor out = None, {OPTIONS})", method=False)
def ones(size: Any, *, out: Any = None, **options: Any) -> Tensor:
    """A tensor of ones; arguments as for `zeros`."""
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    if out is not None:
        return into("ones", out, np.ones(shape, out._value.dtype if dtype is None else dtype.numpy), dtype)
    value = allocate(shape, _kind(dtype))
    value[...] = 1
    return made(value, requires_grad)


@op(
    "empty",
    f"(tuple of ints! size, *, torch.memory_format memory_format = None, Tensor out = None, {OPTIONS})",
    method=False,
)
def empty(size: Any, *, memory_format: Any = None, out: Any = None, **options: Any) -> Tensor:
    """A tensor whose values are whatever was in memory; arguments as for `zeros`, and memory_format."""
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    if out is not None:
        return into("empty", out, np.zeros(shape, out._value.dtype), dtype)
    if memory_format is meta.preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    return made(allocate(shape, _kind(dtype), _format_strides(shape, memory_format)), requires_grad)


def _format_strides(shape: tuple[int, ...], memory_format: Any) -> tuple[int, ...] | None:
    """The strides that a memory format asks for, None for those of C order."""
    for wanted, rank in ((meta.channels_last, 4), (meta.channels_last_3d, 5)):
        if memory_format is wanted:
            if len(shape) != rank:
                raise RuntimeError(memory_texts.RANK_OF_FORMAT.format(rank=rank, layout=wanted.name))
            return channels_last_strides(shape)
    return None


@op("full", f"(tuple of ints! size, Number fill_value, *, Tensor out = None, {OPTIONS})", method=False)
def full(size: Any, fill_value: Any, *, out: Any = None, **options: Any) -> Tensor:
    """A tensor filled with one number, whose kind decides the dtype if none is given.

    Raises:
        RuntimeError: the dtype has no such number.
    """
    shape, x = tuple(size), python_number(fill_value)
    dtype, requires_grad = read_options(**options)
    if out is not None:
        return into("full", out, np.full(shape, fitted(x, dtype or out.dtype, prod(shape))), dtype)
    if dtype is None:
        dtype = dtypes.of_number(x)
    value = allocate(shape, dtype.numpy)
    value[...] = fitted(x, dtype, value.size)
    return made(value, requires_grad)


@op("empty_strided", f"(tuple of ints! size, tuple of ints! stride, *, {OPTIONS})", method=False)
def empty_strided(size: Any, stride: Any, **options: Any) -> Tensor:
    """A tensor with these strides, in elements, whose values are whatever was in memory."""
    shape, strides = tuple(size), tuple(stride)
    dtype, requires_grad = read_options(**options)
    return made(_strided(shape, strides, _kind(dtype)), requires_grad)


def _strided(shape: tuple[int, ...], strides: tuple[int, ...], kind: np.dtype) -> ndarray:
    if len(shape) != len(strides):
        raise RuntimeError(texts.SIZES_AND_STRIDES.format(sizes=len(shape), strides=len(strides)))
    if any(s < 0 for s in strides) and not any(n < 0 for n in shape):
        raise RuntimeError(memory_texts.STORAGE_TOO_LARGE.format(sizes=list(shape), strides=list(strides)))
    return allocate(shape, kind, strides)


@op("empty_permuted", f"(tuple of ints! size, tuple of ints! physical_layout, *, {OPTIONS})", method=False)
def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    """A tensor whose dimensions lie in memory in this order, from the slowest to the fastest."""
    shape, order = tuple(size), tuple(physical_layout)
    dtype, requires_grad = read_options(**options)
    if len(shape) != len(order):
        raise RuntimeError(texts.PERMUTED_LENGTH.format(sizes=len(shape), layout=len(order)))
    for i, d in enumerate(order):
        if not 0 <= d < len(shape):
            raise RuntimeError(texts.PERMUTED_RANGE.format(highest=len(shape) - 1, d=d, i=i))
        if d in order[:i]:
            raise RuntimeError("Duplicate dim not allowed")
    strides, step = [0] * len(shape), 1
    for d in reversed(order):
        strides[d] = step
        step *= max(shape[d], 1)
    return made(allocate(shape, _kind(dtype), tuple(strides)), requires_grad)


@op("scalar_tensor", f"(Number s, *, {OPTIONS})", method=False)
def scalar_tensor(s: Any, **options: Any) -> Tensor:
    """A 0-d tensor of the default dtype from a number."""
    dtype, requires_grad = read_options(**options)
    return made(fitted(python_number(s), dtype or dtypes.get_default_dtype(), 1), requires_grad)


@op(
    "eye",
    f"(int n, *, Tensor out = None, {OPTIONS})",
    f"(int n, int m, *, Tensor out = None, {OPTIONS})",
    method=False,
)
def eye(n: Any, m: Any = None, *, out: Any = None, **options: Any) -> Tensor:
    """A matrix with ones on the diagonal, of n rows and m (by default n) columns."""
    dtype, requires_grad = read_options(**options)
    rows, columns = int(n), int(n if m is None else m)
    for name, k in (("n", rows), ("m", columns)):
        if k < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {k}")
    if out is not None:
        return into("eye", out, np.eye(rows, columns), dtype)
    return made(np.eye(rows, columns, dtype=_kind(dtype)), requires_grad)


# Sequences.


def _bound(x: Any) -> Any:
    """A bound of a sequence as a Python number that is real; bools count as ints."""
    x = python_number(x)
    if isinstance(x, complex):
        if x.imag:
            raise RuntimeError(arguments_texts.OVERFLOW.format(kind="double"))
        return x.real
    return int(x) if isinstance(x, bool) else x


@op(
    "arange",
    f"(Number end, *, Tensor out = None, {OPTIONS})",
    f"(Number start, Number end, *, {OPTIONS})",
    f"(Number start, Number end, Number step = 1, *, Tensor out = None, {OPTIONS})",
    method=False,
)
def arange(
    first: Any,  # the start, or the end if there is no second: the signatures give it either name
    second: Any = None,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = None,
    requires_grad: Any = None,
) -> Tensor:
    """Numbers from start up to, but without, end: arange(end), arange(start, end) or arange(start, end, step).

    Arguments:
        start: the first number, 0 by default.
        end: where to stop.
        step: by how much they differ, 1 by default.
        dtype: by default int64 if all bounds are integers, else the default dtype.

    Example:
        >>> from funcgrad import torch
        >>> torch.arange(1, 8, 3)
        tensor([1, 4, 7])
    """
    start, end = (0, first) if second is None else (first, second)
    start, end, step = _bound(start), _bound(end), _bound(step)
    dtype, requires_grad = read_options(dtype, layout, device, pin_memory, requires_grad)
    if dtype is None:
        if out is not None:
            dtype = out.dtype
        else:
            floating = any(isinstance(x, float) for x in (start, end, step))
            dtype = dtypes.get_default_dtype() if floating else dtypes.int64
    if dtype.category in (dtypes.BOOL, dtypes.COMPLEX) or dtype.is_eight:
        raise NotImplementedError(texts.ARANGE_KIND.format(kind=dtype.title))
    if dtype is dtypes.int64 and step and not int(step):
        raise ValueError("step must be nonzero")
    n = count(start, end, step, exact=dtype is dtypes.int64)
    value = stepped(start, step, n, dtype)
    if out is None:
        return made(value, requires_grad)
    if out.numel() != n and out.numel():
        warn_native(
            texts.ARANGE_RESIZES.format(shape=list(out.shape), size=out.numel(), n=n),
            "aten/src/ATen/native/RangeFactories.cpp:199",
            stacklevel=3,
        )
    return _counted_into("arange", out, value)


def _counted_into(name: str, out: Any, value: ndarray) -> Tensor:
    """Write numbers into a tensor given as out=, which keeps its shape if it has room for just so many."""
    inplace.check_overlap(out)
    return into(name, out, value if out.numel() != value.size else value.reshape(out.shape), None)


_NOT_PINNED = OPTIONS.replace("bool? pin_memory = False, ", "")


@op("range", f"(Number start, Number end, Number step = 1, *, Tensor out = None, {_NOT_PINNED})", method=False)
def range(start: Any, end: Any, step: Any = 1, *, out: Any = None, **options: Any) -> Tensor:
    """Deprecated: numbers from start to end, which is among them."""
    warnings.warn(texts.RANGE_DEPRECATED, UserWarning, stacklevel=3)
    dtype, requires_grad = read_options(**options)
    bounds = [_bound(x) for x in (start, end, step)]
    n = count(*bounds, inclusive=True)
    if dtype is None:
        dtype = out.dtype if out is not None else dtypes.get_default_dtype()
    first, _, difference = (int(x) if dtype.category == dtypes.INTEGER else float(x) for x in bounds)
    value = cast(first + difference * np.arange(n), dtype.numpy)
    return _counted_into("range", out, value) if out is not None else made(value, requires_grad)


def _ends(name: str, start: Any, end: Any, steps: Any) -> tuple[Any, Any, int]:
    """The ends of linspace and logspace as Python numbers."""
    for argument, x in (("start", start), ("end", end)):
        if isinstance(x, Tensor) and x._value.ndim:
            raise RuntimeError(texts.ENDS_ARE_SCALARS.format(name=name, argument=argument, ndim=x.ndim))
    n = int(steps)
    if n < 0:
        raise RuntimeError("number of steps must be non-negative")
    a, b = (python_number(x) for x in (start, end))
    return a, b, n


_KINDS = (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"), ("Number", "Number"))
_LINES = [f"({a} start, {b} end, int steps, *, Tensor out = None, {OPTIONS})" for a, b in _KINDS]
_POWERS = [t.replace("steps, ", "steps, float base = 10.0, ") for t in _LINES]


def _space_dtype(name: str, start: Any, end: Any, dtype: Any, out: Any) -> Any:
    is_complex = isinstance(start, complex) or isinstance(end, complex)
    if is_complex and dtype is not None and dtype.category < dtypes.COMPLEX:
        own = CXX_NAMES[dtypes.default_complex().name]
        raise RuntimeError(texts.SPACE_OF_COMPLEX.format(name=name, own=own, dtype=dtype.title))
    if dtype is None:
        if out is not None:
            dtype = out.dtype
        elif is_complex:
            dtype = dtypes.default_complex()
        else:
            dtype = dtypes.get_default_dtype()
    if dtype.category == dtypes.BOOL or dtype.is_eight:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{dtype.title}'")
    if is_complex and dtype.category < dtypes.COMPLEX:
        raise RuntimeError(arguments_texts.OVERFLOW.format(kind=C_NAMES[dtype.name]))
    return dtype


@op("linspace", *_LINES, method=False)
def linspace(start: Any, end: Any, steps: Any, *, out: Any = None, **options: Any) -> Tensor:
    """`steps` numbers at equal distances, the first of which is start and the last end.

    Example:
        >>> from funcgrad import torch
        >>> torch.linspace(0, 1, steps=5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    a, b, n = _ends("linspace", start, end, steps)
    dtype, requires_grad = read_options(**options)
    value = line(a, b, n, _space_dtype("linspace", a, b, dtype, out))
    return _counted_into("linspace", out, value) if out is not None else made(value, requires_grad)


@op("logspace", *_POWERS, method=False)
def logspace(start: Any, end: Any, steps: Any, base: Any = 10.0, *, out: Any = None, **options: Any) -> Tensor:
    """`steps` numbers from base ** start to base ** end, each the same multiple of the one before."""
    a, b, n = _ends("logspace", start, end, steps)
    dtype, requires_grad = read_options(**options)
    value = powers(base, a, b, n, _space_dtype("logspace", a, b, dtype, out))
    return _counted_into("logspace", out, value) if out is not None else made(value, requires_grad)


# As another tensor.


def like_strides(x: Tensor, memory_format: Any) -> tuple[int, ...] | None:
    """The strides of a new tensor that is to be laid out as x, or in another memory format; None for C order."""
    value = x._value
    if memory_format is None or memory_format is meta.preserve_format:
        if isinstance(value, Array) or (value.flags.c_contiguous and value.size and 1 not in value.shape):
            return None
        return preserved_strides(value.shape, x.stride())
    return _format_strides(value.shape, memory_format)


def _like(x: Tensor, fill: Any, memory_format: Any = None, **options: Any) -> Tensor:
    dtype, requires_grad = read_options(**options)
    kind = x._value.dtype if dtype is None else dtype.numpy
    value = allocate(x._value.shape, kind, like_strides(x, memory_format), np.empty if fill is None else np.zeros)
    if fill:
        value[...] = fill
    t = made(batched_like(value, x) if state.transforms else value, requires_grad)
    return in_empty_layout_of(x, t) if not value.size and memory_format in (None, meta.preserve_format) else t


def in_empty_layout_of(x: Tensor, t: Tensor) -> Tensor:
    """A new tensor without elements, in the strides of x, whatever these are."""
    if type(t._value) is np.ndarray and type(x._value) is np.ndarray and t.stride() != x.stride():
        place(t, UntypedStorage(), t._value.shape, x.stride(), 0)
    return t


LIKE_OPTIONS = f"torch.memory_format memory_format = None, {OPTIONS}"


@op("zeros_like", f"(Tensor input, *, {LIKE_OPTIONS})", method=False)
def zeros_like(input: Tensor, **options: Any) -> Tensor:
    """Zeros of the size, dtype and memory order of input."""
    return _like(input, 0, **options)


@op("ones_like", f"(Tensor input, *, {LIKE_OPTIONS})", method=False)
def ones_like(input: Tensor, **options: Any) -> Tensor:
    """Ones of the size, dtype and memory order of input."""
    return _like(input, 1, **options)


@op("empty_like", f"(Tensor input, *, {LIKE_OPTIONS})", method=False)
def empty_like(input: Tensor, **options: Any) -> Tensor:
    """A tensor of the size, dtype and memory order of input, whose values are whatever was in memory."""
    return _like(input, None, **options)


@op("full_like", f"(Tensor input, Number fill_value, *, {LIKE_OPTIONS})", method=False)
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, **options: Any) -> Tensor:
    """One number in the size, dtype and memory order of input."""
    dtype, _ = read_options(dtype)
    fill = fitted(python_number(fill_value), dtype or input.dtype, input._value.size)
    return _like(input, fill, dtype=dtype, **options)


def _new(x: Tensor, size: Any, fill: int | None, options: dict[str, Any]) -> Tensor:
    """What `x.new_zeros(...)` and its kin give."""
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    kind = x._value.dtype if dtype is None else dtype.numpy
    value = allocate(shape, kind, make=np.empty if fill is None else np.zeros)
    if fill:
        value[...] = fill
    return made(batched_like(value, x) if state.transforms else value, requires_grad)


@op("Tensor.new_zeros", f"(Tensor self, tuple of ints! size, *, {OPTIONS})", writes=1)
def new_zeros(self: Tensor, size: Any, **options: Any) -> Tensor:
    """Zeros of a size, with the dtype of this tensor."""
    return _new(self, size, 0, options)


@op("Tensor.new_ones", f"(Tensor self, tuple of ints! size, *, {OPTIONS})", writes=1)
def new_ones(self: Tensor, size: Any, **options: Any) -> Tensor:
    """Ones of a size, with the dtype of this tensor."""
    return _new(self, size, 1, options)


@op("Tensor.new_empty", f"(Tensor self, tuple of ints! size, *, {OPTIONS})")
def new_empty(self: Tensor, size: Any, **options: Any) -> Tensor:
    """Uninitialised memory of a size, with the dtype of this tensor."""
    return _new(self, size, None, options)


@op("Tensor.new_full", f"(Tensor self, tuple of ints! size, Number fill_value, *, {OPTIONS})", writes=1)
def new_full(self: Tensor, size: Any, fill_value: Any, **options: Any) -> Tensor:
    """One number in a tensor of a size, with the dtype of this tensor."""
    shape = tuple(size)
    dtype, requires_grad = read_options(**options)
    dtype = dtype or self.dtype
    value = allocate(shape, dtype.numpy)
    value[...] = fitted(python_number(fill_value), dtype, value.size)
    return made(batched_like(value, self) if state.transforms else value, requires_grad)


@op("Tensor.new_empty_strided", f"(Tensor self, tuple of ints! size, tuple of ints! stride, *, {OPTIONS})")
def new_empty_strided(self: Tensor, size: Any, stride: Any, **options: Any) -> Tensor:
    """Uninitialised memory with these sizes and strides, with the dtype of this tensor."""
    shape, strides = tuple(size), tuple(stride)
    dtype, requires_grad = read_options(**options)
    return made(_strided(shape, strides, (dtype or self.dtype).numpy), requires_grad)


@op("vander", "(Tensor x, int? N = None, bool increasing = False)", method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The matrix whose columns are the powers of a vector, the highest first.

    Arguments:
        x: a vector.
        N: how many powers; by default as many as x has elements.
        increasing: whether the lowest comes first.
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x.numel() if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    out = made(np.ones((x.numel(), columns), np.int64 if x._value.dtype.kind in "iub" else x._value.dtype), False)
    if columns > 1:
        powers = out.narrow(1, 1, columns - 1)
        powers.copy_(x.unsqueeze(1))
        powers = out[:, 1:]
        powers.copy_(powers.cumprod(1))
    return out if increasing or not columns else out.flip(1)
