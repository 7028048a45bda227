"""`torch.load`: reading what `torch.save` of either library has written."""

from __future__ import annotations

import io
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from typing import IO, Any

from funcgrad.torch.base import meta
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, typed
from funcgrad.torch.serialization.archive import SIGNATURE, Archive
from funcgrad.torch.serialization.file_names import NAMES
from funcgrad.torch.serialization.old_files import load_old
from funcgrad.torch.serialization.storage_records import particulars, swap_bytes
from funcgrad.torch.serialization.trusted_names import trusted
from funcgrad.torch.serialization.weights_unpickler import WeightsUnpickler
from funcgrad.torch.texts import serialization as texts


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
            return WeightsUnpickler(file, storage, trusted, options["encoding"]).load()
        return _Unpickler(file, storage, **options).load()

    begin = f.read(len(SIGNATURE))
    if not begin:
        raise EOFError
    f.seek(-len(begin), 1)
    placed = _placing(map_location)
    try:
        if begin == SIGNATURE:
            return _load_archive(Archive(f, compressed=not weights_only), unpickled, placed, weights_only)
        return load_old(f, unpickled, placed)
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
        kind, key, location, size = particulars(saved, 4)
        if key not in storages:
            dtype = kind.dtype
            held = archive.array(f"data/{key}", size * dtype.itemsize)
            if swapped:
                swap_bytes(held, dtype)
            storages[key] = typed(placed(UntypedStorage(held), location), dtype)
        return storages[key]

    return unpickled(io.BytesIO(archive.read("data.pkl")), storage)


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
