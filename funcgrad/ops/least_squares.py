"""Least squares, and the singular values that decide the rank. The derivatives hold where the rank is constant.

The formulas are those of G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
problems" (1973).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from funcgrad.core.primitive import Sample, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.contract import conj
from funcgrad.ops.factorizations import svdvals, svdvals_jvp, svdvals_vjp
from funcgrad.ops.linalg import adjoint, linalg_dtype, matrix_shape, pinv, real_dtype, with_values

__all__ = ["lstsq"]


def _lstsq(a: Any, b: Any, *, rcond: float | None) -> tuple:
    x, _, rank, s = np.linalg.lstsq(a, b, rcond)
    return x, np.asarray(rank), s


def _cutoff(rcond: float | None, a: Any) -> float:
    """The cut-off of lstsq, below which singular values count as zero."""
    eps = float(np.finfo(linalg_dtype("lstsq", a)).eps)
    if rcond is None:
        return eps * max(a.shape)
    return eps if rcond == -1 else rcond


def _lstsq_vjp(g: tuple, a: Any, b: Any, out: tuple, rcond: float | None, linked: tuple[bool, ...]) -> tuple:
    values = svdvals_vjp(g[2], a) if linked[0] and g[2] is not None else None
    if g[0] is None:
        return values, np.zeros(b.shape, b.dtype)
    p, x = pinv(a, _cutoff(rcond, a)), out[0]
    ct_b = p.mT @ g[0]
    if not linked[0]:
        return None, ct_b
    gx, h = conj(g[0]), conj(ct_b)
    ct = (b - a @ x) @ adjoint(p @ h) - h @ adjoint(x) + (adjoint(p) @ x) @ adjoint(gx - p @ (a @ gx))
    ct = conj(ct)
    return ct if values is None else ct + values, ct_b


def _lstsq_jvp(tangents: tuple, a: Any, b: Any, out: tuple, rcond: float | None) -> tuple:
    ta, tb = tangents
    p, x = pinv(a, _cutoff(rcond, a)), out[0]
    if ta is None:
        return p @ tb, None, None
    th = adjoint(ta)
    y = th @ (adjoint(p) @ x)
    t = p @ (adjoint(p) @ (th @ (b - a @ x)) - ta @ x) + y - p @ (a @ y)
    return t if tb is None else t + p @ tb, None, svdvals_jvp(ta, a)


def _lstsq_shape(a: Any, b: Any, *, rcond: float | None) -> tuple:
    (m, n), right = matrix_shape("lstsq", a), shape_of(b)
    if len(right) != 2 or right[0] != m:
        raise LinAlgError(f"lstsq: a matrix of shape {(m, n)} and a right side of shape {right} do not match")
    dtype = linalg_dtype("lstsq", a, b)
    return (
        ShapeDtypeStruct((n, right[1]), dtype),
        ShapeDtypeStruct((), np.int32),
        ShapeDtypeStruct((min(m, n),), real_dtype(dtype)),
    )


def _lstsq_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> tuple:
    """NumPy solves for one matrix. For several, the pseudo-inverse gives what it gives, with the same cut-off."""
    (a, b), rcond = args, params["rcond"]
    if not mask[0]:
        columns = np.moveaxis(b, 0, 1)
        x, rank, s = primitive(a, columns.reshape((columns.shape[0], size * columns.shape[2])), rcond=rcond)
        x = np.moveaxis(x.reshape((x.shape[0], size, columns.shape[2])), 1, 0)
        return x, np.broadcast_to(rank, (size,)), np.broadcast_to(s, (size, *s.shape))
    cutoff = _cutoff(rcond, ShapeDtypeStruct(a.shape[1:], dtype_of(a)))
    s = svdvals(a)
    rank = np.add.reduce(s > cutoff * s[:, :1], axis=-1, dtype=np.int32)
    return pinv(a, cutoff) @ b, rank, s


lstsq = primitive(
    _lstsq,
    operands="a b",
    shape=_lstsq_shape,
    vjp=joint(_lstsq_vjp, partial=True),
    jvp=joint(_lstsq_jvp),
    batch=_lstsq_batch,
    samples=lambda draw: [
        Sample(with_values(draw, 4, 2), draw(4, 1), rcond=None),
        Sample(with_values(draw, 3, 3), draw(3, 2), rcond=-1),
        Sample(with_values(draw, 2, 3), draw.strided(2, 2), rcond=1e-6),
    ],
    multiple=True,
)
