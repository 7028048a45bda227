"""`torch.utils`: checkpointing, handles of hooks, exchange of memory with other libraries."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch.utils import checkpoint as checkpoint
from funcgrad.torch.utils import dlpack as dlpack
from funcgrad.torch.utils import hooks as hooks
from funcgrad.torch.utils.swapping import swap_tensors as swap_tensors

_LATER = ("data",)
"""Namespaces that are loaded when they are first asked for."""


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")


publish(__name__, checkpoint, dlpack, hooks, later=_LATER)
