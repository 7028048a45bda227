"""Functions of modules whose gradients are written by hand."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.autograd.function import Function
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.functional.padding import pad
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.utils.backward_hooks import BackwardHookFunction as BackwardHookFunction


class CrossMapLRN2d(Function):
    """input / scale**beta, where the scale is k plus alpha / size times a sum of squares of neighbouring channels.

    Which neighbours these are is PyTorch's: the first channel stays among those of all later ones, and the way back
    goes over the channels before. The gradient has none of its own.
    """

    @staticmethod
    def forward(ctx: Any, input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> Tensor:
        """The normalized channels."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        squares, reach = input * input, int((size - 1) / 2 + 1)
        sums = _neighbours(squares, reach - 1, reach - 1)
        sums[:, reach:] += squares[:, :1]
        scale = sums * (alpha / size) + k
        output = input * scale.pow(-beta)
        ctx.size, ctx.alpha, ctx.beta, ctx.scale = size, alpha, beta, scale
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        """The gradient of the input, and None for the numbers."""
        input, output = ctx.saved_tensors
        before = int(ctx.size - (ctx.size - 1) / 2)
        ratio = _neighbours(grad_output * output / ctx.scale, before, ctx.size - 1 - before)
        found = grad_output * ctx.scale.pow(-ctx.beta) - input * ratio * (2 * ctx.alpha * ctx.beta / ctx.size)
        return found, None, None, None, None


def _neighbours(x: Tensor, before: int, after: int) -> Tensor:
    """For each channel the sum of so many before it, itself, and so many after it."""
    padded = pad(x, (0, 0, 0, 0, before, after))
    total = padded.narrow(1, 0, x.size(1)).clone()
    for i in range(1, before + after + 1):
        total += padded.narrow(1, i, x.size(1))
    return total


show_as_torch(__name__)
