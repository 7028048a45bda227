"""Making tensors from data: nested lists, numbers, ndarrays, buffers, other tensors; and torch's legacy classes."""

from __future__ import annotations

import ctypes
import math
import warnings
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.ops.structural import stop
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, allocate, preserved_strides, strided
from funcgrad.torch.declare.arguments import read_options, type_name, warn_native
from funcgrad.torch.declare.op import op
from funcgrad.torch.tensor.journal import borrowed, follow, gathered, journal, leaf
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.node import next_number
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import arguments as arguments_texts
from funcgrad.torch.texts import creation as texts
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import tensor as tensor_texts


def to_be_differentiated(t: Tensor) -> Tensor:
    """A new tensor that is to require grad."""
    if t._value.dtype.kind in "iub":
        raise RuntimeError(texts.KIND_OF_GRADIENT)
    t._requires = True
    if journal.on:
        leaf(t, "leaf")
    return t


# Nested sequences of numbers.


def array_of(data: Any, dtype: Any = None) -> ndarray:
    """The ndarray of data as `torch.tensor` sees it; without a dtype, that of the numbers.

    Raises:
        ValueError: the sequences in it have different lengths, or an int is too large.
        TypeError: it holds what is no number.
    """
    kind = type(data)
    if kind in _NUMBER_TYPES:
        return _flat_array([data], dtype or dtypes.of_number(data), {kind}).reshape(())
    if isinstance(data, ndarray):
        return _of_ndarray(data, dtype)
    if isinstance(data, np.generic):
        if data.dtype.kind in "biufc":
            return _of_ndarray(np.asarray(data), dtype)
        raise RuntimeError(f"Could not infer dtype of {type_name(data)}")
    if isinstance(data, (str, bytes)):
        raise TypeError(indexing_texts.NO_DTYPE.format(kind=type(data).__name__))
    shape = _shape_of(data)
    if not shape and dtype is None:
        dtype = _dtype_of(data)
    leaves: list[Any] = []
    _collect(data, shape, 0, leaves)
    kinds = set(map(type, leaves))
    if dtype is None:
        dtype = _common_dtype(leaves, kinds, data)
    return _flat_array(leaves, dtype, kinds).reshape(shape)


def copy_of(data: Any, dtype: Any = None) -> Tensor:
    """A new tensor with a copy of data; of a storage, with its memory."""
    if isinstance(data, (TypedStorage, UntypedStorage)):
        return _of_storage(data, dtype)
    t = wrapped(array_of(data, dtype))
    if isinstance(data, ndarray) and not data.size:
        t._store = UntypedStorage(t._value)  # NumPy's strides are the tensor's
    return t


def _start(data: Any) -> int:
    """The number after which the journal notes what is read of data, 0 if nobody cares."""
    return 0 if not journal.on or isinstance(data, (bool, int, float, complex)) else next_number()


def _remembered(what: str, data: Any, start: int, made: Tensor) -> Tensor:
    """A copy of data, which the journal notes where data may come from values that had a history."""
    if start and not isinstance(data, (ndarray, np.generic)):
        gathered(what, start, made)
    elif start and journal.left:
        borrowed(what, data, made)
    return made


def _of_storage(storage: TypedStorage | UntypedStorage, dtype: Any) -> Tensor:
    """The elements of a storage; its bytes without a dtype count as int64."""
    if dtype is None:
        dtype = dtypes.get_default_dtype() if isinstance(storage, TypedStorage) else dtypes.int64
    if isinstance(storage, TypedStorage) and storage.dtype is not dtype:
        raise RuntimeError(texts.STORAGE_OF_OTHER_TYPE.format(wanted=dtype.title, got=storage.dtype.title))
    held = storage.untyped()
    t = wrapped(strided(held, dtype.numpy, (held.nbytes() // dtype.itemsize,), (1,), 0))
    t._store = held
    return t


_NUMBER_TYPES = frozenset((float, int, bool, complex))


def _of_ndarray(array: ndarray, dtype: Any) -> ndarray:
    check_ndarray(array)
    same = dtype is None or array.dtype == dtype.numpy
    value = array if same else converted(array, dtype)
    steps = preserved_strides(array.shape, tuple([s // (array.itemsize or 1) for s in array.strides]))
    out = allocate(array.shape, value.dtype, steps)
    out[...] = value
    return out


def converted(array: ndarray, dtype: Any) -> ndarray:
    """Values in another dtype, as C++ converts them; the imaginary part is dropped with a warning."""
    if array.dtype.kind == "c" and dtype.category not in (dtypes.COMPLEX, dtypes.BOOL):
        warn_of_lost_imaginary_part()
        array = array.real
    with np.errstate(all="ignore"):
        return dtypes.recast(array, dtype.numpy)


def warn_of_lost_imaginary_part() -> None:
    """Warn that complex numbers become real."""
    text = "Casting complex values to real discards the imaginary part"
    warn_native(text, "aten/src/ATen/native/Copy.cpp:307", stacklevel=4)


def _is_sequence(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return True
    if isinstance(x, (dict, set, frozenset, Tensor, np.generic)):
        return False
    return hasattr(type(x), "__getitem__") and hasattr(type(x), "__len__")


def _shape_of(data: Any) -> tuple[int, ...]:
    """The lengths of the sequences that come first."""
    shape: list[int] = []
    while _is_sequence(data):
        if isinstance(data, str):
            raise ValueError("too many dimensions 'str'")
        shape.append(len(data))
        if not shape[-1]:
            break
        data = data[0]
    return tuple(shape)


def _collect(data: Any, shape: tuple[int, ...], dim: int, leaves: list[Any]) -> None:
    """Append the numbers in nested sequences, whose lengths must be as in shape."""
    if dim == len(shape):
        leaves.append(data)
        return
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if not _is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    if isinstance(data, ndarray):
        warn_native(texts.LIST_OF_ARRAYS, "torch/csrc/utils/tensor_new.cpp:252", stacklevel=6 + dim)
    if dim == len(shape) - 1:
        leaves.extend(data)
    else:
        for x in data:
            _collect(x, shape, dim + 1, leaves)


def _common_dtype(leaves: list[Any], kinds: set[type], data: Any) -> Any:
    """The dtype in which all the numbers fit."""
    if not leaves:
        return dtypes.get_default_dtype()
    if kinds <= _NUMBER_TYPES:
        found = None
        for kind in kinds:
            d = dtypes.of_number(kind())
            found = d if found is None else dtypes.promote_types(found, d)
        return found
    found = None
    for x in leaves:
        d = _dtype_of(x)
        found = d if found is None else dtypes.promote_types(found, d)
    return found


def _dtype_of(x: Any) -> Any:
    """The dtype that a single thing calls for."""
    if isinstance(x, Tensor):
        return x.dtype
    if isinstance(x, np.generic) and x.dtype.kind in "biufc":
        return of_numpy(x.dtype)
    if isinstance(x, (bool, int, float, complex)):
        return dtypes.of_number(x)
    if isinstance(x, (str, bytes)):
        raise TypeError(indexing_texts.NO_DTYPE.format(kind=type(x).__name__))
    if isinstance(x, (list, tuple)):
        leaves: Any = [_dtype_of(e) for e in x]
        return leaves[0] if leaves else dtypes.get_default_dtype()
    raise RuntimeError(f"Could not infer dtype of {type_name(x)}")


def _flat_array(leaves: list[Any], dtype: Any, kinds: set[type]) -> ndarray:
    """A 1-d array of numbers in a dtype; those that it can't hold raise torch's errors."""
    if not kinds <= _NUMBER_TYPES:
        leaves = [x if type(x) in _NUMBER_TYPES else _scalar(x, dtype) for x in leaves]
        kinds = set(map(type, leaves))
    kind = dtype.numpy
    if dtype.category == dtypes.INTEGER:
        return _integers(leaves, dtype, kinds)
    if dtype.category == dtypes.BOOL:
        return np.fromiter(map(bool, leaves), bool, len(leaves))
    if complex in kinds and dtype.category != dtypes.COMPLEX:
        raise TypeError("must be real number, not complex")
    wide = np.dtype(np.complex128 if dtype.category == dtypes.COMPLEX else np.float64)
    found = np.array(leaves, wide)
    with np.errstate(over="ignore"):
        return found if kind == wide else dtypes.recast(found, kind)


def _scalar(x: Any, dtype: Any) -> Any:
    """A Python number from a tensor, a number of NumPy, or something else that converts itself."""
    if isinstance(x, Tensor):
        if dtype.category in (dtypes.INTEGER, dtypes.BOOL):
            return x.__index__()
        if x.numel() != 1:
            raise ValueError(tensor_texts.NOT_ONE_ELEMENT)
        x._one() if x.requires_grad else None
        found = x.item()
        if isinstance(found, complex) and dtype.category != dtypes.COMPLEX:
            raise RuntimeError(arguments_texts.OVERFLOW.format(kind="double"))
        return found
    if isinstance(x, np.generic):
        return x.item()
    if isinstance(x, (bool, int, float, complex)):
        return x
    if dtype.category == dtypes.INTEGER:
        raise TypeError(f"'{type_name(x)}' object cannot be interpreted as an integer")
    raise TypeError(f"must be real number, not {type_name(x)}")


def _integers(leaves: list[Any], dtype: Any, kinds: set[type]) -> ndarray:
    if complex in kinds:
        raise TypeError(arguments_texts.COMPLEX_INDEX)
    info = np.iinfo(dtype.numpy)
    if dtype is dtypes.uint64 and float not in kinds:
        if any(x < 0 for x in leaves):
            raise OverflowError("can't convert negative int to unsigned")
        return np.array(leaves, np.uint64)
    overflow = RuntimeError(arguments_texts.OVERFLOW.format(kind=dtype.name))
    if float in kinds:
        limits = (int(info.min), int(info.max))
        for x in leaves:
            if type(x) is float and (not math.isfinite(x) or not limits[0] <= x <= limits[1]):
                raise overflow
        leaves = [int(x) for x in leaves]
    try:
        found = np.array(leaves, np.int64)
    except OverflowError:
        raise ValueError(arguments_texts.TOO_LARGE) from None
    if dtype is dtypes.int64:
        return found
    low = -int(info.max) if info.min == 0 else int(info.min)  # negative ones wrap around
    if found.size and (found.min() < low or found.max() > int(info.max)):
        raise overflow
    return found.astype(dtype.numpy)


# tensor, as_tensor, asarray.


_WHERE = "torch.dtype dtype = None, torch.device device = None"


@op("tensor", f"(object data, *, {_WHERE}, bool pin_memory = False, bool requires_grad = False)", method=False)
def tensor(data: Any, **options: Any) -> Tensor:
    """A new tensor with a copy of data, a leaf of the graph.

    Arguments:
        data: a number, nested sequences of numbers, an ndarray.
        dtype: by default that of the numbers: floats have the default dtype, ints int64.
        requires_grad: whether gradients with respect to it are recorded.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor([[1, 2], [3, 4.5]])
        tensor([[1.0000, 2.0000],
                [3.0000, 4.5000]])
    """
    dtype, requires_grad = read_options(**options)
    if isinstance(data, Tensor):
        return _copied(data, dtype, requires_grad, "torch.tensor")
    start = _start(data)
    t = _remembered("torch.tensor()", data, start, copy_of(data, dtype))
    return to_be_differentiated(t) if requires_grad else t


def _copied(source: Tensor, dtype: Any, requires_grad: bool, name: str) -> Tensor:
    """A tensor from a tensor, which torch advises against."""
    warnings.warn(texts.COPY_CONSTRUCT.format(name=name), UserWarning, stacklevel=4)
    value = source._value if source._plain else source._resolved()
    if isinstance(value, Array):
        return wrapped(stop(value))
    t = wrapped(value.copy("K") if dtype is None or value.dtype == dtype.numpy else converted(value, dtype))
    if source._entry and journal.on:
        follow(f"{name}()", (source._entry,), t, "copy" if source._linked() else None)
    return to_be_differentiated(t) if requires_grad else t


@op("Tensor.new_tensor", f"(Tensor self, object data, *, {_WHERE}, bool requires_grad = False)")
def new_tensor(self: Tensor, data: Any, **options: Any) -> Tensor:
    """A new tensor with a copy of data, by default in the dtype of this tensor."""
    dtype, requires_grad = read_options(**options)
    dtype = dtype or self.dtype
    if isinstance(data, Tensor):
        return _copied(data, dtype, requires_grad, "tensor.new_tensor")
    start = _start(data)
    t = _remembered("new_tensor()", data, start, copy_of(data, dtype))
    return to_be_differentiated(t) if requires_grad else t


@op("as_tensor", f"(object data, *, {_WHERE})", method=False)
def as_tensor(data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of data without a copy where there need not be one: of a tensor itself, of an ndarray its memory."""
    dtype, _ = read_options(dtype, device=device)
    if isinstance(data, Tensor):
        return data if dtype is None or dtype is data.dtype else data.to(dtype)
    if isinstance(data, ndarray) and (dtype is None or data.dtype == dtype.numpy):
        return from_numpy(data)
    start = _start(data)
    return _remembered("as_tensor()", data, start, copy_of(data, dtype))


@op("asarray", f"(object obj, *, {_WHERE}, bool copy = None, bool requires_grad = None)", method=False)
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """A tensor of an object, on its memory if it is a tensor, an ndarray or a buffer and no copy is asked for.

    Arguments:
        copy: True: always; False: never, and raise if there is no other way; None: if need be.
        requires_grad: whether the result does; None: as obj.
    """
    dtype, _ = read_options(dtype, device=device)
    t = _shared(obj, dtype, requires_grad, copy)
    if t is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        t = copy_of(obj, dtype)
    elif dtype is not None and dtype is not t.dtype:
        if copy is False:
            raise ValueError(f"can't alias tensor with dtype '{t.dtype.title}' into dtype '{dtype.title}'.")
        t = t.to(dtype)
    elif copy:
        t = t.clone()
    if requires_grad and not t.requires_grad:
        return to_be_differentiated(t)
    if requires_grad is False and t.requires_grad:
        t = t.detach()
    return t


def _shared(obj: Any, dtype: Any, requires_grad: bool | None, copy: bool | None) -> Tensor | None:
    """A tensor on the memory of an object, if it has such."""
    if isinstance(obj, Tensor):
        if requires_grad is None and obj.requires_grad:
            warn_native(texts.ASARRAY_REQUIRES_GRAD, "torch/csrc/utils/tensor_new.cpp:1737", stacklevel=4)
        return obj
    if isinstance(obj, ndarray):
        return from_numpy(obj)
    if isinstance(obj, np.generic):
        if copy is False:
            raise RuntimeError(texts.CANNOT_ALIAS_SCALARS)
        return copy_of(obj)
    if isinstance(obj, (bytes, bytearray, memoryview)):
        return frombuffer(obj, dtype=dtype or dtypes.get_default_dtype())
    return from_dlpack(obj) if hasattr(obj, "__dlpack__") or type(obj).__name__ == "PyCapsule" else None


# Memory of others.


def check_ndarray(array: ndarray) -> None:
    """Raise torch's error if a tensor can't hold the values of an ndarray, or not in its memory."""
    for s in array.strides:
        if s < 0:
            raise ValueError(texts.NEGATIVE_STRIDES)
        if s % (array.itemsize or 1):
            raise ValueError(texts.STRIDES_NOT_OF_ELEMENTS)
    of_numpy(array.dtype)


@op("from_numpy", method=False)
def from_numpy(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor on the memory of an ndarray, the only argument: what is written into one is seen in the other.

    Raises:
        TypeError: not an ndarray, or of a dtype that torch has not.
        ValueError: negative strides, or the bytes of its numbers are in the order of other machines.
    """
    if kwargs:
        raise TypeError("torch._VariableFunctionsClass.from_numpy() takes no keyword arguments")
    if len(args) != 1:
        raise TypeError(texts.FROM_NUMPY_TAKES_ONE.format(count=len(args)))
    (array,) = args
    if not isinstance(array, ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(array)})")
    check_ndarray(array)
    if not array.flags.writeable:
        warn_native(texts.NOT_WRITABLE, "torch/csrc/utils/tensor_numpy.cpp:213")
        array = writeable(array)
    t = wrapped(array if type(array) is ndarray else array.view(ndarray))
    if not array.size:
        t._store = UntypedStorage(array)  # NumPy's strides are the tensor's
    t._storage().lent = True
    if journal.left and journal.on:
        borrowed("from_numpy()", array, t)
    return t


@member_of(Tensor, name="__array_wrap__")
def _array_wrap(self: Any, array: ndarray, context: Any = None, return_scalar: bool = False) -> Any:
    return from_numpy(np.asarray(array))


def writeable(array: ndarray) -> ndarray:
    """A view of a read-only ndarray through which its memory can be written, as torch does after its warning."""
    if not array.size:
        return array.copy()
    extent = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) + array.itemsize
    memory = (ctypes.c_char * extent).from_address(array.__array_interface__["data"][0])
    memory._owner = array  # keeps the memory alive
    return np.ndarray(array.shape, array.dtype, memory, 0, array.strides)


@op(
    "frombuffer",
    "(object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool? requires_grad = False)",
    method=False,
)
def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A 1-d tensor on the memory of a buffer.

    Arguments:
        buffer: what has Python's buffer protocol.
        dtype: of the numbers in it.
        count: how many to read; negative: all.
        offset: how many bytes to skip.
    """
    dtype, _ = read_options(dtype)
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    size, item = memory.nbytes, dtype.itemsize
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(texts.OFFSET_BEYOND_BUFFER.format(offset=offset, size=size))
    if count > 0 and offset + count * item > size:
        raise ValueError(texts.BUFFER_TOO_SHORT.format(count=count, item=item, offset=offset, size=size))
    if count < 0 and (size - offset) % item:
        raise ValueError(texts.BUFFER_NOT_OF_ELEMENTS.format(rest=size - offset, offset=offset, item=item))
    value = np.frombuffer(buffer, dtype.numpy, max(count, -1), offset)
    if memory.readonly:
        warn_native(texts.BUFFER_NOT_WRITABLE, "torch/csrc/utils/tensor_new.cpp:1556", stacklevel=3)
        value = writeable(value)
    t = wrapped(value)
    return to_be_differentiated(t) if requires_grad else t


class _Exporter:
    """An object that hands out a capsule, which is how NumPy reads one."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@op("from_dlpack", method=False)
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array.

    Arguments:
        ext_tensor: what has `__dlpack__`, or the capsule that it gives.
        copy: whether to copy the memory.
    """
    read_options(device=device)
    if isinstance(ext_tensor, Tensor):
        ext_tensor._check_exportable()
        value = ext_tensor._value
    elif hasattr(ext_tensor, "__dlpack__"):
        value = np.from_dlpack(ext_tensor)
    elif type(ext_tensor).__name__ == "PyCapsule":
        value = np.from_dlpack(_Exporter(ext_tensor))
    else:
        raise RuntimeError(texts.INVALID_CAPSULE)
    check_ndarray(value)
    return wrapped(value.copy("K") if copy else value if value.flags.writeable else writeable(value))
