"""`torch.load`: reading what `torch.save` of either library has written."""

from __future__ import annotations

import io
import mmap as mmap_module
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from funcgrad.torch.base.storage import TypedStorage, UntypedStorage, typed
from funcgrad.torch.serialization import options
from funcgrad.torch.serialization.archive import SIGNATURE, Archive
from funcgrad.torch.serialization.file_names import found_in_torch
from funcgrad.torch.serialization.locations import placing
from funcgrad.torch.serialization.old_files import load_old
from funcgrad.torch.serialization.storage_records import particulars, swap_bytes
from funcgrad.torch.serialization.trusted_names import trusted
from funcgrad.torch.serialization.weights_unpickler import WeightsUnpickler
from funcgrad.torch.texts import serialization as texts


class _Naming:
    """Unpicklers of files that are trusted, in which torch's names stand for what torch has here."""

    def find_class(self, module: str, name: str) -> Any:
        found = found_in_torch(module, name)
        return super().find_class(module, name) if found is None else found  # type: ignore[misc]  # one of several


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
        mmap: whether to map the file into memory, so that only what is used of it is read; f is a path then.

    Raises:
        pickle.UnpicklingError: the file holds something else, and weights_only was not False.
        RuntimeError: it is damaged.
        EOFError: it ends too early.
    """
    mapped = bool(mmap)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as opened:
            memory = _mapped(f) if mapped else None
            return _loaded(opened, map_location, pickle_module, weights_only, memory, pickle_load_args)
    for method in ("seek", "read"):
        if not hasattr(f, method):
            raise AttributeError(texts.NOT_SEEKABLE.format(kind=type(f).__name__, method=method))
    if mapped:
        raise ValueError("f must be a file path in order to use the mmap argument")
    return _loaded(f, map_location, pickle_module, weights_only, None, pickle_load_args)


def _mapped(path: Any) -> np.ndarray | None:
    """The file in memory; None for one that is empty, or no archive."""
    with open(path, "rb") as file:
        if file.read(len(SIGNATURE)) != SIGNATURE:
            raise RuntimeError(texts.MMAP_OF_OLD_FILE.format(file=path))
    return np.memmap(path, np.uint8, "r+" if options.get_default_mmap_options() == mmap_module.MAP_SHARED else "c")


def _loaded(
    f: Any, map_location: Any, pickle_module: Any, weights_only: bool | None, memory: np.ndarray | None, given: dict
) -> Any:
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and given:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=4)
    given = {"encoding": "utf-8", **given}
    base = (pickle_module or pickle).Unpickler

    def unpickled(file: IO[bytes], persistent_load: Callable[[tuple], Any]) -> Any:
        if weights_only:
            return WeightsUnpickler(file, persistent_load, trusted, given["encoding"]).load()
        kind = type("TorchUnpickler", (_Naming, base), {"persistent_load": lambda self, saved: persistent_load(saved)})
        return kind(file, **given).load()

    begin = f.read(len(SIGNATURE))
    if not begin:
        raise EOFError
    f.seek(-len(begin), 1)
    placed = placing(map_location)
    try:
        if begin == SIGNATURE:
            return _load_archive(
                Archive(f, compressed=not weights_only, memory=memory), unpickled, placed, weights_only
            )
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
    order = archive.read("byteorder") if "byteorder" in archive else options.default_byteorder().encode()
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
