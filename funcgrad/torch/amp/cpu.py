"""`torch.cpu.amp`: older names of `torch.amp`, for the cpu."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.amp import autocast_mode, grad_scaler
from funcgrad.torch.base import dtypes
from funcgrad.torch.texts import amp as texts

__all__ = ["GradScaler", "autocast"]


class autocast(autocast_mode.autocast):  # noqa: N801  (torch's name)
    """As `torch.autocast("cpu", ...)`, with a warning."""

    def __init__(self, enabled: bool = True, dtype: Any = dtypes.bfloat16, cache_enabled: bool = True) -> None:
        warnings.warn(
            texts.OLD_NAME.format(kind="cpu", name="autocast", arguments="'cpu', args..."), FutureWarning, stacklevel=2
        )
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """As `torch.amp.GradScaler("cpu", ...)`, with a warning."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            texts.OLD_NAME.format(kind="cpu", name="GradScaler", arguments="'cpu', args..."),
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", *args, **kwargs)


autocast.__module__ = "torch.cpu.amp.autocast_mode"
GradScaler.__module__ = "torch.cpu.amp.grad_scaler"
publish(__name__)
