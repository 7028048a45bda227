"""Products with sparse matrices of SciPy: `A @ x`, `x @ A`, `A.dot(x)`, and `A * x` where that is one.

SciPy's matrix is asked first, and asks for the numbers of x. A tracer answers that it is no array
(`protocols.tracer_array`); then SciPy leaves the product to x, whose operators arrive here.
"""

from __future__ import annotations

from typing import Any

from funcgrad.core.array import Array, wrap
from funcgrad.core.primitive import Primitive
from funcgrad.errors import ShapeError, UnsupportedError
from funcgrad.ops import contract, elementwise
from funcgrad.ops.sparse_products import SparseMatrix, is_sparse, sparse_product

__all__ = ["with_sparse"]


def with_sparse(primitive: Primitive, x: Array, a: Any, reflected: bool) -> Any:
    """An operator between an Array and another object: a product with a sparse matrix, or NotImplemented.

    Arguments:
        primitive: the operator.
        x: the Array.
        a: the object.
        reflected: whether it stands on the left.

    Raises:
        ShapeError: the shapes do not fit.
        UnsupportedError: another operator of a sparse matrix and a tracer.
    """
    if not is_sparse(a):
        return NotImplemented
    matrix_like = not type(a).__name__.endswith("_array")  # of those `*` is the product of matrices
    if primitive is contract.matmul or (primitive is elementwise.multiply and matrix_like and x.ndim):
        return _product(x, a, reflected)
    if type(x) is Array:
        return NotImplemented  # SciPy can do it
    raise UnsupportedError(
        f"{primitive.name} of a sparse matrix and {x.describe()} is not there: a sparse matrix is a constant with the "
        f"products A @ x and x @ A. Write the matrix out, A.toarray(), or compute with its data in a dense array"
    )


def _product(x: Array, a: Any, reflected: bool) -> Any:
    left, right = (a, x) if reflected else (x, a)
    if a.ndim != 2 or x.ndim not in (1, 2) or left.shape[-1] != right.shape[0]:
        raise ShapeError(
            f"the product of {'a sparse matrix and an array' if reflected else 'an array and a sparse matrix'} of "
            f"shapes {left.shape} and {right.shape}: the inner dimensions differ, or there are more than two"
        )
    matrix = SparseMatrix.copied(a)
    if reflected:
        return wrap(sparse_product(x, matrix=matrix))
    if x.ndim == 1:
        return wrap(sparse_product(x, matrix=matrix.T))
    return wrap(sparse_product(x.T, matrix=matrix.T)).T
