"""Square root and logarithm of a matrix, the principal ones. They are complex, so that no dtype depends on values.

The square root of a triangular matrix is that of Å. Björck and S. Hammarling, "A Schur method for the square root of a
matrix" (1983), column by column. It moves by Sylvester's equation X dX + dX X = dA.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops import lapack
from funcgrad.ops.linalg import block_derivative, linalg_dtype, matrix_shape
from funcgrad.ops.sylvester import sylvester

__all__ = ["logm", "sqrtm"]


def _complex_shape(name: str) -> Any:
    def shape(x: Any) -> ShapeDtypeStruct:
        sides = matrix_shape(name, x, square=True)
        return ShapeDtypeStruct(sides, np.dtype(linalg_dtype(name, x).char.upper()))

    return shape


def _triangular_root(t: np.ndarray) -> np.ndarray:
    n = len(t)
    root = np.zeros_like(t)
    diagonal = np.sqrt(np.diagonal(t))
    for j in range(n):
        root[j, j] = diagonal[j]
        sums = diagonal[:j] + diagonal[j]
        for i in range(j - 1, -1, -1):
            rest = t[i, j] - root[i, i + 1 : j] @ root[i + 1 : j, j]
            root[i, j] = 0 if rest == 0 else rest / sums[i]  # of a singular matrix a sum may be zero
    return root


def _root(x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        return np.full_like(x, np.nan)
    t, z = lapack.linalg("sqrtm").schur(x, output="complex", check_finite=False)
    with np.errstate(all="ignore"):
        return z @ _triangular_root(t) @ z.conj().T


def _sqrtm(x: Any) -> Any:
    kind = _complex_shape("sqrtm")(x)
    return lapack.each_matrix(lambda x: (_root(x),), [kind], [2], np.asarray(x, kind.dtype))[0]


def _moved(root: Any, t: Any) -> Any:
    return sylvester(root, root, t, tol=0.0)


def _root_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.spd(3, 3)),
        Sample(draw.spd(2, 1, 2, 2)),
        Sample(draw.spd(3, 3)[::-1, ::-1]),
        Sample(draw(2, 2) + np.diag([3.0, 5.0]).astype(draw.dtype)),
        Sample(np.array([[1, 2], [-3, 1]], draw.dtype)),  # a pair of complex eigenvalues
        Sample(draw(0, 0)),
    ]


sqrtm = primitive(
    _sqrtm,
    shape=_complex_shape("sqrtm"),
    vjp=lambda g, out: _moved(out.mT, g),
    jvp=lambda t, out: _moved(out, t),
    batch=batching.trailing(2),
    samples=_root_samples,
)


def _logarithm(x: np.ndarray) -> np.ndarray:
    if not x.size:
        return x
    if not np.isfinite(x).all():
        return np.full_like(x, np.nan)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of digits that are lost; a matrix without logarithm gives nan or inf
        try:
            return lapack.linalg("logm").logm(x.astype(np.complex128))
        except ValueError:  # on the way to it something is infinite
            return np.full_like(x, np.nan)


def _logm(x: Any) -> Any:
    kind = _complex_shape("logm")(x)
    return lapack.each_matrix(lambda x: (_logarithm(x),), [kind], [2], np.asarray(x, kind.dtype))[0]


logm: Primitive = primitive(
    _logm,
    shape=_complex_shape("logm"),
    vjp=lambda g, x: block_derivative(logm, x.mT, g),
    jvp=lambda t, x: block_derivative(logm, x, t),
    batch=batching.trailing(2),
    samples=_root_samples,
)
