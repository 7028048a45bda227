"""`torch.cuda.amp`: older names of `torch.amp`, for a device that there is none of."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.amp import autocast_mode, grad_scaler
from funcgrad.torch.base import dtypes
from funcgrad.torch.texts import amp as texts

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


def amp_definitely_not_available() -> bool:
    """True."""
    return True


common = SimpleNamespace(amp_definitely_not_available=amp_definitely_not_available)


class autocast(autocast_mode.autocast):  # noqa: N801  (torch's name)
    """As `torch.autocast("cuda", ...)`, with a warning."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.float16, cache_enabled: bool = True) -> None:
        warnings.warn(
            texts.OLD_NAME.format(kind="cuda", name="autocast", arguments="'cuda', args..."),
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """As `torch.amp.GradScaler("cuda", ...)`, with a warning."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            texts.OLD_NAME.format(kind="cuda", name="GradScaler", arguments="'cuda', args..."),
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cuda", *args, **kwargs)


def _for_cuda(f: Callable) -> Callable:
    """A function of `torch.amp` for this device, with a warning."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            texts.OLD_NAME.format(kind="cuda", name=f.__name__, arguments="args..., device_type='cuda'"),
            FutureWarning,
            stacklevel=2,
        )
        return f(*args, **kwargs, device_type="cuda")

    return call


custom_fwd, custom_bwd = _for_cuda(autocast_mode.custom_fwd), _for_cuda(autocast_mode.custom_bwd)

autocast.__module__ = "torch.cuda.amp.autocast_mode"
GradScaler.__module__ = "torch.cuda.amp.grad_scaler"
publish(__name__)
