"""Gaussian elimination: LU factors, triangular systems, and what they solve. NumPy has neither of the first two.

Matrices are the last two axes; axes before them are a stack. Every sum is taken in a fixed order, so that the results
for small matrices do not depend on the LAPACK that NumPy was built with. Sources of the rules: M. Giles, "Collected
matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), and for LU the forward rule
of F. de Hoog, R. Anderssen and M. Lukas, "Differentiation of matrix functionals using triangular factorization" (2011),
with both factors filled up to square matrices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, Zero, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops import linalg
from funcgrad.ops.linalg import columns_batch, identity, linalg_dtype, matrix_shape, with_values
from funcgrad.ops.reduce import reduce_sum
from funcgrad.ops.structural import pad, tril, triu

__all__ = ["det_lu", "inv_lu", "lu", "row_order", "slogdet_lu", "solve_lu", "triangular_solve"]

PANEL = 32
"""How many columns are eliminated one by one, before the rest of the matrix is updated by a matrix product."""


def _magnitude(x: ndarray) -> ndarray:
    """What pivots are compared by, as in LAPACK; nan never wins."""
    size = np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)
    return np.where(np.isnan(size), -1, size)


def factored(x: ndarray) -> tuple[ndarray, ndarray]:
    """Both factors of each matrix in one array, L below the diagonal, and for each step the row that was swapped in."""
    (*batch, m, n), steps = x.shape, min(x.shape[-2:])
    a = np.array(x, order="C").reshape(math.prod(batch), m, n)
    pivots = np.zeros((len(a), steps), np.int64)
    every = np.arange(len(a))
    for start in range(0, steps, PANEL):
        stop = min(start + PANEL, steps)
        last = n if steps <= PANEL else stop
        for k in range(start, stop):
            pivots[:, k] = row = k + np.argmax(_magnitude(a[:, k:, k]), axis=1)
            if (row != k).any():
                a[every, row], a[:, k] = a[:, k].copy(), a[every, row]
            pivot = a[:, k, k, None]
            pivot = np.where(pivot == 0, a.dtype.type(1), pivot)
            if 2 <= m == n <= 4 and k == n - 2:
                a[:, k + 1 :, k] /= pivot
            else:
                a[:, k + 1 :, k] *= 1 / pivot
            a[:, k + 1 :, k + 1 : last] -= a[:, k + 1 :, k, None] * a[:, None, k, k + 1 : last]
        if last < n:
            a[:, start:stop, stop:] = _substituted(a[:, start:stop, start:stop], a[:, start:stop, stop:], True, True)
            a[:, stop:, stop:] -= a[:, stop:, start:stop] @ a[:, start:stop, stop:]
    return a.reshape(x.shape), pivots.reshape(*batch, steps)


def permutation(pivots: ndarray, m: int) -> ndarray:
    """The order of rows that a sequence of swaps leads to."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    order = np.tile(np.arange(m), (len(flat), 1))
    every = np.arange(len(flat))
    for k in range(flat.shape[1]):
        row = flat[:, k]
        order[every, row], order[:, k] = order[:, k].copy(), order[every, row]
    return order.reshape(*pivots.shape[:-1], m)


def _substituted(a: ndarray, b: ndarray, lower: bool, unit: bool) -> ndarray:
    """The solution of triangular systems; what is on the other side of the diagonal does not count."""
    n = a.shape[-1]
    x = np.array(np.broadcast_to(b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:]))
    if n > 2 * PANEL:
        k = n // 2
        first, last = (slice(k), slice(k, n)) if lower else (slice(k, n), slice(k))
        x[..., first, :] = _substituted(a[..., first, first], x[..., first, :], lower, unit)
        x[..., last, :] -= a[..., last, first] @ x[..., first, :]
        x[..., last, :] = _substituted(a[..., last, last], x[..., last, :], lower, unit)
    elif n < 8:  # row by row
        for i in range(n) if lower else range(n - 1, -1, -1):
            found = slice(None, i) if lower else slice(None, i, -1)
            if (i if lower else n - 1 - i) > 0:
                x[..., i, :] -= np.add.reduce(a[..., i, found, None] * x[..., found, :], axis=-2)
            if not unit:
                x[..., i, :] *= 1 / a[..., i, i, None]
    else:  # column by column
        for i in range(n) if lower else range(n - 1, -1, -1):
            if not unit:
                x[..., i, :] /= a[..., i, i, None]
            rest = slice(i + 1, n) if lower else slice(i)
            x[..., rest, :] -= a[..., rest, i, None] * x[..., None, i, :]
    return x


# Triangular systems.


def _counted(x: Any, lower: bool, unit: bool) -> Any:
    return tril(x, k=-int(unit)) if lower else triu(x, k=int(unit))


def _triangular_solve(a: Any, b: Any, *, lower: bool, unit: bool) -> Any:
    with np.errstate(all="ignore"):
        return _substituted(a, b, lower, unit)


def _triangular_vjp(g: Any, a: Any, out: Any, lower: bool, unit: bool, linked: tuple[bool, ...]) -> tuple:
    ct = triangular_solve(a.mT, g, lower=not lower, unit=unit)
    return _counted(-(ct @ out.mT), lower, unit) if linked[0] else None, ct


def _triangular_jvp(tangents: tuple, a: Any, out: Any, lower: bool, unit: bool) -> Any:
    ta, tb = tangents
    right = 0.0 if tb is None else tb
    if ta is not None:
        right = right - _counted(ta, lower, unit) @ out
    return triangular_solve(a, right, lower=lower, unit=unit)


def _system_shape(a: Any, b: Any, **params: Any) -> ShapeDtypeStruct:
    shape, right = matrix_shape("solve", a, square=True), matrix_shape("solve", b)
    return ShapeDtypeStruct(np.broadcast_shapes(shape[:-2], right[:-2]) + right[-2:], linalg_dtype("solve", a, b))


def _triangular_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.regular(3, 3), draw(3, 2), lower=True, unit=False),
        Sample(draw.regular(3, 3), draw(3, 2), lower=False, unit=False),
        Sample(draw.regular(2, 2), draw(2, 1), lower=True, unit=True),
        Sample(draw.regular(2, 3, 3), draw(3, 2), lower=False, unit=True),
        Sample(draw.regular(2, 2)[::-1, ::-1], draw(2, 2, 1), lower=True, unit=False),
        Sample(draw(9, 9) * 0.1 + 3 * np.eye(9, dtype=draw.dtype), draw(9, 2), lower=False, unit=False),
        Sample(draw(65, 65) * 0.1 + 3 * np.eye(65, dtype=draw.dtype), draw(65, 1), lower=True, unit=False),
        Sample(draw(0, 0), draw(0, 2), lower=True, unit=False),
    ]


triangular_solve = primitive(
    _triangular_solve,
    operands="a b",
    shape=_system_shape,
    vjp=joint(_triangular_vjp),
    jvp=joint(_triangular_jvp),
    batch=columns_batch,
    samples=_triangular_samples,
)


# LU factors.


def _lu(x: Any) -> tuple:
    with np.errstate(all="ignore"):
        both, pivots = factored(x)
    return both, pivots, permutation(pivots, x.shape[-2])


def _square_factors(both: Any) -> tuple:
    """L and U, filled up with the identity to square matrices."""
    m, n = both.shape[-2:]
    k = min(m, n)
    none = ((0, 0),) * (both.ndim - 2)
    lower = pad(tril(both[..., :k], k=-1), widths=(*none, (0, 0), (0, m - k))) + identity(m, both)
    filling = np.diag(np.arange(n) >= k).astype(both.dtype)
    return lower, pad(triu(both[..., :k, :], k=0), widths=(*none, (0, n - k), (0, 0))) + filling


def _swapping(order: Any, like: Any) -> Any:
    """The matrix that puts rows into this order."""
    return (order[..., None] == np.arange(order.shape[-1])).astype(like.dtype)


def _lu_vjp(g: tuple, out: tuple) -> tuple:
    both, _, order = out
    lower, upper = _square_factors(both)
    middle = tril(lower.mT @ g[0], k=-1) + triu(g[0] @ upper.mT, k=0)
    left = triangular_solve(lower.mT, middle, lower=False, unit=True)
    return (_swapping(order, left).mT @ triangular_solve(upper, left.mT, lower=False, unit=False).mT,)


def _lu_jvp(t: Any, out: tuple) -> tuple:
    both, _, order = out
    lower, upper = _square_factors(both)
    left = triangular_solve(lower, _swapping(order, t) @ t, lower=True, unit=True)
    middle = triangular_solve(upper.mT, left.mT, lower=True, unit=False).mT
    return lower @ tril(middle, k=-1) + triu(middle, k=0) @ upper, None, None


def _lu_shape(x: Any) -> tuple:
    shape = matrix_shape("lu", x)
    integers = [ShapeDtypeStruct((*shape[:-2], n), np.int64) for n in (min(shape[-2:]), shape[-2])]
    return ShapeDtypeStruct(shape, linalg_dtype("lu", x)), *integers


lu = primitive(
    _lu,
    shape=_lu_shape,
    vjp=joint(_lu_vjp),
    jvp=_lu_jvp,
    batch=batching.trailing(2),
    samples=lambda draw: [
        Sample(draw.regular(3, 3)),
        Sample(draw.regular(4, 2)),
        Sample(draw.regular(2, 4)),
        Sample(draw.regular(2, 1, 3, 2)),
        Sample(draw.regular(3, 3)[::-1, ::-1]),
        Sample(draw(34, 34) * 0.1 + 3 * np.eye(34, dtype=draw.dtype)),
        Sample(draw(2, 0)),
    ],
    multiple=True,
)


def _row_order(pivots: Any, *, rows: int) -> Any:
    return permutation(np.asarray(pivots), rows).astype(pivots.dtype)


def _row_order_shape(pivots: Any, rows: int) -> ShapeDtypeStruct:
    if dtype_of(pivots).kind not in "iu":
        raise TypeError(f"the order of rows follows from integers, got pivots of dtype {dtype_of(pivots)}")
    return ShapeDtypeStruct((*shape_of(pivots)[:-1], rows), dtype_of(pivots))


row_order = primitive(
    _row_order,
    operands="pivots",
    shape=_row_order_shape,
    vjp=Zero("integer operand and result"),
    batch=batching.trailing(1),
    samples=lambda draw: [
        Sample(np.array([2, 1, 2]), rows=3),
        Sample(np.array([[1, 1], [0, 2]], np.int32), rows=4),
        Sample(np.zeros((2, 0), np.int32), rows=3),
    ],
    dtypes="d",
)


# Solutions, inverse and determinants. They differ from those of ops/linalg.py in how they are computed: a singular
# matrix is no error, its zero pivot gives inf and nan.


def _rows_in_order(x: ndarray, order: ndarray) -> ndarray:
    batch = np.broadcast_shapes(x.shape[:-2], order.shape[:-1])
    x = np.broadcast_to(x, batch + x.shape[-2:])
    return np.take_along_axis(x, np.broadcast_to(order, batch + order.shape[-1:])[..., None], axis=-2)


def _solve_lu(a: Any, b: Any, *, transposed: bool) -> Any:
    if a.shape[-1] > PANEL:  # LAPACK is faster then
        try:
            return np.linalg.solve(a.mT if transposed else a, b)
        except np.linalg.LinAlgError:
            pass
    with np.errstate(all="ignore"):
        both, pivots = factored(a)
        order = permutation(pivots, a.shape[-1])
        if transposed:
            x = _substituted(both.mT, _substituted(both.mT, b, True, False), False, True)
            return _rows_in_order(x, np.argsort(order, axis=-1))
        x = _substituted(both, _rows_in_order(b, order), True, True)
        return _substituted(both, x, False, False)


def _solve_lu_vjp(g: Any, a: Any, out: Any, transposed: bool, linked: tuple[bool, ...]) -> tuple:
    ct = solve_lu(a, g, transposed=not transposed)
    if not linked[0]:
        return None, ct
    return -(out @ ct.mT if transposed else ct @ out.mT), ct


def _solve_lu_jvp(tangents: tuple, a: Any, out: Any, transposed: bool) -> Any:
    ta, tb = tangents
    right = 0.0 if tb is None else tb
    if ta is not None:
        right = right - (ta.mT if transposed else ta) @ out
    return solve_lu(a, right, transposed=transposed)


solve_lu = primitive(
    _solve_lu,
    operands="a b",
    shape=_system_shape,
    vjp=joint(_solve_lu_vjp),
    jvp=joint(_solve_lu_jvp),
    batch=columns_batch,
    samples=lambda draw: [
        Sample(draw.regular(3, 3), draw(3, 2), transposed=False),
        Sample(draw.regular(3, 3), draw(3, 2), transposed=True),
        Sample(draw.regular(2, 1, 2, 2), draw(1, 2, 2, 1), transposed=False),
        Sample(draw.regular(2, 2), draw(3, 2, 1), transposed=True),
        Sample(draw.regular(3, 3).T, draw.strided(3, 2), transposed=False),
        Sample(draw(0, 0), draw(0, 2), transposed=False),
    ],
)


def _inv_lu(x: Any) -> Any:
    return _solve_lu(x, np.eye(x.shape[-1], dtype=x.dtype), transposed=False)


inv_lu = primitive(
    _inv_lu,
    shape=linalg.inv.shape,
    vjp=lambda g, out: -(out.mT @ (g @ out.mT)),
    jvp=lambda t, out: -(out @ t @ out),
    batch=batching.trailing(2),
    samples=lambda draw: [
        Sample(with_values(draw, 3, 3)),
        Sample(with_values(draw, 2, 1, 2, 2)),
        Sample(with_values(draw, 3, 3)[::-1, ::-1]),
        Sample(draw(0, 0)),
    ],
)


def _swap_sign(pivots: ndarray, like: ndarray) -> ndarray:
    odd = np.add.reduce(pivots != np.arange(pivots.shape[-1]), axis=-1) % 2
    return (1 - 2 * odd).astype(like.dtype)


def _det_lu(x: Any) -> Any:
    with np.errstate(all="ignore"):
        both, pivots = factored(x.mT)
        diagonal = np.diagonal(both, axis1=-2, axis2=-1)
        return _swap_sign(pivots, both) * np.multiply.reduce(diagonal, axis=-1)


det_lu = primitive(
    _det_lu,
    shape=linalg.det.shape,
    vjp=linalg.det.vjp,
    jvp=linalg.det.jvp,
    batch=linalg.det.batch,
    samples=linalg.det.samples,
)


def _slogdet_lu(x: Any) -> tuple:
    with np.errstate(all="ignore"):
        both, pivots = factored(x.mT)
        diagonal = np.diagonal(both, axis1=-2, axis2=-1)
        size = np.abs(diagonal)
        units = diagonal / size if diagonal.dtype.kind == "c" else np.sign(diagonal)
        units = np.where(size > 0, units, 0)  # the sign of nan is 0, too
        sign = _swap_sign(pivots, both) * np.multiply.reduce(units, axis=-1)
        return sign, np.add.reduce(np.log(size), axis=-1)


def _slogdet_vjp(g: tuple, x: Any, out: tuple) -> tuple:
    g_sign, g_log = g
    if x.dtype.kind == "c":  # the sign turns with the imaginary part of tr(A⁻¹ dA)
        g_log = g_log + 1j * (g_sign * out[0]).imag
    return (g_log[..., None, None] * inv_lu(x).mT,)


def _slogdet_jvp(t: Any, x: Any, out: tuple) -> tuple:
    trace = reduce_sum(inv_lu(x).mT * t, axis=(t.ndim - 2, t.ndim - 1))
    if trace.dtype.kind == "c":
        return 1j * trace.imag * out[0], trace.real
    return None, trace


slogdet_lu = primitive(
    _slogdet_lu,
    shape=linalg.slogdet.shape,
    vjp=joint(_slogdet_vjp),
    jvp=_slogdet_jvp,
    batch=batching.trailing(2),
    samples=linalg.slogdet.samples,
    multiple=True,
)
