"""How near vectors are to each other, their distance and the cosine of their angle; and vectors that are units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.dtypes import FLOATING
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.recorded_gradients import plus
from funcgrad.torch.ops.reducing import applied
from funcgrad.torch.ops.vector_norms import p_norm, vector_norm
from funcgrad.torch.tensor.journal import followed
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import losses as texts


def _norm(x: Any, *, p: float, axis: tuple[int, ...], keepdims: bool) -> Any:
    if x.dtype.itemsize > 2:
        return p_norm(x, p, axis, keepdims)
    return p_norm(x.astype(np.float32), p, axis, keepdims).astype(x.dtype)


NORM = Operation(_norm, "NormBackward1", operands=("self",), saves=(0,), saves_out=True)


@op(
    "pairwise_distance",
    "(Tensor x1, Tensor x2, float p = 2, float eps = 1e-06, bool keepdim = False)",
    method=False,
    records=NORM,
)
def pairwise_distance(x1: Any, x2: Any, p: float = 2, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 along the last dimension.

    Arguments:
        x1, x2: (..., d), which broadcast.
        p: of the norm.
        eps: what is added to each difference.
        keepdim: whether the dimension stays, with size one.
    """
    dim = max(x1._value.ndim, x2._value.ndim) - 1
    params = {"p": float(p), "axis": (dim,) if dim >= 0 else (), "keepdims": keepdim}
    return applied(NORM, (plus(x1 - x2, eps),), params, {"p": p, "dim": (dim,), "keepdim": keepdim})


def _unit(x: Any, dim: int, eps: float) -> Any:
    """x over its length, which counts as eps at least; the bound is no part of the derivative."""
    bounded = vector_norm(x, 2, dim, True).clone()
    with no_grad():
        bounded.clamp_min_(eps)
    return x / bounded


@op("cosine_similarity", "(Tensor x1, Tensor x2, int dim = 1, float eps = 1e-08)", method=False)
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors, which lie along a dimension of two tensors.

    Arguments:
        x1, x2: of floating dtype; they broadcast.
        dim: the dimension of the vectors.
        eps: the least length that a vector counts with.
    """
    common = common_dtype((x1, x2))
    if common.category < FLOATING or common.is_complex:
        raise RuntimeError(texts.COSINE_OF.format(dtype=common.title))
    check_broadcast([x1._value, x2._value])
    shape = np.broadcast_shapes(x1._value.shape, x2._value.shape)
    dim = wrap_dim(dim, len(shape))
    full = [x if x._value.shape == shape else x.expand(shape) for x in (x1.to(common), x2.to(common))]
    units = [_unit(x, dim, eps) for x in full]
    return (units[0] * units[1]).sum(dim)


@op("_nn.one_hot", "(Tensor input, int num_classes = -1)")
def one_hot(input: Any, num_classes: int = -1) -> Tensor:
    """Rows of a unit matrix: one where the class is, zero elsewhere.

    Arguments:
        input: the numbers of the classes, of any shape.
        num_classes: how many classes there are; by default the largest number and one.

    Returns:
        (..., num_classes), of int64.
    """
    value = input._value
    if value.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    known = type(value) is ndarray
    if not known and num_classes == -1:
        raise RuntimeError(texts.ONE_HOT_IN_VMAP)
    if known and not value.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
    elif known:
        if value.min() < 0:
            raise RuntimeError("Class values must be non-negative.")
        num_classes = int(value.max()) + 1 if num_classes == -1 else num_classes
        if value.max() >= num_classes:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return followed("one_hot", wrapped((value[..., None] == np.arange(num_classes)).astype(np.int64)), input)
