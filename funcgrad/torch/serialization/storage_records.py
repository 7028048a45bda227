"""What files of either format say of a storage."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from funcgrad.torch.serialization.file_names import StorageType
from funcgrad.torch.texts import serialization as texts


def swap_bytes(memory: np.ndarray, dtype: Any) -> None:
    """Reverse the bytes of each number in memory; a complex number is two."""
    memory.view(f"u{dtype.itemsize // (2 if dtype.is_complex else 1)}").byteswap(inplace=True)


def read_into(file: Any, memory: np.ndarray) -> int:
    """Read the next bytes of a file into memory, and say how many there were."""
    if hasattr(file, "readinto"):
        return file.readinto(memory)
    data = file.read(memory.size)
    memory[: len(data)] = np.frombuffer(data, np.uint8)
    return len(data)


def particulars(saved: tuple, count: int) -> tuple:
    """What a file says of a storage: its type, key, place, number of elements, and what else there is."""
    _, *found = saved if isinstance(saved, tuple) and len(saved) == count + 1 else (None,)
    match found:
        case [StorageType(), str() | bytes() | int(), str() | bytes() as place, int(size), *_] if 0 <= size < 2**63:
            kind, key, _, _, *more = found
            key = key.decode("latin-1") if isinstance(key, bytes) else str(key)
            return kind, key, place.decode("latin-1") if isinstance(place, bytes) else place, size, *more
    raise pickle.UnpicklingError(texts.NOT_A_STORAGE)
