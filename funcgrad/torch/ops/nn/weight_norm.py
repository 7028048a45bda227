"""Weights as a direction times a length: `torch._weight_norm`."""

from __future__ import annotations

from typing import Any

from funcgrad.ops import elementwise, reduce, structural
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.vector_norms import NORM, NORM_OVER, older_norm
from funcgrad.torch.ops.view_ops import TRANSPOSE, VIEW
from funcgrad.torch.tensor.operation import Operation, apply
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import F4


@op("norm_except_dim", "(Tensor v, int pow = 2, int dim = 0)", method=False, records=(NORM, NORM_OVER, VIEW, TRANSPOSE))
def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Tensor:
    """The norms over all dimensions but one, which are kept as dimensions of size 1.

    Arguments:
        v: the tensor.
        pow: the order of the norm.
        dim: the dimension; -1 stands for none, so that there is one norm of all elements.
    """
    if dim == -1:
        return older_norm(v, pow)
    last = v.ndim - 1
    if dim == 0:
        return older_norm(v.contiguous().view(v.shape[0], -1), pow, 1).view(-1, *[1] * last)
    if dim == last:
        return older_norm(v.contiguous().view(-1, v.shape[-1]), pow, 0).view(*[1] * last, -1)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


def _interface(v: Any, g: Any, *, dim: int) -> Any:
    axes = tuple([d for d in range(v.ndim) if d != dim])
    shape = tuple([1 if d in axes else n for d, n in enumerate(v.shape)])
    kind = v.dtype
    if kind.itemsize == 2:  # halves are computed in float32, and rounded once
        v, g = structural.astype(v, dtype=F4), structural.astype(g, dtype=F4)
    norm = elementwise.sqrt(reduce.reduce_sum(v * v, axis=axes, keepdims=True))
    out = v * (g.reshape(shape) / norm)
    return out if out.dtype == kind else structural.astype(out, dtype=kind)


WEIGHT_NORM = Operation(_interface, "WeightNormInterfaceBackward0", operands=("v", "g"))


@op("_weight_norm", "(Tensor v, Tensor g, int dim = 0)", method=False, records=(WEIGHT_NORM,))
def _weight_norm(v: Any, g: Any, dim: int = 0) -> Tensor:
    """v in its direction, with the lengths g along a dimension."""
    if dim != -1 and wrap_dim(dim, v.ndim) in (0, v.ndim - 1):
        return apply(WEIGHT_NORM, (v, g), {"dim": wrap_dim(dim, v.ndim)})
    return v * (g / norm_except_dim(v, 2, dim))
