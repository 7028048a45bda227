"""`torch.save` and `torch.load`, in the format of torch's own files.

A file is a zip archive: `data.pkl` is a pickle in which storages are named by numbers, `data/0` and so on are their
bytes. Functions and classes in it go by torch's names, so that either library reads what the other has written.
https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from funcgrad.torch import dtypes, meta
from funcgrad.torch.declare import exports
from funcgrad.torch.ops import copying
from funcgrad.torch.parameter import Parameter
from funcgrad.torch.storage import TypedStorage, UntypedStorage, typed
from funcgrad.torch.tensor import Tensor


class StorageType:
    """What stands in a file for the dtype of a storage."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype


STORAGE_TYPES = {d: StorageType(d) for d in dtypes.ALL}
_UNTYPED = StorageType(dtypes.uint8)

NAMES: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): copying.rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): copying.rebuild_tensor_of_dtype,
    ("torch._utils", "_rebuild_parameter"): copying.rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): copying.rebuild_parameter_with_state,
    ("torch._tensor", "_rebuild_from_type_v2"): copying.rebuild_from_type,
    ("torch", "Size"): meta._restored_size,
    ("torch", "device"): meta.as_device,
    ("torch", "Tensor"): Tensor,
    ("torch.nn.parameter", "Parameter"): Parameter,
    ("torch.storage", "UntypedStorage"): _UNTYPED,
    **{("torch", d.name): d for d in dtypes.ALL},
    **{("torch", f"{d.title}Storage"): s for d, s in STORAGE_TYPES.items()},
}  # fmt: skip
"""What the names in a file mean here."""

_NAME_OF = {id(x): name for name, x in NAMES.items()}

_SAFE: dict[tuple[str, str], Any] = {
    ("collections", "OrderedDict"): OrderedDict,
    ("collections", "Counter"): Counter,
    ("_codecs", "encode"): __import__("codecs").encode,
    **{
        ("builtins", c.__name__): c
        for c in (set, frozenset, bytearray, complex, int, float, bool, str, tuple, list, dict)
    },
}
"""What a file may name beside that if it is only trusted to hold weights."""

_REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps "
    "only if "
    "you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the "
    "`weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` "
    "set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a "
    "trusted source.\n\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the "
    "following error message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by "
    "default. Please use `torch.serialization.add_safe_globals([{0}])` or the "
    "`torch.serialization.safe_globals([{0}])` "
    "context manager to allowlist this global if you trust this class/function.\n\nCheck the documentation of "
    "torch.load to "
    "learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


# Saving.


_PythonPickler: Any = pickle._Pickler


class _Pickler(_PythonPickler):  # the one in Python lets names be chosen
    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: list[UntypedStorage] = []
        self.keys: dict[int, int] = {}

    def reducer_override(self, obj: Any) -> Any:
        name = _NAME_OF.get(id(obj))
        return NotImplemented if name is None else name[1]

    def save_global(self, obj: Any, name: str | None = None) -> None:
        known = _NAME_OF.get(id(obj))
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
        kind, item = _UNTYPED, 1
        if isinstance(obj, TypedStorage):
            kind, item = STORAGE_TYPES[obj.dtype], obj.dtype.itemsize
        if id(storage) not in self.keys:
            self.keys[id(storage)] = len(self.storages)
            self.storages.append(storage)
        return "storage", kind, str(self.keys[id(storage)]), "cpu", storage.nbytes() // item


def save(
    obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
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
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    data = io.BytesIO()
    pickler = _Pickler(data, pickle_protocol)
    pickler.dump(obj)
    folder = os.path.splitext(os.path.basename(f))[0] if isinstance(f, (str, os.PathLike)) else "archive"
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{folder}/data.pkl", data.getvalue())
        archive.writestr(f"{folder}/byteorder", "little")
        for k, storage in enumerate(pickler.storages):
            archive.writestr(f"{folder}/data/{k}", storage.bytes.tobytes())
        archive.writestr(f"{folder}/version", "3\n")


# Loading.


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, storage: Callable[[str], UntypedStorage], weights_only: bool, **options: Any) -> None:
        super().__init__(file, **options)
        self.storage, self.weights_only = storage, weights_only

    def find_class(self, module: str, name: str) -> Any:
        module = {"__builtin__": "builtins"}.get(module, module)
        found = NAMES.get((module, name))
        if found is not None:
            return found
        if self.weights_only:
            found = _SAFE.get((module, name)) or _allowed.get(f"{module}.{name}")
            if found is None:
                raise pickle.UnpicklingError(_REFUSED.format(f"{module}.{name}"))
            return found
        return super().find_class(module, name)

    def persistent_load(self, saved: Any) -> Any:
        _, kind, key, _, _ = saved
        storage = self.storage(key)
        return storage if kind is _UNTYPED else typed(storage, kind.dtype)


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read an object that `save` has written.

    Arguments:
        f: a path, or a file object open for reading bytes.
        map_location: where tensors go: the cpu.
        weights_only: whether to refuse all but tensors and plain containers, as a file from elsewhere deserves; by
            default yes.
        mmap: has no effect.

    Raises:
        pickle.UnpicklingError: the file holds something else, and weights_only was not False.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as opened:
            return load(opened, map_location, pickle_module, weights_only=weights_only, **pickle_load_args)
    for method in ("seek", "read"):
        if not hasattr(f, method):
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{method}'. You can only torch.load from a file that is "
                "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )
    _check_location(map_location)
    weights_only = weights_only is not False
    start = f.tell()
    whole = f.read()
    if not whole:
        raise EOFError
    if not zipfile.is_zipfile(io.BytesIO(whole)):
        f.seek(start)
        return _Unpickler(io.BytesIO(whole), _no_storage, weights_only, **pickle_load_args).load()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        name = next(n for n in archive.namelist() if n.endswith("/data.pkl"))
        folder = name.removesuffix("data.pkl")
        storages: dict[str, UntypedStorage] = {}

        def storage(key: str) -> UntypedStorage:
            if key not in storages:
                held = UntypedStorage(np.frombuffer(archive.read(f"{folder}data/{key}"), np.uint8).copy())
                moves = callable(map_location) and not isinstance(map_location, meta.device)
                moved = map_location(held, "cpu") if moves else None
                storages[key] = held if moved is None else moved.untyped()
            return storages[key]

        return _Unpickler(io.BytesIO(archive.read(name)), storage, weights_only, **pickle_load_args).load()


def _no_storage(key: str) -> UntypedStorage:
    raise pickle.UnpicklingError("persistent IDs in a file that is no zip archive")


def _check_location(location: Any) -> None:
    places = location.values() if isinstance(location, dict) else [location]
    for place in places:
        if isinstance(place, (str, meta.device)) and meta.as_device(place).type == "cuda":
            raise RuntimeError(
                "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
                "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map "
                "your "
                "storages to the CPU."
            )


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


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """As `add_safe_globals`, until the end of a `with` block."""
    before = dict(_allowed)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _allowed.clear()
        _allowed.update(before)


exports["save"], exports["load"] = save, load
