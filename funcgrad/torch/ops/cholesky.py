"""Cholesky factors. One triangle of the matrix is looked at, but its gradient is that of a Hermitian matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import factorizations
from funcgrad.ops.structural import stop
from funcgrad.torch.base import return_types
from funcgrad.torch.declare.arguments import warn_native
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.matrices import (
    adjoint,
    check_inexact,
    check_kernel,
    check_square,
    column_major,
    computed,
    failed,
)
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import linalg as texts


def as_hermitian(x: Any, upper: bool) -> Any:
    """The Hermitian matrix whose upper or lower triangle is that of x; it varies as the Hermitian part of x."""
    kept = stop(x)
    half = fnp.triu(kept) if upper else fnp.tril(kept)
    whole = half + adjoint(fnp.triu(kept, 1) if upper else fnp.tril(kept, -1))
    part = (x + adjoint(x)) * 0.5
    known = stop(part)
    return whole + fnp.where(known == known, part - known, 0)  # what is not looked at may be nan


def _cholesky(x: Any, *, upper: bool) -> Any:
    out = factorizations.cholesky(as_hermitian(x, upper))
    return adjoint(out) if upper else out


CHOLESKY_EX = Operation(_cholesky, "LinalgCholeskyExBackward0", operands=("self",), saves=(), saves_out=True)
CHOLESKY = Operation(_cholesky, "CholeskyBackward0", operands=("self",), saves=(), saves_out=True)


def _factor(op: Operation, x: Tensor, upper: bool) -> tuple[Tensor, ndarray]:
    """The factors, and for each matrix the order of the first leading minor that is not positive, 0 if all are."""
    check_kernel("cholesky_cpu", x)
    value = raw(x)
    try:
        found = computed(op, (x,), {"upper": upper})
        return found, np.zeros(value.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        if isinstance(value, Array):
            raise
    pairs = [_partial_factor(m, upper) for m in value.reshape(-1, *value.shape[-2:])]
    info = np.array([k for _, k in pairs], np.int32).reshape(value.shape[:-2])
    return wrapped(column_major(np.stack([f for f, _ in pairs]).reshape(value.shape))), info


def _partial_factor(x: ndarray, upper: bool) -> tuple[ndarray, int]:
    """The factor of one matrix as far as it goes, column by column."""
    a = np.tril(np.conj(x.mT) if upper else x)
    order = 0
    for k in range(len(a)):
        row = np.conj(a[k, :k])
        a[k, k] -= a[k, :k] @ row
        if not a[k, k].real > 0:
            order = k + 1
            break
        a[k, k] = np.sqrt(a[k, k].real)
        a[k + 1 :, k] = (a[k + 1 :, k] - a[k + 1 :, :k] @ row) / a[k, k]
    return np.conj(a.mT) if upper else a, order


def _checked_factor(x: Any, upper: bool) -> tuple[Tensor, ndarray]:
    check_square("linalg.cholesky", x)
    check_inexact("linalg.cholesky", x)
    return _factor(CHOLESKY_EX, x, upper)


@op("linalg.cholesky", "(Tensor input, *, bool upper = False, Tensor out = None)", records=(CHOLESKY_EX,), exact=True)
def cholesky(input: Any, *, upper: bool = False) -> Tensor:
    """The lower triangular L with L Lᴴ = input, for a positive definite matrix, or each in a batch.

    Arguments:
        input: "... n n", of which one triangle is looked at.
        upper: whether to look at the upper triangle, and give Lᴴ.

    Raises:
        LinAlgError: a matrix is not positive definite.
    """
    found, info = _checked_factor(input, upper)
    failed(info, "linalg.cholesky", texts.NOT_POSITIVE)
    return found


@op(
    "linalg.cholesky_ex",
    "(Tensor input, *, bool upper = False, bool check_errors = False, tuple of Tensors out = None)",
    records=(CHOLESKY_EX,),
    exact=True,
)
def cholesky_ex(input: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The Cholesky factor, and for each matrix 0, or the order of the leading minor that is not positive."""
    found, info = _checked_factor(input, upper)
    if check_errors:
        failed(info, "linalg.cholesky_ex", texts.NOT_POSITIVE)
    return return_types.linalg_cholesky_ex((found, wrapped(info)))


@op(
    "cholesky",
    "(Tensor input, bool upper = False, *, Tensor out = None)",
    records=(CHOLESKY,),
    castable="cholesky: result",
)
def _old_cholesky(input: Any, upper: bool = False) -> Tensor:
    """As `torch.linalg.cholesky`."""
    warn_native(texts.CHOLESKY_DEPRECATED, "aten/src/ATen/native/BatchLinearAlgebra.cpp:1765", stacklevel=4)
    check_square("cholesky", input)
    found, info = _factor(CHOLESKY, input, upper)
    failed(info, "cholesky", texts.NOT_POSITIVE)
    return found
