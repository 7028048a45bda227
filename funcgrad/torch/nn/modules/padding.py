"""Padding as modules. Widths are one number for all sides, or (left, right, top, bottom, front, back)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.modules.utils import _ntuple
from funcgrad.torch.tensor.tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    """What all paddings have.

    Attributes:
        sides: how many there are.
        padding: the width at each.
    """

    __constants__: ClassVar[list[str]] = ["padding"]
    sides: ClassVar[int]
    padding: Sequence[int]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(self.sides)(padding)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


# Around a circle.


class _CircularPadNd(_PadNd):
    def _check_input_dim(self, input: Tensor) -> None:
        ndim = self.sides // 2 + 1
        if input.dim() not in (ndim, ndim + 1):
            raise ValueError(f"expected {ndim}D or {ndim + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """`functional.pad` with mode "circular"."""
        self._check_input_dim(input)
        return functional.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """The last dimension goes on at each end with the elements of the other end.

    Arguments:
        padding: one width, or (left, right).

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.CircularPad1d((1, 2))(torch.arange(3.0).view(1, 3))
        tensor([[2., 0., 1., 2., 0., 1.]])
    """

    sides = 2


class CircularPad2d(_CircularPadNd):
    """As `CircularPad1d`, for the last two dimensions."""

    sides = 4


class CircularPad3d(_CircularPadNd):
    """As `CircularPad1d`, for the last three dimensions."""

    sides = 6


# With a number.


class _ConstantPadNd(_PadNd):
    __constants__: ClassVar[list[str]] = ["padding", "value"]
    value: float

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """`functional.pad` with mode "constant"."""
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The widths and the number."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """The last dimension goes on with a number.

    Arguments:
        padding: one width, or (left, right); negative ones crop.
        value: the number.
    """

    sides = 2


class ConstantPad2d(_ConstantPadNd):
    """As `ConstantPad1d`, for the last two dimensions."""

    sides = 4


class ConstantPad3d(_ConstantPadNd):
    """As `ConstantPad1d`, for the last three dimensions."""

    sides = 6


class _Zeros(_ConstantPadNd):
    """What stands in front of a padding with a number, which is zero."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class ZeroPad1d(_Zeros, ConstantPad1d):
    """The last dimension goes on with zeros; `padding` as for `ConstantPad1d`."""


class ZeroPad2d(_Zeros, ConstantPad2d):
    """The last two dimensions go on with zeros."""


class ZeroPad3d(_Zeros, ConstantPad3d):
    """The last three dimensions go on with zeros."""


# By the elements at the edges.


class _ReflectionPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        """`functional.pad` with mode "reflect"."""
        return functional.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """The last dimension goes on with its reflection at the edge, which is not repeated itself.

    Arguments:
        padding: one width, or (left, right).

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.ReflectionPad1d(2)(torch.arange(3.0).view(1, 3))
        tensor([[2., 1., 0., 1., 2., 1., 0.]])
    """

    sides = 2


class ReflectionPad2d(_ReflectionPadNd):
    """As `ReflectionPad1d`, for the last two dimensions."""

    sides = 4


class ReflectionPad3d(_ReflectionPadNd):
    """As `ReflectionPad1d`, for the last three dimensions."""

    sides = 6


class _ReplicationPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        """`functional.pad` with mode "replicate"."""
        return functional.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """The last dimension goes on with the element at the edge; `padding` as for `ReflectionPad1d`."""

    sides = 2


class ReplicationPad2d(_ReplicationPadNd):
    """As `ReplicationPad1d`, for the last two dimensions."""

    sides = 4


class ReplicationPad3d(_ReplicationPadNd):
    """As `ReplicationPad1d`, for the last three dimensions."""

    sides = 6


show_as_torch(__name__)
publish(__name__)
