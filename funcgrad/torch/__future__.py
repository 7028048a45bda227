"""`torch.__future__`: how modules are converted, which PyTorch means to change."""

from __future__ import annotations

from funcgrad.core.faces import publish

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]

_overwrites = _swaps = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Say whether conversions such as `module.double()` give a module new parameters, instead of new data."""
    global _overwrites
    _overwrites = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions give a module new parameters."""
    return _overwrites


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Say whether conversions, and `load_state_dict`, use `torch.utils.swap_tensors`."""
    global _swaps
    _swaps = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions, and `load_state_dict`, use `torch.utils.swap_tensors`."""
    return _swaps


publish(__name__)
