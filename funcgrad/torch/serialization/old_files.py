"""Files of PyTorch before 1.6: a row of pickles, and after them the bytes of the storages that these name."""

from __future__ import annotations

import inspect
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, typed
from funcgrad.torch.serialization.storage_records import particulars, read_into, swap_bytes
from funcgrad.torch.serialization.weights_unpickler import shown
from funcgrad.torch.texts import serialization as texts

MAGIC = 0x1950A86A20F9469CFC6C  # what such a file begins with
OLD_PROTOCOL = 1001


class SourceChangeWarning(Warning):
    """The text of a module's class is another than when it was saved."""


SourceChangeWarning.__module__ = "torch.serialization"


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

    def named(saved: tuple) -> Any:
        nonlocal left
        if isinstance(saved, tuple) and saved[:1] in (("module",), (b"module",)):
            return _module_class(*saved[1:])
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

    magic = unpickled(f, named)
    if type(magic) is not int or magic != MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = unpickled(f, named)
    if type(version) is not int or version != OLD_PROTOCOL:
        raise RuntimeError(f"Invalid protocol version: {shown(version)}")
    unpickled(f, named)  # the machine that wrote it
    found = unpickled(f, named)
    keys = unpickled(f, named)
    for key in keys if isinstance(keys, list) else [keys]:
        key = key.decode("latin-1") if isinstance(key, bytes) else key
        held = storages.get(key) if isinstance(key, str) else None
        if held is None:
            raise pickle.UnpicklingError(texts.UNNAMED_STORAGE.format(found=shown(key)))
        _fill(f, held)
    return found


def _module_class(kind: type, source_file: str = "", source: str | None = None) -> type:
    """The class of a module; warns if its text is another than that of the class that was saved."""
    if source and source_file and kind.__module__.partition(".")[0] != "torch":
        try:
            same = "".join(inspect.getsourcelines(kind)[0]) == source
        except (OSError, TypeError):  # it was made by exec or typed in
            warnings.warn(texts.NO_SOURCE.format(name=kind.__name__), stacklevel=2)
        else:
            if not same:
                warnings.warn(
                    texts.OTHER_SOURCE.format(name=f"{kind.__module__}.{kind.__qualname__}"),
                    SourceChangeWarning,
                    stacklevel=2,
                )
    return kind


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
    missing = memory.size - read_into(f, memory)
    if missing:
        raise RuntimeError(texts.UNEXPECTED_END.format(missing=missing))
    if sys.byteorder == "big":
        swap_bytes(memory, storage.dtype)
