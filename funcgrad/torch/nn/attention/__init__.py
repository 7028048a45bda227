"""`torch.nn.attention`: how `torch.nn.functional.scaled_dot_product_attention` may be computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.core.scope import scoped
from funcgrad.torch.base.attention_kernels import KERNELS
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.attention import bias as bias
from funcgrad.torch.texts import attention as texts

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "bias", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False
"""Whether torch says why it has no kernel for a bias; there is none here in any case."""


class SDPBackend(Enum):
    """A way of computing attention: on a CPU as one operation (FLASH_ATTENTION), or composed of others (MATH)."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value

    def __index__(self) -> int:
        return self.value

    def __hash__(self) -> int:
        return hash(self.value)


_NAMES = {
    SDPBackend.CUDNN_ATTENTION: "cudnn",
    SDPBackend.FLASH_ATTENTION: "flash",
    SDPBackend.EFFICIENT_ATTENTION: "mem_efficient",
    SDPBackend.MATH: "math",
    SDPBackend.OVERRIDEABLE: "overrideable",
}


@scoped
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[dict]:
    """Inside, `scaled_dot_product_attention` is computed in one of these ways only.

    Arguments:
        backends: a `SDPBackend`, or a list of them.
        set_priority: whether the first of them is preferred; here there is no choice between several.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.ones(1, 1, 2, 2, requires_grad=True)
        >>> with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).grad_fn.name()
        'UnsafeViewBackward0'
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(texts.BACKEND_TYPE.format(kind=type(backends).__name__))
    allowed: Iterable[Any] = backends if isinstance(backends, list) else [backends]
    before = dict(KERNELS)
    KERNELS.update({name: backend in allowed for backend, name in _NAMES.items()})
    try:
        yield {}
    finally:
        KERNELS.update(before)


show_as_torch(__name__)
publish(__name__)
