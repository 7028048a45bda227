"""Squares of pixels made of channels, and back."""

from __future__ import annotations

from typing import ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """(..., c * r**2, h, w) becomes (..., c, h * r, w * r), where r is upscale_factor.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.PixelShuffle(2)(torch.arange(4.0).reshape(4, 1, 1))
        tensor([[[0., 1.],
                 [2., 3.]]])
    """

    __constants__: ClassVar[list[str]] = ["upscale_factor"]
    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The larger image."""
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The inverse: (..., c, h * r, w * r) becomes (..., c * r**2, h, w), where r is downscale_factor."""

    __constants__: ClassVar[list[str]] = ["downscale_factor"]
    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The smaller image."""
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"


show_as_torch(__name__)
publish(__name__)
