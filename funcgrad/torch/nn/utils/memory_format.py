"""`torch.nn.utils.memory_format`: how the weights of convolutions lie in memory."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.nn import modules

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module: Any, kinds: Any, memory_format: Any) -> Any:
    child: Any
    for child in module.modules():
        if isinstance(child, kinds):
            data = child.weight.detach().clone(memory_format=memory_format)
            child.weight.data = data.resize_(data.size(), memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Lay the weights of all Conv2d and ConvTranspose2d of a module out in a memory format; gives the module."""
    return _convert(module, (modules.Conv2d, modules.ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Lay the weights of all Conv3d and ConvTranspose3d of a module out in a memory format; gives the module."""
    return _convert(module, (modules.Conv3d, modules.ConvTranspose3d), memory_format)


publish(__name__)
