"""Layers of pooling."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.modules.utils import _ntuple, _single
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import pooling as texts

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


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


class _MaxUnpoolNd(Module):
    """What MaxUnpool1d, MaxUnpool2d and MaxUnpool3d share."""

    _rank: ClassVar[int]
    kernel_size: Any
    stride: Any
    padding: Any

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        each = _ntuple(self._rank)
        self.kernel_size = each(kernel_size)
        self.stride = each(stride if (stride is not None) else kernel_size)
        self.padding = each(padding)

    def extra_repr(self) -> str:
        """The windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """The elements in the places that they were picked from."""
        unpool = getattr(functional, f"max_unpool{self._rank}d")
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """What undoes `MaxPool1d`; arguments as for `MaxUnpool2d`."""

    _rank: ClassVar[int] = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """What undoes `MaxPool2d`: its elements in their places, and zeros elsewhere.

    Arguments:
        kernel_size, stride, padding: those of the pooling.

    Example:
        >>> from funcgrad import torch
        >>> found, places = torch.nn.MaxPool2d(2, return_indices=True)(torch.arange(4.0).reshape(1, 1, 2, 2))
        >>> torch.nn.MaxUnpool2d(2)(found, places)
        tensor([[[[0., 0.],
                  [0., 3.]]]])
    """

    _rank: ClassVar[int] = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """What undoes `MaxPool3d`; arguments as for `MaxUnpool2d`."""

    _rank: ClassVar[int] = 3


class _FractionalMaxPoolNd(Module):
    """What FractionalMaxPool2d and FractionalMaxPool3d share."""

    __constants__: ClassVar[list[str]] = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _rank: ClassVar[int]
    _random_samples: Any

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        each = _ntuple(self._rank)
        if self._rank == 3 and min(each(kernel_size)) <= 0:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = each(output_size) if output_size is not None else None
        self.output_ratio = each(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ValueError(texts.FRACTIONAL_LAYER.format(name=f"FractionalMaxPool{self._rank}d"))
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """The largest element of each window; with return_indices where it is, too."""
        return getattr(functional, f"fractional_max_pool{self._rank}d")(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest element of windows of one size at random places of images.

    Arguments:
        kernel_size: the size of windows.
        output_size: how many there are; or
        output_ratio: how many in proportion to the size of the input, between 0 and 1.
        return_indices: whether to give the indices of the elements, too.
    """

    _rank: ClassVar[int] = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest element of windows at random places of volumes; arguments as for `FractionalMaxPool2d`."""

    _rank: ClassVar[int] = 3


class _LPPoolNd(Module):
    """What LPPool1d, LPPool2d and LPPool3d share."""

    __constants__: ClassVar[list[str]] = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    _rank: ClassVar[int]

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The norm and the windows."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )

    def forward(self, input: Tensor) -> Tensor:
        """The norms."""
        pool = getattr(functional, f"lp_pool{self._rank}d")
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The p-norm of windows over sequences.

    Arguments:
        norm_type: p.
        kernel_size, stride, ceil_mode: of the windows.
    """

    _rank: ClassVar[int] = 1


class LPPool2d(_LPPoolNd):
    """The p-norm of windows over images.

    Arguments:
        norm_type: p.
        kernel_size, stride, ceil_mode: of the windows.
    """

    _rank: ClassVar[int] = 2


class LPPool3d(_LPPoolNd):
    """The p-norm of windows over volumes.

    Arguments:
        norm_type: p.
        kernel_size, stride, ceil_mode: of the windows.
    """

    _rank: ClassVar[int] = 3


class _AdaptiveMaxPoolNd(Module):
    """What AdaptiveMaxPool1d, AdaptiveMaxPool2d and AdaptiveMaxPool3d share."""

    __constants__: ClassVar[list[str]] = ["output_size", "return_indices"]
    _rank: ClassVar[int]
    return_indices: bool

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """The size of the result."""
        return f"output_size={self.output_size}"

    def forward(self, input: Tensor) -> Any:
        """The largest element of each window; with return_indices where it is, too."""
        return getattr(functional, f"adaptive_max_pool{self._rank}d")(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest element of windows over sequences, as many as are asked for.

    Arguments:
        output_size: how many windows there are.
        return_indices: whether to give the indices of the elements, too.
    """

    _rank: ClassVar[int] = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest element of windows over images, as many as are asked for.

    Arguments:
        output_size: how many windows there are.
        return_indices: whether to give the indices of the elements, too.
    """

    _rank: ClassVar[int] = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest element of windows over volumes, as many as are asked for.

    Arguments:
        output_size: how many windows there are.
        return_indices: whether to give the indices of the elements, too.
    """

    _rank: ClassVar[int] = 3


class _AdaptiveAvgPoolNd(Module):
    """What AdaptiveAvgPool1d, AdaptiveAvgPool2d and AdaptiveAvgPool3d share."""

    __constants__: ClassVar[list[str]] = ["output_size"]
    _rank: ClassVar[int]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The size of the result."""
        return f"output_size={self.output_size}"

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return getattr(functional, f"adaptive_avg_pool{self._rank}d")(input, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of windows over sequences, as many as are asked for.

    Arguments:
        output_size: how many windows there are.
    """

    _rank: ClassVar[int] = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of windows over images, as many as are asked for.

    Arguments:
        output_size: how many windows there are.
    """

    _rank: ClassVar[int] = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of windows over volumes, as many as are asked for.

    Arguments:
        output_size: how many windows there are.
    """

    _rank: ClassVar[int] = 3


show_as_torch(__name__)
publish(__name__)
