"""Matrices reduced by unitary ones, as LAPACK has it and NumPy has not: Schur, Hessenberg, tridiagonal, pivoted QR.

These primitives give values. What of them has a derivative gets it where it is composed, in funcgrad.scipy.linalg and
funcgrad.lax.linalg.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, NotDifferentiable, Sample, Zero, primitive
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops import lapack
from funcgrad.ops.linalg import linalg_dtype, matrix_shape, real_dtype

__all__ = ["complex_schur", "eig_both", "gehrd", "geqrf", "hessenberg", "qr_order", "rsf2csf", "schur", "tridiagonal"]


def _finite(x: np.ndarray) -> bool:
    return bool(np.isfinite(x).all())


def _square(draw: Draw) -> list[Sample]:
    return [Sample(draw(4, 4)), Sample(draw(2, 1, 3, 3)), Sample(draw(3, 3)[::-1, ::-1]), Sample(draw(0, 0))]


def _of_each(f: Any, kinds: tuple, x: Any, dtype: Any) -> tuple:
    """A function on each matrix of a stack; what is not finite gives nan."""

    def one(x: np.ndarray) -> tuple:
        if not x.size or not _finite(x):
            rank = x.ndim
            return tuple([np.full(k.shape[len(k.shape) - core :], np.nan if x.size else 0) for k, core in _cores(rank)])
        return f(x)

    def _cores(rank: int) -> list:
        batch = np.ndim(x) - rank
        return [(k, len(k.shape) - batch) for k in kinds]

    return lapack.each_matrix(one, kinds, [2], np.asarray(x, dtype))


def _two_shape(name: str, complex_result: bool = False) -> Any:
    def shape(x: Any, **params: Any) -> tuple:
        dtype = linalg_dtype(name, x)
        kind = ShapeDtypeStruct(
            matrix_shape(name, x, square=True), np.dtype(dtype.char.upper()) if complex_result else dtype
        )
        return kind, kind

    return shape


def _schur(x: Any) -> tuple:
    kinds = _two_shape("schur")(x)
    scipy = lapack.linalg("schur")
    return _of_each(lambda x: scipy.schur(x, output="real", check_finite=False), kinds, x, kinds[0].dtype)


schur = primitive(
    _schur,
    shape=_two_shape("schur"),
    vjp=NotDifferentiable(
        "the real Schur form changes its shape where eigenvalues meet, and has no rule; the complex one has: "
        'funcgrad.scipy.linalg.schur(a, output="complex")'
    ),
    batch=batching.trailing(2),
    samples=_square,
    multiple=True,
)


def _complex_schur(x: Any) -> tuple:
    kinds = _two_shape("schur", True)(x)
    scipy = lapack.linalg("schur")
    return _of_each(lambda x: scipy.schur(x, output="complex", check_finite=False), kinds, x, kinds[0].dtype)


complex_schur = primitive(
    _complex_schur,
    shape=_two_shape("schur", True),
    vjp=NotDifferentiable("its derivative is that of funcgrad.scipy.linalg.schur"),
    batch=batching.trailing(2),
    samples=_square,
    multiple=True,
)


def _rsf2csf_shape(t: Any, z: Any) -> tuple:
    first, second = [matrix_shape("rsf2csf", x, square=True) for x in (t, z)]
    dtype = np.dtype(linalg_dtype("rsf2csf", t, z).char.upper())
    kind = ShapeDtypeStruct(np.broadcast_shapes(first, second), dtype)
    return kind, kind


def _rsf2csf(t: Any, z: Any) -> tuple:
    kinds, scipy = _rsf2csf_shape(t, z), lapack.linalg("rsf2csf")
    dtype = linalg_dtype("rsf2csf", t, z)

    def one(t: np.ndarray, z: np.ndarray) -> tuple:
        if not t.size:
            return t, z
        with np.errstate(all="ignore"):
            return scipy.rsf2csf(t, z, check_finite=False)

    return lapack.each_matrix(one, kinds, [2, 2], np.asarray(t, dtype), np.asarray(z, dtype))


rsf2csf = primitive(
    _rsf2csf,
    operands="t z",
    shape=_rsf2csf_shape,
    vjp=NotDifferentiable(
        "the conversion of a real Schur form has no rule; the complex form of the matrix itself has: "
        'funcgrad.scipy.linalg.schur(a, output="complex")'
    ),
    batch=batching.trailing(2, 2),
    samples=lambda draw: [Sample(np.triu(draw(3, 3)), draw(3, 3)), Sample(np.triu(draw(2, 2, 2)), draw(2, 2))],
    multiple=True,
)


def _hessenberg(x: Any) -> tuple:
    kinds = _two_shape("hessenberg")(x)
    scipy = lapack.linalg("hessenberg")
    return _of_each(lambda x: scipy.hessenberg(x, calc_q=True, check_finite=False), kinds, x, kinds[0].dtype)


hessenberg = primitive(
    _hessenberg,
    shape=_two_shape("hessenberg"),
    vjp=NotDifferentiable("its derivative is that of funcgrad.scipy.linalg.hessenberg"),
    batch=batching.trailing(2),
    samples=_square,
    multiple=True,
)


def _gehrd_shape(x: Any) -> tuple:
    shape, dtype = matrix_shape("hessenberg", x, square=True), linalg_dtype("hessenberg", x)
    return ShapeDtypeStruct(shape, dtype), ShapeDtypeStruct((*shape[:-2], max(shape[-1] - 1, 0)), dtype)


def _gehrd(x: Any) -> tuple:
    kinds = _gehrd_shape(x)
    gehrd = lapack.routine("gehrd", kinds[0].dtype)
    return _of_each(lambda x: gehrd(x)[:2], kinds, x, kinds[0].dtype)


_REFLECTORS = NotDifferentiable("the form in which LAPACK packs reflectors has no rule")

gehrd = primitive(
    _gehrd, shape=_gehrd_shape, vjp=_REFLECTORS, batch=batching.trailing(2), samples=_square, multiple=True
)


def _tridiagonal_shape(x: Any, lower: bool) -> tuple:
    shape, dtype = matrix_shape("tridiagonal", x, square=True), linalg_dtype("tridiagonal", x)
    batch, n, real = shape[:-2], shape[-1], real_dtype(dtype)
    return (
        ShapeDtypeStruct(shape, dtype),
        ShapeDtypeStruct((*batch, n), real),
        ShapeDtypeStruct((*batch, max(n - 1, 0)), real),
        ShapeDtypeStruct((*batch, max(n - 1, 0)), dtype),
    )


def _tridiagonal(x: Any, *, lower: bool) -> tuple:
    kinds = _tridiagonal_shape(x, lower)
    trd = lapack.routine("hetrd" if kinds[0].dtype.kind == "c" else "sytrd", kinds[0].dtype)
    return _of_each(lambda x: trd(x, lower=lower)[:4], kinds, x, kinds[0].dtype)


tridiagonal = primitive(
    _tridiagonal,
    shape=_tridiagonal_shape,
    vjp=NotDifferentiable(
        "the reduction of a Hermitian matrix to a tridiagonal one has no rule; funcgrad.scipy.linalg.hessenberg gives "
        "the same matrices up to signs, and has one"
    ),
    batch=batching.trailing(2),
    samples=lambda draw: [Sample(draw(3, 3), lower=True), Sample(draw(2, 2, 2), lower=False)],
    multiple=True,
)


def _geqrf_shape(x: Any) -> tuple:
    shape, dtype = matrix_shape("geqrf", x), linalg_dtype("geqrf", x)
    return ShapeDtypeStruct(shape, dtype), ShapeDtypeStruct((*shape[:-2], min(shape[-2:])), dtype)


def _geqrf(x: Any) -> tuple:
    kinds = _geqrf_shape(x)
    packed, tau = np.linalg.qr(np.asarray(x, kinds[0].dtype), mode="raw")
    return np.ascontiguousarray(packed.mT), tau


geqrf = primitive(
    _geqrf,
    shape=_geqrf_shape,
    vjp=_REFLECTORS,
    batch=batching.trailing(2),
    samples=lambda draw: [Sample(draw(3, 2)), Sample(draw(2, 2, 3)), Sample(draw(2, 0))],
    multiple=True,
)


def _qr_order_shape(x: Any) -> ShapeDtypeStruct:
    shape = matrix_shape("qr", x)
    linalg_dtype("qr", x)
    return ShapeDtypeStruct((*shape[:-2], shape[-1]), np.dtype(np.intp))


def _qr_order(x: Any) -> Any:
    kind, scipy = _qr_order_shape(x), lapack.linalg("qr with pivoting")

    def one(x: np.ndarray) -> tuple:
        if not x.size or not _finite(x):
            return (np.arange(x.shape[-1]),)
        return (scipy.qr(x, mode="r", pivoting=True, check_finite=False)[-1],)

    return lapack.each_matrix(one, [kind], [2], np.asarray(x, linalg_dtype("qr", x)))[0]


qr_order = primitive(
    _qr_order,
    shape=_qr_order_shape,
    vjp=Zero("integer result"),
    batch=batching.trailing(2),
    samples=lambda draw: [Sample(draw(3, 3)), Sample(draw(2, 3, 2)), Sample(draw(2, 0))],
)


def _eig_both_shape(x: Any) -> tuple:
    shape = matrix_shape("eig", x, square=True)
    dtype = np.dtype(linalg_dtype("eig", x).char.upper())
    vectors = ShapeDtypeStruct(shape, dtype)
    return ShapeDtypeStruct(shape[:-1], dtype), vectors, vectors


def _eig_both(x: Any) -> tuple:
    kinds, scipy = _eig_both_shape(x), lapack.linalg("eig with left eigenvectors")
    return _of_each(lambda x: scipy.eig(x, left=True, right=True, check_finite=False), kinds, x, linalg_dtype("eig", x))


eig_both = primitive(
    _eig_both,
    shape=_eig_both_shape,
    vjp=NotDifferentiable("its derivative is that of funcgrad.lax.linalg.eig"),
    batch=batching.trailing(2),
    samples=_square,
    multiple=True,
)
