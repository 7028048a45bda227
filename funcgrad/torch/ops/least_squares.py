"""Pseudo-inverse, least squares and rank: where singular values below a tolerance count as zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import linalg as core
from funcgrad.torch.base import return_types
from funcgrad.torch.base.dtypes import FLOATING, of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.contract import broadcast
from funcgrad.torch.ops.factorizations import eigvalsh, svdvals
from funcgrad.torch.ops.matrices import check_matrix, check_square, computed, row_major
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.operation import Operation, apply
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import linalg as texts


def _check_tolerances(name: str, **tolerances: Any) -> None:
    """Raise torch's error of a tolerance that is a tensor of complex numbers."""
    for argument, t in tolerances.items():
        if isinstance(t, Tensor) and t._value.dtype.kind == "c":
            raise RuntimeError(
                f"torch.linalg.{name}: {argument} tensor of complex type is not supported. Got {t.dtype.title}"
            )


def _tolerances(x: Tensor, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """The absolute and the relative tolerance, arrays or numbers; by default the relative one is that of rounding."""
    found = [numeric_value(t) for t in (atol, rtol)]
    if rtol is None:
        eps = float(np.finfo(x._value.dtype).eps) * max(x._value.shape[-2:])
        found[1] = np.where(np.greater(found[0], 0), 0.0, eps) if atol is not None else eps
    return found[0], found[1]


def numeric_value(t: Any) -> Any:
    """The number or ndarray of a tolerance; None counts as zero."""
    return 0.0 if t is None else raw(t.detach()) if isinstance(t, Tensor) else float(t)


def _cutoffs(s: Any, atol: Any, rtol: Any) -> Any:
    """For each matrix with these singular values the value up to which they count as zero."""
    return np.maximum(atol, (np.maximum.reduce(s, axis=-1) * rtol).astype(s.dtype))


# The pseudo-inverse.


def _pinv(x: Any, *, rtol: Any, hermitian: bool) -> Any:
    return core.pinv(x, np.asarray(rtol, np.float64), hermitian=hermitian)


PINV = Operation(_pinv, "LinalgPinvBackward0", operands=("self",), saves_out=True)


def _pseudo_inverse(x: Any, atol: Any, rtol: Any, hermitian: bool) -> Tensor:
    d = of_numpy(x._value.dtype)
    if x.ndim < 2 or d.category < FLOATING or d.itemsize < 4:
        raise RuntimeError(texts.PINV_INPUT.format(title=d.title, shape=list(x._value.shape)))
    if hermitian:
        check_square("linalg.eigh", x)
    absolute, relative = _tolerances(x, atol, rtol)
    value = raw(x)
    if np.any(absolute) and not isinstance(value, Array):
        s = raw(eigvalsh(x.detach()).abs() if hermitian else svdvals(x.detach()))
        largest = np.max(s, axis=-1, initial=0)
        relative = np.maximum(relative, np.asarray(absolute) / np.where(largest > 0, largest, 1))
    elif not isinstance(value, Array) and not np.isfinite(value).all():
        svdvals(x.detach())  # raises torch's error
    return computed(PINV, (x,), {"rtol": relative, "hermitian": hermitian}, row_major)


_PINV = (
    "(Tensor input, *, Tensor atol = None, Tensor rtol = None, bool hermitian = False, Tensor out = None)",
    "(Tensor input, *, float atol = None, float rtol = None, bool hermitian = False, Tensor out = None)",
    "(Tensor input, Tensor rcond, bool hermitian = False, *, Tensor out = None)",
    "(Tensor input, float rcond, bool hermitian = False, *, Tensor out = None)",
)


@op("linalg.pinv", *_PINV, records=(PINV,), castable="linalg.pinv: result")
def pinv(input: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse of a matrix, or of each in a batch.

    Arguments:
        input: "... m n".
        rcond: the older name of rtol.
        hermitian: whether the matrix is Hermitian, and eigenvalues may be computed instead of singular values.
        atol, rtol: singular values up to the larger of atol and rtol times the largest one count as zero; numbers, or a
            tensor with one for each matrix.

    Returns:
        "... n m".
    """
    _check_tolerances("pinv", rcond=rcond, atol=atol, rtol=rtol)
    return _pseudo_inverse(input, atol, rtol if rcond is None else rcond, hermitian)


@op("pinverse", "(Tensor input, float rcond = 1e-15)", records=(PINV,))
def pinverse(input: Any, rcond: float = 1e-15) -> Tensor:
    """As `torch.linalg.pinv`."""
    return _pseudo_inverse(input, None, rcond, False)


# Rank.

_RANK = tuple(text.replace("Tensor rcond", "Tensor tol").replace("float rcond", "float tol") for text in _PINV)


@op("linalg.matrix_rank", *_RANK, castable="torch.linalg.matrix_rank: result")
def matrix_rank(input: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The number of singular values of a matrix, or of each in a batch, that do not count as zero.

    Arguments:
        input: "... m n".
        tol: the older name of atol, for which rtol is zero.
        hermitian: whether the matrix is Hermitian, and eigenvalues may be computed instead of singular values.
        atol, rtol: as for `pinv`.
    """
    check_matrix("torch.linalg.matrix_rank", input, "input")
    _check_tolerances("matrix_rank", atol=atol if tol is None else tol, rtol=rtol)
    if isinstance(tol, bool):  # the second place of all is tol's
        tol = float(tol)
    d = of_numpy(input._value.dtype)
    if d.category < FLOATING or d.itemsize < 4:
        raise RuntimeError(texts.NOT_FLOAT_OR_DOUBLE)
    absolute, relative = (numeric_value(tol), 0.0) if tol is not None else _tolerances(input, atol, rtol)
    x = input.detach()
    if hermitian:
        check_square("linalg.eigh", input)
        s = np.abs(raw(eigvalsh(x)))
    else:
        s = raw(svdvals(x))
    rank = wrapped(_rank(s, absolute, relative))
    rank._bump()  # torch writes the sums into it
    return rank


def _rank(s: Any, atol: Any, rtol: Any) -> Any:
    """The number of singular values of each matrix that do not count as zero."""
    if not s.shape[-1]:
        return np.zeros(s.shape[:-1], np.int64)
    return np.add.reduce(s > _cutoffs(s, atol, rtol)[..., None], axis=-1, dtype=np.int64)


# Least squares.


def _lstsq(a: Any, b: Any, *, rtol: Any, residuals: bool, vector: bool, batch: tuple) -> tuple:
    if vector:
        b = b[..., None]
    if b.shape[:-2] != batch:
        b = fnp.broadcast_to(b, (*batch, *b.shape[-2:]))
    x = core.pinv(a, np.asarray(rtol, np.float64)) @ b
    squares = np.zeros(0, x.dtype.char.lower())
    if residuals:
        rest = b - a @ x
        squares = np.add.reduce((rest * np.conjugate(rest)).real if rest.dtype.kind == "c" else rest * rest, axis=-2)
    return x[..., 0] if vector else x, squares


LSTSQ = Operation(Composite(_lstsq, multiple=True), "LinalgLstsqBackward0", operands=("self", "b"), saves_out=True)
_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@op(
    "linalg.lstsq",
    "(Tensor input, Tensor b, float? rcond = None, *, str? driver = None, tuple of Tensors out = None)",
    records=(LSTSQ,),
    castable="torch.linalg.lstsq: solution residuals rank singular_values",
)
def lstsq(input: Any, b: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """The X for which the Frobenius norm of input X - b is least; of several such, the one of least norm.

    Arguments:
        input: "... m n".
        b: "... m k"; a batch of as many vectors "... m" as there are matrices.
        rcond: singular values up to rcond times the largest one count as zero.
        driver: which of LAPACK's drivers to follow in what is given: "gels", "gelsy", "gelsd" or "gelss".

    Returns:
        (solution, residuals, rank, singular_values); what the driver does not find is empty.
    """
    name = "torch.linalg.lstsq"
    shape, right = input._value.shape, b._value.shape
    if len(shape) < 2:
        raise RuntimeError(texts.TOO_FEW_DIMENSIONS.format(name=name))
    if not right:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    d, e = input.dtype, b.dtype
    if d is not e:
        raise RuntimeError(texts.LSTSQ_DTYPES.format(name=name, first=d.title, second=e.title))
    if not 0 <= len(shape) - len(right) <= 1:
        raise RuntimeError(texts.LSTSQ_DIMENSIONS.format(name=name))
    fewer = len(right) < len(shape)
    vector = len(right) == 1 or (fewer and right == shape[:-1])
    rows = (*right, 1) if vector else right
    m, n = shape[-2:]
    if rows[-2] != m:
        raise RuntimeError(f"{name}: input.size({-2}) should match other.size({-1 if vector else -2})")
    if driver is not None and driver not in _DRIVERS:
        raise RuntimeError(texts.LSTSQ_DRIVER.format(name=name))
    if d.category < FLOATING or d.itemsize < 4:
        raise RuntimeError(texts.NOT_FLOAT_OR_DOUBLE)
    batch = broadcast(shape[:-2], right[:-1] if fewer else right[:-2])  # also of a matrix with fewer dimensions
    driver = driver or "gelsy"
    rtol = float(np.finfo(input._value.dtype).eps) * max(m, n) if rcond is None else float(rcond)
    s = raw(svdvals(input.detach())) if m and n else np.zeros((*shape[:-2], 0), d.to_real().numpy)
    rank = _rank(s, 0.0, rtol)
    full_rank = driver == "gels" or isinstance(rank, Array) or bool((rank == n).all())
    params = {"rtol": rtol, "residuals": driver != "gelsy" and m > n and full_rank}
    solution, residuals = apply(LSTSQ, (input, b), params | {"vector": vector, "batch": batch})
    solution._value = _in_larger_columns(solution._value, max(m, n), vector)
    empty = np.zeros(0, s.dtype)
    return return_types.linalg_lstsq(
        (
            solution,
            residuals,
            wrapped(
                np.zeros(0, np.int64) if driver == "gels" else rank if isinstance(rank, Array) else np.asarray(rank)
            ),
            wrapped(s if driver in ("gelsd", "gelss") else empty),
        )
    )


def _in_larger_columns(value: Any, rows: int, vector: bool) -> Any:
    """Matrices in the first rows of longer columns, where LAPACK leaves the solution."""
    if type(value) is not ndarray:
        return value
    *batch, n, k = (*value.shape, 1) if vector else value.shape
    out = np.zeros((*batch, k, rows), value.dtype).mT[..., :n, :]
    out = out[..., 0] if vector else out
    out[...] = value
    return out
