"""Dropout as modules, which drop in training and give what they get in evaluation."""

from __future__ import annotations

from typing import ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """What all kinds of dropout have.

    Arguments:
        p: the probability of being dropped.
        inplace: whether the result is written into the input.
    """

    __constants__: ClassVar[list[str]] = ["p", "inplace"]
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The arguments."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training each element becomes zero with probability p, and the others are scaled up by 1 / (1 - p).

    Arguments:
        p: the probability.
        inplace: whether the result is written into the input.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Dropout(0.2).eval()(torch.ones(2))
        tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """`functional.dropout`."""
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels: "batch channels length", or one example; arguments as for `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.dropout1d`."""
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels: "batch channels height width"; arguments as for `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.dropout2d`."""
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels: "batch channels depth height width", or one example; arguments as for `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.dropout3d`."""
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of what SELU gives; arguments as for `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.alpha_dropout`."""
        return functional.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """As `AlphaDropout`, for whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.feature_alpha_dropout`."""
        return functional.feature_alpha_dropout(input, self.p, self.training)


show_as_torch(__name__)
publish(__name__)
