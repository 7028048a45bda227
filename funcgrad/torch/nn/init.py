"""`torch.nn.init`: the values that parameters start with. All of them write into the tensor and give it back."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import init as texts

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_torch = namespaces[""]
_CONVOLUTIONS = [f"conv{'_transpose' * t}{d}d" for t in (False, True) for d in (1, 2, 3)]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights in front of a nonlinearity are larger, so that variances stay the same.

    Arguments:
        nonlinearity: "linear", "conv2d" and the like, "sigmoid", "tanh", "relu", "leaky_relu", "selu".
        param: the negative slope of leaky_relu, by default 0.01.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.init.calculate_gain("leaky_relu", 0.2) == (2 / (1 + 0.2**2)) ** 0.5
        True
    """
    if nonlinearity in ("linear", "sigmoid", *_CONVOLUTIONS):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw from the uniform distribution between a and b."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw from the normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Draw from the normal distribution without what lies outside of a and b.

    Arguments:
        tensor: to fill.
        mean, std: of the normal distribution.
        a, b: the bounds.
        generator: what draws; by default that of torch.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(texts.FAR_MEAN, stacklevel=2)
    inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    with no_grad():
        if inside > 0.3:
            _draw_until_inside(tensor, mean, std, a, b, generator)
        else:
            _draw_by_rejection(tensor, mean, std, a, b, generator)
    return tensor


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _draw_until_inside(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> None:
    """Draw normal numbers, and those outside of the bounds again."""
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    found = tensor.normal_(mean, std, generator=generator)
    while (outside := (found < low) | (found > high)).any():
        found = _torch["where"](outside, _torch["empty_like"](found).normal_(mean, std, generator=generator), found)
    if found is not tensor:
        tensor.copy_(found)


def _draw_by_rejection(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> None:
    """Draw uniform numbers between the bounds, and keep each as often as the normal density says.

    The draws for places that have a number already are made, too, as PyTorch makes them.
    """
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2  # the logarithm of the density, at its largest

    def rejected(x: Any) -> Any:
        density = x.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return _torch["empty_like"](tensor).uniform_(generator=generator).log_().gt(density)

    found = tensor.uniform_(a, b, generator=generator)
    pending = rejected(found)
    while pending.any():
        candidates = _torch["empty_like"](tensor).uniform_(a, b, generator=generator)
        found = _torch["where"](pending, candidates, found)
        pending = _torch["where"](pending, rejected(candidates), pending)
    if found is not tensor:
        tensor.copy_(found)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with a number."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Make a matrix the identity, as far as it reaches."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        _torch["eye"](*tensor.shape, out=tensor, requires_grad=tensor.requires_grad)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Make the weight of a convolution let as many channels through as it can.

    Arguments:
        tensor: the weight, of 3, 4 or 5 dimensions.
        groups: of the convolution.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    middle = tuple([n // 2 for n in sizes[2:]])
    with no_grad():
        tensor.zero_()
        for g in range(groups):
            for d in range(min(per_group, sizes[1])):
                tensor[(g * per_group + d, d, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs each output of a weight depends on, and how many outputs on each input."""
    if tensor.dim() < 2:
        raise ValueError(texts.NO_FANS)
    n, m, *field = tensor.size()
    return m * math.prod(field), n * math.prod(field)


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw uniform numbers of variance 2 gain² / (fan_in + fan_out).

    Source: Glorot and Bengio (2010), https://proceedings.mlr.press/v9/glorot10a.html
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw normal numbers of variance 2 gain² / (fan_in + fan_out).

    Source: Glorot and Bengio (2010), https://proceedings.mlr.press/v9/glorot10a.html
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draw uniform numbers of variance gain² / fan.

    Arguments:
        tensor: the weight to fill.
        a: the negative slope, if the nonlinearity is leaky_relu.
        mode: "fan_in" or "fan_out".
        nonlinearity: see `calculate_gain`.
        generator: what draws; by default that of torch.

    Source: He, Zhang, Ren and Sun (2015), https://arxiv.org/abs/1502.01852
    """
    if 0 in tensor.shape:
        warnings.warn(texts.NOTHING_TO_FILL, stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(fan))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Draw normal numbers of variance gain² / fan; the arguments are those of `kaiming_uniform_`.

    Source: He, Zhang, Ren and Sun (2015), https://arxiv.org/abs/1502.01852
    """
    if 0 in tensor.shape:
        warnings.warn(texts.NOTHING_TO_FILL, stacklevel=2)
        return tensor
    fan = _calculate_correct_fan(tensor, mode)
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Make a matrix with orthonormal columns, or rows, of normal numbers; further dimensions count as columns.

    Arguments:
        tensor: of two dimensions or more.
        gain: a factor.
        generator: what draws; by default that of torch.

    Source: Saxe, McClelland and Ganguli (2014), https://arxiv.org/abs/1312.6120
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    cols = tensor.numel() // rows
    flat = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
    q, r = namespaces["linalg"]["qr"](flat.t() if rows < cols else flat)
    q = q * _torch["diag"](r, 0).sign()
    if rows < cols:
        q = q.t()
    with no_grad():
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Draw a matrix of normal numbers, and set a part of each column to zero.

    Arguments:
        tensor: the matrix.
        sparsity: the part.
        std: of the others.
        generator: what draws them; by default that of torch.

    Source: Martens (2010), https://www.cs.toronto.edu/~jmartens/docs/Deep_HessianFree.pdf
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(cols):
            tensor[_torch["randperm"](rows)[:zeros], column] = 0
    return tensor


def _deprecated(f: Callable) -> Callable:
    """The name that a function had before it got its underscore."""
    old = f.__name__[:-1]

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(texts.DEPRECATED.format(old=old, new=f.__name__), FutureWarning, stacklevel=2)
        return f(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = f"Superseded by `{f.__name__}`."
    return call


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)

publish(__name__)
