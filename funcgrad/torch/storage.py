"""The memory behind tensors: `UntypedStorage`, a run of bytes that several tensors may look at.

A tensor holds an ndarray; its storage is made when somebody asks, or when a view shares it. All tensors on the same
storage hold the same UntypedStorage object, so identity of storage is identity of objects.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided


def pointer(x: np.ndarray) -> int:
    """The address of the first element."""
    return x.__array_interface__["data"][0]


class UntypedStorage:
    """Bytes in memory, from the first element of the ndarray it is made of to the last that its strides reach."""

    __slots__ = ("__weakref__", "bytes", "pointer", "resizable")

    def __init__(self, array: Any = 0) -> None:
        if isinstance(array, int):
            array = np.zeros(array, np.uint8)
        self._hold(array)
        self.resizable = True

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
        self.pointer = pointer(self.bytes) if extent else (pointer(array) if array.size else 0)

    def resize_(self, n: int) -> UntypedStorage:
        """Change the number of bytes. Tensors that look at the old memory keep it."""
        fresh = np.zeros(n, np.uint8)
        k = min(n, self.bytes.size)
        fresh[:k] = self.bytes[:k]
        self.bytes, self.pointer = fresh, (pointer(fresh) if n else 0)
        return self

    def data_ptr(self) -> int:
        return self.pointer

    def nbytes(self) -> int:
        return self.bytes.size

    size = nbytes

    def __len__(self) -> int:
        return self.bytes.size

    def __getitem__(self, i: Any) -> Any:
        found = self.bytes[i]
        return int(found) if np.ndim(found) == 0 else UntypedStorage(found)

    def __setitem__(self, i: Any, value: Any) -> None:
        self.bytes[i] = value

    def tolist(self) -> list[int]:
        return self.bytes.tolist()

    @property
    def device(self) -> Any:
        from funcgrad.torch.meta import CPU

        return CPU

    def untyped(self) -> UntypedStorage:
        return self

    def clone(self) -> UntypedStorage:
        return UntypedStorage(self.bytes.copy())

    def copy_(self, other: Any, non_blocking: bool | None = None) -> UntypedStorage:
        self.bytes[...] = other.untyped().bytes
        return self

    def fill_(self, value: int) -> UntypedStorage:
        self.bytes[...] = value
        return self

    def __repr__(self) -> str:
        rows = "\n".join(f" {b}" for b in self.bytes.tolist())
        return f"{rows}\n[torch.storage.UntypedStorage(device=cpu) of size {self.bytes.size}]"


class TypedStorage:
    """A storage that counts in elements of one dtype."""

    __slots__ = ("_untyped", "dtype")

    def __init__(self, untyped: UntypedStorage, dtype: Any) -> None:
        self._untyped, self.dtype = untyped, dtype

    def _values(self) -> np.ndarray:
        kind = self.dtype.numpy
        whole = self._untyped.bytes.size // kind.itemsize
        return self._untyped.bytes[: whole * kind.itemsize].view(kind)

    def untyped(self) -> UntypedStorage:
        return self._untyped

    _untyped_storage = property(untyped)

    def data_ptr(self) -> int:
        return self._untyped.pointer

    def size(self) -> int:
        return len(self._values())

    __len__ = size

    def nbytes(self) -> int:
        return self._untyped.nbytes()

    def element_size(self) -> int:
        return self.dtype.itemsize

    @property
    def device(self) -> Any:
        return self._untyped.device

    def __getitem__(self, i: Any) -> Any:
        found = self._values()[i]
        return found.item() if np.ndim(found) == 0 else found.tolist()

    def __setitem__(self, i: Any, value: Any) -> None:
        self._values()[i] = value

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def tolist(self) -> list:
        return self._values().tolist()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypedStorage) and self._untyped is other._untyped

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        rows = "\n".join(f" {v}" for v in self.tolist())
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype!r}, device=cpu) of size {len(self)}]"


def strided(storage: UntypedStorage, kind: np.dtype, size: Any, stride: Any, offset: int) -> np.ndarray:
    """An ndarray over a storage; stride and offset count elements.

    Raises:
        RuntimeError: it would reach beyond the end of the storage.
    """
    item = kind.itemsize
    if 0 not in size:
        needed = (offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) + 1) * item
        if needed > storage.bytes.size:
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {item} "
                f"requiring a storage size of {needed} are out of bounds for storage of size {storage.bytes.size}"
            )
    else:
        return np.empty(size, kind)
    return np.ndarray(size, kind, storage.bytes, offset * item, tuple([s * item for s in stride]))
