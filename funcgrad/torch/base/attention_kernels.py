"""Which ways of computing attention programs allow: `torch.nn.attention.sdpa_kernel` and `torch.backends` say so."""

from __future__ import annotations

KERNELS = {"math": True, "flash": True, "mem_efficient": True, "cudnn": True, "overrideable": True}
"""Whether `scaled_dot_product_attention` may be composed of operations ("math"), or be one operation ("flash")."""

FASTPATH = [True]
"""Whether modules may compute attention and encoder layers in one piece where nothing is differentiated."""


def get_fastpath_enabled() -> bool:
    """Whether modules may compute attention in one piece."""
    return FASTPATH[0]


def set_fastpath_enabled(value: bool) -> None:
    """Say whether modules may compute attention in one piece."""
    FASTPATH[0] = value
