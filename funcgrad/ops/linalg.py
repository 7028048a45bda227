"""Linear algebra that gives a result and no factors: inverse, solutions, determinants, pseudo-inverse, rank, norm.

Matrices are the last two axes; axes before them are a stack. The formulas are those of M. Giles, "Collected matrix
derivative results for forward and reverse mode algorithmic differentiation" (2008), and of G. Golub and V. Pereyra,
"The differentiation of pseudo-inverses and nonlinear least squares problems" (1973). They are stated there with
adjoints; the cotangents here pair without conjugation, so where an operation is not holomorphic a rule conjugates the
cotangent that comes in and the one that it gives.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Sample, Zero, joint, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.contract import conj
from funcgrad.ops.reduce import reduce_sum, reduced_shape
from funcgrad.ops.structural import concatenate, diagonal, reshape, stop, tril

__all__ = ["cofactor", "det", "inv", "inv_lower", "matrix_rank", "norm", "pinv", "slogdet", "solve"]


# What the rules of this family and of ops/factorizations.py share.


def adjoint(x: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return conj(x.mT)


def diagonals(x: Any) -> Any:
    """The main diagonal of each matrix."""
    return diagonal(x, offset=0, axis1=x.ndim - 2, axis2=x.ndim - 1)


def identity(n: int, like: Any) -> np.ndarray:
    """The identity matrix in the dtype of `like`, so that nothing is promoted."""
    return np.eye(n, dtype=like.dtype)


def nan_where(condition: Any, dtype: np.dtype) -> Any:
    """A term that turns what it is added to into nan: where it multiplies, no derivative is a number either."""
    return np.where(condition, np.nan, np.zeros((), real_dtype(dtype)))


def reciprocal_or_nan(x: Any) -> Any:
    """1 / x, and nan for 0: what would be divided by 0 is not defined. Nothing is divided by 0, so nothing warns."""
    zero = x == 0
    return 1.0 / (x + zero) + nan_where(zero, x.dtype)


def nan_where_singular(x: Any, sign: Any = None) -> Any:
    """Square matrices with nan for all that are singular: their inverse is nan then, and no error.

    Arguments:
        x: the matrices.
        sign: those of their determinants, if they are known.
    """
    if sign is None:
        sign = slogdet(stop(x))[0]
    return x + nan_where(sign == 0, x.dtype)[..., None, None]


def block_derivative(f: Any, a: Any, e: Any) -> Any:
    """The derivative along e of an analytic function of a: a block of f([[a, e], [0, a]]).

    Source: N. Higham, "Functions of matrices" (2008), section 3.2.
    """
    axis, n = a.ndim - 1, a.shape[-1]
    upper = concatenate(a, e, axis=axis)
    lower = concatenate(np.zeros(a.shape, a.dtype), a, axis=axis)
    return f(concatenate(upper, lower, axis=axis - 1))[..., :n, n:]


def matrix_shape(name: str, x: Any, square: bool = False) -> tuple[int, ...]:
    """The shape of a stack of matrices.

    Raises:
        LinAlgError: fewer than two axes; or not square, where that is asked for.
    """
    shape = shape_of(x)
    if len(shape) < 2:
        raise LinAlgError(f"{name} takes a matrix or a stack of matrices, got an array of shape {shape}")
    if square and shape[-1] != shape[-2]:
        raise LinAlgError(f"{name} takes square matrices, got an array of shape {shape}")
    return shape


def linalg_dtype(name: str, *xs: Any) -> np.dtype:
    """The dtype in which LAPACK computes: integers become float64.

    Raises:
        TypeError: LAPACK does not have the dtype, such as float16.
    """
    dtypes = [np.dtype(float) if dtype_of(x).kind in "biu" else dtype_of(x) for x in xs]
    for d in dtypes:
        if d.char not in "fdFD":
            raise TypeError(f"{name} computes in float32, float64, complex64 or complex128, got {d}; use .astype")
    return np.result_type(*dtypes)


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of the real part."""
    return np.dtype(dtype.char.lower())


def with_values(draw: Draw, *shape: int, hermitian: bool = False) -> np.ndarray:
    """For samples: matrices whose singular values, or eigenvalues, are 1, 2.5, 4, ... and so well apart."""
    u, s, vh = np.linalg.svd(draw(*shape), full_matrices=False)
    values = np.arange(1.0, 1.5 * s.shape[-1] + 1, 1.5).astype(s.dtype)
    return np.asarray(u * values @ (np.conj(u.mT) if hermitian else vh))


def _square_shape(name: str) -> Any:
    return lambda x: ShapeDtypeStruct(matrix_shape(name, x, square=True), linalg_dtype(name, x))


def _sum_of_products(x: Any, y: Any) -> Any:
    """The trace of xᵀ y."""
    return reduce_sum(x * y, axis=(x.ndim - 2, x.ndim - 1))


def _regular_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw.regular(3, 3)),
        Sample(draw.regular(1, 1)),
        Sample(draw.regular(2, 1, 2, 2)),
        Sample(draw.regular(3, 3)[::-1, ::-1]),
        Sample(draw(0, 0)),
        Sample(draw(0, 2, 2)),
    ]


# Inverse and solution.


inv = primitive(
    np.linalg.inv,
    name="inv",
    shape=_square_shape("inv"),
    vjp=lambda g, out: -out.mT @ g @ out.mT,
    jvp=lambda t, out: -out @ t @ out,
    batch=batching.trailing(2),
    samples=_regular_samples,
)


def _inv_lower(x: Any) -> Any:
    singular = np.logical_or.reduce(np.diagonal(x, axis1=-2, axis2=-1) == 0, axis=-1)
    if not np.logical_or.reduce(singular, axis=None):
        return _inv_by_blocks(x)
    singular = singular[..., None, None]
    return np.where(singular, np.nan, _inv_by_blocks(np.where(singular, identity(x.shape[-1], x), x)))


def _inv_by_blocks(x: Any) -> Any:
    n = x.shape[-1]
    if n <= 48:
        return np.linalg.inv(np.tril(x))
    k = n // 2
    out = np.zeros_like(x)
    out[..., :k, :k] = first = _inv_by_blocks(x[..., :k, :k])
    out[..., k:, k:] = last = _inv_by_blocks(x[..., k:, k:])
    out[..., k:, :k] = -last @ (x[..., k:, :k] @ first)
    return out


# The inverse of lower triangular matrices, block by block: NumPy has no triangular solve, and its inverse of a matrix
# costs four times as much. What is above the diagonal does not count, and a singular matrix has nan for its inverse.
inv_lower = primitive(
    _inv_lower,
    shape=lambda x: ShapeDtypeStruct(matrix_shape("inv_lower", x, square=True), linalg_dtype("inv_lower", x)),
    vjp=lambda g, out: tril(-out.mT @ g @ out.mT, k=0),
    jvp=lambda t, out: -out @ tril(t, k=0) @ out,
    batch=batching.trailing(2),
    samples=lambda draw: [
        *_regular_samples(draw),
        Sample(draw(49, 49) * 0.1 + 3 * np.eye(49, dtype=draw.dtype)),
    ],
)


def _solve_vjp(g: Any, a: Any, b_shape: tuple[int, ...], out: Any, linked: tuple[bool, ...]) -> tuple:
    vector = len(b_shape) == 1
    ct = solve(a.mT, g[..., None] if vector else g)
    if linked[0]:
        ct_a = -ct @ (out[..., None, :] if vector else out.mT)
    return ct_a if linked[0] else None, ct[..., 0] if vector else ct


def _solve_jvp(tangents: tuple, a: Any, b_shape: tuple[int, ...], out: Any) -> Any:
    ta, tb = tangents
    vector = len(b_shape) == 1
    right = 0.0
    if tb is not None:
        right = tb[..., None] if vector else tb
    if ta is not None:
        right = right - ta @ (out[..., None] if vector else out)
    t = solve(a, right)
    return t[..., 0] if vector else t


def _solve_shape(a: Any, b: Any) -> ShapeDtypeStruct:
    shape, right = matrix_shape("solve", a, square=True), shape_of(b)
    if not right or right[max(-2, -len(right))] != shape[-1]:
        raise ValueError(f"solve: a matrix of shape {shape} and a right side of shape {right} do not match")
    out = shape[:-1] if len(right) == 1 else np.broadcast_shapes(shape[:-2], right[:-2]) + right[-2:]
    return ShapeDtypeStruct(out, linalg_dtype("solve", a, b))


def _solve_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    a, b = args
    if b.ndim == 1 + mask[1]:
        return columns_batch(primitive, size, (a, b[..., None]), mask, params)[..., 0]
    return columns_batch(primitive, size, args, mask, params)


def columns_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The batching rule of systems of equations: the right sides of one shared matrix stand side by side."""
    a, b = args
    if mask[0] or a.ndim > 2:
        return _SYSTEMS(primitive, size, args, mask, params)
    rows = b.mT.reshape((math.prod(b.shape[:-2]) * b.shape[-1], b.shape[-2]))
    x = primitive(a, rows.T, **params)
    return x.T.reshape((*b.shape[:-2], b.shape[-1], x.shape[0])).mT


_SYSTEMS = batching.trailing(2, 2)


solve = primitive(
    np.linalg.solve,
    name="solve",
    operands="a b",
    shape=_solve_shape,
    vjp=joint(_solve_vjp),
    jvp=joint(_solve_jvp),
    batch=_solve_batch,
    samples=lambda draw: [
        Sample(draw.regular(3, 3), draw(3)),
        Sample(draw.regular(3, 3), draw(3, 2)),
        Sample(draw.regular(2, 2, 2), draw(2)),
        Sample(draw.regular(2, 2, 2), draw(2, 1)),
        Sample(draw.regular(2, 2), draw(3, 2, 1)),
        Sample(draw.regular(2, 1, 2, 2), draw(1, 2, 2, 1)),
        Sample(draw.regular(3, 3).T, draw.strided(3, 2)),
        Sample(draw.regular(2, 2), np.array([1, 2])),
        Sample(draw(0, 0), draw(0, 2)),
    ],
)


# Determinants. The derivative of det is the matrix of cofactors, det(A) A⁻ᵀ for a regular A. It exists for a singular A
# too, where only the singular value decomposition finds it.


def _cofactor(x: Any) -> Any:
    d = np.linalg.det(x)
    if np.all(d):
        return d[..., None, None] * np.linalg.inv(x).mT
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), s.dtype.type(1), s[..., None, :])
    signs = np.linalg.det(u) * np.linalg.det(vh)
    return ((signs[..., None] * np.multiply.reduce(others, axis=-1))[..., None, :] * u.conj()) @ vh.conj()


def _cofactor_derivative(t: Any, x: Any) -> Any:
    """The derivative of the cofactors along t; it is symmetric, so it is its own transpose.

    Up to three rows it is the derivative of Cayley and Hamilton's polynomial for the adjugate, which holds for singular
    matrices too.
    """
    n = x.shape[-1]
    if n > 3:
        inverse = inv(x).mT
        cofactors = cofactor(x)
        return _sum_of_products(cofactors, t)[..., None, None] * inverse - inverse @ t.mT @ cofactors
    if n < 2:
        return t * 0.0
    eye = identity(n, x)
    trace_t = reduce_sum(diagonals(t), axis=(t.ndim - 2,))[..., None, None]
    if n == 2:
        return trace_t * eye - t.mT
    trace_x = reduce_sum(diagonals(x), axis=(x.ndim - 2,))[..., None, None]
    both = trace_x * trace_t - _sum_of_products(x.mT, t)[..., None, None]
    return (x @ t + t @ x).mT - trace_x * t.mT - trace_t * x.mT + both * eye


def _singular_samples(draw: Draw) -> list[Sample]:
    flat = draw.regular(3, 3)
    flat[2] = 0
    return [Sample(flat), Sample(np.stack([flat, draw.regular(3, 3)])), Sample(draw(2, 2) * 0)]


cofactor = primitive(
    _cofactor,
    shape=_square_shape("det"),
    vjp=_cofactor_derivative,
    jvp=_cofactor_derivative,
    batch=batching.trailing(2),
    samples=lambda draw: [*_regular_samples(draw), Sample(draw.regular(2, 4, 4)), *_singular_samples(draw)],
)

det = primitive(
    np.linalg.det,
    name="det",
    shape=lambda x: ShapeDtypeStruct(matrix_shape("det", x, square=True)[:-2], linalg_dtype("det", x)),
    vjp=lambda g, x: g[..., None, None] * cofactor(x),
    jvp=lambda t, x: _sum_of_products(cofactor(x), t),
    batch=batching.trailing(2),
    samples=lambda draw: [*_regular_samples(draw), Sample(draw.regular(2, 4, 4)), *_singular_samples(draw)],
)


def _slogdet(x: Any) -> tuple:
    sign, logabsdet = np.linalg.slogdet(x)
    return sign, logabsdet


def _slogdet_vjp(g: tuple, x: Any, out: tuple) -> tuple:
    g_sign, g_log = g
    if x.dtype.kind == "c":  # the sign turns with the imaginary part of tr(A⁻¹ dA)
        g_log = g_log + 1j * (g_sign * out[0]).imag
    return (g_log[..., None, None] * inv(nan_where_singular(x, out[0])).mT,)


def _slogdet_jvp(t: Any, x: Any, out: tuple) -> tuple:
    trace = _sum_of_products(inv(nan_where_singular(x, out[0])).mT, t)
    if trace.dtype.kind == "c":
        return 1j * trace.imag * out[0], trace.real
    return None, trace


def _slogdet_shape(x: Any) -> tuple:
    shape, dtype = matrix_shape("slogdet", x, square=True)[:-2], linalg_dtype("slogdet", x)
    return ShapeDtypeStruct(shape, dtype), ShapeDtypeStruct(shape, real_dtype(dtype))


slogdet = primitive(
    _slogdet,
    shape=_slogdet_shape,
    vjp=joint(_slogdet_vjp),
    jvp=_slogdet_jvp,
    batch=batching.trailing(2),
    samples=_regular_samples,
    multiple=True,
)


# The pseudo-inverse. Its derivatives hold where the rank is constant.


def _pinv(x: Any, rtol: Any, *, hermitian: bool = False) -> Any:
    return np.linalg.pinv(x, rtol, hermitian)


def _product(a: Any, b: Any, c: Any) -> Any:
    """The product of three matrices of which the middle one is as wide as the others are high: no large square."""
    return (a @ b) @ c if a.shape[-2] <= a.shape[-1] else a @ (b @ c)


def _pinv_vjp(g: Any, x: Any, out: Any) -> Any:
    p, ph, g = out, adjoint(out), conj(g)
    gh = adjoint(g)
    a = _product(gh, p, ph)
    b = _product(ph, p, gh)
    return conj(a - _product(x, p, a) + b - _product(b, p, x) - _product(ph, g, ph))


def _pinv_jvp(t: Any, x: Any, out: Any) -> Any:
    p, ph, th = out, adjoint(out), adjoint(t)
    a = _product(p, ph, th)
    b = _product(th, ph, p)
    return a - _product(a, x, p) + b - _product(p, x, b) - _product(p, t, p)


def _pinv_shape(x: Any, rtol: Any, hermitian: bool = False) -> ShapeDtypeStruct:
    shape = matrix_shape("pinv", x, square=hermitian)
    return ShapeDtypeStruct((*shape[:-2], shape[-1], shape[-2]), linalg_dtype("pinv", x))


def _pinv_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, rtol = args
    if mask[1]:  # NumPy wants a matrix for each tolerance
        x = batching.everywhere((x,), mask[:1], size)[0]
        rtol = rtol.reshape((size,) + (1,) * (x.ndim - 2 - rtol.ndim) + rtol.shape[1:])
    return primitive(x, rtol, **params)


pinv = primitive(
    _pinv,
    operands="x rtol",
    shape=_pinv_shape,
    vjp=(_pinv_vjp, Zero("decides which singular values count")),
    jvp=(_pinv_jvp, Zero("decides which singular values count")),
    batch=_pinv_batch,
    samples=lambda draw: [
        Sample(with_values(draw, 3, 3), 1e-6),
        Sample(with_values(draw, 4, 2), 1e-6),
        Sample(with_values(draw, 2, 2, 3), 1e-6),
        Sample(with_values(draw, 2, 3)[::-1, ::-1], np.array(1e-6)),
        Sample(draw(0, 2), 1e-6),
    ],
)


def _matrix_rank(x: Any, *, tol: Any, hermitian: bool, rtol: Any) -> Any:
    return np.asarray(np.linalg.matrix_rank(x, tol, hermitian, rtol=rtol))


def _matrix_rank_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x,) = args
    if x.ndim < 3:  # a vector or a number has rank 1, unless it is zero
        return np.logical_or.reduce(x != 0, axis=tuple(range(1, x.ndim))).astype(np.intp)
    return primitive(x, **params)


matrix_rank = primitive(
    _matrix_rank,
    shape=lambda x, tol, hermitian, rtol: ShapeDtypeStruct(shape_of(x)[:-2], np.intp),
    vjp=Zero("integer output"),
    batch=_matrix_rank_batch,
    samples=lambda draw: [
        Sample(draw.regular(3, 3), tol=None, hermitian=False, rtol=None),
        Sample(draw(2, 1, 3) * 0, tol=0.5, hermitian=False, rtol=None),
        Sample(draw.spd(2, 2), tol=None, hermitian=True, rtol=1e-3),
    ],
)


# The Euclidean norm over one or more axes; of a matrix, Frobenius's.


def _norm(x: Any, *, axis: tuple[int, ...], keepdims: bool = False) -> Any:
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        x = x.astype(float)
    if len(axis) == x.ndim and not keepdims:
        flat = x.ravel(order="K")
        if x.dtype.kind == "c":
            flat = flat.view(real_dtype(x.dtype))
        return np.sqrt(flat.dot(flat))
    squares = (x.conj() * x).real if x.dtype.kind == "c" else x * x
    return np.sqrt(np.add.reduce(squares, axis=axis, keepdims=keepdims))


def _norm_vjp(g: Any, x: Any, out: Any, axis: tuple[int, ...], x_shape: tuple[int, ...]) -> Any:
    ratio = g / out
    if ratio.ndim and ratio.ndim != len(x_shape):
        ratio = reshape(ratio, shape=reduced_shape(x_shape, axis, True), order="C")
    return ratio * conj(x)


def _norm_jvp(t: Any, x: Any, out: Any, axis: tuple[int, ...], out_shape: tuple[int, ...]) -> Any:
    products = (conj(x) * t).real if x.dtype.kind == "c" else x * t
    return reshape(reduce_sum(products, axis=axis), shape=out_shape, order="C") / out


def _norm_shape(x: Any, axis: tuple[int, ...], keepdims: bool = False) -> ShapeDtypeStruct:
    dtype = dtype_of(x)
    dtype = np.dtype(float) if dtype.kind in "biu" else np.dtype(dtype.char.lower())
    return ShapeDtypeStruct(reduced_shape(shape_of(x), axis, keepdims), dtype)


norm = primitive(
    _norm,
    shape=_norm_shape,
    vjp=_norm_vjp,
    jvp=_norm_jvp,
    batch=batching.shifted("axis"),
    samples=lambda draw: [
        Sample(draw(3), axis=(0,)),
        Sample(draw(2, 3), axis=(0, 1)),
        Sample(draw(2, 3), axis=(1,)),
        Sample(draw(2, 3), axis=(0,), keepdims=True),
        Sample(draw(2, 2, 2), axis=(0, 2)),
        Sample(draw(2, 3, 1), axis=(0, 1, 2), keepdims=True),
        Sample(draw(), axis=()),
        Sample(draw.strided(2, 3), axis=(0, 1)),
        Sample(draw(0, 2), axis=(1,)),
    ],
)
