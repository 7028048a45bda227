"""Inverses and solutions of linear systems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import elimination
from funcgrad.ops.structural import stop
from funcgrad.torch.base import return_types
from funcgrad.torch.declare.arguments import warn_native
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.contract import broadcast
from funcgrad.torch.ops.matrices import (
    adjoint,
    check_inexact,
    check_kernel,
    check_matrix,
    check_same_dtype,
    check_square,
    check_system,
    column_major,
    computed,
    failed,
    first_zero,
)
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import linalg as texts
from funcgrad.torch.texts import products as products_texts


def _zero_pivots(x: Any, result: Any) -> ndarray:
    """For each matrix the number of the first pivot that is zero, 0 if there is none: LAPACK's info.

    Only where the result of a solver is not finite can there be one.
    """
    if isinstance(x, Array) or isinstance(result, Array) or np.isfinite(result).all():
        return np.zeros(x.shape[:-2], np.int32)
    return first_zero(np.diagonal(elimination.factored(x)[0], axis1=-2, axis2=-1))


# Inverses.

INV = Operation(elimination.inv_lu, "LinalgInvExBackward0", operands=("A",))


def _inverse(x: Any) -> tuple[Tensor, ndarray]:
    check_square("linalg.inv", x)
    check_inexact("linalg.inv", x, low_precision=False)
    found = computed(INV, (x,), {})
    return found, _zero_pivots(raw(x), found._value)


@op("inverse", "(Tensor input, *, Tensor out = None)", records=(INV,), exact=True)
@op("linalg.inv", "(Tensor A, *, Tensor out = None)", records=(INV,), exact=True)
def inv(A: Any) -> Tensor:
    """The inverse of a square matrix, or of each in a batch.

    Arguments:
        A: "... n n".

    Raises:
        LinAlgError: a matrix is singular.

    Example:
        >>> from funcgrad import torch
        >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    found, info = _inverse(A)
    failed(info, "linalg.inv", texts.SINGULAR)
    return found


@op(
    "linalg.inv_ex", "(Tensor A, *, bool check_errors = False, tuple of Tensors out = None)", records=(INV,), exact=True
)
def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """The inverse, and for each matrix 0, or the number of the diagonal element that made it singular."""
    found, info = _inverse(A)
    if check_errors:
        failed(info, "linalg.inv_ex", texts.SINGULAR)
    return return_types.linalg_inv_ex((found, wrapped(info)))


# Systems with any square matrix.


def _solve(a: Any, b: Any, *, left: bool, vector: bool) -> Any:
    if vector:
        b = b[..., None]
    x = elimination.solve_lu(a, b, transposed=False) if left else elimination.solve_lu(a, b.mT, transposed=True).mT
    return x[..., 0] if vector else x


SOLVE = Operation(_solve, "LinalgSolveExBackward0", operands=("A", "B"), saves=(0,), saves_out=True)


def _solution(a: Any, b: Any, left: bool, name: str | None) -> tuple[Tensor, ndarray]:
    """The solution and the info; with a name, a singular matrix is an error in this name."""
    check_inexact("linalg.solve", a)
    check_same_dtype("linalg.solve", a, b)
    shape, right = a._value.shape, b._value.shape
    vector = len(right) == 1 or (len(shape) - 1 == len(right) and right == shape[:-1])
    check_square("linalg.solve", a)
    rows = (*right, 1) if vector else right
    if len(rows) < 2:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    check_system("linalg.solve", a, rows[-2:], left)
    broadcast(rows[:-2], shape[:-2])
    if vector and not left:
        raise RuntimeError(texts.SOLVE_VECTOR_RIGHT)
    check_kernel("lu_cpu", a)
    found = record(SOLVE, (a, b), [raw(a), raw(b)], {"left": left, "vector": vector})
    found._value = _layout(found._value, left, vector)
    info = _zero_pivots(raw(a), found._value)
    if name is not None:
        failed(info, name, texts.NO_SOLUTION)
    return found, info


def _layout(value: Any, left: bool, vector: bool) -> Any:
    if type(value) is not ndarray:
        return value
    if vector:
        return np.ascontiguousarray(value.T).T  # the vectors of a batch are the rows of one column-major matrix
    return column_major(value) if left else np.ascontiguousarray(value)


@op("linalg.solve", "(Tensor A, Tensor B, *, bool left = True, Tensor out = None)", records=(SOLVE,), exact=True)
def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """The solution X of A X = B, or with left=False of X A = B.

    Arguments:
        A: "... n n".
        B: "... n k"; a vector "n", or a batch of as many vectors "... n" as there are matrices.
        left: on which side of X the matrix is.

    Raises:
        LinAlgError: a matrix is singular.
    """
    return _solution(A, B, left, "torch.linalg.solve")[0]


@op(
    "linalg.solve_ex",
    "(Tensor A, Tensor B, *, bool left = True, bool check_errors = False, tuple of Tensors out = None)",
    records=(SOLVE,),
    exact=True,
)
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and for each matrix 0, or the number of the pivot that made it singular."""
    found, info = _solution(A, B, left, "torch.linalg.solve_ex" if check_errors else None)
    return return_types.linalg_solve_ex((found, wrapped(info)))


# Triangular systems.


def _solve_triangular(a: Any, b: Any, *, upper: bool, left: bool, unitriangular: bool) -> Any:
    if left:
        return elimination.triangular_solve(a, b, lower=not upper, unit=unitriangular)
    return elimination.triangular_solve(a.mT, b.mT, lower=upper, unit=unitriangular).mT


SOLVE_TRIANGULAR = Operation(
    _solve_triangular, "LinalgSolveTriangularBackward0", operands=("self", "B"), saves=(0,), saves_out=True
)

_TRIANGULAR = "(Tensor input, Tensor B, *, bool upper, bool left = True, bool unitriangular = False, Tensor out = None)"


@op("linalg.solve_triangular", _TRIANGULAR, records=(SOLVE_TRIANGULAR,), exact=products_texts.SCALAR_TYPES)
def solve_triangular(input: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """The solution X of input X = B for a triangular matrix; the other triangle is not looked at.

    Arguments:
        input: "... n n".
        B: "... n k".
        upper: which triangle counts.
        left: on which side of X the matrix is.
        unitriangular: whether the diagonal counts as ones.
    """
    name = "linalg.solve_triangular"
    check_square(name, input)
    check_matrix(name, B, "B")
    check_system(name, input, B._value.shape[-2:], left)
    broadcast(B._value.shape[:-2], input._value.shape[:-2])
    check_kernel("triangular_solve_cpu", input)
    params = {"upper": upper, "left": left, "unitriangular": unitriangular}
    return computed(SOLVE_TRIANGULAR, (input, B), params)


def _triangular_solve(b: Any, a: Any, *, upper: bool, transpose: bool, unitriangular: bool) -> tuple:
    if transpose:
        x = elimination.triangular_solve(a.mT, b, lower=upper, unit=unitriangular)
    else:
        x = elimination.triangular_solve(a, b, lower=not upper, unit=unitriangular)
    return x, fnp.broadcast_to(np.positive(a), (*x.shape[:-2], *a.shape[-2:]))


TRIANGULAR_SOLVE = Operation(
    Composite(_triangular_solve, multiple=True), "TriangularSolveBackward0", operands=("self", "A"), saves_out=True
)

_OLD_TRIANGULAR = (
    "(Tensor input, Tensor A, bool upper = True, bool transpose = False, bool unitriangular = False, *, "
    "tuple of Tensors out = None)"
)


@op("triangular_solve", _OLD_TRIANGULAR, records=(TRIANGULAR_SOLVE,), exact=True)
def triangular_solve(
    input: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """As `torch.linalg.solve_triangular`, with the arguments reversed; gives a copy of A, too."""
    warn_native(texts.TRIANGULAR_SOLVE_DEPRECATED, "aten/src/ATen/native/BatchLinearAlgebra.cpp:2273", stacklevel=4)
    for x, name in ((input, "b"), (A, "A")):
        if x.ndim < 2:
            raise RuntimeError(texts.TRIANGULAR_SOLVE_DIMENSIONS.format(name=name, ndim=x.ndim))
    check_solver_sizes("triangular_solve", input, A)
    check_kernel("triangular_solve_cpu", A)
    params = {"upper": upper, "transpose": transpose, "unitriangular": unitriangular}
    return return_types.triangular_solve(computed(TRIANGULAR_SOLVE, (input, A), params))


def check_solver_sizes(name: str, b: Tensor, a: Tensor) -> None:
    """Raise the error of torch's older solvers if the right side b does not fit the matrix a."""
    (m, n), (rows, columns) = a._value.shape[-2:], b._value.shape[-2:]
    if m != n:
        raise RuntimeError(f"A must be batches of square matrices, but they are {m} by {n} matrices")
    if rows != n:
        raise RuntimeError(texts.OLD_SOLVER_SIZES.format(name=name, n=n, rows=rows, columns=columns))
    broadcast(b._value.shape[:-2], a._value.shape[:-2])


# Systems that are given by a Cholesky factor. Their derivatives count both triangles of the factor.


def _whole(factor: Any, upper: bool) -> Any:
    """The positive definite matrix of a Cholesky factor."""
    return adjoint(factor) @ factor if upper else factor @ adjoint(factor)


def _by_factor(b: Any, factor: Any, upper: bool) -> Any:
    lower = adjoint(factor) if upper else factor
    x = elimination.triangular_solve(lower, b, lower=True, unit=False)
    return elimination.triangular_solve(adjoint(lower), x, lower=False, unit=False)


def _with_value(value: Any, x: Any) -> Any:
    """x with another value, which is more exact."""
    return stop(value) + (x - stop(x))


def _cholesky_solve(b: Any, factor: Any, *, upper: bool) -> Any:
    x = elimination.solve_lu(_whole(factor, upper), b, transposed=False)
    return _with_value(_by_factor(stop(b), stop(factor), upper), x)


def _cholesky_inverse(factor: Any, *, upper: bool) -> Any:
    eye = np.eye(factor.shape[-1], dtype=factor.dtype)
    return _with_value(_by_factor(eye, stop(factor), upper), elimination.inv_lu(_whole(factor, upper)))


CHOLESKY_SOLVE = Operation(_cholesky_solve, "CholeskySolveBackward0", operands=("self", "input2"), saves_out=True)
CHOLESKY_INVERSE = Operation(_cholesky_inverse, "CholeskyInverseBackward0", operands=("self",), saves_out=True)


@op(
    "cholesky_solve",
    "(Tensor input, Tensor input2, bool upper = False, *, Tensor out = None)",
    records=(CHOLESKY_SOLVE,),
    castable="cholesky_solve: result",
)
def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Tensor:
    """The solution of a system whose matrix is given by its Cholesky factor.

    Arguments:
        input: the right side, "... n k".
        input2: the factor, "... n n".
        upper: whether the factor is upper triangular.
    """
    for x, name in ((input, "b"), (input2, "u")):
        if x.ndim < 2:
            raise RuntimeError(texts.OLD_SOLVER_DIMENSIONS.format(name=name, ndim=x.ndim))
    check_solver_sizes("cholesky_solve", input, input2)
    check_kernel("cholesky_solve_cpu", input)
    return computed(CHOLESKY_SOLVE, (input, input2), {"upper": upper})


@op(
    "cholesky_inverse",
    "(Tensor input, bool upper = False, *, Tensor out = None)",
    records=(CHOLESKY_INVERSE,),
    castable="cholesky_inverse: result",
)
def cholesky_inverse(input: Any, upper: bool = False) -> Tensor:
    """The inverse of a matrix that is given by its Cholesky factor.

    Arguments:
        input: the factor, "... n n".
        upper: whether it is upper triangular.
    """
    check_square("cholesky_inverse", input)
    check_kernel("cholesky_inverse_out_cpu", input)
    value = raw(input)
    if not isinstance(value, Array):
        failed(first_zero(np.diagonal(value, axis1=-2, axis2=-1)), "cholesky_inverse", texts.SINGULAR)
    return computed(CHOLESKY_INVERSE, (input,), {"upper": upper})


# Systems of tensors.


@op(
    "linalg.tensorinv",
    "(Tensor input, int ind = 2, *, Tensor out = None)",
    records=(INV,),
    castable="tensorinv: result",
)
def tensorinv(input: Any, ind: int = 2) -> Tensor:
    """The inverse of the linear map that `tensordot(input, x, x.ndim)` is.

    Arguments:
        input: its first `ind` dimensions have as many elements as the others.
        ind: how many dimensions the result of the map has.
    """
    shape = input._value.shape
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if len(shape) < ind:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {len(shape)}")
    rows, columns = math.prod(shape[ind:]), math.prod(shape[:ind])
    if rows != columns:
        raise RuntimeError(texts.TENSORINV_SIZES.format(rows=rows, columns=columns))
    return inv(input.reshape(columns, rows)).reshape(shape[ind:] + shape[:ind])


@op(
    "linalg.tensorsolve",
    "(Tensor input, Tensor other, tuple of ints! dims = None, *, Tensor out = None)",
    records=(SOLVE,),
    castable="tensorsolve: result",
)
def tensorsolve(input: Any, other: Any, dims: Any = None) -> Tensor:
    """The solution x of `tensordot(input, x, x.ndim) == other`.

    Arguments:
        input: of shape `other.shape + x.shape`.
        other: the right side.
        dims: dimensions of input that are moved to its end first.
    """
    if dims is not None:
        input = input.movedim(dims, tuple(range(input.ndim - len(dims), input.ndim)))
    shape, n = input._value.shape, other.ndim
    rows, columns = math.prod(shape[n:]), math.prod(shape[:n])
    if rows != columns or rows != other.numel():
        raise RuntimeError(texts.TENSORSOLVE_SIZES.format(rows=rows, columns=other.numel()))
    return solve(input.reshape(rows, rows), other.flatten()).reshape(shape[n:])
