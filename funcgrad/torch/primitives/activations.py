"""Activation functions as primitives: each is a function, its slope and its curvature.

Going back is an operation of its own (`gelu_backward`), as PyTorch records it. Numbers of two bytes are computed in
single precision. At kinks the slopes are PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, broadcast_shape, elementwise, primitive
from funcgrad.torch.primitives.normal_chance import chance
from funcgrad.torch.texts import activation as texts


class Activation(NamedTuple):
    """An activation function and the operation that goes back through it, from a cotangent and the operand."""

    forward: Primitive
    backward: Primitive


def widely(f: Callable) -> Callable:
    """f, which computes with numbers of two bytes in single precision."""

    def g(*xs: Any, **params: Any) -> Any:
        kind = xs[0].dtype
        if kind.itemsize != 2 or kind.kind not in "fV":
            return f(*xs, **params)
        return f(*[x.astype(np.float32) for x in xs], **params).astype(kind)

    return g


def _samples(operands: int, params: dict[str, Any]) -> Callable[[Draw], list[Sample]]:
    """Operands away from the kinks, which all lie at 0, at 1/2, at 1 or at 3."""

    def samples(draw: Draw) -> list[Sample]:
        found = []
        for shape, low, high in (((3,), 0.1, 0.45), ((2, 2), -0.4, -0.1), ((), -2.5, -1.5), ((0,), 1.2, 1.6)):
            others = [draw(*shape) for _ in range(operands - 1)]
            found.append(Sample(*others, draw(*shape, low=low, high=high), **params))
        return found

    return samples


def activation(
    name: str, f: Callable, backward: Callable, curvature: Callable | None, dtypes: str = "fd", **params: Any
) -> Activation:
    """Declare an activation function.

    Arguments:
        name: of the primitive; the way back is `name_backward`.
        f: the function of an array, and of parameters by keyword.
        backward: of a cotangent and the operand: the cotangent times the slope.
        curvature: of the operand: the second derivative; None where it is zero.
        dtypes: of the samples.
        params: for the samples.
    """

    def by_operand(t: Any, g: Any, x: Any, params: dict) -> Any:
        return t * 0 if curvature is None else t * (g * curvature(x, **params))

    back: Primitive = elementwise(
        widely(backward),
        lambda t, x, params: back(t, x, **params),
        by_operand,
        name=f"{name}_backward",
        operands="g x",
        samples=_samples(2, params),
        dtypes=dtypes,
        preserves=True,
    )
    forward = elementwise(
        widely(f),
        lambda g, x, params: back(g, x, **params),
        name=name,
        samples=_samples(1, params),
        dtypes=dtypes,
        preserves=True,
    )
    return Activation(forward, back)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


# Piecewise linear ones.


def _hardtanh(x: Any, *, min_val: Any, max_val: Any) -> Any:
    return np.minimum(max_val, np.maximum(min_val, x))


hardtanh = activation(
    "hardtanh",
    _hardtanh,
    lambda g, x, *, min_val, max_val: np.where((x <= min_val) | (x >= max_val), 0, g),
    None,
    min_val=-1.0,
    max_val=1.0,
)
hardsigmoid = activation(
    "hardsigmoid",
    lambda x: np.minimum(6, np.maximum(0, x + 3)) / 6,
    lambda g, x: np.where((x > -3) & (x < 3), g / 6, 0),
    None,
)
leaky_relu = activation(
    "leaky_relu",
    lambda x, *, negative_slope: np.where(x > 0, x, x * negative_slope),
    lambda g, x, *, negative_slope: np.where(x > 0, g, g * negative_slope),
    None,
    negative_slope=0.25,
)


def _outside(g: Any, x: Any, *, lambd: float) -> Any:
    return np.where((x >= -lambd) & (x <= lambd), 0, g)


hardshrink = activation("hardshrink", lambda x, *, lambd: _outside(x, x, lambd=lambd), _outside, None, lambd=0.5)
softshrink = activation(
    "softshrink",
    lambda x, *, lambd: np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, x * 0 + 0)),
    _outside,
    None,
    lambd=0.5,
)
threshold = activation(
    "threshold",
    lambda x, *, threshold, value: np.where(x <= threshold, np.asarray(value).astype(x.dtype), x),
    lambda g, x, *, threshold, value=None: np.where(x <= threshold, 0, g),
    None,
    threshold=0.6,
    value=2.0,
)


# Smooth ones, or nearly so.


def _exponential(x: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """The branch of elu below 0; above, where it is not asked for, nothing overflows."""
    return np.expm1(np.where(x <= 0, x, 0) * input_scale) * (alpha * scale)


def _elu(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x <= 0, _exponential(x, alpha, scale, input_scale), x * scale)


def _elu_growth(x: Any, alpha: float, scale: float, input_scale: float) -> Any:
    return np.exp(np.where(x <= 0, x, 0) * input_scale) * (alpha * scale * input_scale)


def _elu_backward(g: Any, x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return g * np.where(x <= 0, _elu_growth(x, alpha, scale, input_scale), scale)


def _elu_curvature(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x < 0, _elu_growth(x, alpha, scale, input_scale) * input_scale, 0)


elu = activation("elu", _elu, _elu_backward, _elu_curvature, alpha=1.5, scale=1.25, input_scale=0.5)


def _silu_backward(g: Any, x: Any) -> Any:
    s = sigmoid(x)
    return g * (s * (x * (1 - s) + 1))


def _silu_curvature(x: Any) -> Any:
    s = sigmoid(x)
    return s * (1 - s) * (2 + x * (1 - 2 * s))


silu = activation("silu", lambda x: x / (1 + np.exp(-x)), _silu_backward, _silu_curvature, dtypes="fdFD")


def _softly(x: Any) -> Any:
    """log(1 + exp(x))."""
    return np.logaddexp(x, 0)


def _mish_backward(g: Any, x: Any) -> Any:
    t = np.tanh(_softly(x))
    return g * (t + x * sigmoid(x) * (1 - t * t))


def _mish_curvature(x: Any) -> Any:
    t, s = np.tanh(_softly(x)), sigmoid(x)
    slope = (1 - t * t) * s  # of t
    return slope * (2 + x * (1 - s - 2 * t * s))


mish = activation("mish", lambda x: x * np.tanh(_softly(x)), _mish_backward, _mish_curvature)
hardswish = activation(
    "hardswish",
    lambda x: x * np.minimum(6, np.maximum(0, x + 3)) / 6,
    lambda g, x: np.where(x <= -3, 0, np.where(x < 3, g * (x / 3 + 0.5), g)),
    lambda x: ((x > -3) & (x < 3)).astype(x.dtype) / 3,
)


def _softplus(x: Any, *, beta: float, threshold: float) -> Any:
    z = x * beta
    return np.where(z > threshold, x, np.log1p(np.exp(np.where(z > threshold, 0, z))) / beta)


def _softplus_backward(g: Any, x: Any, *, beta: float, threshold: float) -> Any:
    z = x * beta
    return np.where(z > threshold, g, g * sigmoid(z))


def _softplus_curvature(x: Any, *, beta: float, threshold: float) -> Any:
    z = x * beta
    s = sigmoid(z)
    return np.where(z > threshold, 0, s * (1 - s) * beta)


softplus = activation("softplus", _softplus, _softplus_backward, _softplus_curvature, beta=2.0, threshold=3.0)


def _log_sigmoid_curvature(x: Any) -> Any:
    s = sigmoid(x)
    return -s * (1 - s)


log_sigmoid = activation(
    "log_sigmoid",
    lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    lambda g, x: g * sigmoid(-x),
    _log_sigmoid_curvature,
)

# gelu is x times the chance that a normal number is below x, or times a tanh that is close to it.

_ROOT_2PI = math.sqrt(2 * math.pi)
_INNER, _CUBIC = math.sqrt(2 / math.pi), 0.044715


def _chance(x: Any, approximate: str) -> Any:
    if approximate == "none":
        return chance(x)
    return (1 + np.tanh(x * (1 + x * x * _CUBIC) * _INNER)) * 0.5


def _density(x: Any, approximate: str) -> Any:
    """The slope of the chance."""
    if approximate == "none":
        return np.exp(x * x * -0.5) / _ROOT_2PI
    t = np.tanh(x * (1 + x * x * _CUBIC) * _INNER)
    return (1 - t * t) * (1 + x * x * (3 * _CUBIC)) * (0.5 * _INNER)


def _density_slope(x: Any, approximate: str) -> Any:
    if approximate == "none":
        return -x * np.exp(x * x * -0.5) / _ROOT_2PI
    t, inner = np.tanh(x * (1 + x * x * _CUBIC) * _INNER), (1 + x * x * (3 * _CUBIC)) * _INNER
    return (1 - t * t) * (x * (3 * _CUBIC * _INNER) - t * inner * inner)


def _gelu_curvature(x: Any, *, approximate: str) -> Any:
    return 2 * _density(x, approximate) + x * _density_slope(x, approximate)


gelu = activation(
    "gelu",
    lambda x, *, approximate: x * _chance(x, approximate),
    lambda g, x, *, approximate: g * (_chance(x, approximate) + x * _density(x, approximate)),
    _gelu_curvature,
    approximate="tanh",
)


# What is written in place goes back by its result, which must tell the sign of the operand.


def _in_place(name: str, f: Callable, backward: Callable, slope: str, error: str, **params: Any) -> Activation:
    """An activation function whose way back is from the result; that can't be where a parameter is negative."""

    def checked(g: Any, out: Any, params: dict) -> Any:
        if params[slope] < 0:
            raise RuntimeError(error)
        return back(g, out, **params)

    back: Primitive = elementwise(
        widely(backward),
        lambda t, y, params: back(t, y, **params),
        lambda t, g, y, params: t * np.where(y < 0, g * params.get("input_scale", 0), 0),
        name=f"{name}_backward_by_result",
        operands="g y",
        samples=_samples(2, params),
        dtypes="fd",
        preserves=True,
    )
    forward = elementwise(
        widely(f),
        checked,
        name=f"{name}_in_place",
        samples=_samples(1, params),
        dtypes="fd",
        preserves=True,
    )
    return Activation(forward, back)


def _elu_by_result(g: Any, y: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return g * np.where(y <= 0, (y + alpha * scale) * input_scale, scale)


elu_in_place = _in_place("elu", _elu, _elu_by_result, "alpha", texts.ELU_BACK, alpha=1.5, scale=1.25, input_scale=0.5)
leaky_relu_in_place = _in_place(
    "leaky_relu",
    lambda x, *, negative_slope: np.where(x > 0, x, x * negative_slope),
    lambda g, y, *, negative_slope: np.where(y > 0, g, g * negative_slope),
    "negative_slope",
    texts.LEAKY_RELU_BACK,
    negative_slope=0.25,
)


# Slopes that are operands: learned (prelu), or drawn (rrelu, where they are 1 above 0).


def _pairs(operands: int) -> Callable[[Draw], list[Sample]]:
    def samples(draw: Draw) -> list[Sample]:
        found = []
        for shape, weight, low, high in (
            ((3,), (), 0.1, 2),
            ((2, 3), (3,), -2, -0.1),
            ((), (), -2, -1),
            ((0,), (), 1, 2),
        ):
            others = [draw(*shape) for _ in range(operands - 2)]
            found.append(Sample(*others, draw(*shape, low=low, high=high), draw(*weight)))
        return found

    return samples


def _below(g: Any, x: Any) -> Any:
    return np.where(x > 0, 0, g)


prelu_to_input: Primitive = elementwise(
    lambda g, x, weight: np.where(x > 0, g, weight * g),
    lambda t, x, weight: prelu_to_input(t, x, weight),
    lambda t: t * 0,
    lambda t, g, x: t * _below(g, x),
    name="prelu_to_input",
    operands="g x weight",
    samples=_pairs(3),
    dtypes="fd",
)
prelu_to_weight: Primitive = elementwise(
    lambda g, x: _below(g * x, x),
    lambda t, x: t * _below(x, x),
    lambda t, g, x: t * _below(g, x),
    name="prelu_to_weight",
    operands="g x",
    samples=_samples(2, {}),
    dtypes="fd",
)
prelu = elementwise(
    lambda x, weight: np.where(x > 0, x, weight * x),
    lambda g, x, weight: prelu_to_input(g, x, weight),
    lambda g, x: prelu_to_weight(g, x),
    name="prelu",
    operands="x weight",
    samples=_pairs(2),
    dtypes="fd",
)


def _drawn_samples(operands: int, params: dict[str, Any]) -> Callable[[Draw], list[Sample]]:
    return lambda draw: [
        Sample(*[draw(*shape, low=0.5) for _ in range(operands)], **params) for shape in ((3,), (2, 2), (), (0,))
    ]


_BACK = (
    lambda t, noise: rrelu_backward(t, t, noise),
    lambda t: t * 0,
    lambda t, g: t * g,
)
rrelu_backward: Primitive = primitive(
    lambda g, x, noise: g * noise,
    name="rrelu_backward",
    operands="g x noise",
    shape=broadcast_shape,
    vjp=_BACK,
    jvp=_BACK,
    samples=_drawn_samples(3, {}),
    dtypes="fd",
    batch=batching.shifted(),
)
"""It has x as an operand because PyTorch shows it as one."""

rrelu = elementwise(
    lambda x, noise: x * noise,
    lambda g, x, noise: rrelu_backward(g, x, noise),
    lambda g, x: g * x,
    name="rrelu",
    operands="x noise",
    samples=_drawn_samples(2, {}),
    dtypes="fd",
    preserves=True,
)


def _by_result(g: Any, out: Any, noise: Any, slope: float) -> Any:
    if slope < 0:
        raise RuntimeError(texts.LEAKY_RELU_BACK)
    return rrelu_backward(g, out, noise)


rrelu_in_place = elementwise(
    lambda x, noise, *, slope: x * noise,
    _by_result,
    lambda g, x: g * x,
    name="rrelu_in_place",
    operands="x noise",
    samples=_drawn_samples(2, {"slope": 0.2}),
    dtypes="fd",
    preserves=True,
)
"""The slope is that of the middle, if the slopes were not drawn."""
