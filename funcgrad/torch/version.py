"""Which torch this is, as far as programs can see."""

from __future__ import annotations

import re
from typing import Any

from funcgrad.core.faces import publish

__all__ = [
    "cuda",
    "debug",
    "git_version",
    "hip",
    "rocm",
    "xpu",
]


class TorchVersion(str):
    """A version that compares by its numbers, with strings and tuples of numbers, too."""

    __slots__ = ()

    def _key(self) -> tuple[int, ...]:
        return _numbers(self)

    def __lt__(self, other: Any) -> bool:
        return self._key() < _numbers(other)

    def __le__(self, other: Any) -> bool:
        return self._key() <= _numbers(other)

    def __gt__(self, other: Any) -> bool:
        return self._key() > _numbers(other)

    def __ge__(self, other: Any) -> bool:
        return self._key() >= _numbers(other)

    def __eq__(self, other: object) -> bool:
        return str(self) == other or (isinstance(other, (str, tuple)) and self._key() == _numbers(other))

    def __hash__(self) -> int:
        return str.__hash__(self)


def _numbers(version: Any) -> tuple[int, ...]:
    """The numbers of a version, without zeros at the end."""
    if isinstance(version, tuple):
        found = [int(n) for n in version]
    else:
        start = re.match(r"[0-9.]+", version)
        found = [int(n) for n in start.group().strip(".").split(".")] if start else []
    while found and not found[-1]:
        found.pop()
    return tuple(found)


__version__ = "2.13.0+cpu"
torch_version = TorchVersion(__version__)
cuda = hip = xpu = rocm = None
debug = False
git_version = "cf30153c4c131c8164ee7798e5022d810682e2cb"

publish(__name__)
