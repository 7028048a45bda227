"""Activation functions that only `torch.nn.functional` shows, and their forms that write in place."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.base.dtypes import finfo
from funcgrad.torch.declare.checks import Undifferentiable, check_kinds
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.activation import ELU, ELU_INPLACE, activated, named, written
from funcgrad.torch.ops.nn.layout import with_channels_of
from funcgrad.torch.ops.recorded_gradients import one_minus, plus, unary
from funcgrad.torch.ops.reducing import applied, shown_one
from funcgrad.torch.primitives import activations as primitives
from funcgrad.torch.primitives import gated
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import wrap_dim
from funcgrad.torch.texts import activation as texts
from funcgrad.torch.texts import elementwise as elementwise_texts

_OUT = ", *, Tensor out = None)"


# Without parameters.


def _plain(name: str, doc: str, activation: primitives.Activation, node: str, kinds: str = "biuc") -> Operation:
    """Declare a function without parameters; gives its operation."""
    operation = named(activation, f"{node}Backward0", f"{node}BackwardBackward0")
    kernel = f"{name}_cpu"

    def f(input: Any) -> Any:
        check_kinds(kernel, input.dtype, kinds)
        return activated(operation, input)

    op(f"_nn.{name}", f"(Tensor input{_OUT}", records=operation, doc=doc)(f)
    return operation


def _plain_in_place(name: str, operation: Operation, kinds: str = "biuc") -> None:
    def f(input: Any) -> Any:
        check_kinds(f"{name}_cpu", input.dtype, kinds)
        return written(f"{name}_", operation, input)

    op(f"_nn.{name}_", "(Tensor input)", records=operation, doc=f"As {name}, writing the result into this tensor.")(f)


_plain("log_sigmoid", "The logarithm of the sigmoid of the elements.", primitives.log_sigmoid, "LogSigmoid")
HARDSIGMOID = _plain("hardsigmoid", "input / 6 + 1/2, between 0 and 1.", primitives.hardsigmoid, "Hardsigmoid")
HARDSWISH = _plain("hardswish", "input times its hard sigmoid.", primitives.hardswish, "Hardswish")
SILU = _plain("silu", "input times its sigmoid.", primitives.silu, "Silu", "biu")
MISH = _plain("mish", "input * tanh(log(1 + exp(input))).", primitives.mish, "Mish")
_plain_in_place("hardsigmoid", HARDSIGMOID)
_plain_in_place("hardswish", HARDSWISH)
_plain_in_place("silu", SILU, "biu")
_plain_in_place("mish", MISH)


# PyTorch writes these gradients out, and has none of the next order for the hard sigmoid.


def _silu_gradient(g: Any, x: Any) -> Any:
    s = x.sigmoid()
    return g * s * plus(x * one_minus(s), 1)


def _mish_gradient(g: Any, x: Any) -> Any:
    t = x.exp().log1p().tanh()
    return g * (t + x * x.sigmoid() * one_minus(t * t))


HARDSIGMOID_BACKWARD = Operation(
    Undifferentiable(lambda g, x: primitives.hardsigmoid.backward(g, x), "aten::hardsigmoid_backward"),
    "NotImplemented",
    operands=("grad_output", "self"),
)
unary("SiluBackward0", _silu_gradient)
unary("MishBackward0", _mish_gradient)
unary("HardsigmoidBackward0", lambda g, x: HARDSIGMOID_BACKWARD(g, x))


# With parameters.

HARDTANH = named(primitives.hardtanh, "HardtanhBackward0", "HardtanhBackwardBackward0")
LEAKY_RELU = named(primitives.leaky_relu, "LeakyReluBackward0", "LeakyReluBackwardBackward0")
LEAKY_RELU_INPLACE = named(primitives.leaky_relu_in_place, "LeakyReluBackward1", "LeakyReluBackwardBackward0")
SOFTPLUS = named(primitives.softplus, "SoftplusBackward0", "SoftplusBackwardBackward0")
SOFTSHRINK = named(primitives.softshrink, "SoftshrinkBackward0", "SoftshrinkBackwardBackward0")
GELU = named(primitives.gelu, "GeluBackward0", "GeluBackwardBackward0")
GLU = Operation(gated.glu, "GluBackward0", operands=("self",))
Operation(gated.glu_backward, "GluBackwardBackward0", operands=("grad_output", "self"))


def _bounds(input: Any, min_val: Any, max_val: Any) -> dict[str, Any]:
    """The bounds of hardtanh, as numbers of the tensor's dtype."""
    kind = input._value.dtype
    if kind.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind.kind == "c":
        raise NotImplementedError(elementwise_texts.CLAMP_OF_COMPLEX)
    if kind.kind in "iu":
        min_val, max_val = int(min_val), int(max_val)
        if kind.kind == "u" and (min_val < 0 or max_val < 0):
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return {"min_val": min_val, "max_val": max_val}


_HARDTANH = "(Tensor input, Number min_val = -1, Number max_val = 1"


@op("_nn.hardtanh", _HARDTANH + _OUT, records=HARDTANH)
def hardtanh(input: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
    """Elements brought between min_val and max_val."""
    shown = {"max_val": max_val, "min_val": min_val}
    return activated(HARDTANH, input, shown, **_bounds(input, min_val, max_val))


@op("_nn.hardtanh_", _HARDTANH + ")", records=HARDTANH)
def hardtanh_(input: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
    """As hardtanh, writing the result into this tensor."""
    shown = {"max_val": max_val, "min_val": min_val}
    return written("hardtanh_", HARDTANH, input, shown, **_bounds(input, min_val, max_val))


@op("_nn.relu6", "(Tensor input)", records=HARDTANH)
def relu6(input: Any) -> Any:
    """Elements brought between 0 and 6."""
    return hardtanh(input, 0, 6)


@op("_nn.relu6_", "(Tensor input)", records=HARDTANH)
def relu6_(input: Any) -> Any:
    """As relu6, writing the result into this tensor."""
    return hardtanh_(input, 0, 6)


_ELU = "(Tensor input, Number alpha = 1, Number scale = 1, Number input_scale = 1"


@op("_nn.elu", _ELU + _OUT, records=ELU)
def elu(input: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    """scale * input where it is positive, scale * alpha * (exp(input_scale * input) - 1) elsewhere."""
    check_kinds("elu_cpu", input.dtype, "biuc")
    return activated(ELU, input, alpha=alpha, scale=scale, input_scale=input_scale)


@op("_nn.elu_", _ELU + ")", records=ELU_INPLACE)
def elu_(input: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    """As elu, writing the result into this tensor."""
    check_kinds("elu_cpu", input.dtype, "biuc")
    return written("elu_", ELU_INPLACE, input, alpha=alpha, scale=scale, input_scale=input_scale)


@op("_nn.leaky_relu", "(Tensor input, Number negative_slope = 0.01" + _OUT, records=LEAKY_RELU)
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """input where it is positive, negative_slope * input elsewhere."""
    check_kinds("leaky_relu_cpu", input.dtype, "biuc")
    return activated(LEAKY_RELU, input, negative_slope=negative_slope)


@op("_nn.leaky_relu_", "(Tensor input, Number negative_slope = 0.01)", records=LEAKY_RELU_INPLACE)
def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """As leaky_relu, writing the result into this tensor."""
    check_kinds("leaky_relu_cpu", input.dtype, "biuc")
    return written("leaky_relu_", LEAKY_RELU_INPLACE, input, negative_slope=negative_slope)


@op("_nn.softplus", "(Tensor input, Number beta = 1, Number threshold = 20" + _OUT, records=SOFTPLUS)
def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """log(1 + exp(beta * input)) / beta, a smooth relu; input itself where beta * input is above threshold."""
    check_kinds("softplus_cpu", input.dtype, "biuc")
    return activated(SOFTPLUS, input, beta=beta, threshold=threshold)


@op("_nn.softshrink", "(Tensor input, Number lambd = 0.5" + _OUT, records=SOFTSHRINK)
def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """Elements moved towards zero by lambd, those between -lambd and lambd to zero."""
    check_kinds("softshrink_check", input.dtype, "biuc")
    largest = finfo(input.dtype).max
    if not 0 <= lambd <= largest:
        raise RuntimeError(texts.LAMBDA_NEGATIVE.format(largest=largest, dtype=input.dtype.title, lambd=lambd))
    return activated(SOFTSHRINK, input, lambd=lambd)


def _check_gelu(input: Any, approximate: str) -> None:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    check_kinds("GeluKernelImpl", input.dtype, "biuc")


@op("_nn.gelu", "(Tensor input, *, str approximate = 'none', Tensor out = None)", records=GELU)
def gelu(input: Any, *, approximate: str = "none") -> Any:
    """input times the probability that a standard normal number is below it.

    Arguments:
        input: a tensor.
        approximate: "tanh" takes a function of tanh that is close to this probability.
        out: where to write the result.
    """
    _check_gelu(input, approximate)
    return activated(GELU, input, approximate=approximate)


@op("_nn.gelu_", "(Tensor input, *, str approximate = 'none')", records=GELU)
def gelu_(input: Any, *, approximate: str = "none") -> Any:
    """As gelu, writing the result into this tensor."""
    _check_gelu(input, approximate)
    return written("gelu_", GELU, input, approximate=approximate)


@op("_nn.glu", "(Tensor input, int dim = -1" + _OUT, records=GLU)
def glu(input: Any, dim: int = -1) -> Any:
    """The first half of a dimension times the sigmoid of the second half."""
    shape = input._value.shape
    if not shape:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    along = wrap_dim(dim, len(shape))
    if shape[along] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {along} is size {shape[along]}")
    check_kinds("glu_cpu", input.dtype, "biuc")
    return with_channels_of(applied(GLU, (input,), {"axis": along}, {"dim": shown_one(dim)}), input)
