"""What all normalizations share: `primitives.normalization.normalize` of an operand looked at in another shape."""

from __future__ import annotations

from typing import Any

from numpy import ndarray

from funcgrad.torch.base.dtypes import float32
from funcgrad.torch.base.modes import no_grad, state
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.checks import check_kinds
from funcgrad.torch.primitives import normalization as primitives
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.formulas import formula
from funcgrad.torch.tensor.journal import journal, unrecorded
from funcgrad.torch.tensor.operation import Operation, link, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import FAST, new, raw, requires, wrapped
from funcgrad.torch.texts import normalization as texts
from funcgrad.torch.texts import products as products_texts

_OPERANDS = ("input", "weight", "bias", "running_mean", "running_var")


def _kind(node: str, again: bool = False) -> Operation:
    return Operation(primitives.normalize, node, operands=_OPERANDS, edges=3, again=again)


BATCH_NORM = _kind("NativeBatchNormBackward0")
LAYER_NORM = _kind("NativeLayerNormBackward0", again=True)
GROUP_NORM = _kind("NativeGroupNormBackward0")
BATCH_NORM_EVAL = Operation(
    primitives.normalize_by, "NativeBatchNormBackward0", operands=_OPERANDS, edges=3, again=True
)


def check_floating(kernel: str, input: Tensor) -> None:
    check_kinds(kernel, input.dtype, "biuc")


def check_dtypes(input: Tensor, *parameters: Any) -> None:
    """Raise torch's error if parameters are neither of the input's dtype nor in single precision for a short one."""
    given = [p.dtype for p in parameters if p is not None]
    if all(d is input.dtype for d in given):
        return
    if given[0] is input.dtype:
        other = next(d for d in given if d is not input.dtype)
        raise RuntimeError(products_texts.SCALAR_TYPES.format(expected=input.dtype.title, found=other.title))
    if any(d is not float32 for d in given):
        raise RuntimeError(texts.EXPECT_FLOAT)
    if input.dtype.numpy.itemsize != 2:
        raise RuntimeError(texts.SHARE_DTYPE)


def normalize(
    operation: Operation,
    input: Tensor,
    weight: Any,
    bias: Any,
    view: tuple[int, ...],
    axes: tuple[int, ...],
    at: tuple[int, ...],
    eps: float,
    saved: dict[str, Any],
) -> tuple[Tensor, Any]:
    """The result, and the mean and the variance where they are arrays, which then are computed once; else None."""
    args: tuple[Any, ...] = (input, 1.0 if weight is None else weight, 0.0 if bias is None else bias)
    values = [raw(a) for a in args]
    params = {"view": view, "axes": axes, "at": at, "eps": eps, "known": None}
    if state.slow or input._inference or not all(type(a) is float or (type(a) in FAST and a._plain) for a in args):
        if type(values[0]) is ndarray and not state.transforms:
            params["known"] = quiet.run(primitives.moments, values[0], view, axes)
        return recorded(operation, args, values, params, saved), params["known"]
    # `record` written out, for tensors that nothing looks at but autograd
    x, w, b = values
    out, known = quiet.run(primitives.normalized, x, w, b, view, axes, at, eps)
    t = new(Tensor)
    t._value = out
    mask = (requires(input), requires(weight), requires(bias)) if state.grad else (False,) * 3
    if any(mask):
        params["known"] = known
        recording: Any = operation.recordings[mask]
        link(operation, recording, args, values, params, out, None, t).params = saved
    else:
        t._inference = state.inference
        if journal.on:
            unrecorded(operation.name, args, t)
    return t, known


def recorded(operation: Operation, args: tuple, values: list, params: dict, saved: dict) -> Tensor:
    t = record(operation, args, values, params)
    if t._node is not None:
        t._node.params = saved
    return t


def with_statistics(
    out: Tensor, input: Tensor, dtype: Any, known: Any, eps: float, shape: Any, over: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """The result with the mean and 1 / sqrt(variance + eps), as the functions called native_ give them.

    Arguments:
        out: the result.
        input: what was normalized.
        dtype, shape: of the statistics.
        known: the mean and the variance as arrays, or None: then they are taken over the dimensions `over` of input.
        eps: is added to variances.
        over: these dimensions.
    """
    with no_grad():
        if known is None:
            x = input.detach()
            mean, var = x.mean(over).reshape(shape), x.var(over, correction=0).reshape(shape)
        else:
            mean, var = (wrapped(a.reshape(shape)) for a in known)
        return out, mean.to(dtype), (var + eps).rsqrt().to(dtype)


# The gradients, where they are differentiated again, are one operation, too.


def _gradients(g: Any, x: Any, weight: Any, *, params: dict[str, Any], by: Any = None) -> tuple:
    """Those of x, weight and bias; `by` are running statistics."""
    if by is None:
        found = primitives.gradients(g, x, weight, known=None, **params)
    else:
        linked = (*params["linked"], False, False)
        found = primitives.gradients_by(g, x, weight, mean=by[0], var=by[1], **params | {"linked": linked})
    return tuple([f for f in found if f is not None])


def _layer_gradients(g: Any, x: Any, mean: Any, rstd: Any, weight: Any, *, params: dict[str, Any]) -> tuple:
    """The same; PyTorch shows the statistics, which go through x here, as operands."""
    return _gradients(g, x, weight, params=params)


BATCH_NORM_GRADIENTS, LAYER_NORM_GRADIENTS = (
    Operation(Composite(f, multiple=True), node, operands=operands, edges=edges, again=False)
    for f, node, operands, edges in (
        (_gradients, "NativeBatchNormBackwardBackward0", ("grad_out", "input", "weight"), 5),
        (_layer_gradients, "NativeLayerNormBackwardBackward0", ("grad_out", "input", "mean", "rstd", "weight"), 6),
    )
)


def _shared(k: int, g: Any, s: Any, compute: Any) -> Any:
    """The gradient of operand k, of those that are computed once for all."""
    linked = (True, not isinstance(s.y, (int, float)), s["bias_shape"] != ())
    if s.shared is None:
        params = {n: s[n] for n in ("view", "at", "eps", "bias_shape", "bias_dtype")}
        s.shared = compute(params | {"linked": linked})
    return s.shared[sum(linked[:k])]


@formula("NativeLayerNormBackward0")
def _of_layer_norm(k: int, g: Any, s: Any) -> Any:
    def compute(params: dict) -> Any:
        return LAYER_NORM_GRADIENTS(g, s.x, 0.0, 0.0, s.y, params=params | {"axes": s["axes"]})

    return _shared(k, g, s, compute)


@formula("NativeBatchNormBackward0")
def _of_batch_norm(k: int, g: Any, s: Any) -> Any:
    def compute(params: dict) -> Any:
        if s.get("axes", None) is None:
            return BATCH_NORM_GRADIENTS(g, s.x, s.y, params=params, by=(s["mean"], s["var"]))
        return BATCH_NORM_GRADIENTS(g, s.x, s.y, params=params | {"axes": s["axes"]})

    return _shared(k, g, s, compute)
