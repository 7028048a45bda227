"""Activation functions that are in the torch namespace."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops import activation as core
from funcgrad.ops import entropy, logistic
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.base.storage import laid_out
from funcgrad.torch.declare.checks import check_kinds, not_implemented
from funcgrad.torch.declare.op import UNARY, op
from funcgrad.torch.declare.writing import former
from funcgrad.torch.primitives import activations as primitives
from funcgrad.torch.primitives.activations import Activation
from funcgrad.torch.tensor import inplace
from funcgrad.torch.tensor.fast import unary_function
from funcgrad.torch.tensor.levels import check_no_vmap
from funcgrad.torch.tensor.operation import Operation, apply, link_one, record
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import F4, F8, FAST, new, raw, requires, wrapped
from funcgrad.torch.texts import elementwise as texts

SIGMOID = Operation(logistic.sigmoid, "SigmoidBackward0", operands=("self",), promote="float")
sigmoid = op("sigmoid", UNARY, inplace=True, inplace_function=True, doc="1 / (1 + exp(-input)), elementwise.")(SIGMOID)

# What rules compute with is recorded by these names where gradients are differentiated again.
SIGMOID_BACKWARD = Operation(logistic.sigmoid_backward, "SigmoidBackwardBackward0", operands=("grad_output", "output"))
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


# Functions with parameters.


def activated(op: Operation, x: Any, saved: dict[str, Any] | None = None, **params: Any) -> Any:
    """An operation on one tensor, as `unary_function` does it, with parameters.

    Arguments:
        op: the operation.
        x: the tensor.
        saved: the parameters that the node shows, where they are not those of the primitive.
        params: of the primitive.
    """
    if type(x) in FAST and x._plain and not state.slow:
        value = x._value
        kind = value.dtype
        if kind is F4 or kind is F8:
            out = quiet.run(op.impl, value, **params)
            if type(out) is not ndarray:
                out = np.asarray(out)
            elif out.ndim > 1 and out.strides != value.strides:
                out = laid_out(out, (value,))
            t = new(Tensor)
            t._value = out
            node = link_one(op, x, value, params, out, t)
            if node is None:
                t._inference = state.inference
            elif saved is not None:
                node.params = saved
            return t
    t = apply(op, (x,), params)
    if saved is not None and t._node is not None:
        t._node.params = saved
    return t


def written(name: str, op: Operation, x: Any, saved: dict[str, Any] | None = None, **params: Any) -> Any:
    """As `activated`, for the form `name` that writes the result into x."""
    inplace.check_inplace(x, name=name)
    inplace.check_overlap(x)
    return inplace.write(x, activated(op, former(x), saved, **params))


def named(activation: Activation, node: str, backward: str) -> Operation:
    """The operation of an activation function, and the one that goes back, which is recorded by `backward`."""
    Operation(activation.backward, backward, operands=("grad_output", "self"))
    return Operation(activation.forward, node, operands=("self",), promote="common")


HARDSHRINK = named(primitives.hardshrink, "HardshrinkBackward0", "HardshrinkBackwardBackward0")


@op("hardshrink", "(Tensor input, Number lambd = 0.5, *, Tensor out = None)", records=HARDSHRINK)
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """Elements between -lambd and lambd become zero."""
    check_kinds("hardshrink_cpu", input.dtype, "biuc")
    return activated(HARDSHRINK, input, lambd=float(input._value.dtype.type(lambd)))


THRESHOLD = named(primitives.threshold, "ThresholdBackward0", "ThresholdBackwardBackward0")
THRESHOLD_INPLACE = Operation(
    primitives.threshold.forward, "ThresholdBackward1", operands=("self",), promote="common", again=False
)


@op(
    "threshold", "(Tensor input, Number threshold, Number value, *, Tensor out = None)", method=False, records=THRESHOLD
)
def threshold(input: Any, threshold: float, value: float) -> Any:
    """Elements not above threshold become value."""
    check_kinds("threshold_cpu", input.dtype, "bc")
    return activated(THRESHOLD, input, {"threshold": threshold}, threshold=threshold, value=value)


@op("threshold_", "(Tensor input, Number threshold, Number value)", method=False, records=THRESHOLD_INPLACE)
def threshold_(input: Any, threshold: float, value: float) -> Any:
    """As threshold, writing the result into this tensor."""
    check_kinds("threshold_cpu", input.dtype, "bc")
    shown = {"threshold": threshold}
    value_of = input._value
    if type(value_of) is np.ndarray and not requires(input) and 0 in value_of.strides:
        # the same place may be written to several times: what is written is the same
        inplace.store(input, activated(THRESHOLD_INPLACE, input, threshold=threshold, value=value)._value)
        inplace.bump(input)
        return input
    return written("threshold_", THRESHOLD_INPLACE, input, shown, threshold=threshold, value=value)


ELU = named(primitives.elu, "EluBackward0", "EluBackwardBackward0")
ELU_INPLACE = named(primitives.elu_in_place, "EluBackward1", "EluBackwardBackward0")
CELU, CELU_INPLACE = (
    Operation(p.forward, f"CeluBackward{k}", operands=("self",), promote="common", again=False)
    for k, p in enumerate((primitives.elu, primitives.elu_in_place))
)
_SELU: dict[str, Any] = {
    "alpha": 1.6732632423543772848170429916717,
    "scale": 1.0507009873554804934193349852946,
    "input_scale": 1,
}


@op("selu", "(Tensor input)", method=False, records=ELU)
def selu(input: Any) -> Any:
    """1.0507 * input where it is positive, 1.0507 * 1.6733 * (exp(input) - 1) elsewhere."""
    check_kinds("elu_cpu", input.dtype, "biuc")
    return activated(ELU, input, **_SELU)


@op("selu_", "(Tensor input)", method=False, records=ELU_INPLACE)
def selu_(input: Any) -> Any:
    """As selu, writing the result into this tensor."""
    check_kinds("elu_cpu", input.dtype, "biuc")
    return written("selu_", ELU_INPLACE, input, **_SELU)


def _of_celu(input: Any, alpha: float) -> dict[str, Any]:
    """The parameters of elu that make it celu."""
    if alpha == 0:
        raise RuntimeError(texts.CELU_BY_ZERO)
    check_kinds("elu_cpu", input.dtype, "biuc")
    return {"alpha": alpha, "scale": 1, "input_scale": 1 / alpha}


@op("celu", "(Tensor input, Number alpha = 1.0)", method=False, records=CELU)
def celu(input: Any, alpha: float = 1.0) -> Any:
    """input where it is positive, alpha * (exp(input / alpha) - 1) elsewhere."""
    return activated(CELU, input, {"alpha": alpha}, **_of_celu(input, alpha))


@op("celu_", "(Tensor input, Number alpha = 1.0)", method=False, records=CELU_INPLACE)
def celu_(input: Any, alpha: float = 1.0) -> Any:
    """As celu, writing the result into this tensor."""
    return written("celu_", CELU_INPLACE, input, {"alpha": alpha}, **_of_celu(input, alpha))


PRELU = Operation(primitives.prelu, "PreluKernelBackward0", operands=("self", "weight"))
_PRELU_BACK = "PreluKernelBackwardBackward0"
Operation(primitives.prelu_to_input, _PRELU_BACK, operands=("grad_output", "self", "weight"))
Operation(primitives.prelu_to_weight, _PRELU_BACK, operands=("grad_output", "self"))


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


_ROOT = "RreluWithNoiseBackward"
RRELU = Operation(primitives.rrelu, _ROOT + "0", operands=("self", "noise"), edges=1, again=True)
RRELU_INPLACE = Operation(primitives.rrelu_in_place, _ROOT + "1", operands=("self", "noise"), edges=1)
Operation(primitives.rrelu_backward, _ROOT + "Backward0", operands=("grad_output", "self", "noise"), edges=2)


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
    _check_rrelu("rrelu", input, lower, upper, training)
    noise = _slopes(input, lower, upper, training, generator)
    return _with_bounds(RRELU(input, noise), lower, upper, training)


@op("rrelu_", _RRELU, method=False, records=RRELU_INPLACE)
def rrelu_(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Any:
    """As rrelu, writing the result into this tensor."""
    _check_rrelu("rrelu_", input, lower, upper, training)
    inplace.check_inplace(input, name="rrelu_")
    noise, slope = _slopes(input, lower, upper, training, generator), 1 if training else (lower + upper) / 2
    return inplace.write(input, _with_bounds(RRELU_INPLACE(former(input), noise, slope=slope), lower, upper, training))


def _check_rrelu(name: str, input: Any, lower: float, upper: float, training: bool) -> None:
    check_no_vmap(name)
    if training and input._value.dtype == np.float16:
        raise not_implemented("rrelu_with_noise_out_cpu", input.dtype)
    check_kinds("rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu", input.dtype, "biuc")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")


def _with_bounds(t: Any, lower: float, upper: float, training: bool) -> Any:
    if t._node is not None:
        t._node.params = {"lower": lower, "training": training, "upper": upper}
    return t
