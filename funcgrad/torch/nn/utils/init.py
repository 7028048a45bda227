"""`torch.nn.utils.init`: modules whose parameters are not drawn."""

from __future__ import annotations

import inspect
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.random import default_generator

__all__ = ["skip_init"]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose parameters and buffers hold what is in memory.

    Arguments:
        module_cls: its class.
        *args, **kwargs: what the class is called with.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = default_generator.get_state()
    try:
        module = module_cls(*args, **kwargs)
    finally:
        default_generator.set_state(state)  # nothing is drawn
    return module.to_empty(device=kwargs.get("device", "cpu"))


publish(__name__)
