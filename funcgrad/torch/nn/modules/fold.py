"""Windows of images as columns, and back: `Unfold` and `Fold`."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Images of columns, which are added up where windows overlap: the transpose of `Unfold`.

    Arguments:
        output_size: of the images.
        kernel_size, dilation, padding, stride: of the windows; a number, or one for each dimension.
    """

    __constants__: ClassVar[list[str]] = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The images."""
        return functional.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The windows."""
        return ", ".join([f"{name}={getattr(self, name)}" for name in self.__constants__])


class Unfold(Module):
    """The windows of images as columns.

    Arguments:
        kernel_size, dilation, padding, stride: of the windows; a number, or one for each dimension.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Unfold(2)(torch.arange(4.0).reshape(1, 1, 2, 2)).flatten()
        tensor([0., 1., 2., 3.])
    """

    __constants__: ClassVar[list[str]] = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The columns."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The windows."""
        return ", ".join([f"{name}={getattr(self, name)}" for name in self.__constants__])


show_as_torch(__name__)
publish(__name__)
