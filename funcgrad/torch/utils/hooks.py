"""`torch.utils.hooks`: the handle that takes a hook out again."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.tensor.node import RemovableHandle as RemovableHandle


def unserializable_hook(f: Any) -> Any:
    """Mark a hook as one that is not saved along with its tensor."""
    f.__torch_unserializable__ = True
    return f
