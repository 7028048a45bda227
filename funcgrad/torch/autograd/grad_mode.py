"""`torch.autograd.grad_mode`: the modes under the module where torch has them."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import _Mode
from funcgrad.torch.base.modes import enable_grad as enable_grad
from funcgrad.torch.base.modes import inference_mode as inference_mode
from funcgrad.torch.base.modes import no_grad as no_grad
from funcgrad.torch.base.modes import set_grad_enabled as set_grad_enabled

__all__ = [
    "enable_grad",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class set_multithreading_enabled(_Mode):  # noqa: N801  (torch's name)
    """Whether backward may use several threads. It runs in the caller's thread in any case."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        """Nothing changes."""

    def leave(self, *error: Any) -> None:
        """Nothing changes."""

    def clone(self) -> set_multithreading_enabled:
        """Another one with the same argument."""
        return type(self)(self.mode)


class _force_original_view_tracking(set_multithreading_enabled):  # noqa: N801  (torch's name)
    """Whether every view remembers how it was made. Views here are tracked correctly in any case."""


publish(__name__)
