"""Making tensors from sizes: filled with a number, with a sequence of numbers, or with nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.ranges import count, line, powers, stepped
from funcgrad.torch.base.sampling import cast
from funcgrad.torch.base.storage import UntypedStorage, allocate, channels_last_strides, preserved_strides
from funcgrad.torch.declare.arguments import (
    OPTIONS,
    check_memory_format,
    fitted,
    int_tuple,
    invalid_combination,
    is_int,
    number,
    options,
    sizes,
    torch_signature,
    warn_native,
    wrong_type,
)
from funcgrad.torch.declare.declare import counted, exports, function
from funcgrad.torch.ops.constructors import as_tensor, from_numpy, tensor, to_be_differentiated
from funcgrad.torch.ops.legacy import LEGACY, LEGACY_STORAGES, legacy_constructor
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.levels import batched_like
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import place
from funcgrad.torch.texts import creation as texts

__all__ = ["as_tensor", "from_numpy", "legacy_constructor", "tensor"]


def made(value: ndarray, requires_grad: bool) -> Tensor:
    """A new tensor around an ndarray, for functions with the keyword requires_grad=."""
    t = wrapped(value)
    return to_be_differentiated(t) if requires_grad else t


def check_out(name: str, out: Any) -> None:
    """Raise torch's error if what is given as out= is no tensor."""
    if not isinstance(out, Tensor):
        raise wrong_type(name, "out", None, "Tensor", out)


def into(name: str, out: Any, value: ndarray, dtype: Any) -> Tensor:
    """Write a new value into a tensor given as out=, which takes its size."""
    check_out(name, out)
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {dtype.title} does not match dtype of out parameter ({out.dtype.title})")
    if out.requires_grad:
        raise RuntimeError(texts.OUT_NEEDS_NO_GRAD.format(name=name))
    resized = out._value.shape != value.shape
    if resized:
        out.resize_(value.shape)
    inplace.store(out, value)
    if not resized:  # which has moved the version on
        inplace.bump(out)
    return out


def _check_sizes(name: str, size: tuple[int, ...]) -> None:
    if size and min(size) < 0:
        raise RuntimeError(f"{name}: Dimension size must be non-negative.")


def _kind(dtype: Any) -> np.dtype:
    return (dtypes.get_default_dtype() if dtype is None else dtype).numpy


# From sizes.


def zeros(
    *size_: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
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
    shape = sizes("zeros", size_, size)
    _check_sizes("zeros", shape)
    dtype = options("zeros", dtype, layout, device, pin_memory, requires_grad)
    if out is not None:
        check_out("zeros", out)
        return into("zeros", out, np.zeros(shape, out._value.dtype if dtype is None else dtype.numpy), dtype)
    return made(allocate(shape, _kind(dtype), make=np.zeros), requires_grad)


def ones(
    *size_: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of ones; arguments as for `zeros`."""
    shape = sizes("ones", size_, size)
    dtype = options("ones", dtype, layout, device, pin_memory, requires_grad)
    if out is not None:
        check_out("ones", out)
        return into("ones", out, np.ones(shape, out._value.dtype if dtype is None else dtype.numpy), dtype)
    value = allocate(shape, _kind(dtype))
    value[...] = 1
    return made(value, requires_grad)


def empty(
    *size_: Any, size: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor whose values are whatever was in memory; arguments as for `zeros`, and memory_format."""
    shape = sizes("empty", size_, size)
    dtype = options("empty", dtype, layout, device, pin_memory, requires_grad)
    check_memory_format("empty", memory_format)
    if out is not None:
        check_out("empty", out)
        return into("empty", out, np.zeros(shape, out._value.dtype), dtype)
    if memory_format is meta.preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    return made(allocate(shape, _kind(dtype), _format_strides(shape, memory_format)), requires_grad)


def _format_strides(shape: tuple[int, ...], memory_format: Any) -> tuple[int, ...] | None:
    """The strides that a memory format asks for, None for those of C order."""
    for wanted, rank in ((meta.channels_last, 4), (meta.channels_last_3d, 5)):
        if memory_format is wanted:
            if len(shape) != rank:
                raise RuntimeError(f"required rank {rank} tensor to use {wanted.name} format")
            return channels_last_strides(shape)
    return None


@function(method=False)
@torch_signature
def full(
    size: Any, fill_value: Any, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor filled with one number, whose kind decides the dtype if none is given.

    Raises:
        RuntimeError: the dtype has no such number.
    """
    shape = int_tuple("full", size, 1)
    x = number("full", "fill_value", 2, fill_value)
    dtype = options("full", dtype, layout, device, pin_memory, requires_grad)
    if out is not None:
        check_out("full", out)
        return into("full", out, np.full(shape, fitted(x, dtype or out.dtype, prod(shape))), dtype)
    if dtype is None:
        dtype = dtypes.of_number(x)
    value = allocate(shape, dtype.numpy)
    value[...] = fitted(x, dtype, value.size)
    return made(value, requires_grad)


@function(method=False)
@torch_signature
def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor with these strides, in elements, whose values are whatever was in memory."""
    shape, strides = int_tuple("empty_strided", size, 1), int_tuple("empty_strided", stride, 2, "stride")
    dtype = options("empty_strided", dtype, layout, device, pin_memory, requires_grad)
    return made(_strided(shape, strides, _kind(dtype)), requires_grad)


def _strided(shape: tuple[int, ...], strides: tuple[int, ...], kind: np.dtype) -> ndarray:
    if len(shape) != len(strides):
        raise RuntimeError(texts.SIZES_AND_STRIDES.format(sizes=len(shape), strides=len(strides)))
    if any(s < 0 for s in strides) and not any(n < 0 for n in shape):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(strides)}")
    return allocate(shape, kind, strides)


@function(method=False)
@torch_signature
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor whose dimensions lie in memory in this order, from the slowest to the fastest."""
    shape = int_tuple("empty_permuted", size, 1)
    order = int_tuple("empty_permuted", physical_layout, 2, "physical_layout")
    dtype = options("empty_permuted", dtype, layout, device, pin_memory, requires_grad)
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


@function(method=False)
@torch_signature
def scalar_tensor(
    s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A 0-d tensor of the default dtype from a number."""
    x = number("scalar_tensor", "s", 1, s)
    dtype = options("scalar_tensor", dtype, layout, device, pin_memory, requires_grad)
    return made(fitted(x, dtype or dtypes.get_default_dtype(), 1), requires_grad)


@function(method=False)
@torch_signature
def eye(
    n: int, m: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A matrix with ones on the diagonal, of n rows and m (by default n) columns."""
    if not is_int(n):
        raise wrong_type("eye", "n", 1, "int", n)
    if m is not None and not is_int(m):
        raise wrong_type("eye", "m", 2, "int", m)
    dtype = options("eye", dtype, layout, device, pin_memory, requires_grad)
    rows, columns = int(n), int(n if m is None else m)
    for name, k in (("n", rows), ("m", columns)):
        if k < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {k}")
    if out is not None:
        return into("eye", out, np.eye(rows, columns), dtype)
    return made(np.eye(rows, columns, dtype=_kind(dtype)), requires_grad)


# Sequences.


def _python(x: Any, name: str, argument: str, position: int) -> Any:
    """A bound of a sequence as a Python number; 0-d tensors may require grad, numbers of NumPy keep their kind."""
    if isinstance(x, Tensor) and x._value.ndim == 0:
        return x.item()
    return number(name, argument, position, x)


def _real_bound(x: Any) -> Any:
    if isinstance(x, complex):
        if x.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        return x.real
    return x


@function(method=False)
def arange(
    *args: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, **bounds: Any,
) -> Tensor:  # fmt: skip
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
    start, end, step = _bounds(args, bounds)
    dtype = options("arange", dtype, layout, device, pin_memory, requires_grad)
    if dtype is None:
        if out is not None:
            dtype = out.dtype
        else:
            floating = any(isinstance(x, float) for x in (start, end, step))
            dtype = dtypes.get_default_dtype() if floating else dtypes.int64
    if dtype.category in (dtypes.BOOL, dtypes.COMPLEX):
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{dtype.title}'")
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
    return into("arange", out, value if out.numel() != n else value.reshape(out.shape), None)


_ARANGE_FORMS = (
    f"Number end, *, Tensor out = None, {OPTIONS}",
    f"Number start, Number end, *, {OPTIONS}",
    f"Number start, Number end, Number step = 1, *, Tensor out = None, {OPTIONS}",
)


def _bounds(args: tuple, bounds: dict[str, Any]) -> tuple[Any, Any, Any]:
    """start, end and step of the three forms in which arange is called."""
    unknown = set(bounds) - {"start", "end", "step"}
    if unknown:
        raise TypeError(f"arange() got an unexpected keyword argument '{unknown.pop()}'")
    if len(args) > 3 or (not args and not bounds):
        raise invalid_combination("arange", args, bounds, _ARANGE_FORMS)
    names = ("end",) if len(args) == 1 and "end" not in bounds else ("start", "end", "step")[: len(args)]
    given = {**dict(zip(names, args, strict=True)), **bounds}
    if "end" not in given:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    found = [_python(given.get(n, d), "arange", n, names.index(n) + 1 if n in names else 0) for n, d in _DEFAULTS]
    start, end, step = (_real_bound(int(x) if isinstance(x, bool) else x) for x in found)
    return start, end, step


_DEFAULTS = (("start", 0), ("end", None), ("step", 1))


@function(method=False)
@torch_signature
def range(
    start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Deprecated: numbers from start to end, which is among them."""
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    dtype = options("range", dtype, layout, device, pin_memory, requires_grad)
    warnings.warn(texts.RANGE_DEPRECATED, UserWarning, stacklevel=3)
    bounds = [_real_bound(_python(x, "range", n, i + 1)) for i, (x, n) in enumerate(zip((start, end, step), ("start", "end", "step"), strict=True))]  # fmt: skip  # noqa: E501
    n = count(*bounds, inclusive=True)
    if dtype is None:
        dtype = out.dtype if out is not None else dtypes.get_default_dtype()
    first, _, difference = (int(x) if dtype.category == dtypes.INTEGER else float(x) for x in bounds)
    value = cast(first + difference * np.arange(n), dtype.numpy)
    return into("range", out, value, None) if out is not None else made(value, requires_grad)


def _ends(name: str, start: Any, end: Any, steps: Any) -> tuple[Any, Any, int]:
    """The ends of linspace and logspace as Python numbers."""
    for argument, x in (("start", start), ("end", end)):
        if isinstance(x, Tensor) and x._value.ndim:
            raise RuntimeError(texts.ENDS_ARE_SCALARS.format(name=name, argument=argument, ndim=x.ndim))
    n = int(steps)
    if n < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _python(start, name, "start", 1), _python(end, name, "end", 2), n


_KINDS = (("Tensor", "Tensor"), ("Number", "Tensor"), ("Tensor", "Number"), ("Number", "Number"))
_LINE_FORMS = tuple(f"{a} start, {b} end, int steps, *, Tensor out = None, {OPTIONS}" for a, b in _KINDS)
_LOG_FORMS = tuple(
    f"{a} start, {b} end, int steps, float base = 10.0, *, Tensor out = None, {OPTIONS}" for a, b in _KINDS
)


def _space_dtype(name: str, start: Any, end: Any, dtype: Any, out: Any) -> Any:
    if dtype is None:
        if out is not None:
            dtype = out.dtype
        elif isinstance(start, complex) or isinstance(end, complex):
            dtype = dtypes.default_complex()
        else:
            dtype = dtypes.get_default_dtype()
    if dtype.category == dtypes.BOOL:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    return dtype


@function(method=False)
def linspace(
    start: Any, end: Any, steps: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` numbers at equal distances, the first of which is start and the last end.

    Example:
        >>> from funcgrad import torch
        >>> torch.linspace(0, 1, steps=5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    if not is_int(steps):
        raise invalid_combination("linspace", (start, end) if steps is None else (start, end, steps), {}, _LINE_FORMS)
    a, b, n = _ends("linspace", start, end, steps)
    dtype = options("linspace", dtype, layout, device, pin_memory, requires_grad)
    dtype = _space_dtype("linspace", a, b, dtype, out)
    value = line(a, b, n, dtype)
    return into("linspace", out, value, None) if out is not None else made(value, requires_grad)


@function(method=False)
def logspace(
    start: Any, end: Any, steps: Any = None, base: float = 10.0, *, out: Any = None, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` numbers from base ** start to base ** end, each the same multiple of the one before."""
    if not is_int(steps):
        raise invalid_combination("logspace", (start, end) if steps is None else (start, end, steps), {}, _LOG_FORMS)
    a, b, n = _ends("logspace", start, end, steps)
    dtype = options("logspace", dtype, layout, device, pin_memory, requires_grad)
    dtype = _space_dtype("logspace", a, b, dtype, out)
    value = powers(base, a, b, n, dtype)
    return into("logspace", out, value, None) if out is not None else made(value, requires_grad)


# As another tensor.


def like_strides(x: Tensor, memory_format: Any) -> tuple[int, ...] | None:
    """The strides of a new tensor that is to be laid out as x, or in another memory format; None for C order."""
    value = x._value
    if memory_format is None or memory_format is meta.preserve_format:
        if isinstance(value, Array) or (value.flags.c_contiguous and value.size and 1 not in value.shape):
            return None
        return preserved_strides(value.shape, x.stride())
    return _format_strides(value.shape, memory_format)


def _like(
    name: str, x: Any, fill: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, requires_grad: Any,
    memory_format: Any,
) -> Tensor:  # fmt: skip
    if not isinstance(x, Tensor):
        raise wrong_type(name, "input", 1, "Tensor", x)
    dtype = options(name, dtype, layout, device, pin_memory, requires_grad)
    check_memory_format(name, memory_format)
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


@function(method=False)
@torch_signature
def zeros_like(
    input: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Zeros of the size, dtype and memory order of input."""
    return _like("zeros_like", input, 0, dtype, layout, device, pin_memory, requires_grad, memory_format)


@function(method=False)
@torch_signature
def ones_like(
    input: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Ones of the size, dtype and memory order of input."""
    return _like("ones_like", input, 1, dtype, layout, device, pin_memory, requires_grad, memory_format)


@function(method=False)
@torch_signature
def empty_like(
    input: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor of the size, dtype and memory order of input, whose values are whatever was in memory."""
    return _like("empty_like", input, None, dtype, layout, device, pin_memory, requires_grad, memory_format)


@function(method=False)
@torch_signature
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """One number in the size, dtype and memory order of input."""
    if not isinstance(input, Tensor):
        raise wrong_type("full_like", "input", 1, "Tensor", input)
    x = number("full_like", "fill_value", 2, fill_value)
    dtype = options("full_like", dtype, layout, device, pin_memory, requires_grad)
    fill = fitted(x, dtype or input.dtype, input._value.size)
    return _like("full_like", input, fill, dtype, layout, device, pin_memory, requires_grad, memory_format)


def _filled(name: str, doc: str, fill: int | None) -> Callable:
    """The method `x.new_zeros(...)` and its kin."""

    def method(
        self: Tensor, *size_: Any, size: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: bool = False, requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        shape = sizes(name, size_, size)
        dtype = options(name, dtype, layout, device, pin_memory, requires_grad)
        kind = self._value.dtype if dtype is None else dtype.numpy
        value = allocate(shape, kind, make=np.empty if fill is None else np.zeros)
        if fill:
            value[...] = fill
        t = made(batched_like(value, self) if state.transforms else value, requires_grad)
        return t if fill is None else counted(t, 1, self)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc
    return method


for _name, _what, _fill in (
    ("new_zeros", "Zeros", 0),
    ("new_ones", "Ones", 1),
    ("new_empty", "Uninitialised memory", None),
):
    setattr(Tensor, _name, _filled(_name, f"{_what} of a size, with the dtype of this tensor.", _fill))


@function(export=False)
@torch_signature
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """One number in a tensor of a size, with the dtype of this tensor."""
    shape = int_tuple("new_full", size, 1)
    x = number("new_full", "fill_value", 2, fill_value)
    dtype = options("new_full", dtype, layout, device, pin_memory, requires_grad) or self.dtype
    value = allocate(shape, dtype.numpy)
    value[...] = fitted(x, dtype, value.size)
    return counted(made(batched_like(value, self) if state.transforms else value, requires_grad), 1, self)


@function(export=False)
@torch_signature
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Uninitialised memory with these sizes and strides, with the dtype of this tensor."""
    shape, strides = int_tuple("new_empty_strided", size, 1), int_tuple("new_empty_strided", stride, 2, "stride")
    dtype = options("new_empty_strided", dtype, layout, device, pin_memory, requires_grad) or self.dtype
    return made(_strided(shape, strides, dtype.numpy), requires_grad)


exports |= {
    "zeros": zeros,
    "ones": ones,
    "empty": empty,
    **{c.__name__: c for c in (*LEGACY.values(), *LEGACY_STORAGES.values())},
}


@function(method=False)
@torch_signature
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
