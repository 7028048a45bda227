"""`MultiheadAttention`, which `torch.nn.modules.activation` shows."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.attention_kernels import get_fastpath_enabled
from funcgrad.torch.base.dtypes import FLOATING
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.functional.attention import _canonical_mask, _none_or_dtype
from funcgrad.torch.nn.init import constant_, xavier_normal_, xavier_uniform_
from funcgrad.torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import attention as texts

__all__ = ["MultiheadAttention"]

empty, softmax = namespaces[""]["empty"], namespaces[""]["softmax"]


def recorded(*tensors: Any) -> bool:
    """Whether gradients are recorded for one of these tensors."""
    return state.grad and any(t is not None and t.requires_grad for t in tensors)


class MultiheadAttention(Module):
    """Attention of several heads, with projections of query, key, value and result.

    Arguments:
        embed_dim: the size of query and result.
        num_heads: how many heads it is divided into.
        dropout: the probability of dropping a weight.
        bias: whether projections have one.
        add_bias_kv: whether one key and value more are parameters.
        add_zero_attn: whether there is one key and value more that are zero.
        kdim, vdim: the sizes of key and value, if not embed_dim.
        batch_first: whether tensors are "b l e", not "l b e".
        device: the cpu.
        dtype: of the parameters.

    Example:
        >>> from funcgrad import torch
        >>> attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> x = torch.ones(3, 5, 8)
        >>> out, weights = attention(x, x, x)
        >>> out.shape, weights.shape
        (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    __constants__: ClassVar[list[str]] = ["batch_first"]
    bias_k: Any
    bias_v: Any

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(texts.HEADS_POSITIVE.format(embed=embed_dim, heads=num_heads))
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def parameter(*shape: int) -> Parameter:
            return Parameter(empty(shape, device=device, dtype=dtype))

        separate = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
            for name in separate:
                self.register_parameter(name, None)
        else:
            for name, size in zip(separate, (embed_dim, self.kdim, self.vdim), strict=True):
                setattr(self, name, parameter(embed_dim, size))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = parameter(3 * embed_dim)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            self.bias_k, self.bias_v = parameter(1, 1, embed_dim), parameter(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("_qkv_same_embed_dim", True)  # files of old versions lack it
        super().__setstate__(state)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Any]:
        """The result, and the weights of the keys or None.

        Arguments:
            query: "l b e" ("b l e" if batch_first), or "l e".
            key, value: "s b k" and "s b v", or "s k" and "s v".
            key_padding_mask: "b s", or "s": True where a key is not seen, or a number that is added to its score.
            need_weights: whether the weights are a result, too.
            attn_mask: "l s" or "b·num_heads l s": True where a query does not see a key, or a number that is added.
            average_attn_weights: whether the weights are averaged over the heads.
            is_causal: a hint that attn_mask is causal.
        """
        added = any(m is not None and m.dtype.category == FLOATING for m in (attn_mask, key_padding_mask))
        other = _none_or_dtype(attn_mask)
        key_padding_mask = _canonical_mask(key_padding_mask, "key_padding_mask", other, "attn_mask", query.dtype)
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        batched = query.dim() == 3
        if not added and query is key and key is value and batched and self._goes_at_once(query):
            merged, _ = self.merge_masks(attn_mask, key_padding_mask, query)
            return self.attend_at_once(query, merged, need_weights, average_attn_weights)
        turned = self.batch_first and batched
        if turned:  # tensors that are the same stay so
            swapped = {id(x): x.transpose(1, 0) for x in (query, key, value)}
            query, key, value = (swapped[id(x)] for x in (query, key, value))
        separate: dict[str, Any] = {}
        if not self._qkv_same_embed_dim:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            separate = {"use_separate_proj_weight": True, **{n: getattr(self, n) for n in names}}
        out, weights = functional.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **separate,
        )
        return (out.transpose(1, 0) if turned else out), weights

    def _goes_at_once(self, query: Tensor) -> bool:
        """Whether torch computes self-attention of this batch in one piece: nothing is trained or out of the ordinary.

        The difference shows in the layout of the result, in errors, and in rows that are all masked.
        """
        return (
            get_fastpath_enabled()
            and state.autocast is None
            and not self.training
            and self.batch_first
            and self.num_heads % 2 == 0
            and self._qkv_same_embed_dim
            and self.in_proj_weight is not None
            and self.in_proj_bias is not None
            and query.dtype == self.in_proj_weight.dtype == self.in_proj_bias.dtype
            and self.bias_k is None
            and self.bias_v is None
            and not self.add_zero_attn
            and not recorded(query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias)
        )

    def attend_at_once(self, query: Tensor, mask: Any, need_weights: bool, average: bool) -> tuple[Tensor, Any]:
        """Self-attention of a batch "b l e" in one piece; mask is what `merge_masks` gives."""
        b, n, size = query.shape
        if size != self.embed_dim:
            raise RuntimeError(texts.EMBED_DIM.format(embed=self.embed_dim, found=size))
        parts = functional.linear(query, self.in_proj_weight, self.in_proj_bias)
        q, k, v = parts.view(b, n, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q * math.sqrt(1.0 / self.head_dim)) @ k.transpose(-2, -1)
        if mask is not None:
            scores = scores + (mask.view(b, 1, 1, n) if mask.dim() == 2 else mask)
        weights = softmax(scores, -1)
        out = (weights @ v).transpose(1, 2).reshape(b, n, size)
        out = functional.linear(out, self.out_proj.weight, self.out_proj.bias)
        if not need_weights:
            return out, None
        return out, weights.mean(dim=1) if average else weights

    def merge_masks(self, attn_mask: Any, key_padding_mask: Any, query: Tensor) -> tuple[Any, int | None]:
        """Both masks as one, and which kind that is: 1, "b s" of keys; 2, "b h l s"; None if there is none."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        b, n, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(b, -1, n, n)
        else:
            merged = attn_mask.view(1, 1, n, n).expand(b, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(b, 1, 1, n).expand(-1, self.num_heads, -1, -1)
        return merged, 2


show_as_torch(__name__, "torch.nn.modules.activation")
publish(__name__)
