"""Settings of `torch.save` and `torch.load` that hold for all calls, and in a `with` block."""

from __future__ import annotations

import mmap
import sys
from enum import Enum
from typing import Any

from funcgrad.torch.texts import serialization as texts


class LoadEndianness(Enum):
    """In which order the bytes of a number are taken to lie in files that do not say."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_endianness: LoadEndianness | None = None
_mmap_flags: int | None = getattr(mmap, "MAP_PRIVATE", None)  # Windows has none
_crc32 = True


def get_default_load_endianness() -> LoadEndianness | None:
    """What `set_default_load_endianness` was given last; None is little-endian."""
    return _endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Choose the order of bytes in files that do not say in which order they are."""
    global _endianness
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _endianness = endianness


def default_byteorder() -> str:
    """The order of bytes in files that do not say, in words."""
    if _endianness is LoadEndianness.NATIVE:
        return sys.byteorder
    return "big" if _endianness is LoadEndianness.BIG else "little"


def get_crc32_options() -> bool:
    """Whether torch.save writes checksums."""
    return _crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Accepted, and without effect: Python's zipfile always writes checksums, which torch.load does not look at."""
    global _crc32
    _crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """The flags with which torch.load(mmap=True) maps files."""
    return _mmap_flags


class set_default_mmap_options:  # noqa: N801  (torch's name)
    """Choose how torch.load(mmap=True) maps files: what is written to tensors stays private, or goes to the file.

    Arguments:
        flags: mmap.MAP_PRIVATE or mmap.MAP_SHARED.

    As a context manager it holds until the end of the `with` block.
    """

    def __init__(self, flags: int) -> None:
        global _mmap_flags
        if flags not in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            raise ValueError(texts.MMAP_FLAGS.format(flags=flags))
        self._before = _mmap_flags
        _mmap_flags = flags

    def __enter__(self) -> None:
        """It holds already."""

    def __exit__(self, *exception: Any) -> None:
        global _mmap_flags
        _mmap_flags = self._before


_skipping = 0


class skip_data:  # noqa: N801  (torch's name)
    """In a `with` block torch.save leaves room for the bytes of storages, and does not write them.

    Arguments:
        materialize_fake_tensors: has no effect, as there are no fake tensors.
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        global _skipping
        _skipping += 1

    def __exit__(self, *exception: Any) -> None:
        global _skipping
        _skipping -= 1


def skips_data() -> bool:
    """Whether a block of `skip_data` is open."""
    return _skipping > 0
