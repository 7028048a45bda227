"""LDL factors of symmetric and Hermitian matrices, and systems that are given by them."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.ops.structural import stop
from funcgrad.torch.base import return_types
from funcgrad.torch.base.dtypes import INTEGER
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.contract import broadcast
from funcgrad.torch.ops.matrices import (
    check_inexact,
    check_kernel,
    check_square,
    column_major,
    computed,
    row_major,
)
from funcgrad.torch.primitives import ldl as core
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import linalg as texts


def _given(x: Any, *, factors: Any) -> Any:
    return factors()


def _ldl_solve(both: Any, pivots: Any, b: Any, *, hermitian: bool) -> Any:
    return core.ldl_solve(both, pivots, b, hermitian=hermitian)


LDL_FACTOR = Operation(Undifferentiable(_given, "aten::linalg_ldl_factor_ex"), "NotImplemented", operands=("self",))
LDL_SOLVE = Operation(Undifferentiable(_ldl_solve, "aten::linalg_ldl_solve"), "NotImplemented")


def _factored(x: Tensor, hermitian: bool) -> tuple[Tensor, Tensor, Tensor]:
    name = "torch.linalg.ldl_factor_ex"
    check_square(name, x)
    check_inexact(name, x)
    check_kernel("ldl_factor_kernel_cpu", x)
    both, pivots, info = core.ldl(stop(raw(x)), hermitian=hermitian)
    found = record(LDL_FACTOR, (x,), [raw(x)], {"factors": lambda: column_major(both)})
    return found, wrapped(row_major(pivots)), wrapped(info)


def _check_info(name: str, info: Tensor) -> None:
    value = raw(info)
    if not isinstance(value, Array) and value.any():
        code = int(value.reshape(-1)[np.flatnonzero(value)[0]])
        raise RuntimeError(texts.LDL_SINGULAR.format(name=name, code=code))


@op(
    "linalg.ldl_factor",
    "(Tensor input, *, bool hermitian = False, tuple of Tensors out = None)",
    records=(LDL_FACTOR,),
    exact=True,
)
def ldl_factor(input: Any, *, hermitian: bool = False) -> Any:
    """The factors A = L D Lᵀ of a symmetric matrix, or of each in a batch, in the form that `ldl_solve` takes.

    Arguments:
        input: "... n n"; only the lower triangle counts.
        hermitian: whether complex matrices are Hermitian, A = L D Lᴴ, and not symmetric.

    Returns:
        (LD, pivots): D on the diagonal and L below it, and the rows that were swapped in, from 1. A block of D with two
        rows has the same negative number at both.
    """
    both, pivots, info = _factored(input, hermitian)
    _check_info("torch.linalg.ldl_factor", info)
    return return_types.linalg_ldl_factor((both, pivots))


@op(
    "linalg.ldl_factor_ex",
    "(Tensor input, *, bool hermitian = False, bool check_errors = False, tuple of Tensors out = None)",
    records=(LDL_FACTOR,),
    exact=True,
)
def ldl_factor_ex(input: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """As `ldl_factor`, and for each matrix 0, or the number of the first block of D that is zero."""
    found = _factored(input, hermitian)
    if check_errors:
        _check_info("torch.linalg.ldl_factor_ex", found[2])
    return return_types.linalg_ldl_factor_ex(found)


@op(
    "linalg.ldl_solve",
    "(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian = False, Tensor out = None)",
    records=(LDL_SOLVE,),
    exact=True,
)
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Tensor:
    """The solution of A X = B, where A is given by its LDL factors.

    Arguments:
        LD, pivots: what `ldl_factor` gives.
        B: "... n k".
        hermitian: as it was for `ldl_factor`.
    """
    name = "torch.linalg.ldl_solve"
    check_square(name, LD)
    check_inexact(name, LD)
    wrap_dim(-2, B.ndim)  # raises for a vector
    if LD._value.dtype != B._value.dtype:
        raise RuntimeError(texts.SYSTEM_DTYPES.format(b=B.dtype.title, a=LD.dtype.title))
    shape, rows, n = pivots._value.shape, B._value.shape[-2:], LD._value.shape[-1]
    if rows[0] != n:
        raise RuntimeError(texts.OLD_SOLVER_SIZES.format(name=name, n=n, rows=rows[0], columns=rows[1]))
    if shape != LD._value.shape[:-1]:
        raise RuntimeError(texts.LDL_PIVOTS_SHAPE.format(name=name, shape=list(shape)))
    if pivots.dtype.category > INTEGER:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {pivots.dtype.title}")
    broadcast(B._value.shape[:-2], LD._value.shape[:-2])
    check_kernel("ldl_solve_kernel_cpu", B)
    return computed(LDL_SOLVE, (LD, pivots, B), {"hermitian": hermitian})
