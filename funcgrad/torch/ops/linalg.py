"""The rest of linear algebra: exponentials, products along a dimension, Vandermonde matrices, what torch removed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops.matrix_exp import matrix_exp as core_matrix_exp
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.declare import exports
from funcgrad.torch.declare.members import member
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.signatures import whole
from funcgrad.torch.ops import contract, products
from funcgrad.torch.ops.contract import check_tensors
from funcgrad.torch.ops.matrices import check_inexact, check_same_dtype, check_square, computed, row_major
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import linalg as texts


def _matrix_exp(x: Any) -> Any:
    if x.dtype.itemsize >= 4:
        return core_matrix_exp(x)
    return core_matrix_exp(x.astype(np.float32)).astype(x.dtype)


MATRIX_EXP = Operation(_matrix_exp, "LinalgMatrixExpBackward0", operands=("self",), saves=(0,))


def _exponential(x: Any) -> Tensor:
    check_square("linalg.matrix_exp", x)
    check_inexact("linalg.matrix_exp", x)
    return computed(MATRIX_EXP, (x,), {}, row_major)


@member("linalg", "(Tensor input)")
def matrix_exp(input: Any) -> Tensor:
    """The exponential of a square matrix, or of each in a batch.

    Arguments:
        input: "... n n".
    """
    return _exponential(input)


def _matrix_exp_of(input: Any) -> Tensor:
    """As `torch.linalg.matrix_exp`."""
    return _exponential(input)


_matrix_exp_of.__name__ = "matrix_exp"
op("matrix_exp", "(Tensor input)")(_matrix_exp_of)


# Products.


@member("linalg", "(Tensor x, Tensor y, *, int dim = -1, Tensor out = None)")
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Tensor:
    """The sums of products along a dimension, the first operand conjugated.

    Arguments:
        x, y: tensors that broadcast.
        dim: the dimension.
    """
    check_tensors(x, y)
    check_inexact("linalg.vecdot", x)
    check_same_dtype("linalg.vecdot", x, y, "x y")
    if x.ndim == 1 and y.ndim == 1:
        return exports["vdot"](x, y)
    return (x.conj() * y).sum(whole(dim))


matmul = member("linalg", "(Tensor input, Tensor other, *, Tensor out = None)")(contract.matmul)
matrix_power = member("linalg", "(Tensor input, int n, *, Tensor out = None)")(products.matrix_power)
multi_dot = member("linalg", "(tuple of Tensors tensors, *, Tensor out = None)")(products.multi_dot)


def _cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three components along a dimension."""
    return products.linalg_cross(input, other, dim=dim)


_cross.__name__ = "cross"
cross = member("linalg", "(Tensor input, Tensor other, *, int dim = -1, Tensor out = None)")(_cross)


@member("linalg", "(Tensor A, *, int offset = 0, int dim1 = -2, int dim2 = -1)")
def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of a matrix, or of each in a batch; a view."""
    check_tensors(A)
    return A.diagonal(offset, dim1, dim2)


@member("linalg", "(Tensor x, *, int? N = None)")
def vander(x: Any, *, N: int | None = None) -> Tensor:
    """The matrices of the powers of vectors: columns 1, x, x², ...

    Arguments:
        x: "... n".
        N: the number of columns; by default n.
    """
    check_tensors(x)
    d = of_numpy(x._value.dtype)
    if d.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError(texts.VANDER_DTYPE.format(title=d.title))
    n = whole(N) if N is not None else x._value.shape[-1] if x.ndim else 1
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x._value.shape, n - 1).cumprod(-1)
    ones = exports["ones"]((*x._value.shape, 1), dtype=x.dtype)
    return exports["cat"]((ones, powers), -1)


# Functions that torch has no more: they say what to use.


def _removed(name: str, text: str, parameters: str) -> Callable:
    signature = f"(Tensor input, {parameters})"

    def f(input: Any, A: Any = None, *args: Any, **kwargs: Any) -> Any:
        if "Tensor A" in parameters and A is None:
            raise TypeError(f"{name}() missing 1 required positional argument: 'A'")
        raise RuntimeError(texts.REMOVED.format(text=text))

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"Removed from torch; `{name}{signature}` raises an error that says what to use."
    exports[name] = f
    return f


for _name, _text, _parameters in (
    (
        "solve",
        texts.SOLVE_REMOVED,
        "Tensor A",
    ),
    (
        "symeig",
        texts.SYMEIG_REMOVED,
        "bool eigenvectors = False, bool upper = True",
    ),
    (
        "eig",
        texts.EIG_REMOVED,
        "bool eigenvectors = False",
    ),
    (
        "lstsq",
        texts.LSTSQ_REMOVED,
        "Tensor A",
    ),
    (
        "matrix_rank",
        texts.MATRIX_RANK_REMOVED,
        "float tol = None, bool symmetric = False",
    ),
):
    _f = _removed(_name, _text, _parameters)
    if _name != "matrix_rank":
        setattr(Tensor, _name, _f)
