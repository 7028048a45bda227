"""`torch.autograd.forward_ad`: forward-mode derivatives, by dual tensors."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.dual import UnpackedDualTensor as UnpackedDualTensor
from funcgrad.torch.tensor.dual import _set_fwd_grad_enabled as _set_fwd_grad_enabled
from funcgrad.torch.tensor.dual import dual_level as dual_level
from funcgrad.torch.tensor.dual import enter_dual_level as enter_dual_level
from funcgrad.torch.tensor.dual import exit_dual_level as exit_dual_level
from funcgrad.torch.tensor.dual import make_dual as make_dual
from funcgrad.torch.tensor.dual import unpack_dual as unpack_dual

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


def __getattr__(name: str) -> Any:
    if name == "_current_level":
        return state.dual_level
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _is_fwd_grad_enabled() -> bool:
    return state.forward_grad


publish(__name__)
