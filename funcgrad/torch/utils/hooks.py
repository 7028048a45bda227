"""`torch.utils.hooks`: the handle that takes a hook out again; what calls the backward hooks of modules."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.tensor.node import RemovableHandle as RemovableHandle
from funcgrad.torch.texts import modules as texts
from funcgrad.torch.utils.backward_hooks import BackwardHook as BackwardHook

__all__ = [
    "BackwardHook",
    "RemovableHandle",
    "unserializable_hook",
    "warn_if_has_hooks",
]


def unserializable_hook(f: Any) -> Any:
    """Mark a hook as one that is not saved along with its tensor."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook of a tensor that is lost when the tensor is saved."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(texts.HOOK_NOT_SAVED.format(hook=repr(hook)), stacklevel=2)


publish(__name__)
