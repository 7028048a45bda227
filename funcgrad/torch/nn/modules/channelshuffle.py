"""Channels of several groups, taken in turn."""

from __future__ import annotations

from typing import ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Channels of several groups, taken from one group after the other.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    __constants__: ClassVar[list[str]] = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The channels in their new order."""
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The number of groups."""
        return f"groups={self.groups}"


show_as_torch(__name__)
publish(__name__)
