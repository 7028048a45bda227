"""Normalization of layers, of groups of channels, and of neighbouring channels."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional, init
from funcgrad.torch.nn.modules._functions import CrossMapLRN2d as _CrossMap
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]

_empty = namespaces[""]["empty"]


class LocalResponseNorm(Module):
    """input / (k + alpha * mean)**beta, with the mean of the squares of `size` neighbouring channels.

    Arguments:
        size, alpha, beta, k: the numbers in the formula; missing neighbours count as zero.
    """

    __constants__: ClassVar[list[str]] = ["size", "alpha", "beta", "k"]
    size: int
    alpha: float
    beta: float
    k: float

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """`functional.local_response_norm`."""
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """As `LocalResponseNorm`, of "batch channels height width", with a gradient written by hand.

    Arguments:
        size, alpha, beta, k: as for `LocalResponseNorm`.
    """

    size: int
    alpha: float
    beta: float
    k: float

    def __init__(self, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """The normalized channels."""
        return _CrossMap.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class _Affine(Module):
    """What may have a weight, at first of ones, and a bias of zeros."""

    weight: Any

    def _make_parameters(self, size: Any, device: Any, dtype: Any, **wanted: bool) -> None:
        for name, there in wanted.items():
            if there:
                setattr(self, name, Parameter(_empty(size, device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
        for parameter, start in ((self.weight, init.ones_), (getattr(self, "bias", None), init.zeros_)):
            if parameter is not None:
                start(parameter)


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (int(normalized_shape),) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)


class LayerNorm(_Affine):
    """The last dimensions brought to mean 0 and variance 1, then scaled and shifted.

    Arguments:
        normalized_shape: the sizes of these dimensions, or of one.
        eps: is added to variances.
        elementwise_affine: whether there is a weight.
        bias: whether there is one beside the weight.
        device: the cpu.
        dtype: of the parameters.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.LayerNorm(2)(torch.tensor([1.0, 3.0]))
        tensor([-1.0000,  1.0000], grad_fn=<NativeLayerNormBackward0>)
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool
    bias: Any

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        wanted = {"weight": elementwise_affine, "bias": elementwise_affine and bias}
        self._make_parameters(self.normalized_shape, device, dtype, **wanted)

    def forward(self, input: Tensor) -> Tensor:
        """`functional.layer_norm`."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments."""
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class GroupNorm(_Affine):
    """Groups of channels of each example brought to mean 0 and variance 1, then scaled and shifted by channel.

    Arguments:
        num_groups: how many groups there are.
        num_channels: how many channels.
        eps: is added to variances.
        affine: whether there is a weight.
        device: the cpu.
        dtype: of the parameters.
        bias: whether there is one beside the weight.
    """

    __constants__: ClassVar[list[str]] = ["num_groups", "num_channels", "eps", "affine"]
    num_groups: int
    num_channels: int
    eps: float
    affine: bool
    bias: Any

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-05,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_parameters(num_channels, device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        """`functional.group_norm`."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments."""
        affine = f"affine={self.affine}, bias={self.bias is not None}"
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, {affine}"


class RMSNorm(_Affine):
    """The last dimensions divided by the root of the mean of their squares, then scaled.

    Arguments:
        normalized_shape: the sizes of these dimensions, or of one.
        eps: is added to the mean; by default that of the dtype.
        elementwise_affine: whether there is a weight.
        device: the cpu.
        dtype: of the weight.
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]
    normalized_shape: tuple[int, ...]
    eps: float | None
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_parameters(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        """`functional.rms_norm`."""
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


show_as_torch(__name__)
publish(__name__)
