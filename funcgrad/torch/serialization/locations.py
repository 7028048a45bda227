"""Where storages of a file are put: on the cpu, or where a package of the user's puts them.

https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.base import meta
from funcgrad.torch.base.storage import UntypedStorage
from funcgrad.torch.texts import serialization as texts

Tagger = Callable[[Any], "str | None"]
Deserializer = Callable[[Any, str], Any]


def _tag_of_cpu(storage: Any) -> str | None:
    return "cpu" if storage.device.type == "cpu" else None


def _restore_to_cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def _refuse_cuda(storage: Any, location: str) -> Any:
    if location.startswith("cuda"):
        raise RuntimeError(texts.CUDA_STORAGE)


_PACKAGES: list[tuple[int, Tagger, Deserializer]] = [
    (10, _tag_of_cpu, _restore_to_cpu),
    (20, lambda storage: None, _refuse_cuda),
]
"""What names places and puts storages there; those of a lower priority are asked first."""


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Let further places be named in files.

    Arguments:
        priority: packages of a lower one are asked before; the cpu has 10.
        tagger: gives the name of the place where a storage lies, or None.
        deserializer: gives the storage that takes the place of one, for a name; or None.
    """
    _PACKAGES.append((priority, tagger, deserializer))
    _PACKAGES.sort(key=lambda package: package[0])


def location_tag(storage: Any) -> str:
    """The name of the place where a storage lies."""
    for _, tagger, _ in _PACKAGES:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {type(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage as it lies at the place of this name."""
    for _, _, deserializer in _PACKAGES:
        restored = deserializer(storage, location)
        if restored is not None:
            return restored
    raise RuntimeError(texts.UNKNOWN_LOCATION.format(location=location))


def validate_cuda_device(location: Any) -> int:
    """Refuse a place on a GPU, since there is none."""
    raise RuntimeError(texts.CUDA_STORAGE)


def placing(map_location: Any) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """The function that puts a storage where `map_location` of torch.load says."""

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
        return default_restore_location(storage, location).untyped()

    return placed
