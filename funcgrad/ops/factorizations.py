"""Matrix factorizations: Cholesky, QR, singular values, eigenvalues.

Matrices are the last two axes; axes before them are a stack. Sources of the rules:

    Cholesky   I. Murray, "Differentiation of the Cholesky decomposition" (2016);
    QR         S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2010), for tall
               matrices; D. Roberts and L. Roberts, "QR and LQ decomposition matrix backpropagation algorithms for
               square, wide, and deep matrices" (2020), for wide ones;
    SVD        J. Townsend, "Differentiating the singular value decomposition" (2016); Z. Wan and S. Zhang, "Automatic
               differentiation for complex valued SVD" (2019), for the phases;
    eigh       M. Giles (2008); M. Seeger et al., "Auto-differentiating linear algebra" (2017);
    eig        C. Boeddeker et al., "On the computation of complex-valued gradients with application to statistically
               optimum beamforming" (2017), for the normalised eigenvectors.

Each rule is written in the adjoints of these papers, for a cotangent that pairs with conjugation; `conj` at both ends
makes it one that pairs without.

Vectors that belong to equal eigenvalues or singular values have no derivative: the rules divide by the gap between the
values, and where that vanishes they give nan, without a warning. The values themselves have a derivative, and so has
what depends on them alone: a rule leaves out the terms of factors that nothing uses. A complex singular vector, or
eigenvector of a Hermitian matrix, has a phase that nothing determines; its tangent is taken without a change of phase,
which is right for every function that does not depend on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, NotDifferentiable, Sample, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.ops.contract import conj
from funcgrad.ops.index import where
from funcgrad.ops.linalg import (
    adjoint,
    diagonals,
    identity,
    inv_lower,
    linalg_dtype,
    matrix_shape,
    nan_where_singular,
    real_dtype,
    reciprocal_or_nan,
    solve,
    with_values,
)
from funcgrad.ops.reduce import argmax, reduce_sum
from funcgrad.ops.structural import DiagonalCotangent, concatenate, embed_diagonal, tril, triu

__all__ = [
    "cholesky",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "qr",
    "qr_complete",
    "qr_r",
    "qr_raw",
    "svd",
    "svd_full",
    "svdvals",
]


def _diagonal_matrix(d: Any) -> Any:
    return embed_diagonal(d, shape=(*d.shape, d.shape[-1]), offset=0, axis1=d.ndim - 1, axis2=d.ndim)


def _inverse_gaps(w: Any) -> Any:
    """The matrix of 1 / (w_j - w_i), with zeros on the diagonal; nan for equal values."""
    eye = identity(w.shape[-1], w)
    return reciprocal_or_nan(w[..., None, :] - w[..., None] + eye) - eye


# Hermitian matrices. `uplo` says which elements count: those of the lower ("L") or upper ("U") triangle, as in LAPACK,
# or with None all of them, through the Hermitian part (A + Aᴴ) / 2, which makes derivatives Hermitian.


def _hermitian_part(x: Any) -> Any:
    return (x + adjoint(x)) * 0.5


def _counted(x: Any, uplo: str | None) -> Any:
    """The elements that count, twice if they stand for two."""
    if uplo is None:
        return x
    return tril(x, k=0) + tril(x, k=-1) if uplo == "L" else triu(x, k=0) + triu(x, k=1)


def _inexact(x: Any) -> Any:
    x = np.asarray(x)
    return x.astype(float) if x.dtype.kind in "biu" else x


def _cholesky(x: Any) -> Any:
    x = _inexact(x)
    matrix_shape("cholesky", x, square=True)
    return np.linalg.cholesky(_hermitian_part(x))


def _half_lower(x: Any) -> Any:
    return (tril(x, k=0) + tril(x, k=-1)) * 0.5


def _cholesky_vjp(g: Any, out: Any) -> Any:
    inverse = inv_lower(out)
    if type(g) is DiagonalCotangent:  # the cotangent of a logarithm of a determinant: so is what is in the middle
        middle = diagonals(out) * g.diagonal * 0.5
        return conj(adjoint(inverse) * (middle.real if out.dtype.kind == "c" else middle)[..., None, :] @ inverse)
    return conj(adjoint(inverse) @ _hermitian_half(adjoint(out) @ conj(g)) @ inverse)


def _hermitian_half(x: Any) -> Any:
    """The Hermitian part of `_half_lower(x)`, with fewer operations where it is symmetric."""
    if x.dtype.kind == "c":
        return _hermitian_part(_half_lower(x))
    return where(np.tri(x.shape[-1], dtype=bool), x, x.mT) * 0.5


def _cholesky_jvp(t: Any, out: Any) -> Any:
    inverse = inv_lower(out)
    return out @ _half_lower(inverse @ _hermitian_part(t) @ adjoint(inverse))


cholesky = primitive(
    _cholesky,
    shape=lambda x: ShapeDtypeStruct(matrix_shape("cholesky", x, square=True), linalg_dtype("cholesky", x)),
    vjp=_cholesky_vjp,
    jvp=_cholesky_jvp,
    batch=batching.trailing(2),
    samples=lambda draw: [
        Sample(draw.spd(3, 3)),
        Sample(draw.spd(1, 1)),
        Sample(draw.spd(2, 1, 2, 2)),
        Sample(draw.spd(3, 3)[::-1, ::-1]),
        Sample(draw(0, 0)),
    ],
)


DiagonalCotangent.known_to.add(cholesky)


def _eigh(x: Any, *, uplo: str | None) -> tuple:
    x = _inexact(x)
    matrix_shape("eigh", x, square=True)
    w, v = np.linalg.eigh(x, uplo) if uplo else np.linalg.eigh(_hermitian_part(x))
    return w, v


def _eigh_vjp(g: tuple, out: tuple, uplo: str | None) -> tuple:
    w, v = out
    ct = 0.0 if g[0] is None else v * g[0][..., None, :] @ adjoint(v)
    if g[1] is not None:
        ct = ct + v @ (_inverse_gaps(w) * (adjoint(v) @ conj(g[1]))) @ adjoint(v)
    return (conj(_counted(_hermitian_part(ct), uplo)),)


def _eigh_jvp(t: Any, out: tuple, uplo: str | None) -> tuple:
    w, v = out
    middle = adjoint(v) @ _hermitian_part(_counted(t, uplo)) @ v
    return diagonals(middle).real, v @ (_inverse_gaps(w) * middle)


def _eigh_shape(x: Any, uplo: str | None) -> tuple:
    shape, dtype = matrix_shape("eigh", x, square=True), linalg_dtype("eigh", x)
    return ShapeDtypeStruct(shape[:-1], real_dtype(dtype)), ShapeDtypeStruct(shape, dtype)


def _eigh_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(with_values(draw, 3, 3, hermitian=True), uplo=None),
        Sample(with_values(draw, 3, 3, hermitian=True), uplo="L"),
        Sample(with_values(draw, 2, 2, hermitian=True), uplo="U"),
        Sample(with_values(draw, 2, 1, 2, 2, hermitian=True), uplo=None),
        Sample(with_values(draw, 2, 2, hermitian=True)[::-1, ::-1], uplo="L"),
        Sample(draw(1, 1), uplo=None),
        Sample(draw(0, 0), uplo=None),
    ]


eigh = primitive(
    _eigh,
    shape=_eigh_shape,
    vjp=joint(_eigh_vjp, partial=True),
    jvp=_eigh_jvp,
    batch=batching.trailing(2),
    samples=_eigh_samples,
    dtypes="fd",  # differences of complex eigenvectors see LAPACK's phases; tests/ops/test_linalg.py has those
    multiple=True,
)


# The values alone cost a fraction of the whole factorization, so they are primitives of their own, whose rules ask for
# the vectors.


def _eigvalsh(x: Any, *, uplo: str | None) -> Any:
    x = _inexact(x)
    matrix_shape("eigvalsh", x, square=True)
    return np.linalg.eigvalsh(x, uplo) if uplo else np.linalg.eigvalsh(_hermitian_part(x))


def _eigvalsh_vjp(g: Any, x: Any, uplo: str | None) -> Any:
    v = eigh(x, uplo=uplo)[1]
    return conj(_counted(_hermitian_part(v * g[..., None, :] @ adjoint(v)), uplo))


def _eigvalsh_jvp(t: Any, x: Any, uplo: str | None) -> Any:
    v = eigh(x, uplo=uplo)[1]
    t = _hermitian_part(_counted(t, uplo))
    return reduce_sum((conj(v) * (t @ v)).real, axis=(t.ndim - 2,))


eigvalsh = primitive(
    _eigvalsh,
    shape=lambda x, uplo: _eigh_shape(x, uplo)[0],
    vjp=_eigvalsh_vjp,
    jvp=_eigvalsh_jvp,
    batch=batching.trailing(2),
    samples=_eigh_samples,
)


# General square matrices. The results are complex whatever the operand, so that their dtype does not depend on values.


def _complex(x: Any) -> Any:
    return x.astype("F" if x.dtype.char in "fF" else "D", copy=False)


def _eig(x: Any) -> tuple:
    w, v = np.linalg.eig(x)
    return _complex(w), _complex(v)


def _largest(v: Any) -> Any:
    """A mask of the largest component of each column. LAPACK makes that one real, which settles the phase."""
    size = v.real * v.real + v.imag * v.imag
    where = argmax(size, axis=v.ndim - 2)
    return np.arange(v.shape[-2])[:, None] == where[..., None, :]


def _column_sums(x: Any) -> Any:
    return reduce_sum(x, axis=(x.ndim - 2,))[..., None, :]


def _eig_vjp(g: tuple, out: tuple) -> tuple:
    w, v = out
    vh = adjoint(v)
    middle = np.zeros(v.shape, v.dtype) if g[0] is None else _diagonal_matrix(conj(g[0]))
    if v.shape[-1] and g[1] is not None:
        gv, largest = conj(g[1]), _largest(v)
        along = _column_sums(conj(v) * gv)  # what changes length or phase of a column has no effect
        gv = gv - v * along.real - largest * (1j * along.imag / _column_sums(largest * v))
        middle = middle + conj(_inverse_gaps(w)) * (vh @ gv)
    return (conj(solve(nan_where_singular(vh), middle @ vh)),)


def _eig_jvp(t: Any, out: tuple) -> tuple:
    return eig_tangents(t, *out)


def eig_tangents(t: Any, w: Any, v: Any) -> tuple:
    """The tangents of eigenvalues and eigenvectors from that of their matrix."""
    middle = solve(nan_where_singular(v), t @ v)
    tv = v @ (_inverse_gaps(w) * middle)
    if v.shape[-1]:
        largest = _largest(v)
        turn = (_column_sums(largest * tv) / _column_sums(largest * v)).imag
        tv = tv - v * (_column_sums(conj(v) * tv).real + 1j * turn)
    return diagonals(middle), tv


def _eig_shape(x: Any) -> tuple:
    shape, dtype = matrix_shape("eig", x, square=True), linalg_dtype("eig", x)
    dtype = np.dtype(dtype.char.upper())
    return ShapeDtypeStruct(shape[:-1], dtype), ShapeDtypeStruct(shape, dtype)


def _eig_samples(draw: Draw) -> list[Sample]:
    def separated(*shape: int) -> np.ndarray:
        return draw(*shape, low=-0.4, high=0.4) + np.diag(np.arange(1, shape[-1] + 1) * 2).astype(draw.dtype)

    turning = np.array([[1, 2], [-1, 1.5]], draw.dtype)  # a pair of complex eigenvalues
    if draw.dtype.kind == "c":
        turning = turning + np.diag([0, 0.5j]).astype(draw.dtype)  # a pair that LAPACK may not exchange
    return [
        Sample(separated(3, 3)),
        Sample(separated(2, 1, 2, 2)),
        Sample(separated(3, 3)[::-1, ::-1]),
        Sample(turning),
        Sample(np.stack([turning, separated(2, 2)])),
        Sample(draw(1, 1)),
        Sample(draw(0, 0)),
    ]


eig = primitive(
    _eig,
    shape=_eig_shape,
    vjp=joint(_eig_vjp, partial=True),
    jvp=_eig_jvp,
    batch=batching.trailing(2),
    samples=_eig_samples,
    multiple=True,
)


def _eigvals(x: Any) -> Any:
    return _complex(np.linalg.eigvals(x))


def _eigvals_vjp(g: Any, x: Any) -> Any:
    vt = nan_where_singular(eig(x)[1].mT)
    return solve(vt, g[..., None] * vt)


def _eigvals_jvp(t: Any, x: Any) -> Any:
    v = nan_where_singular(eig(x)[1])
    return diagonals(solve(v, t @ v))


eigvals = primitive(
    _eigvals,
    shape=lambda x: _eig_shape(x)[0],
    vjp=_eigvals_vjp,
    jvp=_eigvals_jvp,
    batch=batching.trailing(2),
    samples=_eig_samples,
)


# Singular values.


def _svd(x: Any) -> tuple:
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return u, s, vh


def _inverse_square_gaps(s: Any) -> Any:
    """The matrix of 1 / (s_j² - s_i²), with zeros on the diagonal; nan for equal values."""
    eye = identity(s.shape[-1], s)
    row, column = s[..., None, :], s[..., None]
    return reciprocal_or_nan((row + column) * (row - column) + eye) - eye


def _svd_vjp(g: tuple, out: tuple, x_shape: tuple[int, ...]) -> tuple:
    u, s, vh = out
    m, n = x_shape[-2:]
    row, column, uh = s[..., None, :], s[..., None], adjoint(u)
    middle, ct = 0.0 if g[1] is None else _diagonal_matrix(g[1]), 0.0
    if g[0] is not None:
        gu = conj(g[0])
        p = uh @ gu
        middle = middle + _inverse_square_gaps(s) * (p - adjoint(p)) * row
        if p.dtype.kind == "c":
            middle = middle + _diagonal_matrix(1j * diagonals(p).imag * reciprocal_or_nan(s))
        if m > n:
            ct = ct + ((gu - u @ p) * reciprocal_or_nan(row)) @ vh
    if g[2] is not None:
        gvh = conj(g[2])
        q = gvh @ adjoint(vh)  # the adjoint of Vᴴ gV
        middle = middle + column * _inverse_square_gaps(s) * (adjoint(q) - q)
        if n > m:
            ct = ct + u @ ((gvh - q @ vh) * reciprocal_or_nan(column))
    return (conj(u @ middle @ vh + ct),)


def _svd_jvp(t: Any, out: tuple, x_shape: tuple[int, ...]) -> tuple:
    u, s, vh = out
    m, n = x_shape[-2:]
    row, column = s[..., None, :], s[..., None]
    uh, v, th = adjoint(u), adjoint(vh), adjoint(t)
    middle = uh @ t @ v
    gaps = _inverse_square_gaps(s)
    left, right = middle * row, middle * column
    turn = gaps * (left + adjoint(left))
    if middle.dtype.kind == "c":
        turn = turn + _diagonal_matrix(1j * diagonals(middle).imag * reciprocal_or_nan(s))
    tu, tv = u @ turn, v @ (gaps * (right + adjoint(right)))
    if m > n:
        tu = tu + (t @ v - u @ middle) * reciprocal_or_nan(row)
    if n > m:
        tv = tv + (th @ u - v @ adjoint(middle)) * reciprocal_or_nan(row)
    return tu, diagonals(middle).real, adjoint(tv)


def _svd_shape(x: Any) -> tuple:
    (*batch, m, n), dtype = matrix_shape("svd", x), linalg_dtype("svd", x)
    k = min(m, n)
    return (
        ShapeDtypeStruct((*batch, m, k), dtype),
        ShapeDtypeStruct((*batch, k), real_dtype(dtype)),
        ShapeDtypeStruct((*batch, k, n), dtype),
    )


def _svd_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(with_values(draw, 3, 3)),
        Sample(with_values(draw, 4, 2)),
        Sample(with_values(draw, 2, 4)),
        Sample(with_values(draw, 2, 1, 3, 2)),
        Sample(with_values(draw, 2, 3)[::-1, ::-1]),
        Sample(draw(0, 2)),
    ]


svd = primitive(
    _svd,
    shape=_svd_shape,
    vjp=joint(_svd_vjp, partial=True),
    jvp=_svd_jvp,
    batch=batching.trailing(2),
    samples=_svd_samples,
    dtypes="fd",  # differences of complex singular vectors see LAPACK's phases; tests/ops/test_linalg.py has those
    multiple=True,
)


def _svd_full(x: Any) -> tuple:
    u, s, vh = np.linalg.svd(x)
    return u, s, vh


def _svd_full_shape(x: Any) -> tuple:
    u, s, vh = _svd_shape(x)
    m, n = u.shape[-2], vh.shape[-1]
    return ShapeDtypeStruct((*u.shape[:-1], m), u.dtype), s, ShapeDtypeStruct((*vh.shape[:-2], n, n), vh.dtype)


svd_full = primitive(
    _svd_full,
    shape=_svd_full_shape,
    vjp=NotDifferentiable(
        "with full_matrices=True nothing determines the singular vectors beyond min(m, n) of a matrix that is not "
        "square; use svd(x, full_matrices=False), or svdvals(x)"
    ),
    batch=batching.trailing(2),
    samples=lambda draw: [Sample(draw(3, 2)), Sample(draw(2, 1, 2))],
    multiple=True,
)


def svdvals_vjp(g: Any, x: Any) -> Any:
    """The cotangent of a matrix from that of its singular values."""
    u, _, vh = svd(x)
    return conj(u * g[..., None, :] @ vh)


def svdvals_jvp(t: Any, x: Any) -> Any:
    """The tangent of the singular values of a matrix."""
    u, _, vh = svd(x)
    return reduce_sum((conj(u) * (t @ adjoint(vh))).real, axis=(t.ndim - 2,))


def _svdvals(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


svdvals = primitive(
    _svdvals,
    shape=lambda x: _svd_shape(x)[1],
    vjp=svdvals_vjp,
    jvp=svdvals_jvp,
    batch=batching.trailing(2),
    samples=_svd_samples,
)


# QR. A wide matrix is [X | Y] with a square X = Q U, and R = [U | Qᴴ Y].


def _qr(x: Any) -> tuple:
    q, r = np.linalg.qr(x)
    return q, r


def _qr_vjp(g: tuple, out: tuple) -> tuple:
    (q, r), gq, gr = out, conj(g[0]), conj(g[1])
    m, n = q.shape[-2], r.shape[-1]
    if n <= m:
        return (conj(_tall_qr_vjp(gq, gr, q, r)),)
    right = gr[..., m:]
    gq = gq + q @ (r[..., m:] @ adjoint(right))
    square = _tall_qr_vjp(gq, gr[..., :m], q, r[..., :m])
    return (conj(concatenate(square, q @ right, axis=q.ndim - 1)),)


def _tall_qr_vjp(gq: Any, gr: Any, q: Any, r: Any) -> Any:
    upper = _counted(gr @ adjoint(r) - adjoint(q) @ gq, "U")
    return (gq + q @ _hermitian_part(upper)) @ inv_lower(adjoint(r))


def _qr_jvp(t: Any, out: tuple) -> tuple:
    q, r = out
    m, n = q.shape[-2], r.shape[-1]
    if n <= m:
        return _tall_qr_jvp(t, q, r)
    tq, tr = _tall_qr_jvp(t[..., :m], q, r[..., :m])
    right = adjoint(tq) @ (q @ r[..., m:]) + adjoint(q) @ t[..., m:]
    return tq, concatenate(tr, right, axis=q.ndim - 1)


def _tall_qr_jvp(t: Any, q: Any, r: Any) -> tuple:
    t = t @ inv_lower(r.mT).mT
    middle = adjoint(q) @ t
    lower = tril(middle, k=-1)
    turn = lower - adjoint(lower)
    if middle.dtype.kind == "c":  # the diagonal of R is real
        turn = turn + _diagonal_matrix(1j * diagonals(middle).imag)
    return t - q @ (middle - turn), (middle - turn) @ r


def _qr_shape(x: Any) -> tuple:
    (*batch, m, n), dtype = matrix_shape("qr", x), linalg_dtype("qr", x)
    k = min(m, n)
    return ShapeDtypeStruct((*batch, m, k), dtype), ShapeDtypeStruct((*batch, k, n), dtype)


def _qr_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.regular(3, 3)),
        Sample(draw.regular(4, 2)),
        Sample(draw.regular(2, 4)),
        Sample(draw.regular(2, 1, 3, 2)),
        Sample(draw.regular(2, 2, 3)),
        Sample(draw.regular(3, 3)[::-1, ::-1]),
        Sample(draw(2, 0)),
    ]


qr = primitive(
    _qr,
    shape=_qr_shape,
    vjp=joint(_qr_vjp),
    jvp=_qr_jvp,
    batch=batching.trailing(2),
    samples=_qr_samples,
    multiple=True,
)


def _qr_r(x: Any) -> Any:
    return np.linalg.qr(x, "r")


def _qr_r_vjp(g: Any, x: Any) -> Any:
    q, r = qr(x)
    return _qr_vjp((np.zeros(q.shape, q.dtype), g), (q, r))[0]


qr_r = primitive(
    _qr_r,
    shape=lambda x: _qr_shape(x)[1],
    vjp=_qr_r_vjp,
    jvp=lambda t, x: _qr_jvp(t, qr(x))[1],
    batch=batching.trailing(2),
    samples=_qr_samples,
)


# With as many columns of Q as rows of a tall matrix. Nothing determines those beyond the columns of the matrix but the
# space that they span; they move without a turn inside it.


def _qr_complete(x: Any) -> tuple:
    q, r = np.linalg.qr(x, "complete")
    return q, r


def _qr_complete_shape(x: Any) -> tuple:
    (*batch, m, n), dtype = matrix_shape("qr", x), linalg_dtype("qr", x)
    return ShapeDtypeStruct((*batch, m, m), dtype), ShapeDtypeStruct((*batch, m, n), dtype)


def _qr_complete_vjp(g: tuple, out: tuple) -> tuple:
    (q, r), gq, gr = out, conj(g[0]), conj(g[1])
    n = r.shape[-1]
    first, rest = q[..., :n], q[..., n:]
    of_first = gq[..., :n] - rest @ (adjoint(gq[..., n:]) @ first)
    return (conj(_tall_qr_vjp(of_first, gr[..., :n, :], first, r[..., :n, :])),)


def _qr_complete_jvp(t: Any, out: tuple) -> tuple:
    q, r = out
    n = r.shape[-1]
    first, rest = q[..., :n], q[..., n:]
    t_first, tr = _tall_qr_jvp(t, first, r[..., :n, :])
    t_rest = -(first @ (adjoint(t_first) @ rest))
    below = np.zeros(r[..., n:, :].shape, r.dtype)
    return concatenate(t_first, t_rest, axis=q.ndim - 1), concatenate(tr, below, axis=q.ndim - 2)


qr_complete = primitive(
    _qr_complete,
    shape=_qr_complete_shape,
    vjp=joint(_qr_complete_vjp),
    jvp=_qr_complete_jvp,
    batch=batching.trailing(2),
    samples=lambda draw: [
        Sample(draw.regular(3, 3)),
        Sample(draw.regular(3, 2)),  # one column more, which is determined; tests/ops/test_linalg.py has others
        Sample(draw.regular(2, 1, 4, 3)),
        Sample(draw.regular(4, 3)[::-1, ::-1]),
    ],
    dtypes="fd",
    multiple=True,
)


def _qr_raw(x: Any) -> tuple:
    packed, tau = np.linalg.qr(x, "raw")
    return packed, tau


def _qr_raw_shape(x: Any) -> tuple:
    (*batch, m, n), dtype = matrix_shape("qr", x), linalg_dtype("qr", x)
    return ShapeDtypeStruct((*batch, n, m), dtype), ShapeDtypeStruct((*batch, min(m, n)), dtype)


qr_raw = primitive(
    _qr_raw,
    shape=_qr_raw_shape,
    vjp=NotDifferentiable('mode="raw" is LAPACK\'s own form of the factors; use mode="reduced" or mode="r"'),
    batch=batching.trailing(2),
    samples=lambda draw: [Sample(draw(3, 2)), Sample(draw(2, 3, 2))],
    multiple=True,
)
