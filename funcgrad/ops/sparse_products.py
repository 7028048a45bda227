"""Products with sparse matrices of SciPy, and solutions of systems with them. The matrix is a constant.

It is a parameter of the primitive, kept as a copy, and never written out densely: the transpose multiplies with, or
solves, the transposed matrix. What has to do with the numbers in the matrix goes by `funcgrad.numpy` instead.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, linear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def is_sparse(x: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    module = sys.modules.get("scipy.sparse")
    return module is not None and module.issparse(x)


class SparseMatrix:
    """A constant matrix, of which a primitive needs products and, if it solves with it, factors.

    Arguments:
        value: the matrix, of which nobody else has the memory.
    """

    __slots__ = ("_factors", "_transposed", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._transposed: SparseMatrix | None = None
        self._factors: dict[str, Any] = {}

    @classmethod
    def copied(cls, a: Any) -> SparseMatrix:
        """The matrix as it is now, whatever its owner does with it later."""
        return cls(a.tocsr() if a.format in ("lil", "dok") else a.copy())

    @property
    def T(self) -> SparseMatrix:  # as of an array
        if self._transposed is None:
            self._transposed = SparseMatrix(self.value.T)
            self._transposed._transposed = self
        return self._transposed

    @property
    def shape(self) -> tuple[int, int]:
        return self.value.shape

    @property
    def dtype(self) -> np.dtype:
        return self.value.dtype

    def product(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.value @ x)

    def solution(self, b: np.ndarray) -> np.ndarray:
        """The solution x of A x = b."""
        dtype = solved_dtype(self.dtype, b.dtype)
        if dtype.char not in self._factors:
            matrix = import_module("scipy.sparse").csc_array(self.value).astype(dtype)
            try:
                self._factors[dtype.char] = import_module("scipy.sparse.linalg").splu(matrix)
            except RuntimeError as e:
                raise np.linalg.LinAlgError(f"the sparse matrix is singular: {e}") from None
        return self._factors[dtype.char].solve(np.asarray(b, dtype, order="F"))

    def __repr__(self) -> str:
        return f"{self.value.format} {self.shape[0]}x{self.shape[1]}"

    def as_source(self) -> tuple[str, str, tuple]:
        """Module, function and arguments that give this matrix, for the source of a tape."""
        a = self.value.tocoo()
        return __name__, "from_entries", (a.data, a.row, a.col, a.shape)


def from_entries(data: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> SparseMatrix:
    """A matrix from its elements and their places."""
    return SparseMatrix(import_module("scipy.sparse").csr_array((data, (rows, columns)), shape=shape))


class DenseStandIn(SparseMatrix):
    """A matrix of NumPy in the place of a sparse one, for samples, so that these need no SciPy."""

    __slots__ = ()

    @property
    def T(self) -> SparseMatrix:
        return DenseStandIn(self.value.T)

    def solution(self, b: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.value, b)

    def __repr__(self) -> str:
        return f"dense {self.shape[0]}x{self.shape[1]}"

    def as_source(self) -> tuple[str, str, tuple]:
        return __name__, "DenseStandIn", (self.value,)


def solved_dtype(*dtypes: np.dtype) -> np.dtype:
    """The dtype of a solution: inexact."""
    dtype = np.result_type(*dtypes)
    return dtype if dtype.kind in "fc" else np.dtype(float)


def _batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """All examples are columns of one matrix."""
    x = np.moveaxis(args[0], 0, -1)
    out = primitive(x.reshape(x.shape[0], -1), **params)
    return np.moveaxis(out.reshape(out.shape[0], *x.shape[1:]), -1, 0)


def _sparse_product(x: Any, *, matrix: SparseMatrix) -> np.ndarray:
    return matrix.product(x)


def _product_shape(x: Any, matrix: SparseMatrix) -> ShapeDtypeStruct:
    return ShapeDtypeStruct((matrix.shape[0], *shape_of(x)[1:]), np.result_type(matrix.dtype, dtype_of(x)))


def _product_samples(draw: Draw) -> list[Sample]:
    matrix = DenseStandIn(draw(3, 2))
    return [Sample(draw(2), matrix=matrix), Sample(draw(2, 4), matrix=matrix), Sample(draw.strided(3), matrix=matrix.T)]


sparse_product: Primitive = linear(
    _sparse_product,
    transpose=lambda g, matrix: sparse_product(g, matrix=matrix.T),
    shape=_product_shape,
    batch=_batch,
    samples=_product_samples,
)


def _sparse_solve(b: Any, *, matrix: SparseMatrix) -> np.ndarray:
    return matrix.solution(b)


def _solve_shape(b: Any, matrix: SparseMatrix) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(b), solved_dtype(matrix.dtype, dtype_of(b)))


def _solve_samples(draw: Draw) -> list[Sample]:
    matrix = DenseStandIn(draw.regular(3, 3))
    return [Sample(draw(3), matrix=matrix), Sample(draw(3, 2), matrix=matrix), Sample(draw.strided(3), matrix=matrix.T)]


sparse_solve: Primitive = linear(
    _sparse_solve,
    operands="b",
    transpose=lambda g, matrix: sparse_solve(g, matrix=matrix.T),
    shape=_solve_shape,
    batch=_batch,
    samples=_solve_samples,
)
