"""`torch.save`: writing tensors, and the objects that hold them, to a zip archive or in the format before it."""

from __future__ import annotations

import inspect
import io
import os
import pickle
import struct
import sys
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.dtypes import dtype
from funcgrad.torch.base.naming import reduce_by_place
from funcgrad.torch.base.storage import TypedStorage, UntypedStorage
from funcgrad.torch.serialization.file_names import STORAGE_TYPES, UNTYPED, StorageType, is_module_class, name_of
from funcgrad.torch.serialization.locations import location_tag
from funcgrad.torch.serialization.old_files import MAGIC, OLD_PROTOCOL
from funcgrad.torch.serialization.options import skips_data
from funcgrad.torch.texts import serialization as texts

_ALIGNMENT = 64  # of the bytes of storages in an archive, so that a file can be mapped into memory
_PADDING = 0x4246  # names the extra field of a record that PyTorch fills with padding
_HEADER_SIZE = 34  # of a record, without its name and the padding


class _Storages:
    """The storages that an object holds, in the order in which its pickle comes upon them."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[StorageType, UntypedStorage]] = {}
        self._keys: dict[int, str] = {}
        self._dtypes: dict[int, dtype] = {}  # by address

    def particulars(self, held: Any) -> tuple | None:
        """What the file says of a storage: its type, key, place and number of elements; None for anything else."""
        if not isinstance(held, (TypedStorage, UntypedStorage)):
            return None
        storage = held.untyped()
        kind = STORAGE_TYPES[held.dtype] if isinstance(held, TypedStorage) else UNTYPED
        if storage.nbytes() and self._dtypes.setdefault(storage.data_ptr(), kind.dtype) is not kind.dtype:
            raise RuntimeError(texts.SEVERAL_TYPES)
        key = self._keys.setdefault(id(storage), str(len(self._keys)))
        self.found[key] = kind, storage
        return "storage", kind, key, location_tag(storage), storage.nbytes() // kind.dtype.itemsize


class _Naming:
    """What picklers that are written in Python do to write torch's names; others write ours."""

    write: Callable
    memoize: Callable
    proto: int

    def save_global(self, obj: Any, name: str | None = None) -> None:
        known = name_of(obj)
        if known is None:
            super().save_global(obj, name)  # type: ignore[misc]  # it is one of several picklers
            return
        self.write(pickle.GLOBAL + "{}\n{}\n".format(*known).encode())
        self.memoize(obj)

    def reducer_override(self, obj: Any) -> Any:
        known = name_of(obj)
        if known is not None:
            return known[1]
        return object.__reduce_ex__(obj, self.proto) if type(obj).__reduce_ex__ is reduce_by_place else NotImplemented


_Pickled = Callable[[Any, Callable[[Any], Any]], bytes]
"""Gives the pickle of an object, in which what the function gives is named instead of written out."""


def _pickling(pickle_module: Any, protocol: int) -> _Pickled:
    base: Any = pickle._Pickler if pickle_module is pickle else pickle_module.Pickler
    bases = (_Naming, base) if issubclass(base, pickle._Pickler) else (base,)

    def pickled(obj: Any, persistent_id: Callable[[Any], Any]) -> bytes:
        file = io.BytesIO()
        kind = type("TorchPickler", bases, {"persistent_id": lambda self, x: persistent_id(x)})
        kind(file, protocol).dump(obj)
        return file.getvalue()

    return pickled


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
        pickle_module: what pickles the object; other modules than pickle write funcgrad's own names.
        pickle_protocol: the version of pickle to use.

    Raises:
        RuntimeError: two tensors look at the same memory as numbers of different types.

    Example:
        >>> import io
        >>> from funcgrad import torch
        >>> f = io.BytesIO()
        >>> torch.save({"x": torch.arange(3)}, f)
        >>> _ = f.seek(0)
        >>> torch.load(f)
        {'x': tensor([0, 1, 2])}
    """
    write = _write_archive if _use_new_zipfile_serialization else _write_old
    pickled = _pickling(pickle_module, pickle_protocol)
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError(texts.NOT_WRITABLE)
        write(_Stream(f), "archive", obj, pickled, not _disable_byteorder_record)
        return
    folder, name = os.path.split(os.fspath(f))
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    with open(f, "wb") as opened:
        write(opened, os.path.splitext(name)[0], obj, pickled, not _disable_byteorder_record)


class _Stream(io.RawIOBase):
    """A file object of the user's, of which only `write` and `flush` are called."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Any) -> int:
        """Hand the bytes on."""
        self._file.write(data)
        return len(data)

    def flush(self) -> None:
        """Hand it on, if there is such a method."""
        getattr(self._file, "flush", int)()


def _write_archive(f: Any, folder: str, obj: Any, pickled: _Pickled, says_byteorder: bool) -> None:
    """Write an archive, whose records lie in this folder."""
    storages = _Storages()
    records: dict[str, Any] = {
        "data.pkl": pickled(obj, storages.particulars),
        ".format_version": b"1",
        ".storage_alignment": b"%d" % _ALIGNMENT,
    }
    if says_byteorder:
        records["byteorder"] = sys.byteorder.encode()
    for key, (_, storage) in storages.found.items():
        records[f"data/{key}"] = bytes(storage.nbytes()) if skips_data() else storage.bytes.data  # no copy is made
    records["version"] = b"3\n"
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        end: Any = archive.fp
        for name, record in records.items():
            header = zipfile.ZipInfo(f"{folder}/{name}")
            padding = -(end.tell() + _HEADER_SIZE + len(header.filename.encode())) % _ALIGNMENT
            header.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
            archive.writestr(header, record)


def _write_old(f: Any, folder: str, obj: Any, pickled: _Pickled, says_byteorder: bool) -> None:
    """Write a file as PyTorch did before 1.6: pickles, and the bytes of storages after them."""
    if skips_data():
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    storages, seen = _Storages(), set()

    def persistent_id(x: Any) -> tuple | None:
        if isinstance(x, type) and is_module_class(x) and x not in seen:
            seen.add(x)  # its name, which is written out here, and the next object of it have no text of it
            return "module", x, *_source_of(x)
        found = storages.particulars(x)
        return None if found is None else (*found, None)

    machine = {
        "protocol_version": OLD_PROTOCOL,
        "little_endian": sys.byteorder == "little",
        "type_sizes": {"short": 2, "int": 4, "long": 4},
    }
    for part in (MAGIC, OLD_PROTOCOL, machine):
        f.write(pickled(part, storages.particulars))
    f.write(pickled(obj, persistent_id))
    f.write(pickled(sorted(storages.found), storages.particulars))
    for _, (kind, storage) in sorted(storages.found.items()):
        f.write(struct.pack("<q", storage.nbytes() // kind.dtype.itemsize))
        f.write(storage.bytes.tobytes())


def _source_of(kind: type) -> tuple[str, str | None]:
    """The file of a class and its text, which are compared when it is loaded."""
    try:
        return inspect.getsourcefile(kind) or "", "".join(inspect.getsourcelines(kind)[0])
    except (OSError, TypeError):  # it was made by exec or typed in
        warnings.warn(texts.NO_SOURCE.format(name=kind.__name__), stacklevel=2)
        return "", None
