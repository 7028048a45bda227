"""Sylvester's equation A X + X B = Q.

Its solution moves by another one: A dX + dX B = dQ - dA X - X dB. Where an eigenvalue of A is minus one of B there is
no solution, or more than one, and the result is nan. Values are those of R. Bartels and G. Stewart, "Solution of the
matrix equation AX + XB = C" (1972), by LAPACK.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.errors import ShapeError
from funcgrad.ops import lapack
from funcgrad.ops.linalg import linalg_dtype, matrix_shape

__all__ = ["sylvester"]


def _solution(a: Any, b: Any, q: Any, tol: float) -> np.ndarray:
    scipy, trsyl = lapack.linalg("solve_sylvester"), lapack.routine("trsyl", q.dtype)
    if not q.size:
        return q
    if not all(np.isfinite(x).all() for x in (a, b, q)):
        return np.full_like(q, np.nan)
    r, u = scipy.schur(a, output="real", check_finite=False)
    s, v = scipy.schur(b, output="real", check_finite=False)
    with np.errstate(all="ignore"):
        sums = np.linalg.eigvals(r)[:, None] + np.linalg.eigvals(s)
        if (np.abs(sums) <= tol).any():
            return np.full_like(q, np.nan)
        x, scale, _ = trsyl(r, s, u.conj().T @ q @ v)
        return u @ (scale * x) @ v.conj().T


def _sylvester(a: Any, b: Any, q: Any, *, tol: float) -> Any:
    kind = _sylvester_shape(a, b, q, tol)
    a, b, q = [np.asarray(x, kind.dtype) for x in (a, b, q)]
    return lapack.each_matrix(lambda *xs: (_solution(xs[0], xs[1], xs[2], tol),), [kind], [2, 2, 2], a, b, q)[0]


def _sylvester_shape(a: Any, b: Any, q: Any, tol: float) -> ShapeDtypeStruct:
    first, second = [matrix_shape("solve_sylvester", x, square=True) for x in (a, b)]
    right = matrix_shape("solve_sylvester", q)
    if right[-2:] != (first[-1], second[-1]):
        raise ShapeError(
            f"solve_sylvester: the right side of A X + X B = Q must have shape {(first[-1], second[-1])} for A of "
            f"shape {shape_of(a)} and B of shape {shape_of(b)}, got {right}"
        )
    batch = np.broadcast_shapes(first[:-2], second[:-2], right[:-2])
    return ShapeDtypeStruct(batch + right[-2:], linalg_dtype("solve_sylvester", a, b, q))


def _sylvester_vjp(g: Any, a: Any, b: Any, out: Any, tol: float, linked: tuple[bool, ...]) -> tuple:
    ct = sylvester(a.mT, b.mT, g, tol=tol)
    return -(ct @ out.mT) if linked[0] else None, -(out.mT @ ct) if linked[1] else None, ct


def _sylvester_jvp(tangents: tuple, a: Any, b: Any, out: Any, tol: float) -> Any:
    ta, tb, tq = tangents
    right: Any = 0.0 if tq is None else tq
    if ta is not None:
        right = right - ta @ out
    if tb is not None:
        right = right - out @ tb
    return sylvester(a, b, right, tol=tol)


def _sylvester_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.regular(3, 3), draw.regular(2, 2), draw(3, 2), tol=0.0),
        Sample(draw.regular(2, 2), draw.regular(2, 3, 3), draw(2, 3), tol=0.0),
        Sample(draw.regular(2, 2, 2), draw.regular(2, 2)[::-1, ::-1], draw.strided(2, 2), tol=0.0),
        Sample(draw(0, 0), draw.regular(2, 2), draw(0, 2), tol=0.0),
    ]


sylvester = primitive(
    _sylvester,
    operands="a b q",
    shape=_sylvester_shape,
    vjp=joint(_sylvester_vjp),
    jvp=joint(_sylvester_jvp),
    batch=batching.trailing(2, 2, 2),
    samples=_sylvester_samples,
)
