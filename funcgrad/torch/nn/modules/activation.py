"""Activation functions as modules."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from funcgrad.core.faces import publish
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional, init
from funcgrad.torch.nn.modules.attention import MultiheadAttention as MultiheadAttention
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]

_torch = namespaces[""]


def _and_inplace(inplace: bool) -> str:
    return ", inplace=True" if inplace else ""


class _InPlace(Module):
    """What may write its result into its input, and has no other argument.

    Arguments:
        inplace: whether it does.
    """

    __constants__: ClassVar[list[str]] = ["inplace"]
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Whether it writes into the input."""
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """Elements below zero become zero.

    Arguments:
        inplace: whether the result is written into the input.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.ReLU()(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """`functional.relu`."""
        return functional.relu(input, self.inplace)


class SiLU(_InPlace):
    """The input times its sigmoid; `inplace` as for `ReLU`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.silu`."""
        return functional.silu(input, self.inplace)


class Mish(_InPlace):
    """input * tanh(softplus(input)); `inplace` as for `ReLU`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.mish`."""
        return functional.mish(input, self.inplace)


class SELU(_InPlace):
    """1.0507 * elu(input, 1.6733), which keeps mean 0 and variance 1; `inplace` as for `ReLU`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.selu`."""
        return functional.selu(input, self.inplace)


class Hardsigmoid(_InPlace):
    """input / 6 + 1/2, brought between 0 and 1; `inplace` as for `ReLU`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.hardsigmoid`."""
        return functional.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class Hardswish(_InPlace):
    """The input times its hard sigmoid; `inplace` as for `ReLU`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.hardswish`."""
        return functional.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class RReLU(Module):
    """The input where it is positive, elsewhere the input times a slope, drawn for each element in training.

    Arguments:
        lower, upper: between which the slopes are.
        inplace: whether the result is written into the input.
    """

    __constants__: ClassVar[list[str]] = ["lower", "upper", "inplace"]
    lower: float
    upper: float
    inplace: bool

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """`functional.rrelu`."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"lower={self.lower}, upper={self.upper}{_and_inplace(self.inplace)}"


class Hardtanh(Module):
    """Elements brought between min_val and max_val.

    Arguments:
        min_val, max_val: the bounds.
        inplace: whether the result is written into the input.
        min_value, max_value: their former names.
    """

    __constants__: ClassVar[list[str]] = ["min_val", "max_val", "inplace"]
    min_val: float
    max_val: float
    inplace: bool

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for former, name, value in (("min_value", "min_val", min_value), ("max_value", "max_val", max_value)):
            if value is not None:
                text = f"keyword argument `{former}` is deprecated and renamed to `{name}`"
                warnings.warn(text, FutureWarning, stacklevel=2)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """`functional.hardtanh`."""
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"min_val={self.min_val}, max_val={self.max_val}{_and_inplace(self.inplace)}"


class ReLU6(Hardtanh):
    """Elements brought between 0 and 6; `inplace` as for `ReLU`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Whether it writes into the input."""
        return "inplace=True" if self.inplace else ""


class _WithAlpha(Module):
    """What has a parameter alpha, and may write its result into its input."""

    __constants__: ClassVar[list[str]] = ["alpha", "inplace"]
    alpha: float
    inplace: bool

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The arguments."""
        return f"alpha={self.alpha}{_and_inplace(self.inplace)}"


class ELU(_WithAlpha):
    """The input where it is positive, alpha * (exp(input) - 1) elsewhere.

    Arguments:
        alpha: minus the limit at minus infinity.
        inplace: whether the result is written into the input.
    """

    def forward(self, input: Tensor) -> Tensor:
        """`functional.elu`."""
        return functional.elu(input, self.alpha, self.inplace)


class CELU(_WithAlpha):
    """The input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere; arguments as for `ELU`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.celu`."""
        return functional.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """The input where it is positive, negative_slope * input elsewhere.

    Arguments:
        negative_slope: the factor.
        inplace: whether the result is written into the input.
    """

    __constants__: ClassVar[list[str]] = ["inplace", "negative_slope"]
    inplace: bool
    negative_slope: float

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """`functional.leaky_relu`."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"negative_slope={self.negative_slope}{_and_inplace(self.inplace)}"


class Threshold(Module):
    """Elements not above `threshold` become `value`.

    Arguments:
        threshold, value: the two numbers.
        inplace: whether the result is written into the input.
    """

    __constants__: ClassVar[list[str]] = ["threshold", "value", "inplace"]
    threshold: float
    value: float
    inplace: bool

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """`functional.threshold`."""
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"threshold={self.threshold}, value={self.value}{_and_inplace(self.inplace)}"


class GELU(Module):
    """The input times the probability that a standard normal number is below it.

    Arguments:
        approximate: "none", or "tanh" for a function of tanh that is close to this probability.
    """

    __constants__: ClassVar[list[str]] = ["approximate"]
    approximate: str

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """`functional.gelu`."""
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The argument."""
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """The first half of a dimension times the sigmoid of the second half.

    Arguments:
        dim: the dimension.
    """

    __constants__: ClassVar[list[str]] = ["dim"]
    dim: int

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """`functional.glu`."""
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The argument."""
        return f"dim={self.dim}"


class _Shrinking(Module):
    """What makes elements between -lambd and lambd zero."""

    __constants__: ClassVar[list[str]] = ["lambd"]
    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """The bound."""
        return f"{self.lambd}"


class Hardshrink(_Shrinking):
    """Elements between -lambd and lambd become zero.

    Arguments:
        lambd: the bound.
    """

    def forward(self, input: Tensor) -> Tensor:
        """`functional.hardshrink`."""
        return functional.hardshrink(input, self.lambd)


class Softshrink(_Shrinking):
    """Elements are moved towards zero by lambd, those between -lambd and lambd to zero.

    Arguments:
        lambd: the distance.
    """

    def forward(self, input: Tensor) -> Tensor:
        """`functional.softshrink`."""
        return functional.softshrink(input, self.lambd)


class Softplus(Module):
    """log(1 + exp(beta * input)) / beta.

    Arguments:
        beta: how sharp the bend is.
        threshold: from which beta * input on it is the input itself.
    """

    __constants__: ClassVar[list[str]] = ["beta", "threshold"]
    beta: float
    threshold: float

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """`functional.softplus`."""
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The arguments."""
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """The input where it is positive, weight * input elsewhere; the weight is learned.

    Arguments:
        num_parameters: 1, or the number of channels, which is the size of the second dimension.
        init: the value that weights start from.
        device: the cpu.
        dtype: of the weights.
    """

    __constants__: ClassVar[list[str]] = ["num_parameters"]
    num_parameters: int

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(_torch["empty"](num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weights to where they start from."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """`functional.prelu`."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of weights."""
        return f"num_parameters={self.num_parameters}"


# Without arguments.


class Sigmoid(Module):
    """1 / (1 + exp(-input))."""

    def forward(self, input: Tensor) -> Tensor:
        """`torch.sigmoid`."""
        return _torch["sigmoid"](input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """`torch.tanh`."""
        return _torch["tanh"](input)


class LogSigmoid(Module):
    """log(1 / (1 + exp(-input)))."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.logsigmoid`."""
        return functional.logsigmoid(input)


class Softsign(Module):
    """input / (1 + |input|)."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.softsign`."""
        return functional.softsign(input)


class Tanhshrink(Module):
    """input - tanh(input)."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.tanhshrink`."""
        return functional.tanhshrink(input)


# Softmax.


class _Along(Module):
    """What goes along a dimension, which may be left to be chosen."""

    __constants__: ClassVar[list[str]] = ["dim"]
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "dim"):
            self.dim = None

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softmax(_Along):
    """exp(input), divided by its sum along a dimension.

    Arguments:
        dim: the dimension.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Softmax(dim=0)(torch.zeros(2))
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """`functional.softmax`."""
        return functional.softmax(input, self.dim, _stacklevel=5)


class Softmin(_Along):
    """The softmax of -input; `dim` as for `Softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.softmin`."""
        return functional.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(_Along):
    """The logarithm of the softmax; `dim` as for `Softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.log_softmax`."""
        return functional.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """The softmax over the channels at each place of an image: "batch channels height width", or one image."""

    def forward(self, input: Tensor) -> Tensor:
        """`functional.softmax` along the channels."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return functional.softmax(input, -3, _stacklevel=5)


show_as_torch(__name__)
publish(__name__)
