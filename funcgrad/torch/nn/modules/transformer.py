"""Transformers: `Transformer`, its encoder and decoder, and their layers."""

from __future__ import annotations

import copy
import math
import warnings
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.attention_kernels import get_fastpath_enabled
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.functional.attention import _canonical_mask, _none_or_dtype
from funcgrad.torch.nn.init import xavier_uniform_
from funcgrad.torch.nn.modules.activation import GELU, ReLU
from funcgrad.torch.nn.modules.attention import MultiheadAttention, recorded
from funcgrad.torch.nn.modules.container import ModuleList
from funcgrad.torch.nn.modules.dropout import Dropout
from funcgrad.torch.nn.modules.linear import Linear
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.modules.normalization import LayerNorm
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import attention as texts

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

full, triu = namespaces[""]["full"], namespaces[""]["triu"]


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """What is added to scores so that no position sees a later one."""
    return triu(full((sz, sz), -math.inf, dtype=dtype, device=device), diagonal=1)


def _detect_is_causal_mask(mask: Any, is_causal: bool | None, size: int | None) -> bool:
    """Whether a mask is causal: as the caller says, or else as its values do."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(
        mask.size(-2) if size is None else size, device=mask.device, dtype=mask.dtype
    )
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_seq_len(src: Tensor, batch_first: bool) -> int:
    """How many positions a sequence has."""
    return src.size(0) if src.dim() == 2 else src.size(1 if batch_first else 0)


def _get_clones(module: Module, n: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(n)])


def _get_activation_fn(activation: str) -> Any:
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(functional, activation)


class Transformer(Module):
    """An encoder and a decoder.

    Arguments:
        d_model: the size of the features.
        nhead: how many heads attention has.
        num_encoder_layers, num_decoder_layers: how many layers.
        dim_feedforward: the size within the feed-forward networks.
        dropout: the probability of dropping.
        activation: between the two maps of a feed-forward network; a function, "relu" or "gelu".
        custom_encoder, custom_decoder: what takes the place of either.
        layer_norm_eps: the eps of layer norms.
        batch_first: whether tensors are "b t e", not "t b e".
        norm_first: whether a layer normalises before attention and feed-forward network, not after them.
        bias: whether linear maps and norms have one.
        device: the cpu.
        dtype: of the parameters.

    Example:
        >>> from funcgrad import torch
        >>> model = torch.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        >>> model(torch.ones(3, 5, 8), torch.ones(3, 4, 8)).shape
        torch.Size([3, 4, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is None:
            layer: Any = TransformerEncoderLayer(*sizes, device=device, dtype=dtype)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*sizes, device=device, dtype=dtype)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The decoder's result.

        Arguments:
            src: what the encoder reads, "s b e".
            tgt: what the decoder reads, "t b e".
            src_mask, tgt_mask, memory_mask: "s s", "t t" and "t s": True where a position is not seen, or a number that
                is added to the scores.
            src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask: "b s", "b t" and "b s".
            src_is_causal, tgt_is_causal, memory_is_causal: hints that the masks are causal; None: look at them.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """What is added to scores so that no position sees a later one.

        Example:
            >>> from funcgrad import torch
            >>> torch.nn.Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                xavier_uniform_(p)


class TransformerEncoder(Module):
    """Encoder layers, one after the other.

    Arguments:
        encoder_layer: the layer, of which copies are made.
        num_layers: how many.
        norm: what the last one's result goes through.
        enable_nested_tensor: whether padded positions may be left out where nothing is trained; they are zero then.
        mask_check: whether that is so only if the padding stands behind.
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn(texts.NESTED.format(reason=reason), stacklevel=2)
            self.use_nested_tensor = False

    def forward(
        self, src: Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Tensor:
        """The result of the last layer; arguments as `Transformer` has them."""
        other = _none_or_dtype(mask)
        padding = _canonical_mask(src_key_padding_mask, "src_key_padding_mask", other, "mask", src.dtype)
        mask = _canonical_mask(mask, "mask", None, "", src.dtype, False)
        first: Any = self.layers[0]
        nested = padding is not None and mask is None and self._leaves_out(first, src, padding)
        causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, first.self_attn.batch_first))
        out = src
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if nested:
            out = out.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return out if self.norm is None else self.norm(out)

    def _leaves_out(self, first: Any, src: Tensor, padding: Tensor) -> bool:
        """Whether torch leaves padded positions out."""
        if (
            not (get_fastpath_enabled() and getattr(self, "use_nested_tensor", False))
            or state.autocast is not None
            or first.training
            or src.dim() != 3
        ):
            return False
        masked = padding != 0
        if getattr(self, "mask_check", True) and bool((masked[:, :-1] & ~masked[:, 1:]).any()):
            return False
        if recorded(src, *_tensors_of(first)):
            return False
        warn_once(texts.NESTED_PROTOTYPE, stacklevel=4)
        return True


def _why_not_nested(layer: Any) -> str:
    """Why padded positions can't be left out; nothing if they can."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    if layer.norm_first:
        reason = "norm_first was True"
    elif not attention.batch_first:
        reason = "self_attn.batch_first was not True(use batch_first for better inference performance)"
    elif not attention._qkv_same_embed_dim:
        reason = "self_attn._qkv_same_embed_dim was not True"
    elif attention.in_proj_bias is None:
        reason = "self_attn was passed bias=False"
    elif not layer.activation_relu_or_gelu:
        reason = "activation_relu_or_gelu was not True"
    elif layer.norm1.eps != layer.norm2.eps:
        reason = "norm1.eps was not equal to encoder_layer.norm2.eps"
    elif attention.num_heads % 2 == 1:
        reason = "self_attn.num_heads is odd"
    else:
        return ""
    return f"encoder_layer.{reason}"


def _tensors_of(layer: Any) -> tuple:
    """The parameters of an encoder layer."""
    attention = layer.self_attn
    parts = (attention.out_proj, layer.norm1, layer.norm2, layer.linear1, layer.linear2)
    return (attention.in_proj_weight, attention.in_proj_bias, *[t for p in parts for t in (p.weight, p.bias)])


class TransformerDecoder(Module):
    """Decoder layers, one after the other.

    Arguments:
        decoder_layer: the layer, of which copies are made.
        num_layers: how many.
        norm: what the last one's result goes through.
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The result of the last layer; memory is the encoder's, and arguments are as `Transformer` has them."""
        first: Any = self.layers[0]
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, _get_seq_len(tgt, first.self_attn.batch_first))
        out = tgt
        for layer in self.layers:
            out = layer(
                out,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return out if self.norm is None else self.norm(out)


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each added to what it reads, and normalised.

    Arguments:
        d_model: the size of the features.
        nhead: how many heads attention has.
        dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype: as for
            `Transformer`.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> layer(torch.ones(3, 5, 8)).shape
        torch.Size([3, 5, 8])
    """

    __constants__: ClassVar[list[str]] = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        own: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **own)
        self.linear1 = Linear(d_model, dim_feedforward, **own)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **own)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **own)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **own)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        if activation is functional.relu or isinstance(activation, ReLU):
            self.activation_relu_or_gelu = 1
        elif activation is functional.gelu or isinstance(activation, GELU):
            self.activation_relu_or_gelu = 2
        else:
            self.activation_relu_or_gelu = 0
        self.activation = activation

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):  # files of old versions lack it
            self.activation = functional.relu

    def forward(
        self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False
    ) -> Tensor:
        """The result of the layer; arguments as `Transformer` has them."""
        other = _none_or_dtype(src_mask)
        padding = _canonical_mask(src_key_padding_mask, "src_key_padding_mask", other, "src_mask", src.dtype)
        mask = _canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)
        if self._goes_at_once(src):
            merged, _ = self.self_attn.merge_masks(mask, padding, src)

            def attend(x: Tensor) -> Tensor:
                return self.self_attn.attend_at_once(x, merged, False, False)[0]
        else:

            def attend(x: Tensor) -> Tensor:
                return self._sa_block(x, mask, padding, is_causal=is_causal)

        if self.norm_first:
            x = src + attend(self.norm1(src))
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(src + attend(src))
        return self.norm2(x + self._ff_block(x))

    def _goes_at_once(self, src: Tensor) -> bool:
        """Whether torch computes the layer in one piece: nothing is trained, watched by hooks, or unusual."""
        attention = self.self_attn
        return (
            get_fastpath_enabled()
            and state.autocast is None
            and src.dim() == 3
            and not self.training
            and attention.batch_first
            and attention.in_proj_bias is not None
            and attention._qkv_same_embed_dim
            and bool(self.activation_relu_or_gelu)
            and self.norm1.eps == self.norm2.eps
            and attention.num_heads % 2 == 0
            and not any(m._forward_hooks or m._forward_pre_hooks for m in self.modules())
            and not recorded(src, *_tensors_of(self))
        )

    def _sa_block(self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Tensor:
        x = self.self_attn(
            x,
            x,
            x,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            need_weights=False,
            is_causal=is_causal,
        )[0]
        return self.dropout1(x)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's result, and a feed-forward network, each added and normalised.

    Arguments are those of `TransformerEncoderLayer`.
    """

    __constants__: ClassVar[list[str]] = ["norm_first"]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        own: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **own)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **own)
        self.linear1 = Linear(d_model, dim_feedforward, **own)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **own)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **own)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **own)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, **own)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("activation", functional.relu)  # files of old versions lack it
        super().__setstate__(state)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The result of the layer; arguments as `Transformer` has them."""
        own, others = (tgt_mask, tgt_key_padding_mask, tgt_is_causal), (memory_mask, memory_key_padding_mask)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *others, memory_is_causal)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *others, memory_is_causal))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Tensor:
        x = self.self_attn(
            x,
            x,
            x,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]
        return self.dropout1(x)

    def _mha_block(
        self, x: Tensor, mem: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Tensor:
        x = self.multihead_attn(
            x,
            mem,
            mem,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=False,
        )[0]
        return self.dropout2(x)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


show_as_torch(__name__)
publish(__name__)
