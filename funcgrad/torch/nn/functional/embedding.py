"""Rows of tables by their numbers, and bags of them."""

from __future__ import annotations

import warnings

from funcgrad.core.faces import publish
from funcgrad.torch.base.dtypes import int64
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops import nn as _rows
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import embedding as texts

__all__ = ["embedding", "embedding_bag"]

assert _rows  # its rows are declared
_torch = namespaces[""]
_MODES = {"sum": 0, "mean": 1, "max": 2}


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of a matrix by their numbers.

    Arguments:
        input: the numbers, of any shape.
        weight: (rows, features).
        padding_idx: the number of a row that gets no gradient.
        max_norm: rows that are read and are longer than this are first made as long, in place.
        norm_type: of this norm.
        scale_grad_by_freq: whether gradients are divided by how often a row was read.
        sparse: accepted; the gradient is dense in any case, as there are no sparse tensors.

    Returns:
        (..., features).

    Example:
        >>> from funcgrad import torch
        >>> table = torch.arange(6.0).reshape(3, 2)
        >>> torch.nn.functional.embedding(torch.tensor([2, 0]), table)
        tensor([[4., 5.],
                [0., 1.]])
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        rows = weight.size(0)
        if not -rows <= padding_idx < max(rows, 1):
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx = padding_idx + rows if padding_idx < 0 else padding_idx
    if max_norm is not None:
        input = input.contiguous()
        _torch["embedding_renorm_"](weight.detach(), input, max_norm, norm_type)
    return _torch["embedding"](weight, input, padding_idx, scale_grad_by_freq, sparse)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of rows of a matrix, bag by bag, without the rows themselves.

    Arguments:
        input: the numbers of the rows: (bags, n), or (n,) with offsets.
        weight: (rows, features).
        offsets: where in input each bag begins.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.
        mode: "sum", "mean" or "max".
        per_sample_weights: of input's shape: what rows are multiplied with; for sums.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: the number of a row that is left out.

    Returns:
        (bags, features).

    Example:
        >>> from funcgrad import torch
        >>> table = torch.arange(6.0).reshape(3, 2)
        >>> torch.nn.functional.embedding_bag(torch.tensor([2, 0, 1]), table, torch.tensor([0, 2]), mode="sum")
        tensor([[4., 6.],
                [2., 3.]])
    """
    if weight.dtype is int64 and input.is_floating_point():
        warnings.warn(texts.ARGUMENTS_TURNED, stacklevel=2)
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        sizes = {"weights": per_sample_weights.shape, "input": input.shape}
        raise ValueError(texts.SAMPLE_WEIGHTS_SHAPE.format(**sizes))
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(texts.OFFSETS_OF_ROWS.format(type=type(offsets)))
        offsets = _torch["arange"](0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        include_last_offset = False
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if max_norm is not None:
        _torch["embedding_renorm_"](weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(texts.SAMPLE_WEIGHTS_MODE.format(mode=mode))
    return _torch["embedding_bag"](
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _MODES[mode],
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )[0]


publish(__name__)
