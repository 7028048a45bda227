"""`torch.types`: names for annotations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import dtype
from funcgrad.torch.base.meta import Size, device, layout

_device, _dtype, _layout, _size = device, dtype, layout, Sequence[int]
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Number: TypeAlias = int | float | bool
IntLikeType: TypeAlias = int
FloatLikeType: TypeAlias = float
BoolLikeType: TypeAlias = bool
Storage: TypeAlias = Any

__all__ = ["BoolLikeType", "Device", "FileLike", "FloatLikeType", "IntLikeType", "Number", "Size", "Storage"]

publish(__name__)
