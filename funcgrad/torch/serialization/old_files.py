"""Files of PyTorch before 1.6: a row of pickles, and after them the bytes of the storages that these name."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, typed
from funcgrad.torch.serialization.storage_records import particulars, swap_bytes
from funcgrad.torch.serialization.weights_unpickler import shown
from funcgrad.torch.texts import serialization as texts

_MAGIC = 0x1950A86A20F9469CFC6C  # what such a file begins with
_OLD_PROTOCOL = 1001


def load_old(f: Any, unpickled: Callable, placed: Callable) -> Any:
    """Read such a file.

    Arguments:
        f: the file.
        unpickled: reads one pickle of a file, given what makes a storage of what the pickle says of it.
        placed: puts a storage where it is wanted.
    """
    start = f.tell()
    left = f.seek(0, 2) - start
    f.seek(start)
    storages: dict[Any, TypedStorage] = {}

    def storage(saved: tuple) -> TypedStorage:
        nonlocal left
        kind, key, location, size, part = particulars(saved, 5)
        if key not in storages:
            left -= size * kind.dtype.itemsize
            if left < 0:
                raise pickle.UnpicklingError("The storages of this file would be larger than the file")
            held = UntypedStorage(np.zeros(size * kind.dtype.itemsize, np.uint8))
            storages[key] = typed(placed(held, location), kind.dtype)
        if part is None:
            return storages[key]
        return _part(storages, storages[key], part)

    magic = unpickled(f, storage)
    if type(magic) is not int or magic != _MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = unpickled(f, storage)
    if type(version) is not int or version != _OLD_PROTOCOL:
        raise RuntimeError(f"Invalid protocol version: {shown(version)}")
    unpickled(f, storage)  # the machine that wrote it
    found = unpickled(f, storage)
    keys = unpickled(f, storage)
    for key in keys if isinstance(keys, list) else [keys]:
        held = storages.get(key) if isinstance(key, str) else None
        if held is None:
            raise pickle.UnpicklingError(texts.UNNAMED_STORAGE.format(found=shown(key)))
        _fill(f, held)
    return found


def _part(storages: dict[Any, TypedStorage], whole: TypedStorage, part: Any) -> TypedStorage:
    """A storage within another one: of PyTorch before 0.4."""
    match part:
        case (str(key), int(offset), int(size)) if 0 <= offset <= offset + size <= whole.size():
            if key not in storages:
                item = whole.element_size()
                memory = whole.untyped().bytes[offset * item : (offset + size) * item]
                storages[key] = typed(UntypedStorage(memory), whole.dtype)
            return storages[key]
    raise pickle.UnpicklingError(texts.NOT_A_PART.format(found=shown(part)))


def _fill(f: Any, storage: TypedStorage) -> None:
    """Read the bytes of a storage: how many elements, then the elements, all as a little-endian machine has them."""
    memory = storage.untyped().bytes
    count = f.read(8)
    if int.from_bytes(count, "little", signed=True) != storage.size():
        raise RuntimeError(texts.STORAGE_SIZE.format(expected=storage.size(), got=int.from_bytes(count, "little")))
    data = f.read(memory.size)
    if len(data) != memory.size:
        raise RuntimeError(texts.UNEXPECTED_END.format(missing=memory.size - len(data)))
    memory[:] = np.frombuffer(data, np.uint8)
    if sys.byteorder == "big":
        swap_bytes(memory, storage.dtype)
