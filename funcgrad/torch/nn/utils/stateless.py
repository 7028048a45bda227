"""`torch.nn.utils.stateless`: the older place of `torch.func.functional_call`."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.func.modules import functional_call as _functional_call
from funcgrad.torch.func.modules import reparametrized
from funcgrad.torch.texts import nn_utils as texts

__all__ = ["functional_call"]

_reparametrize_module = reparametrized  # as PyTorch's programs call it


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Superseded by `torch.func.functional_call`."""
    warnings.warn(texts.STATELESS, FutureWarning, stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


publish(__name__)
