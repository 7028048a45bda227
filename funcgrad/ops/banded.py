"""Systems with a band matrix.

The matrix is given by its diagonals, as the rows of `ab`: ab[upper + i - j, j] is its element i, j. What is in the
corners of `ab`, outside of the matrix, does not count. A singular matrix raises, or gives nan, as the parameter
`singular` says. Values are LAPACK's; without SciPy the matrix is made dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.errors import ShapeError
from funcgrad.ops import lapack
from funcgrad.ops.linalg import linalg_dtype, matrix_shape
from funcgrad.ops.reduce import reduce_sum
from funcgrad.ops.structural import pad, stack

__all__ = ["banded", "dense", "solve_banded"]


def dense(ab: Any, lower: int, upper: int) -> np.ndarray:
    """The matrix itself, of raw values."""
    n = ab.shape[-1]
    out = np.zeros((*ab.shape[:-2], n, n), ab.dtype)
    for k in range(lower + upper + 1):
        j = np.arange(max(0, upper - k), min(n, n + upper - k))
        out[..., j + k - upper, j] = ab[..., k, j]
    return out


def _solution(ab: np.ndarray, b: np.ndarray, lower: int, upper: int, singular: str) -> np.ndarray:
    if not b.size:
        return b
    try:
        with np.errstate(all="ignore"):
            return _by_lapack(ab, b, lower, upper)
    except LinAlgError:
        if singular == "raise":
            raise
        return np.full_like(b, np.nan)


def _by_lapack(ab: np.ndarray, b: np.ndarray, lower: int, upper: int) -> np.ndarray:
    try:
        scipy = lapack.linalg("solve_banded")
    except ImportError:
        return np.linalg.solve(dense(ab, lower, upper), b)
    return scipy.solve_banded((lower, upper), ab, b, check_finite=False)


def _solve_banded_shape(ab: Any, b: Any, lower: int, upper: int, singular: str) -> ShapeDtypeStruct:
    first, right = matrix_shape("solve_banded", ab), matrix_shape("solve_banded", b)
    if first[-2] != lower + upper + 1:
        raise ShapeError(
            f"solve_banded: with {lower} diagonals below and {upper} above the main one ab must have "
            f"{lower + upper + 1} rows, got shape {shape_of(ab)}"
        )
    if right[-2] != first[-1]:
        raise ShapeError(f"solve_banded: shapes {shape_of(ab)} and {shape_of(b)} do not fit each other")
    batch = np.broadcast_shapes(first[:-2], right[:-2])
    return ShapeDtypeStruct(batch + right[-2:], linalg_dtype("solve_banded", ab, b))


def _solve_banded(ab: Any, b: Any, *, lower: int, upper: int, singular: str) -> Any:
    kind = _solve_banded_shape(ab, b, lower, upper, singular)
    ab, b = np.asarray(ab, kind.dtype), np.asarray(b, kind.dtype)
    return lapack.each_matrix(lambda ab, b: (_solution(ab, b, lower, upper, singular),), [kind], [2, 2], ab, b)[0]


def _moved(x: Any, by: int) -> Any:
    """The rows of a matrix moved down, zeros taking their place; or up."""
    n, none = x.shape[-2], ((0, 0),) * (x.ndim - 2)
    if abs(by) >= n:
        return x * 0
    kept = x[..., : n - by, :] if by >= 0 else x[..., -by:, :]
    return pad(kept, widths=(*none, (max(by, 0), max(-by, 0)), (0, 0)))


def transposed(ab: Any, lower: int, upper: int) -> Any:
    """The diagonals of the transposed matrix."""
    rows = []
    for k in range(lower + upper, -1, -1):
        row = _moved(ab[..., k, :, None], k - upper)[..., 0]
        rows.append(row)
    return stack(*rows, axis=ab.ndim - 2)


def banded(x: Any, y: Any, lower: int, upper: int) -> Any:
    """The diagonals of the matrix x yᵀ, for x and y of several columns: of the outer products of those."""
    rows = [reduce_sum(_moved(x, upper - k) * y, axis=(x.ndim - 1,)) for k in range(lower + upper + 1)]
    return stack(*rows, axis=rows[0].ndim - 1)


def applied(ab: Any, x: Any, lower: int, upper: int) -> Any:
    """The product of the band matrix with a matrix."""
    parts = [_moved(ab[..., k, :, None] * x, k - upper) for k in range(lower + upper + 1)]
    return sum(parts[1:], start=parts[0])


def _vjp(g: Any, ab: Any, out: Any, lower: int, upper: int, singular: str, linked: tuple[bool, ...]) -> tuple:
    ct = solve_banded(transposed(ab, lower, upper), g, lower=upper, upper=lower, singular=singular)
    return -banded(ct, out, lower, upper) if linked[0] else None, ct


def _jvp(tangents: tuple, ab: Any, out: Any, lower: int, upper: int, singular: str) -> Any:
    ta, tb = tangents
    right: Any = 0.0 if tb is None else tb
    if ta is not None:
        right = right - applied(ta, out, lower, upper)
    return solve_banded(ab, right, lower=lower, upper=upper, singular=singular)


def _samples(draw: Draw) -> list[Sample]:
    def diagonals(*shape: int, at: int) -> np.ndarray:
        ab = draw(*shape)
        ab[..., at, :] += 5
        return ab

    return [
        Sample(diagonals(3, 4, at=1), draw(4, 2), lower=1, upper=1, singular="raise"),
        Sample(diagonals(4, 5, at=1), draw(5, 1), lower=2, upper=1, singular="raise"),
        Sample(diagonals(2, 2, 3, at=1), draw(3, 2), lower=0, upper=1, singular="raise"),
        Sample(diagonals(2, 3, at=0), draw.strided(2, 3, 1), lower=1, upper=0, singular="raise"),
        Sample(diagonals(3, 1, at=1), draw(1, 2), lower=1, upper=1, singular="raise"),
        Sample(draw(3, 0), draw(0, 2), lower=1, upper=1, singular="raise"),
    ]


solve_banded = primitive(
    _solve_banded,
    operands="ab b",
    shape=_solve_banded_shape,
    vjp=joint(_vjp),
    jvp=joint(_jvp),
    batch=batching.trailing(2, 2),
    samples=_samples,
)
