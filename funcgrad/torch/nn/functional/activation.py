"""Activation functions with their argument `inplace`, and softmax with its choice of a dimension."""

from __future__ import annotations

import warnings
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.meta import contiguous_format
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.ops.nn import activation as _rows
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import activation as texts

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]

assert _rows  # they are declared
_torch, _nn = namespaces[""], namespaces["_nn"]
celu_, hardshrink, prelu, relu_ = _torch["celu_"], _torch["hardshrink"], _torch["prelu"], _torch["relu_"]
rrelu_, selu_, threshold_ = _torch["rrelu_"], _torch["selu_"], _torch["threshold_"]
elu_, hardtanh_, leaky_relu_, logsigmoid = _nn["elu_"], _nn["hardtanh_"], _nn["leaky_relu_"], _nn["log_sigmoid"]
gelu, softplus, softshrink = _nn["gelu"], _nn["softplus"], _nn["softshrink"]


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Elements not above `threshold` become `value`; inplace writes the result into input."""
    return _torch["threshold_" if inplace else "threshold"](input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Elements below zero become zero; inplace writes the result into input.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    return _torch["relu_" if inplace else "relu"](input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dimension times the sigmoid of the second half."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn["glu"](input, dim)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Elements brought between min_val and max_val; inplace writes the result into input."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _nn["hardtanh_" if inplace else "hardtanh"](input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Elements brought between 0 and 6; inplace writes the result into input."""
    return _nn["relu6_" if inplace else "relu6"](input)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, alpha * (exp(input) - 1) elsewhere; inplace writes the result into input."""
    return _nn["elu_" if inplace else "elu"](input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """1.0507 * elu(input, 1.6733), which keeps mean 0 and variance 1; inplace writes the result into input."""
    return _torch["selu_" if inplace else "selu"](input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere; inplace writes the result into input."""
    return _torch["celu_" if inplace else "celu"](input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, negative_slope * input elsewhere; inplace writes the result into input."""
    return _nn["leaky_relu_" if inplace else "leaky_relu"](input, negative_slope)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """input where it is positive, input times a slope elsewhere.

    Arguments:
        input: the tensor.
        lower, upper: between which the slopes are.
        training: whether one is drawn for each element; otherwise it is the middle one.
        inplace: whether the result is written into input.
    """
    return _torch["rrelu_" if inplace else "rrelu"](input, lower, upper, training)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return input / (input.abs() + 1)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of the elements."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))."""
    return input.sigmoid()


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """input / 6 + 1/2, brought between 0 and 1; inplace writes the result into input."""
    return _nn["hardsigmoid_" if inplace else "hardsigmoid"](input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input times its sigmoid; inplace writes the result into input."""
    return _nn["silu_" if inplace else "silu"](input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input)); inplace writes the result into input."""
    return _nn["mish_" if inplace else "mish"](input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input times its hard sigmoid; inplace writes the result into input."""
    return _nn["hardswish_" if inplace else "hardswish"](input)


# Softmax.


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    warnings.warn(texts.IMPLICIT_DIM.format(name=name), stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input), divided by its sum along a dimension.

    Arguments:
        input: the tensor.
        dim: the dimension; without one a warning says that it has been chosen.
        dtype: in which to compute.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.functional.softmax(torch.zeros(2), dim=0)
        tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The softmax of -input; arguments as for `softmax`."""
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without loss of accuracy; arguments as there."""
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Samples of the Gumbel-softmax distribution: a categorical one made smooth.

    Arguments:
        logits: "... classes", logarithms of probabilities up to a constant.
        tau: the temperature; the lower, the nearer samples are to one-hot vectors.
        hard: whether the samples are one-hot vectors, whose gradients are those of the smooth ones.
        eps: has no effect.
        dim: along which the classes are.
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    # drawn row after row, however the logits lie in memory
    noise = -_torch["empty_like"](logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = _torch["zeros_like"](logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft


threshold.__name__ = threshold.__qualname__ = "_threshold"  # PyTorch's own name of it
publish(__name__)
