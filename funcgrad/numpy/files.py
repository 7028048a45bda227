"""Arrays in files: NumPy's formats. What is read are Arrays; a tracer, which has no value to write, raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.numpy.convert import asarray

__all__ = ["fromfile", "load", "save", "savez", "savez_compressed"]


def save(file: Any, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array into a file in NumPy's format .npy.

    Arguments:
        file: a path, or a file that is open for writing bytes.
        arr: the array.
        allow_pickle: without effect: arrays of numbers need no pickle.

    Raises:
        LostTraceError, NoValueError: the array is being differentiated, or has no values.
    """
    np.save(file, *_values("save(x)", (arr,)), allow_pickle=False)


def savez(file: Any, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Write several arrays into one file in NumPy's format .npz.

    Arguments:
        file: a path, or a file that is open for writing bytes.
        args: arrays, which get the names arr_0, arr_1, ….
        allow_pickle: without effect: arrays of numbers need no pickle.
        kwds: arrays by their names.

    Raises:
        LostTraceError, NoValueError: as for `save`.
    """
    values = _values("savez(x)", (*args, *kwds.values()))
    np.savez(file, *values[: len(args)], allow_pickle=False, **dict(zip(kwds, values[len(args) :], strict=True)))


def savez_compressed(file: Any, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """`savez`, compressed."""
    values = _values("savez_compressed(x)", (*args, *kwds.values()))
    named = dict(zip(kwds, values[len(args) :], strict=True))
    np.savez_compressed(file, *values[: len(args)], allow_pickle=False, **named)


def load(
    file: Any,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Read what `save` or `savez` has written.

    Arguments:
        file: a path, or a file that is open for reading bytes.
        mmap_mode, allow_pickle, fix_imports, encoding, max_header_size: as for `numpy.load`.

    Returns:
        An Array; of a file of several arrays a mapping of their names, which reads each when it is asked for.
    """
    found = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding=encoding, max_header_size=max_header_size)
    return asarray(found) if isinstance(found, np.ndarray) else Archive(found)


def fromfile(file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0) -> Shaped[Array, " n"]:
    """Read numbers from a file of bytes or of text.

    Arguments:
        file, dtype, count, sep, offset: as for `numpy.fromfile`.
    """
    return asarray(np.fromfile(file, dtype, count, sep, offset))


class Archive(Mapping):
    """The arrays of a file that `savez` has written, by their names. `close` it, or use it in a `with` statement."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.files: list[str] = file.files

    def __getitem__(self, name: str) -> Array:
        return asarray(self._file[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<funcgrad.numpy archive of {', '.join(self.files)}>"


def _values(action: str, arrays: tuple) -> list[np.ndarray]:
    return [np.asarray(asarray(a)._leave(action)) for a in arrays]
