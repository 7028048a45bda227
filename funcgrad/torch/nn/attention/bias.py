"""`torch.nn.attention.bias`: causal masks as rules, which need not be written out."""

from __future__ import annotations

import warnings
from enum import IntEnum
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import bool_
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn.attention import scaled_dot_product_attention
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import attention as texts

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]

ones, tril = namespaces[""]["ones"], namespaces[""]["tril"]


class CausalVariant(IntEnum):
    """Where the diagonal of a causal mask that is not square begins, or ends."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask for `scaled_dot_product_attention`; `causal_upper_left` and `causal_lower_right` make it.

    Arguments:
        variant: in which corner the diagonal lies.
        seq_len_q: how many queries there are.
        seq_len_kv: how many keys.
    """

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warnings.warn(texts.LOWER_RIGHT, stacklevel=2)

    def _materialize(self, device: Any = None) -> Tensor:
        """The mask, written out: True where a query sees a key."""
        mask = ones(self.seq_len_q, self.seq_len_kv, device=device, dtype=bool_)
        lower = self.variant == CausalVariant.LOWER_RIGHT
        return tril(mask, self.seq_len_kv - self.seq_len_q if lower else 0)

    def attend(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        dropout_p: float,
        is_causal: bool,
        scale: float | None,
        enable_gqa: bool,
    ) -> Tensor:
        """Attention under this mask."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        options: dict[str, Any] = {"scale": scale, "enable_gqa": enable_gqa}
        if self.seq_len_q == self.seq_len_kv or self.variant == CausalVariant.UPPER_LEFT:
            return scaled_dot_product_attention(query, key, value, None, dropout_p, True, **options)
        return scaled_dot_product_attention(query, key, value, self._materialize(), dropout_p, False, **options)

    def __repr__(self) -> str:
        return repr(self._materialize())


def _of_two(name: str, variant: CausalVariant, size: tuple) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)


def causal_upper_left(*size: int) -> CausalBias:
    """The mask whose diagonal begins in the upper left corner; size is that of queries and of keys.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.attention.bias.causal_upper_left(2, 3)
        tensor([[ True, False, False],
                [ True,  True, False]])
    """
    return _of_two("causal_upper_left", CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask whose diagonal ends in the lower right corner; size is that of queries and of keys.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.attention.bias.causal_lower_right(2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """
    return _of_two("causal_lower_right", CausalVariant.LOWER_RIGHT, size)


show_as_torch(__name__)
publish(__name__)
