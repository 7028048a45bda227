"""`torch.autocast`, and functions with gradients of their own inside of it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.meta import as_device
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.autocast import enter, leave, switches
from funcgrad.torch.ops.autocasting import (
    get_autocast_dtype,
    is_autocast_cache_enabled,
    is_autocast_enabled,
    set_autocast_cache_enabled,
)
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import amp as texts

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]


def is_autocast_available(device_type: str) -> bool:
    """Whether there is autocast for a kind of device."""
    return as_device(device_type).type in switches().dtypes


def autocast_decorator(autocast_instance: Any, func: Callable) -> Callable:
    """A function that runs inside a block of autocast."""

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


class autocast:  # noqa: N801  (torch's name)
    """Inside of it products and convolutions compute in a lower precision, losses and the like in float32.

    It is a context manager, and decorates functions.

    Arguments:
        device_type: the kind of device, "cpu".
        dtype: the lower precision, torch.bfloat16 by default, or torch.float16.
        enabled: False: operations compute in the dtypes of their operands, also inside another block.
        cache_enabled: whether parameters are cast only once in the block.

    Example:
        >>> from funcgrad import torch
        >>> x, w = torch.ones(2, 3), torch.ones(3, 2)
        >>> with torch.autocast("cpu"):
        ...     y = x @ w
        ...     z = (y + 1).prod()
        >>> y.dtype, z.dtype
        (torch.bfloat16, torch.float32)
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(texts.NO_DEVICE_TYPE.format(kind=type(device_type)))
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(texts.NO_AUTOCAST.format(kind=device_type))
        self.custom_backend_name = "privateuseone"
        if device_type == self.custom_backend_name:
            raise AssertionError(texts.NO_BACKEND.format(kind=device_type))
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn(texts.NO_CUDA, stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn(texts.BAD_DTYPE.format(kind=device_type.upper()), stacklevel=2)
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> Any:
        found = enter(self.device, self._enabled, self.fast_dtype, self._cache_enabled)
        self.prev, self.prev_fastdtype, self.prev_cache_enabled = found
        set_autocast_cache_enabled(self._cache_enabled)  # which checks what the program gave
        return self

    def __exit__(self, *error: Any) -> None:
        leave(self.device, self.prev, self.prev_fastdtype, self.prev_cache_enabled)

    def __call__(self, func: Callable) -> Callable:
        if not callable(func):
            raise TypeError(texts.NO_CALLABLE.format(kind=type(func).__name__))
        return autocast_decorator(self, func)


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """A value with all tensors in it cast; those of float64 and of integers stay."""
    if isinstance(value, Tensor):
        eligible = value.is_floating_point() and value.device.type == device_type and value.dtype is not dtypes.float64
        return value.to(dtype) if eligible else value
    if isinstance(value, (str, bytes, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        parts = (_cast(v, device_type, dtype) for v in value)
        kind: Any = type(value)
        return kind(parts) if isinstance(value, (list, tuple)) else parts
    return value


def custom_fwd(fwd: Callable | None = None, *, device_type: str, cast_inputs: Any = None) -> Callable:
    """Decorate the forward of a `torch.autograd.Function`, so that it can be used inside autocast.

    Arguments:
        fwd: the static method.
        device_type: the kind of device, "cpu".
        cast_inputs: the dtype that inputs are cast to inside autocast, which is off in forward then; by default
            forward runs under autocast as it is.
    """
    if not isinstance(device_type, str):
        raise ValueError(texts.NO_DEVICE_TYPE.format(kind=type(device_type)))
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        context = args[0]
        context._dtype = get_autocast_dtype(device_type)
        on = is_autocast_enabled(device_type)
        context._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Callable:
    """Decorate the backward of such a function: it runs under autocast if forward did.

    Arguments:
        bwd: the static method.
        device_type: the kind of device, "cpu".
    """
    if not isinstance(device_type, str):
        raise ValueError(texts.NO_DEVICE_TYPE.format(kind=type(device_type)))
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd


show_as_torch(__name__)
publish(__name__)
