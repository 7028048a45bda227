"""LDL factors of symmetric and Hermitian matrices, and systems that are given by them, as in LAPACK's sytrf and sytrs.

The method is that of J. Bunch and L. Kaufman, "Some stable methods for calculating inertia and solving symmetric linear
systems" (1977). Blocks of D have one or two rows. Pivots are LAPACK's: the row swapped in, from 1; where a block has
two rows it stands at both, negative, and is that of the second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of

ALPHA = (1 + math.sqrt(17)) / 8
"""A diagonal element smaller than this part of the largest one below it is no pivot by itself."""


def _magnitude(x: ndarray) -> ndarray:
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _pivot(a: ndarray, k: int, own: Callable[[Any], Any]) -> tuple[int, int]:
    """The row to swap in at step k, and how many rows the block has; (-1, 1) where the column is zero or nan."""
    below = _magnitude(a[k + 1 :, k])
    here, most = np.abs(own(a[k, k])), below.max(initial=0)
    if max(here, most) == 0 or np.isnan(here):
        return -1, 1
    if here >= ALPHA * most:
        return k, 1
    i = k + 1 + int(below.argmax())
    across = max(_magnitude(a[i, k:i]).max(), _magnitude(a[i + 1 :, i]).max(initial=0))
    if here >= ALPHA * most * (most / across):
        return k, 1
    return (i, 1) if np.abs(own(a[i, i])) >= ALPHA * across else (i, 2)


def _swap(a: ndarray, k: int, step: int, p: int, star: Callable[[Any], Any]) -> None:
    """Exchange rows and columns p and k + step - 1 of what is left of the matrix, of which the lower half counts."""
    q = k + step - 1
    if p == q:
        return
    a[p + 1 :, [q, p]] = a[p + 1 :, [p, q]]
    a[q + 1 : p, q], a[p, q + 1 : p] = star(a[p, q + 1 : p]), star(a[q + 1 : p, q].copy())
    a[p, q] = star(a[p, q])
    a[q, q], a[p, p] = a[p, p], a[q, q]
    if step == 2:
        a[q, k], a[p, k] = a[p, k], a[q, k]


def _block(a: ndarray, k: int, star: Callable[[Any], Any]) -> ndarray:
    """The block of two rows that D has at k."""
    return np.array([[a[k, k], star(a[k + 1, k])], [a[k + 1, k], a[k + 1, k + 1]]])


def _conventions(kind: np.dtype, hermitian: bool) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """How an element is seen from the other side of the diagonal, and what counts of one that is on it."""
    if kind.kind != "c":
        return np.asarray, np.asarray
    if hermitian:
        return np.conjugate, np.real
    return np.asarray, _magnitude


def _factor(a: ndarray, pivots: ndarray, hermitian: bool) -> int:
    """Overwrite a matrix by its factors; the number of the first block that is zero, or 0."""
    star, own = _conventions(a.dtype, hermitian)
    n, k, info = len(a), 0, 0
    while k < n:
        if star is np.conjugate:
            np.einsum("ii->i", a[k:, k:]).imag = 0
        p, step = _pivot(a, k, own)
        rest = k + step
        if p < 0:
            info, p = info or k + 1, k
        else:
            _swap(a, k, step, p, star)
            columns = a[rest:, k:rest].copy()
            block = _block(a, k, star) if step == 2 else a[k, k]
            a[rest:, k:rest] = columns / block if step == 1 else np.linalg.solve(block.T, columns.T).T
            a[rest:, rest:] -= a[rest:, k:rest] @ star(columns).T
        pivots[k:rest] = p + 1 if step == 1 else -(p + 1)
        k = rest
    return info


def _ldl(x: ndarray, *, hermitian: bool) -> tuple[ndarray, ndarray, ndarray]:
    both, pivots = np.tril(x), np.zeros(x.shape[:-1], np.int32)
    info = np.zeros(x.shape[:-2], np.int32)
    for i in np.ndindex(info.shape):
        info[i] = _factor(both[i], pivots[i], hermitian)
    return np.tril(both), pivots, info


def _blocks(pivots: ndarray) -> Iterator[tuple[int, int, int]]:
    """Of each block its first row, how many it has, and which row was swapped in for the last of them."""
    k = 0
    while k < len(pivots):
        step = 1 if pivots[k] > 0 else 2
        yield k, step, abs(int(pivots[k])) - 1
        k += step


def _solve(both: ndarray, pivots: ndarray, x: ndarray, hermitian: bool) -> None:
    """Overwrite right sides by the solutions."""
    star, _ = _conventions(both.dtype, hermitian)
    for k, step, p in _blocks(pivots):
        rest = k + step
        x[[rest - 1, p]] = x[[p, rest - 1]]
        x[rest:] -= both[rest:, k:rest] @ x[k:rest]
        x[k:rest] = x[k] / both[k, k] if step == 1 else np.linalg.solve(_block(both, k, star), x[k:rest])
    for k, step, p in reversed(list(_blocks(pivots))):
        rest = k + step
        x[k:rest] -= star(both[rest:, k:rest]).T @ x[rest:]
        x[[rest - 1, p]] = x[[p, rest - 1]]


def _ldl_solve(both: ndarray, pivots: ndarray, b: ndarray, *, hermitian: bool) -> ndarray:
    batch = np.broadcast_shapes(both.shape[:-2], pivots.shape[:-1], b.shape[:-2])
    both = np.broadcast_to(both, (*batch, *both.shape[-2:]))
    pivots = np.broadcast_to(pivots, both.shape[:-1])
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])))
    for i in np.ndindex(batch):
        _solve(both[i], pivots[i], x[i], hermitian)
    return x


def _ldl_shape(x: Any, *, hermitian: bool) -> tuple:
    shape, int32 = shape_of(x), np.dtype(np.int32)
    return ShapeDtypeStruct(shape, dtype_of(x)), *(ShapeDtypeStruct(s, int32) for s in (shape[:-1], shape[:-2]))


def _ldl_solve_shape(both: Any, pivots: Any, b: Any, *, hermitian: bool) -> ShapeDtypeStruct:
    batch = np.broadcast_shapes(shape_of(both)[:-2], shape_of(pivots)[:-1], shape_of(b)[:-2])
    return ShapeDtypeStruct((*batch, *shape_of(b)[-2:]), dtype_of(b))


def _symmetric(draw: Draw, *shape: int) -> ndarray:
    x = draw(*shape)
    return x + x.mT


def _solve_samples(draw: Draw) -> list[Sample]:
    """Systems whose factors need no swaps, so that pivots in any order are some."""
    found = []
    for shape, columns, hermitian in (((3, 3), 2, True), ((2, 3, 3), 1, False)):
        a = _symmetric(draw, *shape)
        both, pivots, _ = _ldl(a + 20 * np.eye(3, dtype=a.dtype), hermitian=hermitian)
        found.append(Sample(both, pivots, draw(3, columns), hermitian=hermitian))
    return found


_NO_RULE = NotDifferentiable("torch has no derivative of LDL factors")

ldl: Primitive = primitive(
    _ldl,
    operands="a",
    shape=_ldl_shape,
    vjp=_NO_RULE,
    batch=batching.trailing(2),
    samples=lambda draw: [
        Sample(_symmetric(draw, *s), hermitian=h) for s in ((3, 3), (2, 4, 4)) for h in (False, True)
    ],
    multiple=True,
)
"""The factors in one array, L below D, the pivots, and for each matrix the number of the first zero block, or 0."""

ldl_solve: Primitive = primitive(
    _ldl_solve,
    operands="both pivots b",
    shape=_ldl_solve_shape,
    vjp=_NO_RULE,
    batch=batching.trailing(2, 1, 2),
    samples=_solve_samples,
)
