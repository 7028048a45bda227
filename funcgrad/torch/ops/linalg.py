"""Linear algebra: inverses, systems, determinants, factorizations. The namespace `torch.linalg` is in torch/linalg.py.

Matrices are the last two dimensions, batches those before them: "... n m". The work is done by the core's linear
algebra, which is LAPACK's; results that torch gives column by column lie that way here, too.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import elimination
from funcgrad.ops.matrix_exp import matrix_exp as core_matrix_exp
from funcgrad.ops.structural import stop
from funcgrad.torch import return_types
from funcgrad.torch.declare import exports, function
from funcgrad.torch.operation import Composite, Operation, Recording, ZeroPlan, raw, wrapped
from funcgrad.torch.ops.matrices import LinAlgError as LinAlgError
from funcgrad.torch.ops.matrices import check_inexact, check_matrix, check_square
from funcgrad.torch.tensor import Tensor, wrap_dim

# Checks, in torch's words.


def _matrix(a: Tensor, name: str) -> None:
    check_matrix(name, a)
    check_inexact(name, a)


def _square(a: Tensor, name: str) -> None:
    check_matrix(name, a)
    check_inexact(name, a)
    check_square(name, a)


def _by_columns(t: Any) -> Any:
    """A result whose matrices lie in memory column by column."""
    value = t._value
    if type(value) is np.ndarray and value.ndim >= 2:
        t._value = np.ascontiguousarray(value.swapaxes(-1, -2)).swapaxes(-1, -2)
        node = t._node
        if node is not None and node.residuals:
            node.residuals = tuple([t._value if r is value else r for r in node.residuals])
    return t


# Inverses and systems.


def _inv(x: Any) -> Any:
    return elimination.inv_lu(x)


def _solve(a: Any, b: Any, *, left: bool = True) -> Any:
    if not left:
        return fnp.swapaxes(_solve(fnp.swapaxes(a, -1, -2), fnp.swapaxes(b, -1, -2)), -1, -2)
    if b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]):
        return elimination.solve_lu(a, b[..., None], transposed=False)[..., 0]
    return elimination.solve_lu(a, b, transposed=False)


INV = Operation(_inv, "LinalgInvExBackward0", operands=("A",), saves=(), saves_out=True)
SOLVE = Operation(_solve, "LinalgSolveExBackward0", operands=("A", "B"))


def _singular(a: Tensor, what: str) -> None:
    """Raise torch's error if LU meets a zero on the diagonal."""
    both = elimination.lu.impl(raw(a))[0] if type(raw(a)) is np.ndarray else None
    if both is None:
        return
    diagonal = np.diagonal(both, axis1=-2, axis2=-1)
    if diagonal.size and (diagonal == 0).any():
        where = np.argwhere(diagonal == 0)[0]
        place = "" if a.ndim == 2 else f"(Batch element {np.ravel_multi_index(where[:-1], diagonal.shape[:-1])}): "
        if what == "inv":
            raise LinAlgError(
                f"linalg.inv: {place}The diagonal element {where[-1] + 1} is zero, the inversion could not be "
                "completed because the input matrix is singular."
            )
        raise LinAlgError(f"torch.linalg.solve: {place}The solver failed because the input matrix is singular.")


@function(out=True, names=("linalg_inv",))
def inverse(A: Tensor) -> Tensor:
    """The inverses of square matrices, "... n n"."""
    _square(A, "linalg.inv")
    _singular(A, "inv")
    return _by_columns(INV(A))


inv = exports["linalg_inv"]


def inv_ex(A: Tensor, *, check_errors: bool = False, out: Any = None) -> Any:
    """The inverses, and for each matrix 0 or the place on the diagonal where it broke down."""
    _square(A, "linalg.inv")
    if check_errors:
        _singular(A, "inv")
    return return_types.linalg_inv_ex(_by_columns(INV(A)), _info(A))


def _info(a: Tensor) -> Tensor:
    both = elimination.lu.impl(raw(a))[0]
    zero = np.diagonal(both, axis1=-2, axis2=-1) == 0
    return wrapped(np.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(np.int32))


def _check_system(a: Tensor, b: Tensor, name: str, left: bool = True) -> None:
    _square(a, name)
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type {a.dtype.title} and B of type "
            f"{b.dtype.title} instead"
        )
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    rows, columns = (b._value.shape[-1], 1) if vector else b._value.shape[-2:]
    n = a._value.shape[-1]
    if (rows if left or vector else columns) != n:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} ({n}x{n} and "
            f"{rows}x{columns})"
        )


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Tensor:
    """The solution X of AX = B, or of XA = B with left=False.

    Arguments:
        A: square matrices, "... n n".
        B: right sides, "... n k", or vectors "... n".

    Raises:
        RuntimeError: a matrix is singular, or the shapes do not fit.
    """
    _check_system(A, B, "linalg.solve", left)
    _singular(A, "solve")
    found = SOLVE(A, B, left=left)
    return found if found.ndim < A.ndim else _by_columns(found)


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """As `solve`, and for each matrix 0 or where it broke down."""
    _check_system(A, B, "linalg.solve", left)
    if check_errors:
        _singular(A, "solve")
    return return_types.linalg_solve_ex(SOLVE(A, B, left=left), _info(A))


def _solve_triangular(a: Any, b: Any, *, upper: bool, left: bool, unitriangular: bool) -> Any:
    if not left:
        turned = _solve_triangular(
            fnp.swapaxes(a, -1, -2), fnp.swapaxes(b, -1, -2), upper=not upper, left=True, unitriangular=unitriangular
        )
        return fnp.swapaxes(turned, -1, -2)
    a = fnp.triu(a) if upper else fnp.tril(a)
    if unitriangular:
        eye = np.eye(a.shape[-1], dtype=a.dtype)
        a = a * (1 - eye) + eye
    return fnp.linalg.solve(a, b)


SOLVE_TRIANGULAR = Operation(_solve_triangular, "LinalgSolveTriangularBackward0", operands=("self", "B"))


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Any = None
) -> Tensor:
    """The solution X of AX = B (or XA = B) where A is triangular; the other triangle is not read."""
    _check_system(A, B, "linalg.solve_triangular", left)
    return _by_columns(SOLVE_TRIANGULAR(A, B, upper=upper, left=left, unitriangular=unitriangular))


# Determinants.


def _det(x: Any) -> Any:
    return fnp.linalg.det(x)


def _slogdet(x: Any) -> Any:
    return tuple(fnp.linalg.slogdet(x))


DET = Operation(_det, "LinalgDetBackward0", operands=("A",), saves_out=True)
SLOGDET = Operation(Composite(_slogdet, multiple=True), "LinalgSlogdetBackward0", operands=("A",))


@function(out=True, names=("linalg_det",))
def det(A: Tensor) -> Tensor:
    """The determinants of square matrices."""
    _square(A, "linalg.det")
    return DET(A)


@function(out=True)
def slogdet(input: Tensor) -> Any:
    """Signs and logarithms of the absolute values of determinants."""
    _square(input, "linalg.slogdet")
    return return_types.slogdet(*SLOGDET(input))


def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    """Signs and logarithms of the absolute values of determinants."""
    _square(A, "linalg.slogdet")
    return return_types.linalg_slogdet(*SLOGDET(A))


@function()
def logdet(input: Tensor) -> Tensor:
    """The logarithms of determinants: nan where one is negative, -inf where it is zero."""
    _square(input, "logdet")
    sign, size = SLOGDET(input)
    if input.dtype.is_complex:
        return sign.log() + size
    return exports["where"](sign == -1.0, math.nan, size)


# Factorizations.


def _cholesky(x: Any, *, upper: bool) -> Any:
    lower = fnp.linalg.cholesky(fnp.swapaxes(np.conjugate(x), -1, -2) if upper else x)
    return np.conjugate(fnp.swapaxes(lower, -1, -2)) if upper else lower


CHOLESKY = Operation(_cholesky, "LinalgCholeskyExBackward0", operands=("self",), saves=(), saves_out=True)
OLD_CHOLESKY = Operation(_cholesky, "CholeskyBackward0", operands=("self",), saves=(), saves_out=True)


def _definite(a: Tensor, name: str = "linalg.cholesky") -> None:
    """Raise torch's error for a matrix that is not positive definite."""
    for place, order in enumerate(_failing_minors(raw(a)).reshape(-1)):
        if order:
            batch = "" if a.ndim == 2 else f"(Batch element {place}): "
            raise LinAlgError(
                f"{name}: {batch}The factorization could not be completed because the input is not positive-definite "
                f"(the leading minor of order {order} is not positive-definite)."
            )


def _failing_minors(x: Any) -> Any:
    """For each matrix the order of its first leading minor that is not positive definite, or 0."""
    flat = np.asarray(x).reshape((-1, *x.shape[-2:]))
    found = np.zeros(len(flat), np.int32)
    for i, m in enumerate(flat):
        try:
            np.linalg.cholesky(m)
        except np.linalg.LinAlgError:
            for k in range(1, len(m) + 1):
                try:
                    np.linalg.cholesky(m[:k, :k])
                except np.linalg.LinAlgError:
                    found[i] = k
                    break
    return found.reshape(x.shape[:-2])


def linalg_cholesky(A: Tensor, *, upper: bool = False, out: Any = None) -> Tensor:
    """The triangular factors L of A = L Lᴴ; with upper=True the factors U of A = Uᴴ U.

    Raises:
        RuntimeError: a matrix is not positive definite.
    """
    _square(A, "linalg.cholesky")
    if type(A._value) is np.ndarray:
        _definite(A)
    return _by_columns(CHOLESKY(A, upper=bool(upper)))


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> Any:
    """As `cholesky`, and for each matrix 0 or the order of the minor that is not positive definite."""
    _square(A, "linalg.cholesky")
    if check_errors:
        _definite(A)
    info = wrapped(np.asarray(_failing_minors(raw(A))))
    if info._value.any():
        return return_types.linalg_cholesky_ex(wrapped(np.full_like(raw(A), np.nan)), info)
    return return_types.linalg_cholesky_ex(_by_columns(CHOLESKY(A, upper=bool(upper))), info)


@function(out=True)
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The triangular factors of positive definite matrices."""
    warnings.warn(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will "
        "produce equivalent results for all valid (symmetric positive definite) inputs.",
        UserWarning,
        stacklevel=3,
    )
    _square(input, "cholesky")
    _definite(input, "cholesky")
    return _by_columns(OLD_CHOLESKY(input, upper=bool(upper)))


def _cholesky_solve(b: Any, factor: Any, *, upper: bool) -> Any:
    lower = np.conjugate(fnp.swapaxes(factor, -1, -2)) if upper else factor
    lower = fnp.tril(lower)
    return fnp.linalg.solve(lower @ np.conjugate(fnp.swapaxes(lower, -1, -2)), b)


CHOLESKY_SOLVE = Operation(_cholesky_solve, "CholeskySolveBackward0", operands=("self", "input2"))


@function(out=True)
def cholesky_solve(B: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """The solution of A X = B from the triangular factor of A."""
    return _by_columns(CHOLESKY_SOLVE(B, L, upper=bool(upper)))


def _cholesky_inverse(factor: Any, *, upper: bool) -> Any:
    lower = fnp.tril(np.conjugate(fnp.swapaxes(factor, -1, -2)) if upper else factor)
    return fnp.linalg.inv(lower @ np.conjugate(fnp.swapaxes(lower, -1, -2)))


CHOLESKY_INVERSE = Operation(_cholesky_inverse, "CholeskyInverseBackward0", operands=("self",))


@function(out=True)
def cholesky_inverse(L: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A from its triangular factor."""
    return _by_columns(CHOLESKY_INVERSE(L, upper=bool(upper)))


def _qr(x: Any, *, mode: str) -> Any:
    return tuple(fnp.linalg.qr(x, mode=mode))


QR = Operation(Composite(_qr, multiple=True), "LinalgQrBackward0", operands=("A",), saves=(), saves_out=True)


class _Refusing(ZeroPlan):
    """The plan of a factorization some of whose columns nothing determines, so that it has no derivative."""

    __slots__ = ("text",)

    def __init__(self, primitive: Any, mask: tuple[bool, ...], text: str) -> None:
        super().__init__(primitive, mask)
        self.text = text

    def pull(self, g: Any, kept: tuple) -> Any:
        raise RuntimeError(self.text)


_NO_COMPLETE_QR = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols"
_NO_FULL_SVD = "The singular vectors in full_matrices=True of a matrix that is not square are not determined; use full_matrices=False"  # fmt: skip  # noqa: E501
COMPLETE_QR = Operation(Composite(_qr, multiple=True), "LinalgQrBackward0", operands=("A",))
_complete = Recording(COMPLETE_QR, _Refusing(COMPLETE_QR.primitive, (True,), _NO_COMPLETE_QR))
_complete._conjugated = COMPLETE_QR.recordings[(True,)] = _complete


def _qr_factors(a: Tensor, mode: str) -> list:
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    _matrix(a, "linalg.qr")
    m, n = a._value.shape[-2:]
    op = COMPLETE_QR if mode == "complete" and m > n else QR
    q, r = [_by_columns(t) for t in op(a, mode="reduced" if mode == "r" else mode)]
    return [wrapped(np.zeros(0, r._value.dtype)) if mode == "r" else q, r]


def linalg_qr(A: Tensor, mode: str = "reduced", *, out: Any = None) -> Any:
    """Orthogonal and upper triangular factors: A = Q R."""
    return return_types.linalg_qr(*_qr_factors(A, mode))


@function(out=True)
def qr(input: Tensor, some: bool = True) -> Any:
    """Orthogonal and upper triangular factors."""
    warnings.warn(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
        UserWarning,
        stacklevel=3,
    )
    return return_types.qr(*_qr_factors(input, "reduced" if some else "complete"))


def _hermitian(x: Any, uplo: str) -> Any:
    """The matrix whose one triangle is that of x. torch's gradient is that of a Hermitian matrix all the same."""
    seen = stop(x)
    part = fnp.tril(seen, -1) if uplo == "L" else fnp.triu(seen, 1)
    whole = part + np.conjugate(fnp.swapaxes(part, -1, -2)) + seen * np.eye(x.shape[-1], dtype=x.dtype)
    change = x - seen
    return whole + (change + np.conjugate(fnp.swapaxes(change, -1, -2))) / 2


def _eigh(x: Any, *, uplo: str) -> Any:
    values, vectors = fnp.linalg.eigh(_hermitian(x, uplo))
    return values, vectors


def _eigvalsh(x: Any, *, uplo: str) -> Any:
    return fnp.linalg.eigh(_hermitian(x, uplo))[0]


def _eig(x: Any) -> Any:
    values, vectors = fnp.linalg.eig(x)
    return values, vectors


def _svd(x: Any, *, full: bool) -> Any:
    return tuple(fnp.linalg.svd(x, full_matrices=full))


EIGH = Operation(Composite(_eigh, multiple=True), "LinalgEighBackward0", operands=("A",), saves=(), saves_out=True)
EIGVALSH = Operation(_eigvalsh, "LinalgEighBackward0", operands=("A",))
EIG = Operation(Composite(_eig, multiple=True), "LinalgEigBackward0", operands=("self",), saves=(), saves_out=True)
SVD = Operation(Composite(_svd, multiple=True), "LinalgSvdBackward0", operands=("A",), saves=(), saves_out=True)
SVDVALS = Operation(lambda x: fnp.linalg.svdvals(x), "LinalgSvdBackward0", operands=("A",))


def eigh(A: Tensor, UPLO: str = "L", *, out: Any = None) -> Any:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices, of which one triangle is read."""
    _square(A, "linalg.eigh")
    values, vectors = EIGH(A, uplo=_triangle(UPLO))
    return return_types.linalg_eigh(values, _by_columns(vectors))


def _triangle(uplo: str) -> str:
    if uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return uplo.upper()


def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Any = None) -> Tensor:
    """The eigenvalues of Hermitian matrices, ascending."""
    _square(A, "linalg.eigvalsh")
    return EIGVALSH(A, uplo=_triangle(UPLO))


def eig(A: Tensor, *, out: Any = None) -> Any:
    """Eigenvalues and eigenvectors of square matrices, complex."""
    _square(A, "linalg.eig")
    values, vectors = EIG(A)
    return return_types.linalg_eig(values, _by_columns(vectors))


def eigvals(A: Tensor, *, out: Any = None) -> Tensor:
    """The eigenvalues of square matrices, complex."""
    _square(A, "linalg.eigvals")
    return EIG(A)[0]


FULL_SVD = Operation(Composite(_svd, multiple=True), "LinalgSvdBackward0", operands=("A",), saves=(), saves_out=True)
_full = Recording(FULL_SVD, _Refusing(FULL_SVD.primitive, (True,), _NO_FULL_SVD))
_full._conjugated = FULL_SVD.recordings[(True,)] = _full


def _svd_factors(a: Tensor, full: bool) -> tuple:
    """U, S and Vh; what full_matrices adds for a matrix that is not square has no derivative."""
    m, n = a._value.shape[-2:]
    return (FULL_SVD if full and m != n else SVD)(a, full=full)


def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None, out: Any = None) -> Any:
    """The singular value decomposition A = U diag(S) Vh."""
    _matrix(A, "linalg.svd")
    u, s, vh = _svd_factors(A, bool(full_matrices))
    return return_types.linalg_svd(_by_columns(u), s, _by_columns(vh))


def svdvals(A: Tensor, *, driver: Any = None, out: Any = None) -> Tensor:
    """The singular values, descending."""
    _matrix(A, "linalg.svd")
    return SVDVALS(A)


@function(out=True)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """The singular value decomposition input = U diag(S) Vᴴ; V and not its transpose is given."""
    _matrix(input, "linalg.svd")
    u, s, vh = _svd_factors(input, not some)
    if not compute_uv:
        m, n = input._value.shape[-2:]
        u, vh = input.new_zeros((*input.shape[:-2], m, m)), input.new_zeros((*input.shape[:-2], n, n))
    return return_types.svd(_by_columns(u), s, _by_columns(vh).mH)


def _lu_factor(x: Any) -> Any:
    both, pivots, _ = elimination.lu(x)
    return both, pivots


LU_FACTOR = Operation(Composite(_lu_factor, multiple=True), "LinalgLuFactorExBackward0", operands=("A",))


def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The factors L and U in one matrix, and the rows that were swapped, counted from one."""
    _matrix(A, "torch.lu_factor")
    both, pivots = LU_FACTOR(A)
    return return_types.linalg_lu_factor(_by_columns(both), wrapped(_swaps(pivots)))


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """As `lu_factor`, and for each matrix 0 or the place of a zero on the diagonal."""
    _matrix(A, "torch.lu_factor_ex")
    both, pivots = LU_FACTOR(A)
    return return_types.linalg_lu_factor_ex(_by_columns(both), wrapped(_swaps(pivots)), _info(A))


def _swaps(pivots: Tensor) -> Any:
    return raw(pivots).astype(np.int32) + 1


def _lu(x: Any) -> Any:
    both, _, order = elimination.lu(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    lower = fnp.tril(both[..., :, :k], -1) + np.eye(m, k, dtype=x.dtype)
    upper = fnp.triu(both[..., :k, :])
    rows = order._concrete("lu") if hasattr(order, "_concrete") else order
    return np.swapaxes(np.eye(m, dtype=x.dtype)[rows], -1, -2), lower, upper


LU = Operation(Composite(_lu, multiple=True), "LinalgLuBackward0", operands=("A",))


def linalg_lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The factors P, L and U of A = P L U."""
    _matrix(A, "torch.lu")
    p, lower, upper = LU(A)
    return return_types.linalg_lu(p.detach(), lower, upper)


@function()
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """The factors L and U in one matrix, and the rows that were swapped."""
    warnings.warn(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
        UserWarning,
        stacklevel=3,
    )
    both, pivots, info = lu_factor_ex(A)
    return (both, pivots, info) if get_infos else (both, pivots)


def _order(pivots: Any, n: int) -> Any:
    """The order of rows after the swaps of an LU factorization."""
    flat = np.asarray(pivots).reshape(-1, pivots.shape[-1])
    found = np.tile(np.arange(n), (len(flat), 1))
    for row, swaps in zip(found, flat, strict=True):
        for i, j in enumerate(swaps - 1):
            row[i], row[j] = row[j], row[i]
    return found.reshape((*pivots.shape[:-1], n))


def _lu_solve(both: Any, b: Any, *, rows: Any) -> Any:
    n = both.shape[-1]
    b = fnp.take_along_axis(b, rows()[..., :, None], axis=-2)
    lower = fnp.tril(both, -1) + np.eye(n, dtype=both.dtype)
    return fnp.linalg.solve(fnp.triu(both), fnp.linalg.solve(lower, b))


LU_SOLVE = Operation(_lu_solve, "LinalgLuSolveBackward0", operands=("LU", "B"))


def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Any = None) -> Tensor:  # fmt: skip  # noqa: E501
    """The solution of AX = B from the LU factors of A."""
    if not left:
        return linalg_lu_solve(LU, pivots, B.mH, adjoint=not adjoint).mH
    order = _order(raw(pivots), LU._value.shape[-1])
    if adjoint:
        rebuilt = return_types.linalg_lu(*_unpacked(LU, order))
        return solve((rebuilt.P @ rebuilt.L @ rebuilt.U).mH, B)
    return _by_columns(LU_SOLVE(LU, B, rows=lambda: order))


@function(names=())
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Tensor:
    """The solution of Ax = b from the LU factors of A."""
    return linalg_lu_solve(LU_data, LU_pivots, b)


def _unpacked(both: Tensor, order: Any) -> tuple:
    m, n = both._value.shape[-2:]
    k = min(m, n)
    eye = exports["eye"]
    lower = both[..., :, :k].tril(-1) + eye(m, k, dtype=both.dtype)
    p = wrapped(np.ascontiguousarray(np.swapaxes(np.eye(m, dtype=both._value.dtype)[order], -1, -2)))
    return p, lower, both[..., :k, :].triu()


@function(method=False)
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """The factors P, L and U from what `lu_factor` gives."""
    order = _order(raw(LU_pivots), LU_data._value.shape[-2])
    return return_types.lu_unpack(*_unpacked(LU_data, order))


# Least squares, pseudo-inverse, rank.


def _pinv(x: Any, *, rtol: Any, hermitian: bool) -> Any:
    return fnp.linalg.pinv(x, rtol=rtol, hermitian=hermitian)


PINV = Operation(_pinv, "LinalgPinvBackward0", operands=("self",), saves_out=True)


def pinv(
    A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None
) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices."""
    _matrix(A, "linalg.pinv")
    if rtol is None:
        rtol = rcond if rcond is not None else max(A._value.shape[-2:]) * float(np.finfo(raw(A).dtype).eps)
    return PINV(A, rtol=float(rtol), hermitian=bool(hermitian))


@function()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices."""
    return pinv(input, rcond)


def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None
) -> Tensor:
    """The number of singular values above a tolerance."""
    _matrix(A, "linalg.matrix_rank")
    value = raw(A)
    s = np.linalg.svd(value, compute_uv=False)
    if tol is not None:
        bound = np.asarray(raw(tol))[..., None]
    else:
        relative = max(value.shape[-2:]) * np.finfo(value.dtype).eps if rtol is None else float(rtol)
        relative = 0.0 if rtol is None and atol is not None and float(atol) > 0 else relative
        bound = np.maximum(relative * s.max(-1, keepdims=True, initial=0), 0 if atol is None else float(atol))
    return wrapped(np.asarray((s > bound).sum(-1)))


def _lstsq(a: Any, b: Any) -> Any:
    return fnp.linalg.pinv(a) @ b


LSTSQ = Operation(_lstsq, "LinalgLstsqBackward0", operands=("self", "b"))


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None, out: Any = None) -> Any:
    """The X that minimises the norm of AX - B, with residuals, ranks and singular values as the driver gives them."""
    _matrix(A, "torch.linalg.lstsq")
    vector = B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]
    m, n = A._value.shape[-2:]
    rows = B._value.shape[-1] if vector else B._value.shape[-2]
    if rows != m:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    solution = LSTSQ(A, B.unsqueeze(-1) if vector else B)
    empty = wrapped(np.zeros(0, raw(A).dtype))
    residuals, rank, values = empty, wrapped(np.zeros(0, np.int64)), empty
    if m > n:
        difference = A @ solution - (B.unsqueeze(-1) if vector else B)
        residuals = (difference.abs() ** 2).sum(-2).detach()
    if driver in (None, "gelsy"):
        rank, residuals = matrix_rank(A), empty
    elif driver in ("gelsd", "gelss"):
        rank, values = matrix_rank(A), svdvals(A).detach()
    return return_types.linalg_lstsq(solution.squeeze(-1) if vector else solution, residuals, rank, values)


# Norms and the rest.


@function()
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return TRACE(input)


def _trace(x: Any) -> Any:
    if x.dtype.kind in "iub":
        return fnp.trace(x, dtype=np.int64)
    return fnp.trace(x)


TRACE = Operation(_trace, "TraceBackward0", operands=("self",), saves=())
MATRIX_EXP = Operation(lambda x: core_matrix_exp(x), "LinalgMatrixExpBackward0", operands=("self",))


@function(names=("linalg_matrix_exp",))
def matrix_exp(input: Tensor) -> Tensor:
    """The exponentials of square matrices."""
    _square(input, "linalg.matrix_exp")
    return MATRIX_EXP(input)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    """Norms of matrices: "fro", "nuc", inf, -inf, 1, -1, 2 or -2."""
    _matrix(A, "linalg.matrix_norm")
    if dtype is not None:
        A = A.to(dtype)
    first, second = (wrap_dim(d, A.ndim) for d in dim)
    if first == second:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        from funcgrad.torch.ops.norms import vector_norm

        return vector_norm(A, 2, (first, second), keepdim)
    if ord in ("nuc", 2, -2):
        s = svdvals(A.movedim((first, second), (-2, -1)))
        found = s.sum(-1) if ord == "nuc" else s.amax(-1) if ord == 2 else s.amin(-1)
        if keepdim:
            for d in sorted((first, second)):
                found = found.unsqueeze(d)
        return found
    if ord in (1, -1, math.inf, -math.inf):
        over, along = (first, second) if abs(ord) == 1 else (second, first)
        sums = A.abs().sum(over, keepdim)
        along = along if keepdim or along < over else along - 1
        return sums.amax(along, keepdim) if ord > 0 else sums.amin(along, keepdim)
    raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")


def linalg_norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    """A vector norm, or, given an order and two dimensions, a matrix norm."""
    from funcgrad.torch.ops.norms import vector_norm

    if ord is not None and ((isinstance(dim, (tuple, list)) and len(dim) == 2) or (dim is None and A.ndim == 2)):
        return matrix_norm(A, ord, tuple(dim) if dim is not None else (-2, -1), keepdim, dtype=dtype)
    if ord is not None and dim is None and A.ndim > 2:
        raise RuntimeError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D.")  # fmt: skip  # noqa: E501
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: Order {ord} not supported.")
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype)


def cond(A: Tensor, p: Any = None, *, out: Any = None) -> Tensor:
    """The condition number with respect to a norm."""
    _matrix(A, "linalg.cond")
    if p in (None, 2, -2):
        s = svdvals(A)
        large, small = s[..., :1], s[..., -1:]
        return (large / small if p != -2 else small / large).squeeze(-1)
    _square(A, "linalg.cond")
    return matrix_norm(A, p) * matrix_norm(inv_ex(A).inverse, p)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Vandermonde matrices: columns are the powers 0 to N - 1."""
    n = x._value.shape[-1] if N is None else N
    columns = x.unsqueeze(-1).expand((*x.shape, n - 1)).cumprod(-1)
    return exports["cat"]([exports["ones_like"](x).unsqueeze(-1), columns], -1)


def tensorinv(A: Tensor, ind: int = 2, *, out: Any = None) -> Tensor:
    """The inverse of tensordot by A over `ind` dimensions."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    left, right = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if math.prod(left) != math.prod(right):
        raise RuntimeError(f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {math.prod(right)} != {math.prod(left)}")  # fmt: skip  # noqa: E501
    return inv(A.reshape(math.prod(left), math.prod(right))).reshape((*right, *left))


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Any = None) -> Tensor:
    """The X with tensordot(A, X, X.ndim) = B."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    shape = tuple(A.shape[B.ndim :])
    if math.prod(shape) != B.numel():
        raise RuntimeError(f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got {math.prod(shape)} != {B.numel()}")  # fmt: skip  # noqa: E501
    return solve(A.reshape(B.numel(), math.prod(shape)), B.reshape(-1)).reshape(shape)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Tensor:
    """The sums of products along one dimension, the first operand conjugated."""
    return (x.conj() * y).sum(dim)


def householder_product(A: Tensor, tau: Tensor, *, out: Any = None) -> Tensor:
    """The first columns of a product of Householder reflections."""
    _matrix(A, "torch.linalg.householder_product")
    m, n = A._value.shape[-2:]
    q = exports["eye"](m, dtype=A.dtype).expand((*A.shape[:-2], m, m))
    for i in range(tau._value.shape[-1]):
        v = A[..., :, i].clone()
        keep = exports["arange"](m)
        v = exports["where"](keep < i, 0.0, exports["where"](keep == i, 1.0, v))
        q = q - tau[..., i, None, None] * (q @ v.unsqueeze(-1)) @ v.unsqueeze(-1).mH
    return q[..., :, :n]


# Functions that torch has removed.

_REMOVED = {
    "solve": "This function was deprecated since version 1.9 and is now removed. `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)",  # noqa: E501
    "symeig": "This function was deprecated since version 1.9 and is now removed. The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\nL = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\nL, V = torch.symeig(A, eigenvectors=True) should be replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')",  # noqa: E501
    "eig": "This function was deprecated since version 1.9 and is now removed. `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\nL, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)",  # noqa: E501
    "lstsq": "This function was deprecated since version 1.9 and is now removed. `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in the returned tuple (although it returns other information about the problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple.\n\nThe unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\nX = torch.linalg.lstsq(A, B).solution",  # noqa: E501
    "matrix_rank": "This function was deprecated since version 1.9 and is now removed.\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in `torch.linalg.matrix_rank()` to 'hermitian'.",  # noqa: E501
}


def _removed(name: str, text: str) -> Any:
    def f(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(text)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"torch.{name} was removed from torch; calling it says what to use."
    return f


for _name, _text in _REMOVED.items():
    exports[_name] = _removed(_name, _text)
