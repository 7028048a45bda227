"""The memory behind tensors: `UntypedStorage`, a run of bytes that several tensors may look at.

A tensor holds an ndarray; its storage is made when somebody asks, or when a view shares it. All tensors on the same
storage hold the same UntypedStorage object, so identity of storage is identity of objects.
"""

from __future__ import annotations

import builtins
import gc
import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from funcgrad.torch.base import dtypes
from funcgrad.torch.base.meta import CPU
from funcgrad.torch.texts import memory as texts


def pointer(x: np.ndarray) -> int:
    """The address of the first element."""
    return x.__array_interface__["data"][0]


class _Described:
    """What NumPy makes an array of: the place of its memory, here of none."""

    def __init__(self, address: int, shape: Any, kind: np.dtype, strides: Any) -> None:
        self.__array_interface__ = {
            "data": (address, False),
            "shape": tuple(shape),
            "strides": tuple(strides),
            "typestr": kind.str,
            "version": 3,
        }


def without_elements(address: int, shape: Any, kind: np.dtype, strides: Any) -> np.ndarray:
    """An array without elements, which has a place in memory and strides all the same; strides count bytes.

    NumPy keeps neither for parts of arrays that turn out to be empty; torch keeps both.
    """
    out = np.asarray(_Described(address, shape, kind, strides))
    if out.dtype != kind:  # one that is made of bytes
        out.dtype = kind
    return out


# Laying out new memory.


def allocate(
    shape: tuple[int, ...], kind: np.dtype, strides: tuple[int, ...] | None = None, make: Callable = np.empty
) -> np.ndarray:
    """A new ndarray.

    Arguments:
        shape: its sizes.
        kind: its dtype.
        strides: in elements; by default those of C order.
        make: what makes one of C order: np.empty leaves open what is in memory, np.zeros does not.

    Raises:
        RuntimeError: a size is negative, or it is more memory than there can be.
    """
    for n in shape:
        if n < 0:
            raise RuntimeError(texts.NEGATIVE_DIMENSION.format(n=n, sizes=list(shape)))
    extent = math.prod(shape) if strides is None else reach(shape, strides)
    if strides is None and not extent and math.prod([max(n, 1) for n in shape[1:]]) >= 2**63:
        raise RuntimeError("Stride calculation overflowed")
    if extent * kind.itemsize >= 2**63:
        suffix = "" if strides is None else f" and strides={list(strides)}"
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}{suffix}")
    try:
        if strides is None:
            return make(shape, kind)
        return np.ndarray(shape, kind, make(max(extent, 1), kind), 0, tuple([s * kind.itemsize for s in strides]))
    except MemoryError:
        raise RuntimeError(texts.NO_MEMORY.format(size=extent * kind.itemsize)) from None


def reach(shape: Any, strides: Any, offset: int = 0) -> int:
    """How many elements memory must have for these sizes and strides."""
    if 0 in shape:
        return 0
    return offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def check_geometry(size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> None:
    """Refuse sizes, strides and an offset that no tensor has, in the words of `Tensor.set_`."""
    if offset < 0:
        raise RuntimeError(texts.INVALID_OFFSET.format(offset=offset))
    if any(n < 0 for n in size) or math.prod(size) >= 2**63:
        raise RuntimeError(texts.NUMEL_OVERFLOW)
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if any(s < 0 for s in stride) or reach(size, stride, offset) >= 2**63:
        raise RuntimeError(texts.STORAGE_TOO_LARGE.format(sizes=list(size), strides=list(stride)))


def is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether elements fill a run of memory, each in a place of its own, in whatever order of dimensions."""
    step = 1
    for s, n in sorted((s, n) for s, n in zip(strides, shape, strict=True) if n != 1):
        if s != step:
            return False
        step *= n
    return True


def preserved_strides(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a new tensor that is to keep the order of another's dimensions in memory.

    A dense tensor's are taken over. Otherwise dimensions follow each other by stride; one that is expanded (stride 0)
    stays next to those around it.
    """
    if 0 in shape or is_dense(shape, strides):
        return strides
    return ordered_strides(shape, [strides])


def ordered_strides(shape: tuple[int, ...], operands: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The strides of a new tensor whose dimensions follow each other as in the first operand that orders them.

    `operands` are strides; they are 0 in dimensions that are broadcast.
    """
    inner = list(reversed(range(len(shape))))  # dimensions from the fastest to the slowest
    for i in range(1, len(inner)):
        here = i
        for k in reversed(range(i)):
            known = (_lies_before(inner[here], inner[k], shape, strides) for strides in operands)
            before = next((b for b in known if b is not None), None)
            if before is True:
                inner[k], inner[here] = inner[here], inner[k]  # those in between stay, about which nothing is known
                here = k
            elif before is False:
                break
    found, step = [0] * len(shape), 1
    for d in inner:
        found[d] = step
        step *= max(shape[d], 1)
    return tuple(found)


def laid_out(out: np.ndarray, operands: Any) -> np.ndarray:
    """The result of an elementwise operation with torch's strides, from which NumPy's may differ.

    The order of its dimensions in memory is that of the first operand that has one.
    """
    shape, rank, item = out.shape, out.ndim, out.itemsize
    if not out.size:
        return out
    arrays = [v for v in operands if isinstance(v, np.ndarray)]
    alike = len(arrays) == len(operands) and all(v.shape == shape for v in arrays)
    if alike and all(v.flags.c_contiguous for v in arrays):
        return out
    first = tuple([s // arrays[0].itemsize for s in arrays[0].strides])
    if alike and is_dense(shape, first) and all(v.strides == arrays[0].strides for v in arrays):
        strides = first
    else:
        seen = []
        for v in arrays:
            missing = rank - v.ndim
            pairs = zip(v.shape, v.strides, shape[missing:], strict=True)
            seen.append((0,) * missing + tuple([0 if n == 1 != m else s for n, s, m in pairs]))
        strides = ordered_strides(shape, seen)
    if tuple([s * item for s in strides]) == out.strides:
        return out
    found = allocate(shape, out.dtype, strides)
    found[...] = out
    return found


def _lies_before(d: int, e: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> bool | None:
    """Whether dimension d is faster than e, a later one; None if strides do not say."""
    if strides[d] == 0 or strides[e] == 0:
        return None
    if strides[d] != strides[e]:
        return strides[d] < strides[e]
    return True if shape[d] < shape[e] else None


def channels_last_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides with the channels, dimension 1, innermost."""
    found, step = [0] * len(shape), 1
    for d in (1, *reversed(range(2, len(shape))), 0):
        found[d] = step
        step *= max(shape[d], 1)
    return tuple(found)


class UntypedStorage:
    """Bytes in memory, from the first element of the ndarray it is made of to the last that its strides reach.

    Arguments:
        array: an ndarray; or how many bytes, or a list of them.
    """

    __slots__ = ("__dict__", "__weakref__", "bytes", "lent", "origin", "pointer", "shared")
    is_cuda = is_hpu = is_sparse = False
    filename = None

    def __init__(self, array: Any = 0) -> None:
        if isinstance(array, int):
            array = np.zeros(array, np.uint8)
        elif not isinstance(array, np.ndarray):
            array = np.array(array, np.uint8)
        self._hold(array)
        self.shared = self.lent = False

    def _hold(self, array: np.ndarray) -> None:
        if array.size == 0:
            extent = 0
        else:
            extent = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) + array.itemsize
        if array.flags.c_contiguous and array.size:
            self.bytes = array.reshape(-1).view(np.uint8)
        elif extent:
            first = array[(slice(0, 1),) * array.ndim].reshape(-1)
            self.bytes = as_strided(first.view(np.uint8), (extent,), (1,), writeable=array.flags.writeable)
        else:
            self.bytes = np.zeros(0, np.uint8)
        self.pointer = pointer(self.bytes) if extent else 0
        self.origin = self.pointer or pointer(
            array
        )  # from where offsets count; an empty storage has no memory, but a place

    def resize_(self, n: int) -> UntypedStorage:
        """Change the number of bytes. Tensors that look at this storage follow it, as far as it still holds theirs."""
        if self.lent:
            raise RuntimeError(texts.NOT_RESIZABLE)
        fresh = np.zeros(n, np.uint8)
        k = min(n, self.bytes.size)
        fresh[:k] = self.bytes[:k]
        followers = [(t, t.storage_offset()) for t in self._tensors()]
        self.bytes, self.pointer, self.origin = fresh, (pointer(fresh) if n else 0), pointer(fresh)
        for t, offset in followers:
            value = t._value
            step = [s // value.itemsize for s in value.strides]
            if reach(value.shape, step, offset) * value.itemsize <= n:
                t._value = strided(self, value.dtype, value.shape, step, offset)
        return self

    def _tensors(self) -> list[Any]:
        """The tensors that look at this storage.

        They are looked for only here, where a storage is resized, which is rare; a list of them would be a cost to
        every view.
        """
        found = []
        for holder in gc.get_referrers(self):
            owners = gc.get_referrers(holder) if type(holder) is dict else [holder]
            found += [t for t in owners if getattr(t, "_store", None) is self]
        return found

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self.pointer

    _cdata = property(data_ptr)

    def nbytes(self) -> int:
        """The number of bytes."""
        return self.bytes.size

    size = nbytes

    def __len__(self) -> int:
        return self.bytes.size

    def __getitem__(self, i: Any) -> Any:
        found = self.bytes[i]
        return int(found) if np.ndim(found) == 0 else UntypedStorage(found)

    def __setitem__(self, i: Any, value: Any) -> None:
        self.bytes[i] = value

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __bytes__(self) -> builtins.bytes:
        return self.bytes.tobytes()

    def tolist(self) -> list[int]:
        """The bytes as ints."""
        return self.bytes.tolist()

    @property
    def device(self) -> Any:
        """The cpu."""
        return CPU

    def get_device(self) -> int:
        """-1: the cpu."""
        return -1

    def cpu(self) -> UntypedStorage:
        """This storage: it is on the cpu."""
        return self

    def untyped(self) -> UntypedStorage:
        """This storage."""
        return self

    def element_size(self) -> int:
        """1: elements are bytes."""
        return 1

    @staticmethod
    def from_buffer(
        buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0, *, dtype: Any = None
    ) -> UntypedStorage:
        """A storage with a copy of the bytes of a buffer.

        Arguments:
            buffer: what has Python's buffer protocol.
            byte_order: of the elements in the buffer: "big", "little" or "native"; of single bytes it may be left out.
            count: how many elements to take; negative: all.
            offset: how many bytes to skip.
            dtype: of the elements.
        """
        if dtype is None:
            raise RuntimeError("argument 'dtype' cannot be None")
        item = dtype.itemsize
        if byte_order is None and item > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "big", "little", "native"):
            raise ValueError(texts.NO_SUCH_BYTE_ORDER.format(order=byte_order))
        content = np.frombuffer(bytes(memoryview(buffer)), np.uint8)
        size = content.size
        if not 0 <= offset <= size:
            raise ValueError(texts.OFFSET_BEYOND_END.format(offset=offset, size=size))
        if count < 0:
            if (size - offset) % item:
                raise ValueError(texts.NOT_WHOLE_ELEMENTS.format(size=size, item=item))
            count = (size - offset) // item
        elif offset + count * item > size:
            raise ValueError(texts.TOO_FEW_ELEMENTS.format(held=size - offset, offset=offset, count=count))
        taken = content[offset : offset + count * item].reshape(count, item)
        if byte_order not in (None, "native", sys.byteorder):
            taken = taken[:, ::-1]
        found = np.array(taken, order="C").reshape(-1)
        return UntypedStorage((found != 0).view(np.uint8) if dtype is dtypes.bool_ else found)

    @staticmethod
    def from_file(filename: str, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The first bytes of a file, which are read when somebody looks at them.

        Arguments:
            filename: of the file.
            shared: whether what is written into the storage is written into the file, which is made, and made longer,
                if need be.
            nbytes: how many bytes.
        """
        if not isinstance(filename, str):
            raise TypeError(f"argument 1 must be str, not {type(filename).__name__}")
        if nbytes < 0:
            raise RuntimeError(texts.FILE_NOT_MAPPED.format(file=filename, wanted=nbytes))
        mode = "read-write" if shared else "read-only"
        try:
            with open(filename, ("r+b" if os.path.exists(filename) else "w+b") if shared else "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if shared and size < nbytes:
                    file.truncate(nbytes)
                elif size < nbytes:
                    raise RuntimeError(texts.FILE_TOO_SMALL.format(file=filename, size=size, wanted=nbytes))
                mapped = np.memmap(file, np.uint8, "r+" if shared else "c", shape=nbytes) if nbytes else 0
        except OSError as error:
            fields = {"file": filename, "mode": mode, "reason": error.strerror, "number": error.errno}
            raise RuntimeError(texts.FILE_NOT_OPENED.format(**fields)) from None
        storage = UntypedStorage(mapped if isinstance(mapped, int) else mapped.view(np.ndarray))
        storage.shared = storage.lent = True
        return storage

    def resizable(self) -> bool:
        """Whether `resize_` works: not where NumPy looks at the same memory."""
        return not self.lent

    def is_shared(self) -> bool:
        """Whether `share_memory_` was called."""
        return self.shared

    def share_memory_(self) -> UntypedStorage:
        """Mark the memory as shared between processes; between threads it always is."""
        self.shared = True
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """False: there is no device to pin memory for."""
        return False

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of the class."""
        return "torch.storage.UntypedStorage"

    def new(self) -> UntypedStorage:
        """An empty storage."""
        return UntypedStorage()

    def clone(self) -> UntypedStorage:
        """A copy."""
        return UntypedStorage(self.bytes.copy())

    def copy_(self, other: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Take over the bytes of another storage."""
        self.bytes[...] = other.untyped().bytes
        return self

    def fill_(self, value: int) -> UntypedStorage:
        """Set every byte."""
        self.bytes[...] = value
        return self

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        return memo.setdefault(id(self), self.clone())

    def __reduce__(self) -> Any:
        return restored, (self.bytes.copy(),)

    def __repr__(self) -> str:
        rows = " " + "\n ".join(map(str, self.bytes.tolist()))
        return f"{rows}\n[torch.storage.UntypedStorage(device=cpu) of size {self.bytes.size}]"


UntypedStorage.__module__ = "torch.storage"


class TypedStorage:
    """Deprecated: a storage that counts in elements of one dtype.

    Arguments:
        data: how many elements, or a sequence of them; by default none.
        wrap_storage: an UntypedStorage, whose bytes it shall be, in the place of data.
        dtype: of the elements; by default the default dtype.
        device: the cpu.
    """

    __slots__ = ("_untyped", "dtype")
    is_cuda = False

    def __init__(self, *args: Any, device: Any = None, dtype: Any = None, wrap_storage: Any = None) -> None:
        _warn_of_removal()
        expected = texts.TYPED_STORAGE_ARGUMENTS
        if wrap_storage is not None:
            if not args and dtype is None:
                raise RuntimeError(f"{expected}\nArgument 'dtype' must be specified")
            if not args and not isinstance(dtype, dtypes.dtype):
                raise TypeError(f"{expected}\nArgument 'dtype' must be torch.dtype, not {builtins.type(dtype)}")
            if not args and device is not None:
                raise RuntimeError(expected + texts.DEVICE_OF_WRAPPED)
        self.dtype = dtypes.get_default_dtype() if dtype is None else dtype
        self._untyped = held_by(args, wrap_storage, self.dtype, expected)

    def _values(self) -> np.ndarray:
        kind = self.dtype.numpy
        whole = self._untyped.bytes.size // kind.itemsize
        return self._untyped.bytes[: whole * kind.itemsize].view(kind)

    def untyped(self) -> UntypedStorage:
        """The bytes."""
        return self._untyped

    _untyped_storage = property(untyped)

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._untyped.pointer

    _cdata = property(data_ptr)

    def size(self) -> int:
        """The number of elements."""
        return len(self._values())

    __len__ = size

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped.nbytes()

    def element_size(self) -> int:
        """The bytes of one element."""
        return self.dtype.itemsize

    @property
    def device(self) -> Any:
        """The cpu."""
        return self._untyped.device

    def cpu(self) -> TypedStorage:
        """This storage: it is on the cpu."""
        return self

    def resizable(self) -> bool:
        """Whether its size may be changed: NumPy does not look at its memory."""
        return self._untyped.resizable()

    def is_shared(self) -> bool:
        """Whether `share_memory_` was called."""
        return self._untyped.shared

    def share_memory_(self) -> TypedStorage:
        """Mark the memory as shared between processes."""
        self._untyped.shared = True
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """False: there is no device to pin memory for."""
        return False

    def pickle_storage_type(self) -> str:
        """The name that torch's own files know the storage by."""
        return f"{self.dtype.title}Storage"

    def type(self, dtype: Any = None, non_blocking: bool = False) -> str:
        """The name of the storage's type."""
        return f"torch.{self.pickle_storage_type()}"

    def _index(self, i: Any) -> int:
        if isinstance(i, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(i, int):
            raise RuntimeError(f"can't index a {builtins.type(self)} with {builtins.type(i)}")
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} out of range for storage of size {len(self)}")
        return i

    def __getitem__(self, i: Any) -> Any:
        return self._values()[self._index(i)].item()

    def __setitem__(self, i: Any, value: Any) -> None:
        self._values()[i if isinstance(i, slice) else self._index(i)] = value

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def tolist(self) -> list:
        """The elements as Python numbers."""
        return self._values().tolist()

    def clone(self) -> TypedStorage:
        """A copy."""
        return typed(self._untyped.clone(), self.dtype)

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Take over the elements of another storage."""
        self._values()[...] = source._values()
        return self

    def fill_(self, value: Any) -> TypedStorage:
        """Set every element."""
        self._values()[...] = value
        return self

    def resize_(self, size: int) -> None:
        """Change the number of elements. Tensors that look at the old memory keep it."""
        self._untyped.resize_(size * self.dtype.itemsize)

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        return typed(self._untyped.__deepcopy__(memo), self.dtype)

    def __reduce__(self) -> Any:
        return typed, (self._untyped, self.dtype)

    def __repr__(self) -> str:
        rows = " " + "\n ".join(map(str, self.tolist()))
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype!r}, device=cpu) of size {len(self)}]"


TypedStorage.__module__ = "torch.storage"


def held_by(args: tuple, wrap_storage: Any, dtype: Any, expected: str) -> UntypedStorage:
    """The bytes of a new TypedStorage.

    Arguments:
        args: how many elements, or a sequence of them, or neither.
        wrap_storage: the bytes, where they are given.
        dtype: of the elements.
        expected: what errors say of the arguments.
    """
    if wrap_storage is not None:
        if args:
            raise RuntimeError(expected + texts.DATA_AND_WRAPPED)
        if not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(expected + texts.WRAPS_NO_STORAGE.format(kind=builtins.type(wrap_storage)))
        return wrap_storage
    if len(args) > 1:
        raise RuntimeError(f"{expected}\nToo many positional arguments")
    data = args[0] if args else 0
    if isinstance(data, (int, np.integer)):
        return UntypedStorage(np.zeros(int(data), dtype.numpy))
    if not isinstance(data, Sequence):
        raise TypeError(f"{expected}\nArgument type not recognized: {builtins.type(data)}")
    return UntypedStorage(np.array(data, dtype.numpy))


def restored(bytes: np.ndarray) -> UntypedStorage:
    """A storage from its bytes."""
    return UntypedStorage(bytes)


def typed(untyped: UntypedStorage, dtype: Any) -> TypedStorage:
    """A TypedStorage without a warning."""
    made: Any = object.__new__(TypedStorage)
    made._untyped, made.dtype = untyped, dtype
    return made


_warned_of_removal = False


def _warn_of_removal() -> None:
    global _warned_of_removal
    if not _warned_of_removal:
        _warned_of_removal = True
        warnings.warn(texts.TYPED_STORAGE_DEPRECATED, UserWarning, stacklevel=4)


def _install_conversions() -> None:
    """`storage.float()` and its kin: the elements in another dtype, as a TypedStorage."""

    def convert(dtype: Any) -> Any:
        def method(self: Any) -> TypedStorage:
            values = self.bytes if isinstance(self, UntypedStorage) else self._values()
            _warn_of_removal()
            return typed(UntypedStorage(values.astype(dtype.numpy)), dtype)

        method.__doc__ = f"The elements as {dtype!r}."
        return method

    for name, d in (
        ("double", dtypes.float64), ("float", dtypes.float32), ("half", dtypes.float16), ("long", dtypes.int64),
        ("int", dtypes.int32), ("short", dtypes.int16), ("char", dtypes.int8), ("byte", dtypes.uint8),
        ("bool", dtypes.bool_),
    ):  # fmt: skip
        for cls in (UntypedStorage, TypedStorage):
            setattr(cls, name, convert(d))


_install_conversions()


def strided(storage: UntypedStorage, kind: np.dtype, size: Any, stride: Any, offset: int) -> np.ndarray:
    """An ndarray over a storage; stride and offset count elements.

    Raises:
        RuntimeError: it would reach beyond the end of the storage, or NumPy has no array of such sizes.
    """
    item = kind.itemsize
    steps = tuple([s * item for s in stride])
    needed = reach(size, stride, offset) * item
    if needed > storage.bytes.size:
        given = {"sizes": list(size), "strides": list(stride), "offset": offset, "item": item}
        raise RuntimeError(texts.STORAGE_TOO_SMALL.format(**given, needed=needed, size=storage.bytes.size))
    try:
        if 0 in size:
            return without_elements(storage.origin + offset * item, size, kind, steps)
        return np.ndarray(size, kind, storage.bytes, offset * item, steps)
    except (ValueError, OverflowError) as e:  # over 64 dimensions, or 2**63 bytes if all elements were apart
        raise RuntimeError(f"no ndarray has sizes {list(size)}: {e}") from None
