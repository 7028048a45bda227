"""`torch.nn`, as far as tensors themselves go: parameters and buffers. There are no layers here."""

from __future__ import annotations

from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch.ops import parameter as parameter
from funcgrad.torch.ops.parameter import Buffer as Buffer
from funcgrad.torch.ops.parameter import Parameter as Parameter
from funcgrad.torch.ops.parameter import UninitializedBuffer as UninitializedBuffer
from funcgrad.torch.ops.parameter import UninitializedParameter as UninitializedParameter
from funcgrad.torch.texts import namespaces as texts


def __getattr__(name: str) -> _Any:
    raise AttributeError(texts.NO_MODULES.format(name=name))


publish(__name__, parameter)
