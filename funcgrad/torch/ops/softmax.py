"""softmax and its kin: log_softmax, logsumexp."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.base.quiet import quiet
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.reducing import applied, dims_of, recorded, shown, shown_one, simple, title
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import F4, F8

_HALVES = ("float16", "bfloat16")


SOFTMAX = Operation(core.softmax, "SoftmaxBackward0", operands=("self",))
LOG_SOFTMAX = Operation(core.log_softmax, "LogSoftmaxBackward0", operands=("self",))


def _zero_dim(x: Any, *, name: str) -> Any:
    """Of a single element."""
    return np.exp(x - x) if name == "softmax" else x - x


ZERO_DIM = {
    op.name: Operation(_zero_dim, op.name, operands=("self",), saves=(), saves_out=True)
    for op in (SOFTMAX, LOG_SOFTMAX)
}


def _along(name: str, op: Operation, input: Any, dim: Any, dtype: Any) -> Tensor:
    along = wrap_dim(dim, input._value.ndim)
    if dtype is not None:
        input = input.to(dtype)
    if input._value.dtype.kind in "iub" and not input._value.size:
        return input.clone()
    if input._value.dtype.kind in "iubc":
        last = "_lastdim" if along >= input._value.ndim - 1 else ""
        raise NotImplementedError(f"\"{name}{last}_kernel_impl\" not implemented for '{title(input)}'")
    saved = {"dim": shown_one(dim)}
    if not input._value.ndim:
        return applied(ZERO_DIM[op.name], (input,), {"name": name}, saved)
    if simple(input) and input._value.dtype in (F4, F8):
        value = input._value
        return recorded(op, input, value, quiet.run(op.impl, value, along), {"axis": along}, saved)
    return applied(op, (input,), {"axis": along}, saved)


@op("softmax", "(Tensor input, int dim, torch.dtype? dtype = None, *, Tensor out = None)", records=(SOFTMAX,))
def softmax(input: Any, dim: Any, dtype: Any = None) -> Tensor:
    """exp(input), divided by its sum along a dimension.

    Arguments:
        input: the tensor, of floating dtype unless dtype is given.
        dim: the dimension.
        dtype: in which to compute.
    """
    return _along("softmax", SOFTMAX, input, dim, dtype)


@op("log_softmax", "(Tensor input, int dim, torch.dtype? dtype = None, *, Tensor out = None)", records=(LOG_SOFTMAX,))
def log_softmax(input: Any, dim: Any, dtype: Any = None) -> Tensor:
    """The logarithm of softmax, computed without loss of accuracy; arguments as for `softmax`."""
    return _along("log_softmax", LOG_SOFTMAX, input, dim, dtype)


def _complex_logsumexp(x: Any, *, axis: tuple, keepdims: bool) -> Any:
    if not all(x.shape[a] for a in axis):
        return np.log(core.reduce_sum(x, axis=axis, keepdims=keepdims))
    top = stop(core.reduce_max(np.real(x), axis=axis, keepdims=True))
    top = np.where(np.isinf(top), 0, top)
    total = np.log(core.reduce_sum(np.exp(x - top), axis=axis, keepdims=keepdims))
    return total + (top if keepdims else top.reshape(total.shape))


def _half_logsumexp(x: Any, *, axis: tuple, keepdims: bool) -> Any:
    return core.logsumexp(x.astype(np.float32), axis=axis, keepdims=keepdims).astype(x.dtype)


LOGSUMEXP = Operation(core.logsumexp, "LogsumexpBackward0", operands=("self",))
HALF_LOGSUMEXP, COMPLEX_LOGSUMEXP = (
    Operation(f, "LogsumexpBackward0", operands=("self",), saves_out=True)
    for f in (_half_logsumexp, _complex_logsumexp)
)


@op(
    "logsumexp",
    "(Tensor input, tuple of ints dim, bool keepdim = False, *, Tensor out = None)",
    writes=1,
    records=(COMPLEX_LOGSUMEXP, HALF_LOGSUMEXP, LOGSUMEXP),
)
def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over dimensions, computed without overflow.

    Arguments:
        input: the tensor; integers are taken as floats of the default dtype.
        dim: a dimension or several.
        keepdim: whether the dimensions stay, with size one.
    """
    dims = dims_of(dim, input._value.ndim)
    if dim in ((), []) and input._value.ndim:
        shape = list(input._value.shape)
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * len(shape)}")
    d = of_numpy(input._value.dtype)
    kind = d.numpy if d.category >= FLOATING else dtypes.get_default_dtype().numpy
    op = COMPLEX_LOGSUMEXP if d.is_complex else HALF_LOGSUMEXP if d.name in _HALVES else LOGSUMEXP
    return applied(op, (input,), {"axis": dims, "keepdims": keepdim}, {"dim": shown(dim), "keepdim": keepdim}, kind)
