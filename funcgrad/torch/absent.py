"""Modules of PyTorch that programs import and ask, and that do nothing here."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.base.namespaces import Namespace
from funcgrad.torch.texts import programs as texts


def _no(*args: Any, **kwargs: Any) -> bool:
    return False


def _nothing(*args: Any, **kwargs: Any) -> None:
    """What is asked for the sake of PyTorch alone."""


distributed = Namespace(
    "torch.distributed",
    "`torch.distributed`: there are no process groups.",
    texts.ONE_PROCESS,
    is_available=_no,
    is_initialized=_no,
    is_torchelastic_launched=_no,
)
onnx = Namespace("torch.onnx", "`torch.onnx`: no models are exported.", texts.NO_ONNX, is_in_onnx_export=_no)
library = Namespace("torch.library", "`torch.library`: there is no registry of operators.", texts.NO_REGISTRY)
_C = Namespace(
    "torch._C",
    "`torch._C`: PyTorch's library in C++, which libraries ask a few things.",
    texts.NO_C_LIBRARY,
    _log_api_usage_once=_nothing,
    _get_tracing_state=_nothing,
)
