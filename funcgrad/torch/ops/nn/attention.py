"""scaled_dot_product_attention: as one operation where torch has a kernel for it, else composed of others."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from funcgrad.torch.base.attention_kernels import KERNELS
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.contract import MM, UNSAFE_VIEW, c_name, matmul
from funcgrad.torch.ops.random import dropout
from funcgrad.torch.primitives.attention import attention, causal_mask, safe_softmax
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import requires, wrapped
from funcgrad.torch.texts import attention as texts

FLASH = Operation(
    attention, "ScaledDotProductFlashAttentionForCpuBackward0", operands=("query", "key", "value", "attn_mask")
)
SAFE_SOFTMAX = Operation(safe_softmax, "SafeSoftmaxBackward0", operands=("self",), saves=(), saves_out=True)


@op("_safe_softmax", "(Tensor input, int dim, *, torch.dtype? dtype = None)", method=False, records=(SAFE_SOFTMAX,))
def _safe_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """As `softmax`; a row of minus infinities becomes zero."""
    if dtype is not None:
        input = input.to(dtype)
    if input.dtype.category != FLOATING:
        raise NotImplementedError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{input.dtype.title}'")
    return SAFE_SOFTMAX(input, axis=wrap_dim(dim, input._value.ndim))


@op(
    "_nn.scaled_dot_product_attention",
    "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask = None, float dropout_p = 0.0, bool is_causal = False, "
    "*, float? scale = None, bool enable_gqa = False)",
    records=(FLASH, MM, UNSAFE_VIEW),
)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.mT * scale + attn_mask) @ value.

    Arguments:
        query: "... h n e".
        key: "... h m e".
        value: "... h m d".
        attn_mask: what is added to the scores, "... h n m" or what broadcasts to it; or booleans, True where a query
            sees a key.
        dropout_p: the probability of dropping a weight.
        is_causal: whether a query sees no key after its own position.
        scale: 1 / sqrt(e) if not given.
        enable_gqa: whether key and value may have fewer heads, each of which serves several of query's.

    Returns:
        "... h n d".

    Example:
        >>> from funcgrad import torch
        >>> q = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> torch.nn.functional.scaled_dot_product_attention(q, q, q)
        tensor([[0.6698, 0.3302],
                [0.3302, 0.6698]])
    """
    if attn_mask is not None and hasattr(attn_mask, "attend"):  # one of torch.nn.attention.bias, which is a rule
        return attn_mask.attend(query, key, value, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    q, k, v = query._value, key._value, value._value
    kind = q.dtype
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        raise RuntimeError(texts.QUERY_NDIM.format(q=q.ndim, k=k.ndim, v=v.ndim))
    if k.dtype != kind or v.dtype != kind:
        raise RuntimeError(texts.QUERY_DTYPES.format(q=c_name(query), k=c_name(key), v=c_name(value)))
    if attn_mask is not None:
        attn_mask = _added(attn_mask, query)
    if of_numpy(kind).category < FLOATING:
        raise RuntimeError(f"expected scalar type Float but found {query.dtype.title}")
    if KERNELS["flash"] and _has_kernel(query, key, value, attn_mask, dropout_p, enable_gqa):
        if dropout_p < 0:
            raise RuntimeError(texts.NEGATIVE_DROPOUT)
        factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
        masks = () if attn_mask is None else (attn_mask,)
        out = FLASH(query, key, value, *masks, scale=factor, causal=is_causal)
        if out._node is not None:
            out._node.params = {"dropout_p": 0.0, "is_causal": is_causal, "scale": scale}
        return out
    if not KERNELS["math"]:
        raise _no_kernel(query, key, value, dropout_p)
    return _composed(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _no_kernel(query: Tensor, key: Tensor, value: Tensor, p: float) -> RuntimeError:
    """The error where attention may not be composed of operations, after warnings that say why."""
    if not KERNELS["flash"]:
        return RuntimeError(texts.NO_BACKEND)
    q, k, v = query._value.ndim, key._value.ndim, value._value.ndim
    warnings.warn(texts.NOT_USED, stacklevel=4)
    if p > 0:
        warnings.warn(texts.FLASH_DROPOUT, stacklevel=4)
    elif (q, k, v) != (4, 4, 4):
        warnings.warn(texts.FLASH_DIMS.format(q=q, k=k, v=v), stacklevel=4)
    return RuntimeError(texts.NO_KERNEL)


def _added(mask: Tensor, query: Tensor) -> Tensor:
    """A mask as it is added: of booleans 0 where they are True, else minus infinity."""
    kind = mask._value.dtype
    if kind.kind == "b":
        zeros = query.new_zeros(())
        return zeros.where(mask, -math.inf)
    if kind != query._value.dtype and kind != np.float32:
        raise RuntimeError(texts.MASK_DTYPE.format(mask=c_name(mask), query=c_name(query)))
    return mask


def _has_kernel(q: Tensor, k: Tensor, v: Tensor, mask: Any, p: float, shared: bool) -> bool:
    """Whether torch has a kernel for attention of these operands on a CPU."""
    a, b, c = q._value.shape, k._value.shape, v._value.shape
    if not len(a) == len(b) == len(c) == 4 or p > 0 or a[3] != b[3] or b[3] != c[3] or b[2] != c[2]:
        return False
    if a[0] != b[0] or b[:2] != c[:2] or not (a[2] and b[2] and a[3]) or q._value.dtype.kind == "c":
        return False
    if a[1] != b[1] and not (shared and b[1] and a[1] % b[1] == 0):
        return False
    if mask is not None:
        shape = mask._value.shape
        mask.size(-2)  # raises torch's error where there is no such dimension
        wide = shape if len(shape) == 4 else (1, 1, *shape)
        full = (a[0], a[1], a[2], b[2])
        if requires(mask) or len(shape) not in (2, 4) or any(n not in (1, m) for n, m in zip(wide, full, strict=True)):
            return False
    return all(t.stride(3) == 1 for t in (q, k, v))


def _composed(
    q: Tensor, k: Tensor, v: Tensor, mask: Any, p: float, causal: bool, scale: float | None, shared: bool
) -> Tensor:
    """The same of operations, in torch's order."""
    kind = q.dtype
    if kind.name in ("float16", "bfloat16"):
        q, k, v = q.float(), k.float(), v.float()
        mask = mask if mask is None else mask.float()
    factor = 1 / math.sqrt(q.size(-1)) if scale is None else scale
    half = math.sqrt(abs(factor))
    q = q * (half if factor >= 0 else -half)
    if causal:
        if mask is not None:
            raise RuntimeError(texts.MASK_AND_CAUSAL)
        mask = wrapped(causal_mask(q.size(-2), k.size(-2), q._value.dtype).copy())
    if shared and q.ndim > 2:
        if q.size(-3) % k.size(-3) or q.size(-3) % v.size(-3):
            raise RuntimeError(texts.HEADS_DIVIDE)
        k, v = (x.repeat_interleave(q.size(-3) // x.size(-3), -3) for x in (k, v))
    weights = matmul(q, k.transpose(-2, -1) * half)
    if mask is not None:
        weights = weights + mask
    weights = _safe_softmax(weights, -1)
    if p:
        weights = dropout(weights, p, True)
    out = matmul(weights, v)
    return out if out.dtype is kind else out.to(kind)
