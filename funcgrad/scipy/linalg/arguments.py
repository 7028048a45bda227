"""How the functions of funcgrad.scipy.linalg take their matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike
from funcgrad.numpy import tril, triu
from funcgrad.numpy.convert import inexact
from funcgrad.ops.linalg import adjoint, matrix_shape


def together(*arrays: ArrayLike) -> list[Array]:
    """Arrays in their common dtype."""
    xs = [inexact(a) for a in arrays]
    dtype = np.result_type(*[x.dtype for x in xs])
    return [x.astype(dtype) for x in xs]


def from_triangle(a: Array, lower: bool, transposed: Callable[[Array], Array] = adjoint) -> Array:
    """The Hermitian matrix of which only one triangle is read; with another `transposed` the symmetric one."""
    matrix_shape("a Hermitian problem", a, square=True)
    half, rest = (tril(a), tril(a, -1)) if lower else (triu(a), triu(a, 1))
    return half + transposed(rest)


def columns(solve: Callable[[Array], Array], a: Array, b: Array) -> Array:
    """Solve for a vector as for a matrix of one column."""
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        return solve(b[..., None])[..., 0]
    return solve(b)
