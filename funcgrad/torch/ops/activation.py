"""Activation functions that are in the torch namespace."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops import activation as core
from funcgrad.ops import entropy
from funcgrad.torch.declare.checks import check_kinds
from funcgrad.torch.declare.op import UNARY, op
from funcgrad.torch.declare.writing import former
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.fast import unary_function
from funcgrad.torch.tensor.levels import check_no_vmap
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import elementwise as texts

SIGMOID = Operation(core.sigmoid, "SigmoidBackward0", operands=("self",), promote="float")
sigmoid = op("sigmoid", UNARY, inplace=True, inplace_function=True, doc="1 / (1 + exp(-input)), elementwise.")(SIGMOID)

# What rules compute with is recorded by these names where gradients are differentiated again.
SIGMOID_BACKWARD = Operation(core.sigmoid_backward, "SigmoidBackwardBackward0", operands=("grad_output", "output"))
THRESHOLD_BACKWARD = Operation(core.relu_backward, "ThresholdBackwardBackward0", operands=("grad_output", "self"))

RELU = Operation(core.relu, "ReluBackward0", operands=("self",))
_relu = unary_function(RELU)


@op("relu", "(Tensor input)", kernel=RELU, inplace=True, inplace_function=True)
def relu(x: Any) -> Any:
    """Elements below zero become zero."""
    kind = x._value.dtype.kind
    if kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if kind == "c":
        raise NotImplementedError(texts.CLAMP_OF_COMPLEX)
    return _relu(x)


LOGIT = Operation(entropy.logit, "LogitBackward0", operands=("self",), promote="float")


@op(
    "logit",
    "(Tensor input, float? eps = None, *, Tensor out = None)",
    inplace=True,
    inplace_function=True,
    records=LOGIT,
)
def logit(input: Any, eps: float | None = None) -> Any:
    """log(input / (1 - input)), elementwise: the inverse of sigmoid.

    Arguments:
        input: a tensor.
        eps: if given, elements are first brought between eps and 1 - eps.
        out: where to write the result.
    """
    check_kinds("logit_cpu", input.dtype, "c")
    return LOGIT(input, eps=eps)


def _hardshrink(x: Any, *, lambd: float) -> Any:
    return np.where((x >= -lambd) & (x <= lambd), 0, x)


HARDSHRINK = Operation(_hardshrink, "HardshrinkBackward0", operands=("self",), promote="common")


@op("hardshrink", "(Tensor input, Number lambd = 0.5, *, Tensor out = None)", records=HARDSHRINK)
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """Elements between -lambd and lambd become zero."""
    check_kinds("hardshrink_cpu", input.dtype, "biuc")
    return HARDSHRINK(input, lambd=lambd)


def _threshold(x: Any, *, threshold: float, value: float) -> Any:
    return np.where(x <= threshold, np.asarray(value).astype(x.dtype), x)


THRESHOLD = Operation(_threshold, "ThresholdBackward0", operands=("self",), promote="common")
THRESHOLD_INPLACE = Operation(_threshold, "ThresholdBackward1", operands=("self",), promote="common")


def _write(name: str, x: Any, op: Operation, **params: Any) -> Any:
    inplace.check_inplace(x, name=name)
    return inplace.write(x, op(former(x), **params))


@op(
    "threshold", "(Tensor input, Number threshold, Number value, *, Tensor out = None)", method=False, records=THRESHOLD
)
def threshold(input: Any, threshold: float, value: float) -> Any:
    """Elements not above threshold become value."""
    check_kinds("threshold_cpu", input.dtype, "bc")
    return THRESHOLD(input, threshold=threshold, value=value)


@op("threshold_", "(Tensor input, Number threshold, Number value)", method=False, records=THRESHOLD_INPLACE)
def threshold_(input: Any, threshold: float, value: float) -> Any:
    """As threshold, writing the result into this tensor."""
    return _write("threshold_", input, THRESHOLD_INPLACE, threshold=threshold, value=value)


# Exponentials where the argument is negative. The other branch sees a zero, so that nothing overflows there.


def _negative(x: Any) -> Any:
    return np.where(x <= 0, x, 0)


def _elu(x: Any, *, alpha: float, scale: float, input_scale: float) -> Any:
    return np.where(x <= 0, alpha * scale * np.expm1(_negative(x) * input_scale), x * scale)


def _celu(x: Any, *, alpha: float) -> Any:
    return np.where(x <= 0, alpha * np.expm1(_negative(x) / alpha), x)


ELU = Operation(_elu, "EluBackward0", operands=("self",), promote="common")
ELU_INPLACE = Operation(_elu, "EluBackward1", operands=("self",), promote="common")
CELU = Operation(_celu, "CeluBackward0", operands=("self",), promote="common")
CELU_INPLACE = Operation(_celu, "CeluBackward1", operands=("self",), promote="common")
_SELU = {"alpha": 1.6732632423543772848170429916717, "scale": 1.0507009873554804934193349852946, "input_scale": 1.0}


@op("selu", "(Tensor input)", method=False, records=ELU)
def selu(input: Any) -> Any:
    """1.0507 * input where it is positive, 1.0507 * 1.6733 * (exp(input) - 1) elsewhere."""
    check_kinds("elu_cpu", input.dtype, "biuc")
    return ELU(input, **_SELU)


@op("selu_", "(Tensor input)", method=False, records=ELU_INPLACE)
def selu_(input: Any) -> Any:
    """As selu, writing the result into this tensor."""
    return _write("selu_", input, ELU_INPLACE, **_SELU)


@op("celu", "(Tensor input, Number alpha = 1.0)", method=False, records=CELU)
def celu(input: Any, alpha: float = 1.0) -> Any:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere."""
    if alpha == 0:
        raise RuntimeError(texts.CELU_BY_ZERO)
    check_kinds("elu_cpu", input.dtype, "biuc")
    return CELU(input, alpha=alpha)


@op("celu_", "(Tensor input, Number alpha = 1.0)", method=False, records=CELU_INPLACE)
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """As celu, writing the result into this tensor."""
    if alpha == 0:
        raise RuntimeError(texts.CELU_BY_ZERO)
    return _write("celu_", input, CELU_INPLACE, alpha=alpha)


def _prelu(x: Any, weight: Any) -> Any:
    return np.where(x > 0, x, weight * x)


PRELU = Operation(_prelu, "PreluKernelBackward0", operands=("self", "weight"))


@op("prelu", "(Tensor input, Tensor weight)", records=PRELU)
def prelu(input: Any, weight: Any) -> Any:
    """input where it is positive, weight * input elsewhere.

    Arguments:
        input: a tensor.
        weight: one number, or one for each channel, which is the second dimension of input.
    """
    if weight.dtype is not input.dtype:
        raise RuntimeError(texts.PRELU_DTYPES.format(input=input.dtype.title, weight=weight.dtype.title))
    if weight.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = " + str(weight.ndim))
    if weight.numel() != 1:
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(texts.PRELU_CHANNELS.format(parameters=weight.numel(), channels=channels))
    if input.ndim > 1 and weight.ndim:
        weight = weight.reshape((1, weight.numel()) + (1,) * (input.ndim - 2))
    elif weight.ndim and not input.ndim:
        weight = weight.reshape(())
    values = [raw(input), raw(weight)]
    check_broadcast(values)
    return record(PRELU, (input, weight), values, {})


# A slope drawn at random for every element that is not positive.


def _slanted(x: Any, noise: Any) -> Any:
    return np.where(x <= 0, noise * x, x)


RRELU = Operation(_slanted, "RreluWithNoiseBackward0", operands=("self", "noise"), edges=1)
RRELU_INPLACE = Operation(_slanted, "RreluWithNoiseBackward1", operands=("self", "noise"), edges=1)


def _slopes(x: Any, lower: float, upper: float, training: bool, generator: Any) -> Any:
    """1 for positive elements, and for others a slope: drawn, or the middle one."""
    value = x._concrete()
    slopes = np.ones_like(value)
    low = value <= 0
    n = int(np.count_nonzero(low))
    if training:
        drawn = wrapped(np.empty(n)).uniform_(lower, upper, generator=generator)
        slopes[low] = drawn._value
    else:
        slopes[low] = (lower + upper) / 2
    return wrapped(slopes)


_RRELU = (
    "(Tensor input, Number lower = 0.125, Number upper = 0.3333333333333333, bool training = False, "
    "torch.Generator generator = None)"
)


@op("rrelu", _RRELU, method=False, records=RRELU)
def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None) -> Any:
    """input where it is positive, elsewhere input times a slope between lower and upper.

    Arguments:
        input: a tensor.
        lower, upper: between which the slopes are drawn.
        training: whether they are drawn, for each element; otherwise it is the middle one.
        generator: of the random numbers.
    """
    check_no_vmap("rrelu")
    check_kinds("leaky_relu_cpu" if not training else "rrelu_with_noise_out_cpu", input.dtype, "biuc")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    return RRELU(input, _slopes(input, lower, upper, training, generator))


@op("rrelu_", _RRELU, method=False, records=RRELU_INPLACE)
def rrelu_(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Any:
    """As rrelu, writing the result into this tensor."""
    check_no_vmap("rrelu_")
    inplace.check_inplace(input, name="rrelu_")
    return inplace.write(input, RRELU_INPLACE(former(input), _slopes(input, lower, upper, training, generator)))
