"""`torch.save` and `torch.load`, in the format of torch's own files.

A file is a zip archive: `data.pkl` is a pickle in which storages are named by numbers, `data/0` and so on are their
bytes. Functions and classes in it go by torch's names, so that either library reads what the other has written.
Files of PyTorch before 1.6 are read too: a row of pickles, with the bytes of the storages after them.
https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import io
import os
import pickle
import re
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from funcgrad.core.scope import scoped
from funcgrad.torch.base import meta
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, typed
from funcgrad.torch.serialization.archive import SIGNATURE, Archive
from funcgrad.torch.serialization.file_names import NAME_OF, NAMES, STORAGE_TYPES, UNTYPED, StorageType
from funcgrad.torch.serialization.weights_unpickler import WeightsUnpickler, shown
from funcgrad.torch.texts import serialization as texts

# Saving.

_PythonPickler: Any = pickle._Pickler


class _Pickler(_PythonPickler):  # the one in Python lets names be chosen
    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: list[UntypedStorage] = []
        self.keys: dict[int, int] = {}

    def reducer_override(self, obj: Any) -> Any:
        name = NAME_OF.get(id(obj))
        return NotImplemented if name is None else name[1]

    def save_global(self, obj: Any, name: str | None = None) -> None:
        known = NAME_OF.get(id(obj))
        if known is None:
            super().save_global(obj, name)
            return
        module, own = known
        self.write(pickle.GLOBAL + f"{module}\n{own}\n".encode())
        self.memoize(obj)

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, (TypedStorage, UntypedStorage)):
            return None
        storage = obj.untyped()
        kind, item = UNTYPED, 1
        if isinstance(obj, TypedStorage):
            kind, item = STORAGE_TYPES[obj.dtype], obj.dtype.itemsize
        if id(storage) not in self.keys:
            self.keys[id(storage)] = len(self.storages)
            self.storages.append(storage)
        return "storage", kind, str(self.keys[id(storage)]), "cpu", storage.nbytes() // item


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object, with all the tensors in it, to a file.

    Arguments:
        obj: what to save.
        f: a path, or a file object open for writing bytes.
        pickle_protocol: the version of pickle to use.

    Example:
        >>> import io
        >>> from funcgrad import torch
        >>> f = io.BytesIO()
        >>> torch.save({"x": torch.arange(3)}, f)
        >>> _ = f.seek(0)
        >>> torch.load(f)
        {'x': tensor([0, 1, 2])}
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError(texts.NOT_WRITABLE)
    data = io.BytesIO()
    pickler = _Pickler(data, pickle_protocol)
    pickler.dump(obj)
    folder = os.path.splitext(os.path.basename(f))[0] if isinstance(f, (str, os.PathLike)) else "archive"
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{folder}/data.pkl", data.getvalue())
        archive.writestr(f"{folder}/byteorder", sys.byteorder)
        for k, storage in enumerate(pickler.storages):
            archive.writestr(f"{folder}/data/{k}", storage.bytes.tobytes())
        archive.writestr(f"{folder}/version", "3\n")


# Loading.

_MAGIC = 0x1950A86A20F9469CFC6C  # what files of PyTorch before 1.6 begin with
_OLD_PROTOCOL = 1001


class _Unpickler(pickle.Unpickler):
    """Reads a pickle that is trusted."""

    def __init__(self, file: IO[bytes], persistent_load: Callable[[tuple], Any], **options: Any) -> None:
        super().__init__(file, **options)
        self._storage = persistent_load

    def find_class(self, module: str, name: str) -> Any:
        found = NAMES.get((module, name))
        return super().find_class(module, name) if found is None else found

    def persistent_load(self, saved: Any) -> Any:
        return self._storage(saved)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read an object that `save` has written.

    Arguments:
        f: a path, or a file object open for reading bytes.
        map_location: where tensors go: the cpu; a function is given each storage and its place.
        pickle_module: what unpickles files that are trusted; only pickle.
        weights_only: whether to refuse all but tensors and plain containers, as a file from elsewhere deserves; by
            default yes.
        mmap: has no effect on what is read.

    Raises:
        pickle.UnpicklingError: the file holds something else, and weights_only was not False.
        RuntimeError: it is damaged.
        EOFError: it ends too early.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as opened:
            return _loaded(opened, map_location, pickle_module, weights_only, pickle_load_args)
    for method in ("seek", "read"):
        if not hasattr(f, method):
            raise AttributeError(texts.NOT_SEEKABLE.format(kind=type(f).__name__, method=method))
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    return _loaded(f, map_location, pickle_module, weights_only, pickle_load_args)


def _loaded(f: Any, map_location: Any, pickle_module: Any, weights_only: bool | None, options: dict) -> Any:
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and options:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=4)
    options = {"encoding": "utf-8", **options}

    def unpickled(file: IO[bytes], storage: Callable[[tuple], Any]) -> Any:
        if weights_only:
            return WeightsUnpickler(file, storage, _allowed, options["encoding"]).load()
        return _Unpickler(file, storage, **options).load()

    begin = f.read(len(SIGNATURE))
    if not begin:
        raise EOFError
    f.seek(-len(begin), 1)
    placed = _placing(map_location)
    try:
        if begin == SIGNATURE:
            return _load_archive(Archive(f, compressed=not weights_only), unpickled, placed, weights_only)
        return _load_old(f, unpickled, placed)
    except pickle.UnpicklingError as e:
        if weights_only:
            raise pickle.UnpicklingError(_refusal(str(e))) from None
        raise


def _load_archive(archive: Archive, unpickled: Callable, placed: Callable, weights_only: bool) -> Any:
    if "constants.pkl" in archive:
        warnings.warn(texts.LOOKS_LIKE_SCRIPT, UserWarning, stacklevel=4)
        if weights_only:
            raise RuntimeError(texts.SCRIPT_IS_NO_WEIGHTS.format(unsafe=texts.UNSAFE))
        raise RuntimeError(texts.SCRIPT)
    order = archive.read("byteorder") if "byteorder" in archive else b"little"
    if order not in (b"little", b"big"):
        raise ValueError("Unknown endianness type: " + order.decode(errors="replace"))
    swapped = order.decode() != sys.byteorder
    storages: dict[Any, TypedStorage] = {}

    def storage(saved: tuple) -> TypedStorage:
        kind, key, location, size = _particulars(saved, 4)
        if key not in storages:
            dtype = kind.dtype
            held = archive.array(f"data/{key}", size * dtype.itemsize)
            if swapped:
                _swap_bytes(held, dtype)
            storages[key] = typed(placed(UntypedStorage(held), location), dtype)
        return storages[key]

    return unpickled(io.BytesIO(archive.read("data.pkl")), storage)


def _load_old(f: Any, unpickled: Callable, placed: Callable) -> Any:
    """Read a file of PyTorch before 1.6: after its pickles, the bytes of the storages that they name."""
    start = f.tell()
    left = f.seek(0, 2) - start
    f.seek(start)
    storages: dict[Any, TypedStorage] = {}

    def storage(saved: tuple) -> TypedStorage:
        nonlocal left
        kind, key, location, size, part = _particulars(saved, 5)
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
        _swap_bytes(memory, storage.dtype)


def _swap_bytes(memory: np.ndarray, dtype: Any) -> None:
    """Reverse the bytes of each number in memory; a complex number is two."""
    memory.view(f"u{dtype.itemsize // (2 if dtype.is_complex else 1)}").byteswap(inplace=True)


def _particulars(saved: tuple, count: int) -> tuple:
    """What a file says of a storage: its type, key, place, number of elements, and what else there is."""
    _, *found = saved if isinstance(saved, tuple) and len(saved) == count + 1 else (None,)
    match found:
        case [StorageType(), str() | int(), str() | bytes() as place, int(size), *_] if 0 <= size < 2**63:
            kind, key, _, _, *more = found
            return kind, str(key), place.decode("latin-1") if isinstance(place, bytes) else place, size, *more
    raise pickle.UnpicklingError(texts.NOT_A_STORAGE)


def _placing(map_location: Any) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """The function that puts a storage where map_location says."""

    def placed(storage: UntypedStorage, location: str) -> UntypedStorage:
        if isinstance(map_location, dict):
            location = map_location.get(location, location)
        elif isinstance(map_location, bytes):
            location = map_location.decode("ascii")
        elif isinstance(map_location, (str, meta.device)):
            location = str(map_location)
        elif map_location is not None:
            moved = map_location(storage, location)
            if moved is not None:
                return moved.untyped()
        if location.startswith("cuda"):
            raise RuntimeError(texts.CUDA_STORAGE)
        if location != "cpu":
            raise RuntimeError(texts.UNKNOWN_LOCATION.format(location=location))
        return storage

    return placed


def _refusal(message: str) -> str:
    """The text of an error in a file that may hold weights only."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        text = texts.REFUSED_GLOBAL.format(unsafe=texts.UNSAFE, message=message)
    else:
        text = f"Weights only load failed. {texts.UNSAFE}\n"
        if not re.search(r"whose module (\S+) is blocked", message):
            text += texts.FILE_AN_ISSUE
        text += f"\n\n{message}"
    return texts.SEE_LOAD.format(text=text)


# What files that hold weights only may name.

_allowed: dict[str, Any] = {}


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let files that are loaded with weights_only=True name these classes and functions."""
    for x in safe_globals:
        x, name = x if isinstance(x, tuple) else (x, f"{x.__module__}.{x.__qualname__}")
        _allowed[name] = x


def get_safe_globals() -> list[Any]:
    """The classes and functions that `add_safe_globals` was given."""
    return list(_allowed.values())


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given."""
    _allowed.clear()


@scoped
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """As `add_safe_globals`, until the end of a `with` block."""
    before = dict(_allowed)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)
