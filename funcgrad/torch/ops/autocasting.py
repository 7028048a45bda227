"""The switches of autocast, as functions of torch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.dtypes import dtype as torch_dtype
from funcgrad.torch.base.meta import as_device
from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.autocast import switch, switches
from funcgrad.torch.declare.op import add_function, op
from funcgrad.torch.texts import amp as texts


def _kind(device_type: str) -> str:
    kind = as_device(device_type).type
    if kind not in switches().dtypes:
        raise RuntimeError("unsupported scalarType")
    return kind


@op("is_autocast_enabled", "(str device_type)", "()", method=False)
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether autocast is on for a kind of device."""
    return switches().enabled[_kind(device_type)]


@op("set_autocast_enabled", "(str device_type, bool enabled)", "(bool enabled)", method=False)
def set_autocast_enabled(device_type: Any = "cuda", enabled: Any = None) -> None:
    """Switch autocast on or off; `torch.autocast` does it for a block."""
    if isinstance(device_type, bool):
        device_type, enabled = "cuda", device_type
    switch(_kind(device_type), enabled=enabled)


@op("get_autocast_dtype", "(str device_type)", method=False)
def get_autocast_dtype(device_type: str) -> torch_dtype:
    """The lower precision of a kind of device."""
    return switches().dtypes[_kind(device_type)]


@op("set_autocast_dtype", "(str device_type, torch.dtype dtype)", method=False)
def set_autocast_dtype(device_type: str, dtype: torch_dtype) -> None:
    """Set the lower precision of a kind of device."""
    switch(_kind(device_type), dtype=dtype)


@op("is_autocast_cache_enabled", method=False)
def is_autocast_cache_enabled() -> bool:
    """Whether a block casts each parameter only once."""
    return state.autocast_caches


@op("set_autocast_cache_enabled", method=False)
def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether a block casts each parameter only once."""
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    state.autocast_caches = enabled


@op("clear_autocast_cache", method=False)
def clear_autocast_cache() -> None:
    """Forget the parameters that have been cast."""
    state.autocast_cache = None


@op("autocast_increment_nesting", method=False)
def autocast_increment_nesting() -> int:
    """Note that a block is entered; gives how many there are."""
    switches().nesting += 1
    return switches().nesting


@op("autocast_decrement_nesting", method=False)
def autocast_decrement_nesting() -> int:
    """Note that a block is left; gives how many there are."""
    switches().nesting -= 1
    return switches().nesting


_PLACE = "/__w/pytorch/pytorch/torch/csrc/autograd/init.cpp"
_DEPRECATED = {
    "is_autocast_cpu_enabled": (is_autocast_enabled, "cpu", "", 883),
    "get_autocast_cpu_dtype": (get_autocast_dtype, "cpu", "", 1016),
    "get_autocast_gpu_dtype": (get_autocast_dtype, "cuda", "", 1007),
    "set_autocast_cpu_enabled": (set_autocast_enabled, "cpu", "enabled", 874),
    "set_autocast_cpu_dtype": (set_autocast_dtype, "cpu", "dtype", 967),
    "set_autocast_gpu_dtype": (set_autocast_dtype, "cuda", "dtype", 952),
}
"""Older names: for each the function, the kind of device, the argument, and the line that torch's warning shows."""


def _deprecated(name: str, f: Callable, kind: str, argument: str, line: int) -> Callable:
    text = texts.OLD_SWITCH.format(
        name=name, argument=argument, new=f.__name__, arguments=f"'{kind}'" + f", {argument}" * bool(argument)
    )

    def call(*args: Any) -> Any:
        warnings.warn(f"{text} (Triggered internally at {_PLACE}:{line}.)", DeprecationWarning, stacklevel=2)
        return f(kind, *args)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"As `{f.__name__}`, for one kind of device."
    return call


for _name, _row in _DEPRECATED.items():
    add_function("", _name, _deprecated(_name, *_row))
