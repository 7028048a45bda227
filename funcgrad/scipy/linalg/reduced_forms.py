"""Schur and Hessenberg forms under SciPy's names, with derivatives.

Both are a = Q T Qᴴ with a unitary Q, and the derivatives come from Ω = Qᴴ dQ, which is skew-Hermitian: in Qᴴ da Q =
Ω T - T Ω + dT the elements below the part of T that is not zero determine Ω, column by column. See G. Stewart and
J. Sun, "Matrix perturbation theory" (1990). A column of the complex Schur vectors has a phase that nothing determines;
its derivative is taken without a change of phase, which is right for every function that does not depend on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Complex, Inexact
from funcgrad.errors import ArgumentError
from funcgrad.numpy import concatenate, stack, triu, zeros
from funcgrad.numpy.convert import inexact, wrap
from funcgrad.ops import elimination, reduced_forms
from funcgrad.ops.linalg import adjoint, nan_where, reciprocal_or_nan
from funcgrad.transforms.custom_jvp import custom_jvp

__all__ = ["hessenberg", "rsf2csf", "schur"]


@custom_jvp
def _complex_schur(a: Array) -> tuple[Array, Array]:
    t, z = reduced_forms.complex_schur(a)
    return wrap(t), wrap(z)


@custom_jvp
def by_real_schur(a: Array) -> tuple[Array, Array]:
    """The complex Schur form that `rsf2csf` makes of the real one, with its derivative."""
    t, z = reduced_forms.rsf2csf(*(reduced_forms.complex_schur if a.dtype.kind == "c" else reduced_forms.schur)(a))
    return wrap(t), wrap(z)


def _moved(form: tuple[Array, Array], ta: Array) -> tuple[Array, Array]:
    """The tangents of a complex Schur form."""
    t, z = form
    n = t.shape[-1]
    middle = adjoint(z) @ ta @ z
    rest, found = middle, []
    for j in range(n):  # the column j of the strictly lower part of Ω, from that of rest
        below = n - j - 1
        gaps = t[..., j, j, None, None] * np.eye(below, dtype=t.dtype) - t[..., j + 1 :, j + 1 :]
        equal = t[..., j, j, None] == t[..., np.arange(j + 1, n), np.arange(j + 1, n)]
        gaps = gaps + nan_where(equal, t.dtype)[..., None] if below else gaps
        column = wrap(elimination.triangular_solve(gaps, rest[..., j + 1 :, j, None], lower=False, unit=False))
        column = concatenate([zeros((*t.shape[:-2], j + 1, 1), t.dtype), column], axis=-2)
        rest = rest - column @ t[..., j, None, :]
        found.append(column)
    if not n:
        return middle, z
    lower = concatenate(found, axis=-1)
    turn = lower - adjoint(lower)
    return triu(middle - turn @ t + t @ turn), z @ turn


for _form in (_complex_schur, by_real_schur):
    _form.defjvp(lambda primals, tangents, form=_form: ((out := form(*primals)), _moved(out, *tangents)))


def schur(
    a: ArrayLike,
    output: str = "real",
    lwork: Any = None,
    overwrite_a: bool = False,
    sort: None = None,
    check_finite: bool = True,
) -> tuple[Inexact[Array, "... n n"], Inexact[Array, "... n n"]]:
    """The Schur form a = Z T Zᴴ of a matrix.

    Arguments:
        a: a square matrix.
        output: "real", which for a real matrix gives blocks of two where eigenvalues are complex, and has no
            derivative; or "complex", which gives a triangle and has one. That is nan where eigenvalues are equal.
        sort: must be None.
        lwork, overwrite_a, check_finite: accepted as in SciPy.

    Returns:
        (T, Z).

    Raises:
        NotDifferentiableError: the derivative of the real form.

    Example:
        >>> from funcgrad.scipy.linalg import schur
        >>> T, Z = schur([[1.0, 0.0], [0.0, 2.0]], output="complex")
        >>> T.real
        Array([[1., 0.],
               [0., 2.]], dtype=float64)
    """
    if output not in ("real", "complex", "r", "c"):
        raise ValueError(f"schur: output must be 'real' or 'complex', got {output!r}")
    if sort is not None:
        raise ArgumentError("schur: the option sort= is not there")
    x = inexact(a)
    if output[0] == "c" or x.dtype.kind == "c":
        return _complex_schur(x)
    t, z = reduced_forms.schur(x)
    return wrap(t), wrap(z)


def rsf2csf(
    T: ArrayLike, Z: ArrayLike, check_finite: bool = True
) -> tuple[Complex[Array, "... n n"], Complex[Array, "... n n"]]:
    """The complex Schur form from the real one.

    Arguments:
        T, Z: the real form.
        check_finite: accepted as in SciPy.

    Raises:
        NotDifferentiableError: a derivative; take `schur(a, output="complex")` of the matrix itself.

    Example:
        >>> from funcgrad.scipy.linalg import rsf2csf, schur
        >>> T, Z = rsf2csf(*schur([[0.0, 1.0], [-1.0, 0.0]]))
        >>> abs(T[1, 0])
        Array(0., dtype=float64)
    """
    t, z = reduced_forms.rsf2csf(inexact(T), inexact(Z))
    return wrap(t), wrap(z)


@custom_jvp
def _hessenberg(a: Array) -> tuple[Array, Array]:
    h, q = reduced_forms.hessenberg(a)
    return wrap(h), wrap(q)


@_hessenberg.defjvp
def _hessenberg_jvp(primals: tuple, tangents: tuple) -> tuple:
    """The first column of Q does not move, and LAPACK makes the elements below the diagonal real."""
    (a,), (ta,) = primals, tangents
    h, q = _hessenberg(a)
    n, complex_ = h.shape[-1], h.dtype.kind == "c"
    middle = adjoint(q) @ ta @ q
    if n <= 2:  # nothing is to be reduced
        return (h, q), (middle, q * 0)
    columns = [zeros(h.shape[:-1], h.dtype)]  # of Ω
    for j in range(n - 1):
        known = stack(columns, axis=-1)
        moved = (h @ columns[j][..., None])[..., 0] - (known @ h[..., : j + 1, j, None])[..., 0]
        column = (middle[..., j] + moved) * reciprocal_or_nan(h[..., j + 1, j, None])
        above = -known[..., j + 1, : j + 1].conj()
        if complex_:
            diagonal = (column[..., j + 1] - column[..., j + 1].conj())[..., None] * 0.5
        else:
            diagonal = zeros((*h.shape[:-2], 1), h.dtype)
        columns.append(concatenate([above, diagonal, column[..., j + 2 :]], axis=-1))
    turn = stack(columns, axis=-1)
    return (h, q), (triu(middle - turn @ h + h @ turn, -1), q @ turn)


def hessenberg(a: ArrayLike, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The Hessenberg form a = Q H Qᴴ of a matrix: H is zero below the diagonal under the main one.

    Arguments:
        a: a square matrix.
        calc_q: whether to give (H, Q) and not H alone.
        overwrite_a, check_finite: accepted as in SciPy.

    Returns:
        H, or (H, Q). The derivative is nan where an element under the diagonal of H is zero, for then nothing
        determines Q.

    Example:
        >>> from funcgrad.scipy.linalg import hessenberg
        >>> hessenberg([[1.0, 2.0], [3.0, 4.0]])
        Array([[1., 2.],
               [3., 4.]], dtype=float64)
    """
    h, q = _hessenberg(inexact(a))
    return (h, q) if calc_q else h
