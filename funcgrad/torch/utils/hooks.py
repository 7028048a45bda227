"""`torch.utils.hooks`: the handle that takes a hook out again."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.tensor.node import RemovableHandle as RemovableHandle

__all__ = [
    "RemovableHandle",
    "unserializable_hook",
]


def unserializable_hook(f: Any) -> Any:
    """Mark a hook as one that is not saved along with its tensor."""
    f.__torch_unserializable__ = True
    return f


publish(__name__)
