"""Losses that compare two tensors element by element, and are reduced."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.checks import not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.gradients import check_constants
from funcgrad.torch.ops.nn.reductions_of_losses import over, reduced
from funcgrad.torch.primitives import pointwise_losses as core
from funcgrad.torch.tensor.formulas import FORMULAS, Saved
from funcgrad.torch.tensor.operation import Operation, apply
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import tensor as tensor_texts

_SELF_TARGET = ("self", "target")
MSE_LOSS = Operation(core.mse_loss, "MseLossBackward0", operands=_SELF_TARGET, promote="common")
SMOOTH_L1_LOSS = Operation(core.smooth_l1_loss, "SmoothL1LossBackward0", operands=_SELF_TARGET, promote="common")
HUBER_LOSS = Operation(core.huber_loss, "HuberLossBackward0", operands=_SELF_TARGET, promote="common")
SOFT_MARGIN_LOSS = Operation(
    core.soft_margin_loss, "SoftMarginLossBackward0", operands=_SELF_TARGET, promote="common", edges=1
)


def _name_gradient(op: Operation, symmetric: bool) -> None:
    """Have the gradient of the first operand recorded as torch's function of it; that of a second one that is alike."""
    gradient = core.gradients[op.primitive.name][0]
    name = op.name.replace("Backward0", "BackwardBackward0")
    backward = Operation(gradient, name, operands=("grad_output", *op.operands), again=False)

    def formula(k: int, g: Any, s: Saved) -> Any:
        if k and not symmetric:
            return NotImplemented
        operands = [getattr(s, n) for n in "xyz"[: len(op.operands)]]
        return backward(g, *(operands[::-1] if k else operands), **s["params"])

    FORMULAS[op.name] = formula


for _op in (MSE_LOSS, SMOOTH_L1_LOSS, HUBER_LOSS):
    _name_gradient(_op, True)
_name_gradient(SOFT_MARGIN_LOSS, False)

_SIGNATURE = "(Tensor input, Tensor target, int reduction = 1, *, Tensor out = None)"


def _compared(op: Operation, kernel: str, x: Any, y: Any, reduction: int, **own: Any) -> Tensor:
    """The loss of two tensors, by an operation that takes floats."""
    a, b = x._value, y._value
    if a.dtype.kind not in "fV" or a.dtype != b.dtype:
        d = common_dtype((x, y))
        if d.numpy.kind in "biuc":
            raise not_implemented(kernel, d)
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
    return apply(op, (x, y), {**over(shape, reduction), **own})


@op("_nn.mse_loss", _SIGNATURE, records=MSE_LOSS)
def mse_loss(input: Any, target: Any, reduction: int = 1) -> Tensor:
    """(input - target)**2, elementwise, and reduced."""
    return _compared(MSE_LOSS, "mse_cpu", input, target, reduction)


@op("_nn.l1_loss", "(Tensor input, Tensor target, int reduction = 1)")
def l1_loss(input: Any, target: Any, reduction: int = 1) -> Tensor:
    """abs(input - target), elementwise, and reduced."""
    return reduced((input - target).abs(), reduction)


@op(
    "_nn.smooth_l1_loss",
    "(Tensor input, Tensor target, int reduction = 1, float beta = 1.0, *, Tensor out = None)",
    records=SMOOTH_L1_LOSS,
)
def smooth_l1_loss(input: Any, target: Any, reduction: int = 1, beta: float = 1.0) -> Tensor:
    """Half the square of the difference over beta where that is below beta, elsewhere its size; reduced."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if not beta:
        return l1_loss(input, target, reduction)
    return _compared(SMOOTH_L1_LOSS, "smooth_l1_cpu", input, target, reduction, beta=beta)


@op(
    "_nn.huber_loss",
    "(Tensor input, Tensor target, int reduction = 1, float delta = 1.0, *, Tensor out = None)",
    records=HUBER_LOSS,
)
def huber_loss(input: Any, target: Any, reduction: int = 1, delta: float = 1.0) -> Tensor:
    """Half the square of the difference where that is below delta, elsewhere linear in it; reduced."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return _compared(HUBER_LOSS, "huber_cpu", input, target, reduction, delta=delta)


@op("_nn.soft_margin_loss", _SIGNATURE, records=SOFT_MARGIN_LOSS)
def soft_margin_loss(input: Any, target: Any, reduction: int = 1) -> Tensor:
    """log(1 + exp(-target * input)), elementwise, and reduced."""
    check_constants("soft_margin_loss", target=target)
    return _compared(SOFT_MARGIN_LOSS, "exp_vml_cpu", input, target, reduction)


# Binary cross entropies.

BINARY_CROSS_ENTROPY = Operation(
    core.binary_cross_entropy, "BinaryCrossEntropyBackward0", operands=("self", "target", "weight"), edges=2
)
_name_gradient(BINARY_CROSS_ENTROPY, False)
WITH_LOGITS = Operation(
    core.binary_cross_entropy_with_logits,
    "BinaryCrossEntropyWithLogitsBackward0",
    operands=("self", "target", "weight", "pos_weight"),
    edges=2,
)


@op(
    "_nn.binary_cross_entropy",
    "(Tensor input, Tensor target, Tensor? weight = None, int reduction = 1, *, Tensor out = None)",
    records=BINARY_CROSS_ENTROPY,
)
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: int = 1) -> Tensor:
    """-weight * (target * log(input) + (1 - target) * log(1 - input)), elementwise, and reduced."""
    check_constants("binary_cross_entropy", weight=weight)
    value, d = input._value, of_numpy(input._value.dtype)
    if target._value.dtype != value.dtype:
        raise RuntimeError(f"Found dtype {of_numpy(target._value.dtype).title} but expected {d.title}")
    if value.dtype.kind in "biuc":
        raise not_implemented("binary_cross_entropy", d)
    if type(value) is ndarray and value.size and not (value.min() >= 0 and value.max() <= 1):
        raise RuntimeError("all elements of input should be between 0 and 1")
    params = over(value.shape, reduction)
    return BINARY_CROSS_ENTROPY(input, target, 1.0 if weight is None else weight, **params)


@op(
    "binary_cross_entropy_with_logits",
    "(Tensor input, Tensor target, Tensor? weight = None, Tensor? pos_weight = None, int reduction = 1)",
    method=False,
    records=WITH_LOGITS,
)
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Tensor:
    """The binary cross entropy of sigmoid(input), computed without overflow.

    Arguments:
        input: any real numbers.
        target: of the same shape, between 0 and 1.
        weight: of each element; it broadcasts.
        pos_weight: of the term with the target; it broadcasts.
        reduction: 0, 1 or 2: none, the mean or the sum.
    """
    check_constants("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if input._value.dtype.kind in "biuc":
        raise not_implemented("log_sigmoid_cpu", of_numpy(input._value.dtype))
    if pos_weight is not None:
        check_broadcast([pos_weight._value, target._value])
    shape = input._value.shape
    if weight is not None:
        check_broadcast([input._value, weight._value])
        whole = np.broadcast_shapes(shape, weight._value.shape)
        if whole != shape:
            raise RuntimeError(tensor_texts.RESULT_SHAPE.format(shape=list(shape), broadcast=list(whole)))
    weights = [1.0 if w is None else w for w in (weight, pos_weight)]
    return WITH_LOGITS(input, target, *weights, **over(shape, reduction))
