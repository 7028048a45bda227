"""The rest of linear algebra: exponentials, products along a dimension, Vandermonde matrices, what torch removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops.matrix_exp import matrix_exp as core_matrix_exp
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops import contract, products
from funcgrad.torch.ops.creation import ones
from funcgrad.torch.ops.joining import cat
from funcgrad.torch.ops.matrices import check_inexact, check_same_dtype, check_square, computed, row_major
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import linalg as texts


def _matrix_exp(x: Any) -> Any:
    if x.dtype.itemsize >= 4:
        return core_matrix_exp(x)
    return core_matrix_exp(x.astype(np.float32)).astype(x.dtype)


MATRIX_EXP = Operation(_matrix_exp, "LinalgMatrixExpBackward0", operands=("self",), saves=(0,))


@op("matrix_exp", "(Tensor input)", records=(MATRIX_EXP,))
@op("linalg.matrix_exp", "(Tensor input)", records=(MATRIX_EXP,))
def matrix_exp(input: Any) -> Tensor:
    """The exponential of a square matrix, or of each in a batch.

    Arguments:
        input: "... n n".
    """
    check_square("linalg.matrix_exp", input)
    check_inexact("linalg.matrix_exp", input)
    return computed(MATRIX_EXP, (input,), {}, row_major)


# Products.


@op("linalg.vecdot", "(Tensor x, Tensor y, *, int dim = -1, Tensor out = None)", exact=texts.VECDOT_OUT)
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Tensor:
    """The sums of products along a dimension, the first operand conjugated.

    Arguments:
        x, y: tensors that broadcast.
        dim: the dimension.
    """
    check_inexact("linalg.vecdot", x)
    check_same_dtype("linalg.vecdot", x, y, "x y")
    if x.ndim == 1 and y.ndim == 1:
        return contract.vdot(x, y)
    return (x.conj() * y).sum(dim)


op("linalg.matmul", "(Tensor input, Tensor other, *, Tensor out = None)", exact=True)(contract.matmul)
op("linalg.matrix_power", "(Tensor input, int n, *, Tensor out = None)", castable="matrix_power: result")(
    products.matrix_power
)
op("linalg.multi_dot", "(tuple of Tensors tensors, *, Tensor out = None)", exact=texts.MULTI_DOT_OUT)(
    products.multi_dot
)
op("linalg.cross", "(Tensor input, Tensor other, *, int dim = -1, Tensor out = None)", exact=True)(
    products.linalg_cross
)


@op("linalg.diagonal", "(Tensor A, *, int offset = 0, int dim1 = -2, int dim2 = -1)")
def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of a matrix, or of each in a batch; a view."""
    return A.diagonal(offset, dim1, dim2)


@op("linalg.vander", "(Tensor x, *, int? N = None)")
def vander(x: Any, *, N: int | None = None) -> Tensor:
    """The matrices of the powers of vectors: columns 1, x, x², ...

    Arguments:
        x: "... n".
        N: the number of columns; by default n.
    """
    d = of_numpy(x._value.dtype)
    if d.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError(texts.VANDER_DTYPE.format(title=d.title))
    n = N if N is not None else x._value.shape[-1] if x.ndim else 1
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x._value.shape, n - 1).cumprod(-1)
    return cat((ones((*x._value.shape, 1), dtype=x.dtype), powers), -1)


# Functions that torch has no more: they say what to use.


def _removed(text: str) -> RuntimeError:
    return RuntimeError(texts.REMOVED.format(text=text))


@op("solve")
def solve(input: Any, A: Any, *, out: Any = None) -> Any:
    """Removed from torch; raises an error that says what to use."""
    raise _removed(texts.SOLVE_REMOVED)


@op("symeig")
def symeig(input: Any, eigenvectors: bool = False, upper: bool = True, *, out: Any = None) -> Any:
    """Removed from torch; raises an error that says what to use."""
    raise _removed(texts.SYMEIG_REMOVED)


@op("eig")
def eig(self: Any, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> Any:
    """Removed from torch; raises an error that says what to use."""
    raise _removed(texts.EIG_REMOVED)


@op("lstsq")
def lstsq(input: Any, A: Any, *, out: Any = None) -> Any:
    """Removed from torch; raises an error that says what to use."""
    raise _removed(texts.LSTSQ_REMOVED)


@op("matrix_rank", method=False)
def matrix_rank(input: Any, tol: Any = None, symmetric: bool = False, *, out: Any = None) -> Any:
    """Removed from torch; raises an error that says what to use."""
    raise _removed(texts.MATRIX_RANK_REMOVED)
