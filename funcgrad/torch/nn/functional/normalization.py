"""Normalization of batches, layers, groups, instances, and of neighbouring channels."""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn.functional.padding import pad
from funcgrad.torch.ops.nn import batch_normalization as _batch
from funcgrad.torch.ops.nn import layer_normalization as _layer
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import normalization as texts

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]

assert _batch and _layer  # they are declared
_torch, _nn = namespaces[""], namespaces["_nn"]


def _check_values(size: Any) -> None:
    """Raise torch's error if each channel has one value."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(texts.FEW_VALUES.format(size=size))


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Each channel brought to mean 0 and variance 1, then scaled and shifted.

    Arguments:
        input: "batch channels ...".
        running_mean, running_var: those of the channels, which training moves towards the batch's; or None.
        weight, bias: the scale and the shift of each channel, or None.
        training: whether the mean and the variance are those of the batch.
        momentum: how far the running ones are moved.
        eps: is added to variances.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([[1.0], [3.0]])
        >>> torch.nn.functional.batch_norm(x, None, None, training=True)
        tensor([[-1.0000],
                [ 1.0000]])
    """
    if training:
        _check_values(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _torch["batch_norm"](input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Each channel of each example brought to mean 0 and variance 1; arguments as for `batch_norm`."""
    if use_input_stats:
        size = input.size()
        if math.prod(size[2:]) == 1:
            raise ValueError(texts.FEW_PLACES.format(size=size))
    statistics = running_mean, running_var
    return _torch["instance_norm"](input, weight, bias, *statistics, use_input_stats, momentum, eps, True)


def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """The last dimensions brought to mean 0 and variance 1, then scaled and shifted.

    Arguments:
        input: the tensor.
        normalized_shape: the sizes of these dimensions.
        weight, bias: of this shape, the scale and the shift of each element, or None.
        eps: is added to variances.
    """
    return _torch["layer_norm"](input, normalized_shape, weight, bias, eps, True)


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """The last dimensions divided by the root of the mean of their squares; arguments as for `layer_norm`."""
    return _torch["rms_norm"](input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """Groups of channels of each example brought to mean 0 and variance 1, then scaled and shifted by channel.

    Arguments:
        input: "batch channels ...".
        num_groups: how many groups there are.
        weight, bias: the scale and the shift of each channel, or None.
        eps: is added to variances.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    _check_values([input.size(0) * input.size(1) // num_groups, num_groups, *input.size()[2:]])
    return _torch["group_norm"](input, num_groups, weight, bias, eps, True)


def local_response_norm(input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """input / (k + alpha * mean)**beta, with the mean of the squares of `size` neighbouring channels.

    Arguments:
        input: "batch channels ..." with at least one more dimension.
        size, alpha, beta, k: the numbers in the formula; missing neighbours count as zero.
    """
    ndim = input.dim()
    if ndim < 3:
        raise ValueError(texts.LRN_DIMENSIONS.format(ndim=ndim))
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    if ndim == 3:
        padded = pad(squares.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        mean = _nn["avg_pool2d"](padded, (size, 1), stride=1).squeeze(1)
    else:
        shape = input.size()
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        padded = pad(squares, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        mean = _nn["avg_pool3d"](padded, (size, 1, 1), stride=1).squeeze(1).view(shape)
    return input / mean.mul(alpha).add(k).pow(beta)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """input divided by its norm along a dimension.

    Arguments:
        input: the tensor.
        p: which norm.
        dim: the dimension, or several.
        eps: what smaller norms are replaced by.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
        tensor([[0.6000, 0.8000]])
    """
    size = input.norm(p, dim, keepdim=True)
    if out is None:
        return input / size.clamp_min(eps).expand_as(input)
    return _torch["div"](input, size.clamp_min_(eps).expand_as(input), out=out)


publish(__name__)
