"""`torch.nn.parallel`: modules on several devices, of which there are none."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """A module that PyTorch would run on several devices: without any it runs here, as it is.

    Arguments:
        module: the module.
        device_ids: must be empty or None.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.DataParallel(torch.nn.Identity())(torch.ones(1))
        tensor([1.])
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)


show_as_torch(__name__, "funcgrad.torch.nn.parallel.data_parallel")
publish(__name__)
