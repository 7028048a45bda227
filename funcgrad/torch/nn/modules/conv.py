"""Layers of convolutions: `Conv1d`, `Conv2d`, `Conv3d`, their transposes, and the lazy ones."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional, init
from funcgrad.torch.nn.modules.lazy import LazyModuleMixin
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.modules.utils import _ntuple, _reverse_repeat_tuple
from funcgrad.torch.nn.parameter import Parameter, UninitializedParameter
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import convolution as texts

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

empty = namespaces[""]["empty"]

_WORDS = {"same", "valid"}
_MODES = {"zeros", "reflect", "replicate", "circular"}


class _ConvNd(Module):
    """What all layers of convolutions share: their sizes, and their parameters."""

    __constants__: ClassVar[list[str]] = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    _rank: ClassVar[int]
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Any
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Any
    bias: Any
    _reversed_padding_repeated_twice: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in _WORDS:
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {_WORDS}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError(texts.STRIDED_SAME)
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {_MODES}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._widths()
        outer, inner = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = Parameter(empty((outer, inner // groups, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _widths(self) -> Any:
        """The padding as functional.pad takes it, for modes that put no zeros there."""
        if not isinstance(self.padding, str):
            return _reverse_repeat_tuple(self.padding, 2)
        found: list[int] = []
        for d, k in zip(reversed(self.dilation), reversed(self.kernel_size), strict=True):
            total = d * (k - 1) if self.padding == "same" else 0
            found += [total // 2, total - total // 2]
        return found

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        with no_grad():
            if self.weight.is_contiguous():
                init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            else:  # the same numbers in the same places
                self.weight.copy_(
                    init.kaiming_uniform_(empty(self.weight.shape, dtype=self.weight.dtype), a=math.sqrt(5))
                )
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        found = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            given = getattr(self, name)
            if given != (usual,) * len(given):
                found += f", {name}={given}"
        if self.groups != 1:
            found += f", groups={self.groups}"
        if self.bias is None:
            found += ", bias=False"
        if self.padding_mode != "zeros":
            found += f", padding_mode={self.padding_mode}"
        return found

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):
            self.padding_mode = "zeros"


class _Forwards(_ConvNd):
    """What Conv1d, Conv2d and Conv3d share."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: str | int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        each = _ntuple(self._rank)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            padding if isinstance(padding, str) else each(padding),
            each(dilation),
            False,
            each(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolve = getattr(functional, f"conv{self._rank}d")
        if self.padding_mode != "zeros":
            padded = functional.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return convolve(padded, weight, bias, self.stride, (0,) * self._rank, self.dilation, self.groups)
        return convolve(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """What ConvTranspose1d, ConvTranspose2d and ConvTranspose3d share."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(texts.ONLY_ZEROS.format(name=type(self).__name__))
        each = _ntuple(self._rank)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            each(padding),
            each(dilation),
            True,
            each(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(
        self,
        input: Tensor,
        output_size: Any,
        stride: Any,
        padding: Any,
        kernel_size: Any,
        num_spatial_dims: int,
        dilation: Any = None,
    ) -> Any:
        """How much is added for the result to have output_size."""
        if output_size is None:
            return self.output_padding
        rank, dims = num_spatial_dims, input.dim()
        before = 2 if dims == rank + 2 else 1
        if len(output_size) == before + rank:
            output_size = output_size[before:]
        if len(output_size) != rank:
            raise ValueError(
                texts.OUTPUT_SIZE_LENGTH.format(rank=rank, dims=dims, all=before + rank, given=len(output_size))
            )
        apart = dilation or (1,) * rank
        low = [
            (input.size(d + before) - 1) * stride[d] - 2 * padding[d] + apart[d] * (kernel_size[d] - 1) + 1
            for d in range(rank)
        ]
        high = [n + s - 1 for n, s in zip(low, stride, strict=True)]
        if any(not a <= n <= b for a, n, b in zip(low, output_size, high, strict=True)):
            raise ValueError(
                texts.OUTPUT_SIZE_RANGE.format(size=output_size, low=low, high=high, input=input.size()[2:])
            )
        return [n - a for n, a in zip(output_size, low, strict=True)]

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """The transposed convolution; of the sizes that its result may have, output_size chooses one."""
        if self.padding_mode != "zeros":
            raise ValueError(texts.ONLY_ZEROS.format(name=f"ConvTranspose{self._rank}d"))
        more = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self._rank, self.dilation
        )
        convolve = getattr(functional, f"conv_transpose{self._rank}d")
        return convolve(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)


class Conv1d(_Forwards):
    """A convolution over sequences with its own kernel and bias.

    Arguments:
        in_channels, out_channels: the features of the input and of the result.
        kernel_size: a number, or one for each dimension, as for the four that follow.
        stride, padding, dilation, groups: as for `functional.conv1d`.
        bias: whether there is one.
        padding_mode: "zeros", or what stands beyond the edges: "reflect", "replicate" or "circular".
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "out_channels in_channels/groups ..."; drawn uniformly from ±1/sqrt(in_channels/groups · places).
        bias: "out_channels"; drawn likewise.
    """

    _rank: ClassVar[int] = 1


class Conv2d(_Forwards):
    """A convolution over images with its own kernel and bias.

    Arguments:
        in_channels, out_channels: the features of the input and of the result.
        kernel_size: a number, or one for each dimension, as for the four that follow.
        stride, padding, dilation, groups: as for `functional.conv2d`.
        bias: whether there is one.
        padding_mode: "zeros", or what stands beyond the edges: "reflect", "replicate" or "circular".
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "out_channels in_channels/groups ..."; drawn uniformly from ±1/sqrt(in_channels/groups · places).
        bias: "out_channels"; drawn likewise.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.Conv2d(3, 8, 5, padding=2)
        >>> layer
        Conv2d(3, 8, kernel_size=(5, 5), stride=(1, 1), padding=(2, 2))
        >>> layer(torch.zeros(4, 3, 28, 28)).shape
        torch.Size([4, 8, 28, 28])
    """

    _rank: ClassVar[int] = 2


class Conv3d(_Forwards):
    """A convolution over volumes with its own kernel and bias.

    Arguments:
        in_channels, out_channels: the features of the input and of the result.
        kernel_size: a number, or one for each dimension, as for the four that follow.
        stride, padding, dilation, groups: as for `functional.conv3d`.
        bias: whether there is one.
        padding_mode: "zeros", or what stands beyond the edges: "reflect", "replicate" or "circular".
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "out_channels in_channels/groups ..."; drawn uniformly from ±1/sqrt(in_channels/groups · places).
        bias: "out_channels"; drawn likewise.
    """

    _rank: ClassVar[int] = 3


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of a convolution over sequences, which makes its input larger.

    Arguments:
        in_channels, out_channels: the features of the input and of the result.
        kernel_size, stride, padding, output_padding, groups, dilation: as for `functional.conv_transpose1d`.
        bias: whether there is one.
        padding_mode: "zeros" is the only one.
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "in_channels out_channels/groups ...".
        bias: "out_channels".
    """

    _rank: ClassVar[int] = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of a convolution over images, which makes its input larger.

    Arguments:
        in_channels, out_channels: the features of the input and of the result.
        kernel_size, stride, padding, output_padding, groups, dilation: as for `functional.conv_transpose2d`.
        bias: whether there is one.
        padding_mode: "zeros" is the only one.
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "in_channels out_channels/groups ...".
        bias: "out_channels".
    """

    _rank: ClassVar[int] = 2


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of a convolution over volumes, which makes its input larger.

    Arguments:
        in_channels, out_channels: the features of the input and of the result.
        kernel_size, stride, padding, output_padding, groups, dilation: as for `functional.conv_transpose3d`.
        bias: whether there is one.
        padding_mode: "zeros" is the only one.
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "in_channels out_channels/groups ...".
        bias: "out_channels".
    """

    _rank: ClassVar[int] = 3


class _LazyConvXdMixin(LazyModuleMixin):
    """What the lazy layers share: in_channels is found when the first input comes."""

    _rank: ClassVar[int]
    groups: int
    transposed: bool
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    weight: Any
    bias: Any

    def _wait(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """Have parameters without a size."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have a size."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]  # of the layer beside this class

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Give the parameters the sizes that the input asks for."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        outer, inner = self.out_channels, self.in_channels
        if self.transposed:
            outer, inner = inner, outer
        self.weight.materialize((outer, inner // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input: Tensor) -> int:
        rank, dims = self._get_num_spatial_dims(), input.dim()
        if dims not in (rank + 1, rank + 2):
            raise RuntimeError(
                texts.RANK.format(rank=rank + 1, batched=rank + 2, name=type(self).__name__, shape=input.shape)
            )
        return input.shape[dims - rank - 1]

    def _get_num_spatial_dims(self) -> int:
        return self._rank


class _LazyForwards(_LazyConvXdMixin):
    """What LazyConv1d, LazyConv2d and LazyConv3d share."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: str | int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._wait(out_channels, bias, device, dtype)


class _LazyTransposed(_LazyConvXdMixin):
    """What LazyConvTranspose1d, LazyConvTranspose2d and LazyConvTranspose3d share."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | tuple[int, ...] = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyForwards, Conv1d):
    """A `Conv1d` that finds in_channels when it sees data for the first time; its arguments without in_channels."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyForwards, Conv2d):
    """A `Conv2d` that finds in_channels when it sees data for the first time; its arguments without in_channels."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyForwards, Conv3d):
    """A `Conv3d` that finds in_channels when it sees data for the first time; its arguments without in_channels."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """A `ConvTranspose1d` that finds in_channels when it sees data for the first time."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    """A `ConvTranspose2d` that finds in_channels when it sees data for the first time."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    """A `ConvTranspose3d` that finds in_channels when it sees data for the first time."""

    cls_to_become = ConvTranspose3d


show_as_torch(__name__)
publish(__name__)
