"""`torch.norm` and its kin, and `renorm`."""

from __future__ import annotations

from typing import Any

import funcgrad.numpy as fnp
from funcgrad.torch.declare.arguments import warn_once
from funcgrad.torch.declare.op import namespaces, op
from funcgrad.torch.ops.reducing import applied, dims_of, shown_one, title
from funcgrad.torch.ops.vector_norms import p_norm
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.texts import linalg as linalg_texts
from funcgrad.torch.texts import reductions as texts


@op(
    "norm",
    '(Any input, Any p = "fro", Any dim = None, Any keepdim = False, *, Tensor out = None, Any dtype = None)',
    method=False,
)
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a tensor.

    Arguments:
        input: the tensor, of floating or complex dtype.
        p: a number, plus or minus infinity, "fro" or "nuc" (the nuclear norm of matrices).
        dim: a dimension or several; None for all of them.
        keepdim: whether the dimensions stay, with size one.
        dtype: in which to compute.
    """
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{type(input).__name__}' object has no attribute 'layout'")
    linalg = namespaces["linalg"]  # its public functions, which look at the arguments
    dims = [dim] if isinstance(dim, int) else dim
    if isinstance(p, str):
        if p == "fro" and (dims is None or len(dims) <= 2):
            return linalg["vector_norm"](input, 2, dims, keepdim, dtype=dtype)
        dims = list(range(input._value.ndim)) if dims is None else dims
        return linalg["matrix_norm"](input, p, dims, keepdim, dtype=dtype)
    return linalg["vector_norm"](input, 2.0 if p is None else p, dims, keepdim, dtype=dtype)


@op("Tensor.norm")
def _norm_of(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The norm of the tensor, as `torch.norm` has it."""
    return norm(self, p, dim, keepdim, dtype=dtype)


def _frobenius(x: Any, *, axis: tuple, keepdims: bool) -> Any:
    return p_norm(x, 2, axis, keepdims)


FROBENIUS = Operation(_frobenius, "NormBackward1", operands=("self",), saves=(0,), saves_out=True)


@op(
    "frobenius_norm",
    "(Tensor input, tuple of ints dim = (), bool keepdim = False, *, Tensor out = None)",
    method=False,
    records=(FROBENIUS,),
    exact=True,
)
def frobenius_norm(input: Any, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The square root of the sum of squares over one or two dimensions."""
    dims = dims_of(dim, input._value.ndim)
    warn_once(texts.FROBENIUS_NORM_DEPRECATED, stacklevel=3)
    if input._value.dtype.kind in "iub":
        raise RuntimeError(texts.NORM_INPUT.format(dtype=title(input)))
    saved = {"p": 2.0, "dim": dims, "keepdim": keepdim}
    return applied(FROBENIUS, (input,), {"axis": dims, "keepdims": keepdim}, saved)


@op(
    "nuclear_norm",
    "(Tensor input, bool keepdim = False, *, Tensor out = None)",
    "(Tensor input, tuple of ints dim, bool keepdim = False, *, Tensor out = None)",
    method=False,
    exact=linalg_texts.MATRIX_NORM_OUT,
)
def nuclear_norm(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The sum of the singular values of matrices."""
    warn_once(linalg_texts.NUCLEAR_NORM_DEPRECATED, stacklevel=3)
    return norm(input, "nuc", dim, keepdim)


def _renorm(x: Any, *, p: float, dim: int, maxnorm: float) -> Any:
    others = tuple([i for i in range(x.ndim) if i != dim])
    lengths = p_norm(x, p, others, True)
    out = x * fnp.where(lengths > maxnorm, maxnorm / (lengths + 1e-7), 1)
    return out if out.dtype == x.dtype else out.astype(x.dtype)


RENORM = Operation(_renorm, "RenormBackward0", operands=("self",), saves=(0,))


@op(
    "renorm",
    "(Tensor input, Number p, int dim, Number maxnorm, *, Tensor out = None)",
    inplace=True,
    writes=1,
    records=(RENORM,),
)
def renorm(input: Any, p: Any, dim: Any, maxnorm: Any) -> Tensor:
    """input with each slice along a dimension scaled down, so that its p-norm is at most maxnorm.

    Arguments:
        input: a tensor of at least two dimensions.
        p: of the norm, positive.
        dim: the dimension along which the slices follow each other.
        maxnorm: the largest norm that is left as it is.
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    ndim = input._value.ndim
    if ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    along = wrap_dim(dim, ndim)
    if input._value.dtype.kind in "iub":
        raise RuntimeError(texts.VECTOR_NORM_INPUT.format(dtype=title(input)))
    saved = {"p": p, "dim": shown_one(dim), "maxnorm": maxnorm}
    params = {"p": float(p), "dim": along, "maxnorm": float(maxnorm)}
    return applied(RENORM, (input,), params, saved)
