"""QR, singular values, eigenvalues, and products of Householder reflections."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import factorizations as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base import return_types
from funcgrad.torch.base.dtypes import FLOATING
from funcgrad.torch.base.modes import state
from funcgrad.torch.declare.arguments import warn_native
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.cholesky import as_hermitian
from funcgrad.torch.ops.complex import _ToComplex
from funcgrad.torch.ops.matrices import (
    LinAlgError,
    check_inexact,
    check_kernel,
    check_matrix,
    check_square,
    column_major,
    computed,
    guarded,
    numeric,
    row_major,
)
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, requires, wrapped
from funcgrad.torch.texts import dtypes as dtypes_texts
from funcgrad.torch.texts import linalg as texts


def _not_finite(x: Any) -> ndarray:
    """For each matrix whether it has elements that are inf or nan."""
    return np.zeros((), bool) if isinstance(x, Array) else ~np.isfinite(x).all(axis=(-2, -1))


# QR.


def _qr(x: Any, *, mode: str) -> tuple:
    m, n = x.shape[-2:]
    if mode == "complete" and m > n:
        return core.qr_complete(stop(x))
    return core.qr(x)


def _refuse_qr(g: Any, values: tuple, params: dict) -> None:
    mode, (m, n) = params["mode"], values[0].shape[-2:]
    if mode == "r":
        raise RuntimeError(texts.QR_NO_Q)
    if mode == "complete" and m > n:
        raise RuntimeError(texts.QR_COMPLETE)


QR = guarded("LinalgQrBackward0", _qr, _refuse_qr, multiple=True, operands=("A",), saves=(), saves_out=True)


def _factors(x: Any, mode: str) -> tuple:
    check_matrix("linalg.qr", x)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(texts.QR_MODE.format(mode=mode))
    check_inexact("linalg.qr", x)
    check_kernel("geqrf_cpu", x)
    q, r = computed(QR, (x,), {"mode": mode})
    if mode == "r":
        q._value = np.empty(0, q._value.dtype)
        if q._node is not None:
            q._node.shape = ((0,), r._value.shape)
    return q, r


@op("linalg.qr", '(Tensor A, str mode = "reduced", *, tuple of Tensors out = None)', records=(QR,), exact=True)
def qr(A: Any, mode: str = "reduced") -> Any:
    """The factors Q, with orthonormal columns, and R, upper triangular, whose product is the matrix.

    Arguments:
        A: "... m n".
        mode: "reduced": Q has min(m, n) columns; "complete": it is square; "r": Q is left out.

    Returns:
        (Q, R).
    """
    return return_types.linalg_qr(_factors(A, mode))


@op("qr", "(Tensor input, bool some = True, *, tuple of Tensors out = None)", records=(QR,), exact=True)
def _old_qr(input: Any, some: bool = True) -> Any:
    """As `torch.linalg.qr`; some=False is mode="complete"."""
    warn_native(texts.QR_DEPRECATED, "aten/src/ATen/native/BatchLinearAlgebra.cpp:2505", stacklevel=4)
    return return_types.qr(_factors(input, "reduced" if some else "complete"))


# Singular values. What full_matrices adds to the vectors is orthogonal to them, and has no derivative.


def _svd(x: Any, *, full_matrices: bool) -> tuple:
    u, s, vh = core.svd(x)
    m, n = x.shape[-2:]
    if full_matrices and m != n:
        whole_u, _, whole_vh = core.svd_full(stop(x))
        if m > n:
            u = fnp.concatenate([u, stop(whole_u)[..., n:]], axis=-1)
        else:
            vh = fnp.concatenate([vh, stop(whole_vh)[..., m:, :]], axis=-2)
    return u, s, vh


def _refuse_phase_of_svd(g: tuple, values: tuple, params: dict) -> None:
    x = numeric(values[0])
    if x.dtype.kind != "c":
        return
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    k, along = s.shape[-1], np.zeros(s.shape)
    if g[0] is not None:
        along = along + np.add.reduce(np.conj(u) * numeric(g[0])[..., :k], axis=-2).imag
    if g[2] is not None:
        along = along + np.add.reduce(vh * np.conj(numeric(g[2])[..., :k, :]), axis=-1).imag
    if (np.abs(along) > 1e-2).any():
        raise RuntimeError(texts.SVD_PHASE)


SVD = guarded(
    "LinalgSvdBackward0", _svd, _refuse_phase_of_svd, multiple=True, operands=("A",), saves=(), saves_out=True
)


def _decomposed(x: Tensor, full_matrices: bool) -> tuple:
    check_matrix("linalg.svd", x)
    check_inexact("linalg.svd", x)
    check_kernel("linalg_svd_cpu", x)
    wrong = _not_finite(raw(x))
    if wrong.any():
        batch = f"(Batch element {int(np.flatnonzero(wrong)[0])}): " if wrong.ndim else ""
        raise LinAlgError(texts.SVD_NOT_FINITE.format(batch=batch))
    u, s, vh = SVD(x, full_matrices=full_matrices)
    u._value, s._value, vh._value = column_major(u._value), row_major(s._value), column_major(vh._value)
    return u, s, vh


def _check_driver(name: str, driver: Any) -> None:
    if driver is not None:
        raise RuntimeError(texts.SVD_DRIVER.format(name=name))


@op(
    "linalg.svd",
    "(Tensor A, bool full_matrices = True, *, str? driver = None, tuple of Tensors out = None)",
    records=(SVD,),
    exact=True,
)
def svd(A: Any, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """The singular value decomposition A = U diag(S) Vh.

    Arguments:
        A: "... m n".
        full_matrices: whether U and Vh are square; otherwise they have min(m, n) columns, and rows.
        driver: only for other devices.

    Returns:
        (U, S, Vh), with S descending.
    """
    _check_driver("torch.linalg.svd", driver)
    return return_types.linalg_svd(_decomposed(A, full_matrices))


@op("linalg.svdvals", "(Tensor A, *, str? driver = None, Tensor out = None)", records=(SVD,), exact=True)
def svdvals(A: Any, *, driver: Any = None) -> Tensor:
    """The singular values of a matrix, or of each in a batch, descending."""
    _check_driver("torch.linalg.svd", driver)
    return _decomposed(A, False)[1]


@op(
    "svd",
    "(Tensor input, bool some = True, bool compute_uv = True, *, tuple of Tensors out = None)",
    records=(SVD,),
    exact=True,
)
def _old_svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """The singular value decomposition input = U diag(S) Vᴴ; with compute_uv=False, U and V are zeros."""
    if input.ndim < 2:
        raise RuntimeError(texts.SVD_DIMENSIONS.format(ndim=input.ndim))
    u, s, vh = _decomposed(input, not some)
    if not compute_uv:
        *batch, m, n = input._value.shape
        kind = u._value.dtype
        u, vh = wrapped(np.zeros((*batch, m, m), kind)), wrapped(np.zeros((*batch, n, n), kind))
    return return_types.svd((u, s, vh.mH))


# Eigenvalues.


def _eigh(x: Any, *, UPLO: str) -> tuple:
    return core.eigh(as_hermitian(x, UPLO == "U"), uplo=UPLO)


def _eig(x: Any) -> tuple:
    return core.eig(x)


def _depends_on_phase(g: Any, vectors: ndarray) -> bool:
    along = np.add.reduce(np.conj(vectors) * numeric(g), axis=-2).imag
    return bool((np.abs(along) > 1e-2).any())


for _primitive in (core.eig, core.eigvals):  # complex results of real matrices, where the core's rules are recorded
    _op = Operation(_primitive, "LinalgEigBackward0", operands=("self",))
    _op.recordings = _ToComplex(_op)


def _refuse_phase_of_eigh(g: tuple, values: tuple, params: dict) -> None:
    x = numeric(values[0])
    if x.dtype.kind == "c" and g[1] is not None and _depends_on_phase(g[1], np.linalg.eigh(x, params["UPLO"])[1]):
        raise RuntimeError(texts.EIG_PHASE.format("linalg_eigh_backward"))


def _refuse_phase_of_eig(g: tuple, values: tuple, params: dict) -> None:
    if g[1] is not None and _depends_on_phase(g[1], np.linalg.eig(numeric(values[0]))[1]):
        raise RuntimeError(texts.EIG_PHASE.format("linalg_eig_backward"))


EIGH = guarded(
    "LinalgEighBackward0", _eigh, _refuse_phase_of_eigh, multiple=True, operands=("A",), saves=(), saves_out=True
)
EIG = guarded(
    "LinalgEigBackward0", _eig, _refuse_phase_of_eig, multiple=True, operands=("self",), saves=(), saves_out=True
)


def _hermitian_values(x: Any, uplo: Any) -> tuple:
    check_square("linalg.eigh", x)
    triangle = uplo.upper()
    if triangle not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    check_kernel("linalg_eigh_cpu", x)
    value = raw(x)
    if type(value) is ndarray and _not_finite(np.triu(value) if triangle == "U" else np.tril(value)).any():
        vectors = np.full(value.shape, np.nan, value.dtype)
        return wrapped(np.full(value.shape[:-1], np.nan, value.real.dtype)), wrapped(column_major(vectors))
    w, v = EIGH(x, UPLO=triangle)
    v._value = column_major(v._value)
    return w, v


@op("linalg.eigh", '(Tensor input, str UPLO = "L", *, tuple of Tensors out = None)', records=(EIGH,), exact=True)
def eigh(input: Any, UPLO: str = "L") -> Any:
    """The eigenvalues, ascending, and eigenvectors of a Hermitian matrix, or of each in a batch.

    Arguments:
        input: "... n n", of which one triangle is looked at.
        UPLO: which: "L" or "U".

    Returns:
        (eigenvalues, eigenvectors); the eigenvectors are the columns.
    """
    return return_types.linalg_eigh(_hermitian_values(input, UPLO))


@op("linalg.eigvalsh", '(Tensor input, str UPLO = "L", *, Tensor out = None)', records=(EIGH,), exact=True)
def eigvalsh(input: Any, UPLO: str = "L") -> Tensor:
    """The eigenvalues of a Hermitian matrix, or of each in a batch, ascending."""
    return _hermitian_values(input, UPLO)[0]


def _values(x: Any, name: str = "linalg.eig") -> tuple:
    if x.dtype.category < FLOATING:
        raise RuntimeError(dtypes_texts.NO_COMPLEX.format(dtype=x.dtype.title))
    check_square(name, x)
    if x._value.dtype == np.float16:
        for _ in range(1 if name == "linalg.eigvals" else 2):  # once for each result
            warn_native(texts.COMPLEX_HALF, "aten/src/ATen/EmptyTensor.cpp:54")
    check_kernel("linalg_eig_out_cpu", x)
    if _not_finite(raw(x)).any():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    w, v = EIG(x)
    v._value = column_major(v._value)
    return w, v


@op(
    "linalg.eig",
    "(Tensor input, *, tuple of Tensors out = None)",
    records=(EIG,),
    castable="torch.linalg.eig: eigenvalues eigenvectors",
)
def eig(input: Any) -> Any:
    """The eigenvalues and eigenvectors of a square matrix, or of each in a batch; both are complex.

    Arguments:
        input: "... n n".

    Returns:
        (eigenvalues, eigenvectors); the eigenvectors are the columns, of length one.
    """
    return return_types.linalg_eig(_values(input))


@op(
    "linalg.eigvals",
    "(Tensor input, *, Tensor out = None)",
    records=(EIG,),
    castable="torch.linalg.eigvals: eigenvalues",
)
def eigvals(input: Any) -> Tensor:
    """The eigenvalues of a square matrix, or of each in a batch; they are complex."""
    recorded = state.grad and requires(input)  # then torch computes eigenvectors as well
    return _values(input, "linalg.eig" if recorded else "linalg.eigvals")[0]


# Householder reflections: H = 1 - tau v vᴴ, where v has zeros above its element k, which is one.


def _reflection(a: Any, k: int) -> Any:
    """The vector of reflection k, of the matrix that holds them as geqrf gives it."""
    rows = np.arange(a.shape[-2])
    return fnp.where(rows > k, a[..., k], (rows == k).astype(a.dtype))[..., None]


def _reflected(a: Any, tau: Any, x: Any, *, transpose: bool) -> Any:
    """The product of all reflections, or its conjugate transpose, times x."""
    count = tau.shape[-1]
    for k in range(count) if transpose else reversed(range(count)):
        v, t = _reflection(a, k), tau[..., k, None, None]
        vh = v.mT
        if x.dtype.kind == "c":
            vh = np.conjugate(vh)
            t = np.conjugate(t) if transpose else t
        x = x - t * v * (vh @ x)
    return x


def _householder_product(a: Any, tau: Any) -> Any:
    eye = np.broadcast_to(np.eye(*a.shape[-2:], dtype=a.dtype), a.shape)
    return _reflected(a, tau, eye, transpose=False)


def _ormqr(a: Any, tau: Any, x: Any, *, left: bool, transpose: bool) -> Any:
    if left:
        return _reflected(a, tau, x, transpose=transpose)
    xh = x.mT if x.dtype.kind != "c" else np.conjugate(x.mT)
    out = _reflected(a, tau, xh, transpose=not transpose).mT
    return np.conjugate(out) if x.dtype.kind == "c" else out


HOUSEHOLDER = guarded(
    "LinalgHouseholderProductBackward0", _householder_product, operands=("input", "tau"), saves_out=True
)
ORMQR = guarded("OrmqrBackward0", _ormqr, operands=("self", "input2", "input3"), saves_out=True)


def _product_of_reflections(a: Any, tau: Any) -> Tensor:
    name = "torch.linalg.householder_product"
    if a.ndim < 2:
        raise RuntimeError(texts.TOO_FEW_DIMENSIONS.format(name=name))
    (m, n), k = a._value.shape[-2:], tau._value.shape[-1] if tau.ndim else 0
    if m < n:
        raise RuntimeError(texts.HOUSEHOLDER_WIDE.format(name=name))
    if n < k:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if a.ndim - tau.ndim != 1:
        raise RuntimeError(texts.TAU_DIMENSIONS.format(name=name, tau=tau.ndim, input=a.ndim))
    if a._value.shape[:-2] != tau._value.shape[:-1]:
        raise RuntimeError(texts.TAU_BATCHES.format(name=name, batches=list(tau._value.shape[:-1])))
    if a._value.dtype != tau._value.dtype:
        raise RuntimeError(f"{name}: tau dtype {tau.dtype.title} does not match input dtype {a.dtype.title}")
    check_kernel("orgqr_cpu", a)
    return computed(HOUSEHOLDER, (a, tau), {})


@op(
    "linalg.householder_product",
    "(Tensor input, Tensor tau, *, Tensor out = None)",
    records=(HOUSEHOLDER,),
    castable="torch.linalg.householder_product: result",
)
def householder_product(input: Any, tau: Any) -> Tensor:
    """The first columns of a product of Householder reflections.

    Arguments:
        input: "... m n", with the vectors of the reflections below its diagonal.
        tau: their factors, "... k".
    """
    return _product_of_reflections(input, tau)


@op(
    "orgqr",
    "(Tensor input, Tensor input2, *, Tensor out = None)",
    records=(HOUSEHOLDER,),
    castable="torch.linalg.householder_product: result",
)
def orgqr(input: Any, input2: Any) -> Tensor:
    """As `torch.linalg.householder_product`."""
    return _product_of_reflections(input, input2)


_ORMQR = "(Tensor input, Tensor input2, Tensor input3, bool left = True, bool transpose = False, *, Tensor out = None)"


@op("ormqr", _ORMQR, records=(ORMQR,), exact=texts.ORMQR_OUT)
def ormqr(input: Any, input2: Any, input3: Any, left: bool = True, transpose: bool = False) -> Tensor:
    """The product of a matrix and the square Q that Householder reflections make.

    Arguments:
        input: "... m k", with the vectors of the reflections below its diagonal.
        input2: their factors, "... k".
        input3: the matrix.
        left: whether Q is on the left side.
        transpose: whether to take its conjugate transpose.
    """
    for x, name in ((input, "input"), (input3, "other")):
        if x.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    side = -2 if left else -1
    m, k = input3._value.shape[side], input2._value.shape[-1]
    if m < k:
        raise RuntimeError(texts.ORMQR_SHORT.format(side=side))
    if k != min(m, input._value.shape[-1]):
        raise RuntimeError(texts.ORMQR_TAU.format(side=side))
    if m != input._value.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    check_kernel("ormqr_cpu", input)
    return computed(ORMQR, (input, input2, input3), {"left": left, "transpose": transpose})


def _geqrf(x: Any) -> tuple:
    a, tau = core.qr_raw(stop(x))
    return a.mT, tau


def _refuse_geqrf(g: tuple, values: tuple, params: dict) -> None:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


GEQRF = guarded("GeqrfBackward0", _geqrf, _refuse_geqrf, multiple=True, operands=("self",), saves=())


@op("geqrf", "(Tensor input, *, tuple of Tensors out = None)", records=(GEQRF,), castable="torch.geqrf: a tau")
def geqrf(input: Any) -> Any:
    """The QR factorization in LAPACK's form: R, with the vectors of reflections below it, and the factors of these."""
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel("geqrf_cpu", input)
    if input._value.dtype.kind == "c" and state.grad and requires(input):
        raise RuntimeError(texts.GEQRF_COMPLEX)
    a, tau = GEQRF(input)
    a._value = column_major(a._value)
    return return_types.geqrf((a, tau))
