"""Layers of pooling."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.modules.utils import _single
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]


class _MaxPoolNd(Module):
    """What MaxPool1d, MaxPool2d and MaxPool3d share."""

    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "stride",
        "padding",
        "dilation",
        "return_indices",
        "ceil_mode",
    ]
    _rank: ClassVar[int]
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if (stride is not None) else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The windows."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )

    def forward(self, input: Tensor) -> Any:
        """The largest element of each window; with return_indices where it is, too."""
        return getattr(functional, f"max_pool{self._rank}d")(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class MaxPool1d(_MaxPoolNd):
    """The largest element of windows along sequences; arguments as for `MaxPool2d`."""

    _rank: ClassVar[int] = 1


class MaxPool2d(_MaxPoolNd):
    """The largest element of windows over images.

    Arguments:
        kernel_size: the size of windows; a number, or one for each dimension.
        stride, padding, dilation, ceil_mode: as for `functional.max_pool2d`.
        return_indices: whether to give the indices of the elements, too, for `MaxUnpool2d`.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.MaxPool2d(2)(torch.arange(16.0).reshape(1, 4, 4))
        tensor([[[ 5.,  7.],
                 [13., 15.]]])
    """

    _rank: ClassVar[int] = 2


class MaxPool3d(_MaxPoolNd):
    """The largest element of windows over volumes; arguments as for `MaxPool2d`."""

    _rank: ClassVar[int] = 3


class _AvgPoolNd(Module):
    """What AvgPool1d, AvgPool2d and AvgPool3d share."""

    __constants__: ClassVar[list[str]] = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]
    kernel_size: Any
    stride: Any
    padding: Any
    ceil_mode: bool
    count_include_pad: bool

    def extra_repr(self) -> str:
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of windows along sequences.

    Arguments:
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for `functional.avg_pool1d`.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPoolOver(_AvgPoolNd):
    """What AvgPool2d and AvgPool3d share."""

    __constants__: ClassVar[list[str]] = [*_AvgPoolNd.__constants__, "divisor_override"]
    _rank: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if (stride is not None) else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return getattr(functional, f"avg_pool{self._rank}d")(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        for name, usual in (("padding", 0), ("ceil_mode", False), ("count_include_pad", True)):
            self.__dict__.setdefault(name, usual)


class AvgPool2d(_AvgPoolOver):
    """The mean of windows over images.

    Arguments:
        kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: as for `functional.avg_pool2d`.
    """

    _rank: ClassVar[int] = 2


class AvgPool3d(_AvgPoolOver):
    """The mean of windows over volumes; arguments as for `AvgPool2d`."""

    _rank: ClassVar[int] = 3


show_as_torch(__name__)
publish(__name__)
