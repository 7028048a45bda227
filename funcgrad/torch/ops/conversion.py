"""Other dtypes: `to` and the methods named after dtypes, and questions about dtypes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from funcgrad.ops import structural as core
from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, allocate
from funcgrad.torch.declare.arguments import (
    PYTHON_DTYPES,
    check_memory_format,
    dtype_argument,
    invalid_combination,
    warn_native,
)
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import counted
from funcgrad.torch.ops.constructors import warn_of_lost_imaginary_part
from funcgrad.torch.ops.creation import in_empty_layout_of, like_strides
from funcgrad.torch.ops.legacy import LEGACY, tensortype
from funcgrad.torch.ops.memory import lies_in
from funcgrad.torch.tensor.members import add_member
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import common_dtype
from funcgrad.torch.tensor.tensor import Tensor, contiguous_strides
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import conversion as texts
from funcgrad.torch.texts import dtypes as dtypes_texts

TO_COPY = Operation(core.astype, "ToCopyBackward0", operands=("self",))
TRUNCATE = Operation(core.truncate, "ToCopyBackward0", operands=("self",))


def converted(x: Tensor, dtype: Any, memory_format: Any = None, *, copy: bool = False) -> Tensor:
    """x in another dtype; x itself if it is of that dtype and need not be copied.

    Arguments:
        x: the tensor.
        dtype: the dtype of the result.
        memory_format: how the result lies in memory, by default as x.
        copy: whether to copy in any case.
    """
    value = x._value
    kind = dtype.numpy
    if kind == value.dtype and not copy and _lies_as(value, memory_format):
        return x
    if value.dtype.kind == "c" and kind.kind not in "cb":
        warn_of_lost_imaginary_part()
    result = (TO_COPY if dtype.category >= dtypes.FLOATING else TRUNCATE)(x, dtype=kind)
    if isinstance(value, ndarray) and not dtypes.eight_kinds.isdisjoint((kind, value.dtype)):
        result._value[...] = dtypes.recast(raw(x), kind)  # the primitive converts as ml_dtypes does
    if isinstance(value, ndarray) and (
        memory_format is not None or not value.flags.c_contiguous or not value.size or 1 in value.shape
    ):
        strides = like_strides(x, memory_format) or contiguous_strides(value.shape)
        if not value.size and memory_format in (None, meta.preserve_format):
            in_empty_layout_of(x, result)
        elif result.stride() != strides:
            laid_out = allocate(value.shape, kind, strides)
            laid_out[...] = result._value
            result._value = laid_out
    return counted(result, 1, x) if x._inference else result


def _lies_as(value: Any, memory_format: Any) -> bool:
    """Whether a memory format asks for no change."""
    if memory_format is None or memory_format is meta.preserve_format or not isinstance(value, ndarray):
        return True
    return lies_in(value, memory_format)


_TO_FORMS = tuple(
    f"{first}, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
    for first in ("torch.device device = None, torch.dtype dtype = None", "torch.dtype dtype", "Tensor tensor")
)


@op("Tensor.to", records=(TO_COPY, TRUNCATE))
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """This tensor in another dtype or on another device; itself if nothing changes.

    It is called as to(dtype), to(device), to(device, dtype) or to(other), the last for dtype and device of a tensor.

    Arguments:
        non_blocking: has no effect on the cpu.
        copy: whether to copy in any case.
        memory_format: how the result lies in memory.
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], dtypes.dtype):
        return converted(self, args[0])
    dtype, device, copy, memory_format = _to_arguments(args, kwargs)
    if device is not None:
        device = meta.as_device(device)
        meta.check_device(device)
        copy = copy or device.index is not None
    if memory_format is not None:
        check_memory_format("to", memory_format)
    return converted(self, self.dtype if dtype is None else dtype, memory_format, copy=copy)


def _to_arguments(args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """dtype, device, copy and memory_format from the three forms of `to`."""
    given = dict(kwargs)
    first = args[0] if args else None
    if isinstance(first, Tensor):
        names: tuple[str, ...] = ("tensor", "non_blocking", "copy")
    elif _is_dtype(first):
        names = ("dtype", "non_blocking", "copy")
    else:
        names = ("device", "dtype", "non_blocking", "copy")
    if len(args) > len(names) or any(n in given for n in names[: len(args)]):
        raise invalid_combination("to", args, kwargs, _TO_FORMS)
    given.update(zip(names, args, strict=False))
    other = given.pop("tensor", None)
    dtype, device = given.pop("dtype", None), given.pop("device", None)
    if other is not None:
        dtype = other.dtype
    copy, memory_format = given.pop("copy", False), given.pop("memory_format", None)
    given.pop("non_blocking", None)
    fits = dtype is None or _is_dtype(dtype)
    if given or not fits or not (device is None or isinstance(device, (str, int, meta.device))):
        raise invalid_combination("to", args, kwargs, _TO_FORMS)
    return dtype_argument("to", dtype), device, bool(copy), memory_format


def parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """Device, dtype, non_blocking and memory_format as `to` of a module, or of what holds tensors, is given them."""
    dtype, device, copy, memory_format = _to_arguments(args, kwargs)
    if copy:
        raise RuntimeError(".to() does not accept copy argument")
    if device is not None:
        device = meta.as_device(device)
        meta.check_device(device)
    elif args and isinstance(args[0], Tensor):
        device = args[0].device
    flags = [a for a in (*args, kwargs.get("non_blocking")) if isinstance(a, builtins.bool)]
    return device, dtype, bool(flags and flags[0]), memory_format


def _is_dtype(x: Any) -> bool:
    return isinstance(x, dtypes.dtype) or (isinstance(x, builtins.type) and x in PYTHON_DTYPES)


def _to_dtype(name: str, dtype: Any) -> Callable:
    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        if memory_format is not None:
            check_memory_format(name, memory_format)
        return converted(self, dtype, memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"This tensor as {dtype!r}; itself if it is of that dtype."
    return method


NAMED = {
    "double": dtypes.float64,
    "float": dtypes.float32,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "int": dtypes.int32,
    "long": dtypes.int64,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
    "chalf": dtypes.complex32,
}
"""The methods that are named after dtypes."""

for _name, _dtype in NAMED.items():
    op(f"Tensor.{_name}")(_to_dtype(_name, _dtype))


@op("Tensor.type", records=(TO_COPY, TRUNCATE))
def type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type, such as "torch.FloatTensor"; or, with an argument, the tensor in that type."""
    if dtype is None:
        return self.dtype.tensor_type
    if isinstance(dtype, str):
        dtype = _of_type_name(dtype)
    elif isinstance(dtype, tensortype):
        dtype = dtype.dtype
    elif isinstance(dtype, builtins.type):
        raise ValueError(f"invalid type: '{dtype.__name__}'")
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    return converted(self, dtype)


def _of_type_name(name: str) -> Any:
    if name.startswith("torch.cuda."):
        raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
    found = dtypes.by_tensor_type.get(name)
    if found is None:
        raise ValueError(f"invalid type: '{name}'")
    return found


@op("Tensor.type_as", "(Tensor self, Tensor other)", records=(TO_COPY, TRUNCATE))
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """This tensor in the dtype of another."""
    return converted(self, other.dtype)


# Devices.


@op("Tensor.cpu", "(Tensor self, *, torch.memory_format memory_format = None)", records=(TO_COPY, TRUNCATE))
def cpu(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """This tensor: it is on the cpu."""
    return converted(self, self.dtype, memory_format)


def _to_device(kind: str) -> Callable:
    def method(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
        meta.check_device(kind)
        raise AssertionError

    method.__name__ = method.__qualname__ = kind
    method.__doc__ = f"Refused: there is no {kind} device."
    return method


for _name in ("cuda", "xpu", "ipu", "hpu", "mtia"):
    op(f"Tensor.{_name}")(_to_device(_name))


for _name in ("is_ipu", "is_vulkan", "is_maia", "is_mtia", "is_xla"):
    add_member(Tensor, _name, False)


# Dense tensors are the only ones.


@op(
    "Tensor.to_dense",
    "(Tensor self, torch.dtype dtype = None, *, bool? masked_grad = None)",
    records=(TO_COPY, TRUNCATE),
)
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """This tensor: it is dense."""
    return self if dtype is None else converted(self, dtype)


@op("Tensor.dense_dim", "(Tensor self)")
def dense_dim(self: Tensor) -> int:
    """The number of dimensions."""
    return self.ndim


@op("Tensor.sparse_dim", "(Tensor self)")
def sparse_dim(self: Tensor) -> int:
    """0: no dimension is sparse."""
    return 0


@op("Tensor.is_coalesced", "(Tensor self)")
def is_coalesced(self: Tensor) -> bool:
    """Refused: a question about sparse tensors."""
    raise RuntimeError("is_coalesced expected sparse coordinate tensor layout but got Strided")


# Questions.


@op("is_floating_point", "(Tensor input)")
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating one."""
    return input.dtype.is_floating_point


@op("is_complex", "(Tensor input)")
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is a complex one."""
    return input._value.dtype.kind == "c"


@op("is_signed", "(Tensor input)")
def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return input.dtype.is_signed


@op("is_nonzero", "(Tensor input)")
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element of a tensor is not zero."""
    return bool(input)


@op("is_inference", "(Tensor input)", method=False)
def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode."""
    return input.is_inference()


@op("is_conj", "(Tensor input)", method=False)
def is_conj(input: Tensor) -> bool:
    """Whether the values are the conjugates of what memory holds."""
    return input.is_conj()


@op("is_neg", "(Tensor input)", method=False)
def is_neg(input: Tensor) -> bool:
    """Whether the values are the negatives of what memory holds."""
    return input.is_neg()


@op("is_distributed", "(Tensor input)")
def is_distributed(input: Tensor) -> bool:
    """False: tensors are in one place."""
    return False


@op("get_device", "(Tensor input)", method=False)
def get_device(input: Tensor) -> int:
    """-1: the cpu."""
    return input.get_device()


@op("is_tensor", method=False)
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


@op("is_storage", method=False)
def is_storage(obj: Any) -> bool:
    """Whether an object is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


@op("typename", method=False, records=(TO_COPY, TRUNCATE))
def typename(obj: Any) -> str:
    """The name of an object's type; of a tensor such as "torch.FloatTensor"."""
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, builtins.type) else builtins.type(obj)
    module = kind.__module__
    return kind.__qualname__ if module in ("builtins", None) else f"{module}.{kind.__qualname__}"


@op(
    "result_type",
    "(Tensor tensor, Tensor other)",
    "(Number scalar, Tensor tensor)",
    "(Tensor tensor, Number other)",
    "(Number scalar1, Number scalar2)",
    method=False,
)
def result_type(x: Any, y: Any) -> Any:
    """The dtype of the result of an arithmetic operation on two operands, each a tensor or a number.

    Example:
        >>> from funcgrad import torch
        >>> torch.result_type(torch.tensor([1, 2]), 1.0)
        torch.float32
    """
    return common_dtype((x, y))


@op("promote_types", "(torch.dtype type1, torch.dtype type2)", method=False)
def promote_types(type1: Any, type2: Any) -> Any:
    """The smallest dtype that holds both, of at least the higher category.

    Example:
        >>> from funcgrad import torch
        >>> torch.promote_types(torch.int32, torch.float32)
        torch.float32
    """
    return dtypes.promote_types(type1, type2)


@op("can_cast", "(torch.dtype from_, torch.dtype to)", method=False)
def can_cast(from_: Any, to: Any) -> bool:
    """Whether values of one dtype may be written in place into another: the category must not fall."""
    return dtypes.can_cast(from_, to)


@op("set_default_tensor_type", method=False)
def set_default_tensor_type(t: Any) -> None:
    """Deprecated: make the dtype of a legacy class the default dtype."""
    warn_native(texts.SET_DEFAULT_TENSOR_TYPE_DEPRECATED, "torch/csrc/tensor/python_tensor.cpp:434")
    if isinstance(t, str):
        module, _, name = t.rpartition(".")
        if module == "torch.cuda":
            raise TypeError(f"type {t} not available. Torch not compiled with CUDA enabled.")
        if module != "torch":
            raise ModuleNotFoundError(f"No module named '{module or t}'")
        t = next((c for c in LEGACY.values() if c.__name__ == name), None)
    if not isinstance(t, tensortype):
        raise TypeError(texts.DEFAULT_TYPE_NOT_FLOATING)
    if t.dtype.category != dtypes.FLOATING:
        raise TypeError(dtypes_texts.DEFAULT_NOT_FLOATING)
    dtypes.set_default_dtype(t.dtype)
