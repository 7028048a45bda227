"""Linear maps of features: `Linear`, `Bilinear`, and `Identity`."""

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
from funcgrad.torch.nn.parameter import Parameter, UninitializedParameter
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import modules as texts

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]

empty = namespaces[""]["empty"]


class Identity(Module):
    """Gives what it gets. It takes any arguments, so that it can stand in the place of other layers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input itself."""
        return input


class Linear(Module):
    """`y = x @ weight.T + bias`.

    Arguments:
        in_features: the size of the last dimension of x.
        out_features: the size of the last dimension of y.
        bias: whether there is one.
        device: the cpu.
        dtype: of the parameters.

    Attributes:
        weight: "out_features in_features"; drawn uniformly from ±1/sqrt(in_features).
        bias: "out_features"; drawn as the weight is.

    Example:
        >>> from funcgrad import torch
        >>> layer = torch.nn.Linear(2, 3)
        >>> layer(torch.ones(4, 2)).shape
        torch.Size([4, 3])
    """

    __constants__: ClassVar[list[str]] = ["in_features", "out_features"]
    in_features: int
    out_features: int
    weight: Tensor

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The linear map of the last dimension."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` that quantization leaves alone."""


class Bilinear(Module):
    """`y[k] = x1 @ weight[k] @ x2 + bias[k]`.

    Arguments:
        in1_features, in2_features: the sizes of the last dimensions of x1 and x2.
        out_features: the size of the last dimension of y.
        bias: whether there is one.
        device: the cpu.
        dtype: of the parameters.
    """

    __constants__: ClassVar[list[str]] = ["in1_features", "in2_features", "out_features"]
    in1_features: int
    in2_features: int
    out_features: int
    weight: Tensor

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The bilinear map of the last dimensions."""
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        sizes = [f"{name}={getattr(self, name)}" for name in self.__constants__]
        return f"{', '.join(sizes)}, bias={self.bias is not None}"


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` that finds in_features when it sees data for the first time.

    Arguments:
        out_features: the size of the last dimension of the result.
        bias: whether there is one.
        device: the cpu.
        dtype: of the parameters.
    """

    cls_to_become = Linear
    weight: Any
    bias: Any

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters anew, if they have a size."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Give the parameters the sizes that the input asks for."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                found, own = input.shape[-1], self.weight.shape[-1]
                raise AssertionError(texts.INFERRED_FEATURES.format(found=found, own=own))
            self.in_features = input.shape[-1]


show_as_torch(__name__)
publish(__name__)
