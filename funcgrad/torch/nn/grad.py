"""`torch.nn.grad`: the gradients of convolutions as functions of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.ops.nn.convolution import convolve_back
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]


def _gradients(rank: int) -> tuple[Callable, Callable]:
    """Those of conv1d, conv2d or conv3d."""

    def by_input(
        input_size: Any,
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        return convolve_back(grad_output, weight, tuple(input_size), None, stride, padding, dilation, groups)

    def by_weight(
        input: Tensor,
        weight_size: Any,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        return convolve_back(grad_output, input, None, tuple(weight_size), stride, padding, dilation, groups)

    by_input.__name__ = by_input.__qualname__ = f"conv{rank}d_input"
    by_weight.__name__ = by_weight.__qualname__ = f"conv{rank}d_weight"
    by_input.__doc__ = f"""The gradient of `conv{rank}d` with respect to its input.

    Arguments:
        input_size: of the input.
        weight: of the convolution.
        grad_output: the gradient with respect to the result.
        stride, padding, dilation, groups: of the convolution.
    """
    by_weight.__doc__ = f"""The gradient of `conv{rank}d` with respect to its weight.

    Arguments:
        input: of the convolution.
        weight_size: of the weight.
        grad_output: the gradient with respect to the result.
        stride, padding, dilation, groups: of the convolution.
    """
    return by_input, by_weight


(conv1d_input, conv1d_weight), (conv2d_input, conv2d_weight), (conv3d_input, conv3d_weight) = (
    _gradients(rank) for rank in (1, 2, 3)
)

publish(__name__)
