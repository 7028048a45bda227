"""Dimensions made one, and one made several."""

from __future__ import annotations

from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Neighbouring dimensions become one; by default all but the first.

    Arguments:
        start_dim, end_dim: the first and the last of them.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Flatten()(torch.ones(2, 3, 4)).shape
        torch.Size([2, 12])
    """

    __constants__: ClassVar[list[str]] = ["start_dim", "end_dim"]
    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """`torch.flatten`."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """A dimension becomes several.

    Arguments:
        dim: the dimension.
        unflattened_size: the sizes of those that it becomes, a tuple or list.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Unflatten(1, (3, 4))(torch.ones(2, 12)).shape
        torch.Size([2, 3, 4])
    """

    __constants__: ClassVar[list[str]] = ["dim", "unflattened_size"]
    dim: int
    unflattened_size: Any

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input: Any) -> None:
        if not isinstance(input, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {type(input).__name__}")
        for k, n in enumerate(input):
            if not isinstance(n, int):
                kind = type(n).__name__
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type {kind} at pos {k}")

    def forward(self, input: Tensor) -> Tensor:
        """`Tensor.unflatten`."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


show_as_torch(__name__)
publish(__name__)
