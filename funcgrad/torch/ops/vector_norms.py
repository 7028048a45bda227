"""Lengths of vectors: |x| and its p-norms, differentiable as torch has it. Where one is zero, so is its gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import reduce as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.ops.reducing import applied, dims_of, shown
from funcgrad.torch.tensor.operation import Operation, Recording
from funcgrad.torch.tensor.plans import ZeroPlan, keeping
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import reductions as texts


def magnitude(x: Any) -> Any:
    """|x|, with derivative 0 at 0."""
    if x.dtype.kind != "c":
        sign = stop(np.sign(x))
        return x * fnp.where(sign == sign, sign, 0)  # the sign of nan is 0
    zero = x == 0
    return fnp.where(zero, 0, np.abs(fnp.where(zero, 1, x)))


def root(s: Any, p: float) -> Any:
    """s to the power 1/p, with derivative 0 at 0."""
    zero = s == 0
    safe = fnp.where(zero, 1, s)
    root = np.sqrt(safe) if p == 2 else safe ** (1 / p)
    return fnp.where(zero, stop(s ** (1 / p)), root)


def p_norm(x: Any, p: float, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    """The p-norm over axes."""
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if p == 0:
        return core.reduce_sum((x != 0).astype(_real(x.dtype)), **options)
    if p == 2:
        square = np.square(x) if x.dtype.kind != "c" else np.real(x) ** 2 + np.imag(x) ** 2
        return root(core.reduce_sum(square, **options), 2)
    a = magnitude(x)
    if math.isinf(p):
        reduce = core.reduce_max if p > 0 else core.reduce_min
        nan = core.reduce_sum(stop(a), **options)
        return fnp.where(nan != nan, nan, reduce(fnp.where(a != a, 0, a), **options))
    if p == 1:
        return core.reduce_sum(a, **options)
    if p < 2:
        zero = a == 0
        power = fnp.where(zero, stop(np.abs(a) ** p), fnp.where(zero, 1, a) ** p)
    else:
        power = a**p
    return root(core.reduce_sum(power, **options), p)


def _real(kind: np.dtype) -> np.dtype:
    return of_numpy(kind).to_real().numpy


def _vector_norm(x: Any, *, ord: float, axis: tuple, keepdims: bool, dtype: Any, computed: Any) -> Any:
    x = x if x.dtype == computed else x.astype(computed)
    out = p_norm(x, ord, axis, keepdims)
    return out if out.dtype == dtype else out.astype(dtype)


VECTOR_NORM = Operation(_vector_norm, "LinalgVectorNormBackward0", operands=("self",), saves=(0,), saves_out=True)
NORM, NORM_OVER = (
    Operation(_vector_norm, f"NormBackward{k}", operands=("self",), saves=(0,), saves_out=True) for k in range(2)
)
"""What PyTorch's library records where it calls the older norm itself: over all dimensions, or over some."""


class NoGradient(ZeroPlan):
    """The plan of an operation that is recorded, but passes no gradient on."""

    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        return None if self.single else (None,) * len(self.linked)


def giving_no_gradient(op: Operation, *masks: tuple[bool, ...]) -> Operation:
    """An operation whose nodes pass no gradient on where just these operands require one."""
    for mask in masks:
        plan = keeping(NoGradient(op.primitive, mask), op.saved_by(mask), op.saves_out)
        recording = Recording(op, plan, mask)
        recording._conjugated = op.recordings[mask] = recording
    return op


ZERO_NORM = giving_no_gradient(
    Operation(_vector_norm, "LinalgVectorNormBackward0", operands=("self",), saves=(0,), saves_out=True), (True,)
)


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The vector norm of torch.linalg.

    Arguments:
        x: the tensor, of floating or complex dtype.
        ord: a number, or plus or minus infinity.
        dim: a dimension or several; None for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    if isinstance(ord, (Tensor, str)) or ord is None:
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    shape = x._value.shape
    d = of_numpy(x._value.dtype)
    if d.category < FLOATING:
        raise RuntimeError(texts.VECTOR_NORM_INPUT.format(dtype=d.title))
    if dtype is not None:
        if dtype.category < FLOATING:
            raise RuntimeError(texts.VECTOR_NORM_DTYPE.format(dtype=dtype.title))
        if d.is_complex != dtype.is_complex:
            kinds = ("complex", "real") if d.is_complex else ("real", "complex")
            raise RuntimeError(texts.VECTOR_NORM_KIND.format(kind=kinds[0], dtype=dtype.title))
        if dtypes.promote_types(d, dtype) is not dtype:
            raise RuntimeError(texts.VECTOR_NORM_NARROWS.format(input=d.title, dtype=dtype.title))
        d = dtype
    dims = dims_of(dim, len(shape))
    if 0 in shape and (ord < 0 or ord == math.inf):
        check_identity(ord, dim, dims, shape)
    params = _computed_in(d, float(ord), dims, keepdim)
    saved = {"ord": ord, "dim": shown(dim), "keepdim": keepdim}
    if ord == 0:
        return without_gradient(applied(ZERO_NORM, (x,), params, saved), **saved)
    return applied(VECTOR_NORM, (x,), params, saved)


def _computed_in(d: Any, ord: float, axis: tuple[int, ...], keepdims: bool) -> dict[str, Any]:
    """The parameters of the operation, for a tensor of this dtype."""
    wide = {"float16": dtypes.float32, "bfloat16": dtypes.float32}.get(d.name, d)
    return {"ord": ord, "axis": axis, "keepdims": keepdims, "dtype": d.to_real().numpy, "computed": wide.numpy}


def older_norm(x: Any, p: Any, dim: int | None = None) -> Tensor:
    """The norm as PyTorch's library computes it for itself.

    Arguments:
        x: the tensor.
        p: the order.
        dim: the dimension; None for all of them.
    """
    if dim is None:
        return applied(NORM, (x,), _computed_in(x.dtype, float(p), tuple(range(x.ndim)), False), {"p": p})
    saved = {"p": p, "dim": (dim,), "keepdim": False}
    return applied(NORM_OVER, (x,), _computed_in(x.dtype, float(p), (dim,), False), saved)


def check_identity(ord: Any, dim: Any, dims: tuple, shape: tuple) -> None:
    """Raise torch's error about a norm of nothing: that of order `ord` has no value there."""
    word = f"{ord:g}"
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        raise RuntimeError(texts.VECTOR_NORM_OF_NOTHING.format(ord=word))
    for d in dim if isinstance(dim, (tuple, list)) else (dim,):
        if not shape[d]:
            raise RuntimeError(texts.VECTOR_NORM_OF_EMPTY_DIM.format(ord=word, dim=d))


def without_gradient(t: Tensor, **saved: Any) -> Tensor:
    """The number of elements that are not zero: its node passes no gradient on, not even zeros."""
    if t._node is not None:
        t._node.slow, t._node.params = True, saved
    return t
