"""Attention of several heads, with the projections of query, key and value."""

from __future__ import annotations

import math
import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import FLOATING
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn.functional.dropout import dropout
from funcgrad.torch.nn.functional.padding import pad
from funcgrad.torch.ops.nn.attention import scaled_dot_product_attention
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import attention as texts

__all__ = ["multi_head_attention_forward"]

_torch, linear = namespaces[""], namespaces["_nn"]["linear"]
baddbmm, bmm, cat, softmax, zeros, zeros_like = (
    _torch[n] for n in ("baddbmm", "bmm", "cat", "softmax", "zeros", "zeros_like")
)


def _canonical_mask(
    mask: Any, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Any:
    """A mask as it is added to scores: booleans become minus infinity where they are True, else 0."""
    if mask is None:
        return None
    floating = mask.dtype.category == FLOATING
    if not floating and mask._value.dtype.kind != "b":
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(texts.MISMATCHED_MASKS.format(mask=mask_name, other=other_name), stacklevel=3)
    return mask if floating else zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _none_or_dtype(input: Any) -> Any:
    """The dtype of a tensor; of None, None."""
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _mha_shape_check(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any, attn_mask: Any, num_heads: int
) -> bool:
    """Whether the inputs are batched; an error if their dimensions do not fit."""
    if query.dim() not in (2, 3):
        raise AssertionError(texts.QUERY_DIMS.format(n=query.dim()))
    batched = query.dim() == 3
    n, kind = (3, "batched") if batched else (2, "unbatched")
    if key.dim() != n or value.dim() != n:
        raise AssertionError(texts.KEY_DIMS.format(kind=kind, n=n, key=key.dim(), value=value.dim()))
    if key_padding_mask is not None and key_padding_mask.dim() != n - 1:
        raise AssertionError(texts.PADDING_DIMS.format(kind=kind, n=n, m=n - 1, found=key_padding_mask.dim()))
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(texts.MASK_DIMS.format(kind=kind, n=n, found=attn_mask.dim()))
        expected = (num_heads, query.shape[0], key.shape[0])
        if not batched and attn_mask.dim() == 3 and attn_mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return batched


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Any = None) -> tuple[Tensor, ...]:
    """The projections of query, key and value with one matrix, in as few products as these allow."""
    size = q.size(-1)
    if k is not v:
        weights, biases = w.chunk(3), (None, None, None) if b is None else b.chunk(3)
        return tuple([linear(x, own, bias) for x, own, bias in zip((q, k, v), weights, biases, strict=True)])
    if q is k:
        return _parts(linear(q, w, b), 3, size)
    w_q, w_kv = w.split([size, size * 2])
    b_q, b_kv = (None, None) if b is None else b.split([size, size * 2])
    return linear(q, w_q, b_q), *_parts(linear(k, w_kv, b_kv), 2, size)


def _parts(x: Tensor, n: int, size: int) -> tuple[Tensor, ...]:
    """The n parts of the last dimension, as parts of a first one."""
    parts = x.unflatten(-1, (n, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple([parts[i] for i in range(n)])


def _in_projection(xs: tuple[Tensor, ...], weights: tuple, biases: tuple) -> tuple[Tensor, ...]:
    """The projections of query, key and value with a matrix each."""
    size = xs[0].size(-1)
    for name, x, w in zip(("query", "key", "value"), xs, weights, strict=True):
        expected = (size, x.size(-1))
        if w.shape != expected:
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {w.shape}")
    for name, b in zip(("query", "key", "value"), biases, strict=True):
        if b is not None and b.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {b.shape}")
    return tuple([linear(x, w, b) for x, w, b in zip(xs, weights, biases, strict=True)])


def _check_static(name: str, x: Tensor, rows: int, head_dim: int) -> None:
    if x.size(0) != rows:
        raise AssertionError(f"expecting {name}.size(0) of {rows}, but got {x.size(0)}")
    if x.size(2) != head_dim:
        raise AssertionError(f"expecting {name}.size(2) of {head_dim}, but got {x.size(2)}")


def _widened(attn_mask: Any, key_padding_mask: Any) -> tuple[Any, Any]:
    """The masks for one key more, which is seen."""
    return tuple([None if m is None else pad(m, (0, 1)) for m in (attn_mask, key_padding_mask)])  # type: ignore[return-value]  # there are two


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Any]:
    """Attention of several heads; `torch.nn.MultiheadAttention` is the module of it.

    Arguments:
        query: "l b e", or "l e".
        key, value: "s b e", or "s e"; their last dimension may be another with use_separate_proj_weight.
        embed_dim_to_check: e.
        num_heads: how many heads e is divided into.
        in_proj_weight, in_proj_bias: "3e e" and "3e", of query, key and value.
        bias_k, bias_v: of one key and value more, "1 1 e".
        add_zero_attn: whether there is one key and value more that are zero.
        dropout_p: the probability of dropping a weight, if training.
        out_proj_weight, out_proj_bias: of the result.
        training: whether anything is dropped.
        key_padding_mask: "b s", of keys that are not seen: True, or a number that is added to the scores.
        need_weights: whether the weights are a result, too.
        attn_mask: "l s" or "b·num_heads l s"; True, or a number that is added.
        use_separate_proj_weight: whether q_proj_weight, k_proj_weight and v_proj_weight take the place of
            in_proj_weight.
        static_k, static_v: what takes the place of the projected key and value.
        average_attn_weights: whether the weights are averaged over the heads.
        is_causal: a hint that attn_mask is causal.

    Returns:
        The result, "l b e", and the weights, "b l s", or None.
    """
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    src_len = key.shape[0]
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(texts.CAUSAL_HINT)
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the hint says the same
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        is_causal = is_causal and key_padding_mask is None
    if embed_dim != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}")
    head_dim, rows = embed_dim // num_heads, bsz * num_heads
    if head_dim * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")

    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(texts.KEY_AND_VALUE.format(key=key.shape[:2], value=value.shape[:2]))
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        for name, w in zip("qkv", weights, strict=True):
            if w is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
        biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
        q, k, v = _in_projection((query, key, value), weights, biases)
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)

    if attn_mask is not None:
        attn_mask = _checked_mask(attn_mask, tgt_len, src_len, rows)
    if (bias_k is None) is not (bias_v is None):
        missing, given = ("bias_k", "bias_v") if bias_k is None else ("bias_v", "bias_k")
        raise AssertionError(f"{given} is set but {missing} is None")
    if bias_k is not None:
        for name, static in (("key", static_k), ("value", static_v)):
            if static is not None:
                raise AssertionError(f"bias cannot be added to static {name}.")
        k, v = cat([k, bias_k.repeat(1, bsz, 1)]), cat([v, bias_v.repeat(1, bsz, 1)])
        attn_mask, key_padding_mask = _widened(attn_mask, key_padding_mask)

    # one batch of all heads, "b·h n d"
    q = q.view(tgt_len, rows, head_dim).transpose(0, 1)
    if static_k is None:
        k = k.view(k.shape[0], rows, head_dim).transpose(0, 1)
    else:
        _check_static("static_k", static_k, rows, head_dim)
        k = static_k
    if static_v is None:
        v = v.view(v.shape[0], rows, head_dim).transpose(0, 1)
    else:
        _check_static("static_v", static_v, rows, head_dim)
        v = static_v
    if add_zero_attn:
        k, v = (cat([x, zeros((rows, 1, head_dim), dtype=x.dtype, device=x.device)], dim=1) for x in (k, v))
        attn_mask, key_padding_mask = _widened(attn_mask, key_padding_mask)
    src_len = k.size(1)
    if key_padding_mask is not None:
        for d, n in enumerate((bsz, src_len)):
            if key_padding_mask.shape[d] != n:
                raise AssertionError(texts.PADDING_SHAPE.format(d=d, n=n, found=key_padding_mask.shape[d]))
        padding = key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1).reshape(rows, 1, src_len)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    if not training:
        dropout_p = 0.0

    if not need_weights:
        if attn_mask is not None:
            wide = attn_mask.size(0) == 1 and attn_mask.dim() == 3
            attn_mask = attn_mask.unsqueeze(0) if wide else attn_mask.view(bsz, num_heads, -1, src_len)
        q, k, v = (x.view(bsz, num_heads, n, head_dim) for x, n in ((q, tgt_len), (k, src_len), (v, src_len)))
        out = scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
        out = out.permute(2, 0, 1, 3).reshape(bsz * tgt_len, embed_dim)
        out = linear(out, out_proj_weight, out_proj_bias)
        out = out.view(tgt_len, bsz, out.size(1))
        return (out if batched else out.squeeze(1)), None

    q = q * math.sqrt(1.0 / float(head_dim))
    if is_causal and attn_mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")
    keys = k.transpose(-2, -1)
    scores = bmm(q, keys) if attn_mask is None else baddbmm(attn_mask, q, keys)
    attention = softmax(scores, dim=-1)
    if dropout_p > 0.0:
        attention = dropout(attention, p=dropout_p)
    out = bmm(attention, v).transpose(0, 1).reshape(tgt_len * bsz, embed_dim)
    out = linear(out, out_proj_weight, out_proj_bias)
    out = out.view(tgt_len, bsz, out.size(1))
    attention = attention.view(bsz, num_heads, tgt_len, src_len)
    if average_attn_weights:
        attention = attention.mean(dim=1)
    return (out, attention) if batched else (out.squeeze(1), attention.squeeze(0))


def _checked_mask(mask: Tensor, tgt_len: int, src_len: int, rows: int) -> Tensor:
    """attn_mask with three dimensions."""
    if mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    expected = (tgt_len, src_len) if mask.dim() == 2 else (rows, tgt_len, src_len)
    if mask.shape != expected:
        raise RuntimeError(texts.MASK_SHAPE.format(n=mask.dim(), found=mask.shape, expected=expected))
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


publish(__name__)
