"""Norms of matrices and condition numbers: compositions of vector norms and singular values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.arguments import python_number
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops import vector_norms
from funcgrad.torch.ops.factorizations import svdvals
from funcgrad.torch.ops.matrices import check_inexact, check_matrix, check_square
from funcgrad.torch.ops.systems import inv_ex
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import linalg as texts

_REST = "bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)"
_VECTOR = "(Tensor input, Number ord = 2, tuple of ints? dim = None, " + _REST


@op("linalg.vector_norm", _VECTOR, exact=True)
def vector_norm(input: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a tensor as a vector.

    Arguments:
        input: the tensor.
        ord: a number, or plus or minus infinity: the sum of |x|^ord to the power 1/ord.
        dim: a dimension or several; None for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    return vector_norms.vector_norm(input, _real_order("linalg.vector_norm", ord), dim, keepdim, dtype)


def _real_order(name: str, ord: Any) -> Any:
    """The order of a norm as Python has it."""
    ord = python_number(ord)
    if isinstance(ord, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")
    return ord


def _shown(ord: Any) -> str:
    return ord if isinstance(ord, str) else f"{ord:g}"


_MATRIX = (
    "(Tensor input, Number ord, tuple of ints! dim = {-2,-1}, " + _REST,
    '(Tensor input, str ord = "fro", tuple of ints! dim = {-2,-1}, ' + _REST,
)


@op("linalg.matrix_norm", *_MATRIX, exact=texts.MATRIX_NORM_OUT)
def matrix_norm(
    input: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of a matrix, or of each in a batch.

    Arguments:
        input: the tensor.
        ord: "fro" (Frobenius), "nuc" (the sum of singular values), 2 or -2 (the largest, the smallest of them), 1 or -1
            (the largest, the smallest sum over a column), inf or -inf (over a row).
        dim: the two dimensions of the matrices.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    name = "linalg.matrix_norm"
    ord = _real_order(name, ord)
    if ord not in ("fro", "nuc") and (isinstance(ord, str) or abs(ord) not in (1, 2, math.inf)):
        raise RuntimeError(f"{name}: Order {_shown(ord)} not supported.")
    check_matrix(name, input)
    by_values = ord == "nuc" or ord in (2, -2)
    check_inexact(name, input, low_precision=not by_values)
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    first, second = (wrap_dim(d, input.ndim) for d in dim)
    if first == second:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norms.vector_norm(input, 2, (first, second), keepdim, dtype)
    x = input if dtype is None or dtype is of_numpy(input._value.dtype) else input.to(dtype)
    if by_values:
        return _of_values(x, ord, first, second, keepdim)
    if abs(ord) == math.inf:
        first, second = second, first
    sums = vector_norms.vector_norm(x, 1, first, keepdim)
    if not keepdim and first < second:
        second -= 1
    return _largest(sums, second, keepdim) if ord > 0 else sums.amin(second, keepdim)


def _largest(x: Tensor, dim: int, keepdim: bool) -> Tensor:
    """The largest along a dimension, zero if that is empty."""
    if x._value.shape[dim]:
        return x.amax(dim, keepdim)
    found = x.sum(dim, keepdim)
    found._bump()  # torch fills it
    return found


def _of_values(x: Tensor, ord: Any, first: int, second: int, keepdim: bool) -> Tensor:
    """The norms that singular values give."""
    order = [d for d in range(x.ndim) if d not in (first, second)] + [first, second]
    s = svdvals(x.permute(order))
    found = s.sum(-1, keepdim) if ord == "nuc" else _largest(s, -1, keepdim) if ord == 2 else s.amin(-1, keepdim)
    if not keepdim:
        return found
    return found.unsqueeze(-1).permute([order.index(d) for d in range(x.ndim)])


_NORM = (
    "(Tensor input, Number ord = None, tuple of ints? dim = None, " + _REST,
    "(Tensor input, str ord, tuple of ints? dim = None, " + _REST,
)


@op("linalg.norm", *_NORM, exact=texts.NORM_OUT)
def norm(input: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """A norm of matrices if an order is given and there are two dimensions, otherwise a norm of vectors.

    Arguments:
        input: the tensor.
        ord: as for `matrix_norm` or `vector_norm`; None is 2, over all dimensions.
        dim: one dimension, of vectors, or two, of matrices; None for all.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    ndim = len(input._value.shape)
    dims = (dim,) if isinstance(dim, int) else None if dim is None else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(texts.NORM_DIM.format(dims=list(dims)))
    if dims is None and ord is not None and ndim not in (1, 2):
        raise RuntimeError(texts.NORM_ORD.format(ndim=ndim))
    if isinstance(ord, str) or (ord is not None and (len(dims) if dims is not None else ndim) == 2):
        return matrix_norm(input, ord, (0, 1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(input, 2 if ord is None else ord, dims, keepdim, dtype=dtype)


_COND = ("(Tensor input, Number p = None, *, Tensor out = None)", "(Tensor input, str p, *, Tensor out = None)")


@op("linalg.cond", *_COND, castable="linalg.cond: result")
def cond(input: Any, p: Any = None) -> Tensor:
    """The condition number of a matrix, or of each in a batch: the norm times that of the inverse.

    Arguments:
        input: "... n n"; for p None, 2 and -2 the matrices need not be square.
        p: the norm, as for `matrix_norm`.
    """
    p = python_number(p)
    if input.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p in (None, 2, -2):
        if not input.numel():
            return _zeros(input)
        s = svdvals(input)
        largest, smallest = s[..., :1], s[..., -1:]
        return ((smallest / largest) if p == -2 else (largest / smallest)).squeeze(-1)
    if not isinstance(p, str) and abs(p) not in (1, math.inf):
        raise RuntimeError(texts.CONDITION_NORM.format(p=_shown(p)))
    check_square(f"linalg.cond(ord={_shown(p)})", input)
    if p not in ("fro", "nuc") and isinstance(p, str):
        raise RuntimeError(texts.CONDITION_NORM.format(p=p))
    if not input.numel():
        return _zeros(input)
    if p == "nuc":
        s = svdvals(input)
        return s.sum(-1) * s.reciprocal().sum(-1)
    inverse, info = inv_ex(input)
    inverse.masked_fill_((info != 0).unsqueeze(-1).unsqueeze(-1), math.inf)
    product = norm(input, p, (-2, -1)) * norm(inverse, p, (-2, -1))
    return product.nan_to_num(math.inf, math.inf, -math.inf)


def _zeros(x: Tensor) -> Tensor:
    found = wrapped(np.zeros(x._value.shape[:-2], of_numpy(x._value.dtype).to_real().numpy))
    found._bump()  # torch fills it
    return found
