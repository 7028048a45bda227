"""LU factors, and systems that are given by them. Pivots are LAPACK's: for each step the row swapped in, from 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import elimination
from funcgrad.torch.base import return_types
from funcgrad.torch.declare.arguments import type_name, warn_native
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.signatures import Signatures
from funcgrad.torch.declare.writing import write_out
from funcgrad.torch.ops.contract import broadcast
from funcgrad.torch.ops.matrices import (
    adjoint,
    check_kernel,
    check_matrix,
    check_same_dtype,
    check_square,
    check_system,
    column_major,
    computed,
    failed,
    first_zero,
    row_major,
)
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import linalg as texts


def _unpacked(both: Any) -> tuple:
    """L, with ones on its diagonal, and U, from the one array that holds both."""
    m, n = both.shape[-2:]
    k = min(m, n)
    return fnp.tril(both[..., :k], -1) + np.eye(m, k, dtype=both.dtype), fnp.triu(both[..., :k, :])


def _lu_factor(x: Any) -> tuple:
    both, pivots, _ = elimination.lu(x)
    return both, (pivots + 1).astype(np.int32)


def _lu(x: Any) -> tuple:
    both, _, order = elimination.lu(x)
    return *_unpacked(both), order


def _lu_unpack(both: Any) -> tuple:
    return _unpacked(both)


LU_FACTOR = Operation(
    Composite(_lu_factor, multiple=True), "LinalgLuFactorExBackward0", operands=("A",), saves=(), saves_out=True
)
LU = Operation(Composite(_lu, multiple=True), "LinalgLuBackward0", operands=("A",), saves=(), saves_out=True)
LU_UNPACK = Operation(Composite(_lu_unpack, multiple=True), "LuUnpackBackward0", operands=("LU_data",), saves_out=True)


def _check(name: str, x: Any, pivot: bool) -> None:
    if x.ndim < 2:
        size = list(x._value.shape)
        raise RuntimeError(texts.LU_DIMENSIONS.format(name=name, size=size))
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    check_kernel("lu_cpu", x)


def _factored(x: Any, pivot: bool) -> tuple[Tensor, Tensor, ndarray]:
    """Both factors in one tensor, the pivots, and for each matrix the number of the first that is zero, or 0."""
    _check("torch.lu_factor", x, pivot)
    both, pivots = computed(LU_FACTOR, (x,), {})
    pivots._value = row_major(pivots._value)
    value = both._value
    if isinstance(value, Array):
        return both, pivots, np.zeros(value.shape[:-2], np.int32)
    return both, pivots, first_zero(np.diagonal(value, axis1=-2, axis2=-1))


@op(
    "linalg.lu_factor",
    "(Tensor A, *, bool pivot = True, tuple of Tensors out = None)",
    records=(LU_FACTOR,),
    exact=True,
)
def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """The LU factors of a matrix, or of each in a batch, in the form that `lu_solve` takes.

    Arguments:
        A: "... m n".
        pivot: whether to swap rows; it has to be.

    Returns:
        (LU, pivots): L below the diagonal and U on and above it, and for each step the row swapped in, from 1.
    """
    both, pivots, info = _factored(A, pivot)
    failed(info, "torch.linalg.lu_factor", texts.LU_ZERO_PIVOT, RuntimeError)
    return return_types.linalg_lu_factor((both, pivots))


@op(
    "linalg.lu_factor_ex",
    "(Tensor A, *, bool pivot = True, bool check_errors = False, tuple of Tensors out = None)",
    records=(LU_FACTOR,),
    exact=True,
)
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """As `lu_factor`, and for each matrix 0, or the number of the first pivot that is zero."""
    both, pivots, info = _factored(A, pivot)
    if check_errors:
        failed(info, "torch.linalg.lu_factor_ex", texts.LU_ZERO_PIVOT, RuntimeError)
    return return_types.linalg_lu_factor_ex((both, pivots, wrapped(info)))


@op("linalg.lu", "(Tensor A, *, bool pivot = True, tuple of Tensors out = None)", records=(LU,), exact=True)
def lu(A: Any, *, pivot: bool = True) -> Any:
    """The factors of A = P L U: a permutation, a lower triangular matrix with ones on its diagonal, an upper one.

    Arguments:
        A: "... m n".
        pivot: whether to swap rows; it has to be.

    Returns:
        (P, L, U).
    """
    _check("linalg.lu", A, pivot)
    lower, upper, order = computed(LU, (A,), {}, row_major)
    return return_types.linalg_lu((_permutation_matrix(order._value, lower), lower, upper))


def _permutation_matrix(order: Any, like: Tensor) -> Tensor:
    """The P with A = P L U, from the order of rows in which L U has those of A."""
    return wrapped((np.arange(order.shape[-1])[:, None] == order[..., None, :]).astype(like._value.dtype))


_LU = Signatures("_lu_with_info", ("(Tensor input, bool pivot = True, bool check_errors = True)",))


@op("lu", records=(LU_FACTOR,))
def _old_lu(self: Any, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """As `torch.linalg.lu_factor`; a singular matrix is no error.

    Arguments:
        self: "... m n".
        pivot: whether to swap rows; it has to be.
        get_infos: whether to give the numbers of pivots that are zero, too.
        out: tensors to write the results to.
    """
    if not isinstance(self, Tensor):
        raise TypeError(texts.OLD_LU_TENSOR.format(name=type_name(self)))
    _LU.bind((self,), {"pivot": pivot, "check_errors": not get_infos})
    warn_native(texts.LU_DEPRECATED, "aten/src/ATen/native/BatchLinearAlgebra.cpp:2073")
    both, pivots, info = _factored(self, pivot)
    found = (both, pivots, wrapped(info)) if get_infos else (both, pivots)
    if out is None:
        return found
    return write_out("lu", found, out)


@op(
    "lu_unpack",
    "(Tensor LU_data, Tensor LU_pivots, bool unpack_data = True, bool unpack_pivots = True, *, "
    "tuple of Tensors out = None)",
    method=False,
    records=(LU_UNPACK,),
    exact=True,
)
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """P, L and U from what `torch.linalg.lu_factor` gives.

    Arguments:
        LU_data, LU_pivots: its results.
        unpack_data: whether to make L and U; otherwise they are empty.
        unpack_pivots: whether to make P; otherwise it is empty.
    """
    if unpack_pivots and LU_pivots._value.dtype != np.int32:
        raise RuntimeError(texts.PIVOTS_DTYPE)
    kind = LU_data._value.dtype
    p, lower, upper = (wrapped(np.empty(0, kind)) for _ in range(3))
    if unpack_data:
        lower, upper = computed(LU_UNPACK, (LU_data,), {}, row_major)
    if unpack_pivots:
        _check_pivots(LU_pivots, texts.PIVOTS_RANGE, texts.PIVOTS_RANGE, LU_data._value.shape[-2])
        p = _permutation_matrix(_order(LU_pivots, LU_data._value.shape[-2]), LU_data)
    return return_types.lu_unpack((p, lower, upper))


def _check_pivots(pivots: Tensor, smallest: str, largest: str, rows: int) -> None:
    """Raise one of torch's two errors if a pivot is the number of no row."""
    value = raw(pivots)
    for wrong, text in ((value < 1, smallest), (value > rows, largest)):
        if not isinstance(wrong, Array) and wrong.any():
            raise RuntimeError(text)


def _order(pivots: Tensor, rows: int) -> ndarray:
    return elimination.permutation(raw(pivots) - 1, rows)


# Systems.


def _lu_solve(both: Any, b: Any, *, order: ndarray, left: bool, adjoint: bool) -> Any:
    if not left:
        return _adjoint(_lu_solve(both, _adjoint(b), order=order, left=True, adjoint=not adjoint))
    swaps = (order[..., None] == np.arange(order.shape[-1])).astype(both.dtype)
    if adjoint:
        x = elimination.triangular_solve(_adjoint(both), b, lower=True, unit=False)
        return swaps.mT @ elimination.triangular_solve(_adjoint(both), x, lower=False, unit=True)
    x = elimination.triangular_solve(both, swaps @ b, lower=True, unit=True)
    return elimination.triangular_solve(both, x, lower=False, unit=False)


_adjoint = adjoint
LU_SOLVE = Operation(_lu_solve, "LinalgLuSolveBackward0", operands=("LU", "B"), saves_out=True)


def _solved(both: Any, pivots: Any, b: Any, left: bool, adjoint: bool) -> Tensor:
    name = "linalg.lu_solve"
    check_same_dtype(name, both, b, "LU B")
    if pivots._value.dtype != np.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(name, both, "LU")
    check_matrix(name, b, "B")
    check_system(name, both, b._value.shape[-2:], left)
    if pivots._value.shape[-1:] != both._value.shape[-1:]:
        raise RuntimeError(texts.PIVOTS_COUNT.format(name=name))
    if pivots._value.shape[:-1] != both._value.shape[:-2]:
        raise RuntimeError(texts.PIVOTS_SHAPE.format(name=name, shape=list(pivots._value.shape)))
    broadcast(b._value.shape[:-2], both._value.shape[:-2])
    check_kernel("lu_solve_cpu", both)
    _check_pivots(pivots, texts.PIVOTS_SMALL, texts.PIVOTS_LARGE, both._value.shape[-1])
    params = {"order": _order(pivots, both._value.shape[-1]), "left": left, "adjoint": adjoint}
    return computed(LU_SOLVE, (both, b), params, column_major if left else row_major)


_LU_SOLVE = "(Tensor LU, Tensor pivots, Tensor B, *, bool left = True, bool adjoint = False, Tensor out = None)"


@op("linalg.lu_solve", _LU_SOLVE, records=(LU_SOLVE,), exact=True)
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The solution of A X = B, where A is given by its LU factors.

    Arguments:
        LU, pivots: what `lu_factor` gives.
        B: "... n k".
        left: whether A is on the left side of X.
        adjoint: whether it is Aᴴ that counts.
    """
    return _solved(LU, pivots, B, left, adjoint)


@op(
    "lu_solve",
    "(Tensor input, Tensor LU_data, Tensor LU_pivots, *, Tensor out = None)",
    records=(LU_SOLVE,),
    exact=True,
)
def _old_lu_solve(input: Any, LU_data: Any, LU_pivots: Any) -> Tensor:
    """As `torch.linalg.lu_solve`, with the right side first."""
    warn_native(texts.LU_SOLVE_DEPRECATED, "aten/src/ATen/native/BatchLinearAlgebra.cpp:2230", stacklevel=4)
    return _solved(LU_data, LU_pivots, input, True, False)
