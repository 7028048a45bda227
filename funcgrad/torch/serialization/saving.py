"""`torch.save`: writing tensors, and the objects that hold them, to a zip archive."""

from __future__ import annotations

import io
import os
import pickle
import sys
import zipfile
from typing import Any

from funcgrad.torch.base.storage import TypedStorage, UntypedStorage
from funcgrad.torch.serialization.file_names import NAME_OF, STORAGE_TYPES, UNTYPED
from funcgrad.torch.texts import serialization as texts

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
