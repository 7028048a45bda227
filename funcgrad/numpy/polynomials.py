"""Polynomials as vectors of coefficients, the highest power first."""

from __future__ import annotations

import warnings
from operator import index
from typing import Any, Literal

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Num, Shaped
from funcgrad.errors import NoValueError
from funcgrad.numpy import linalg
from funcgrad.numpy.constructors import ones, vander, zeros, zeros_like
from funcgrad.numpy.contractions import convolve, outer
from funcgrad.numpy.convert import asarray, wrap
from funcgrad.numpy.elementwise import real
from funcgrad.numpy.joining import concatenate, stack, unstack
from funcgrad.numpy.reductions import sum
from funcgrad.numpy.shapes import astype, atleast_1d
from funcgrad.numpy.ufuncs import sqrt
from funcgrad.ops import polynomial

__all__ = [
    "poly",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


def _coefficients(p: ArrayLike) -> Any:
    c: Any = atleast_1d(p)
    if c.ndim != 1:
        raise ValueError(f"the coefficients of a polynomial are a vector, got shape {c.shape}")
    return c


def _padded(p: Any, n: int) -> Any:
    """The same polynomial with at least n coefficients."""
    return p if p.size >= n else concatenate([zeros(n - p.size, p.dtype), p])


def polyval(p: ArrayLike, x: ArrayLike) -> Shaped[Array, "..."]:
    """The values of a polynomial, by Horner's rule.

    Arguments:
        p: the coefficients, the highest power first.
        x: where, of any shape.

    Returns:
        The values, of the shape of x.

    Example:
        >>> fnp.polyval([3.0, 0.0, 1.0], 2.0)  # 3 x² + 1
        Array(13., dtype=float64)
    """
    c, at = asarray(p), asarray(x)
    y: Any = zeros_like(at)
    if c.size == 0:
        return y
    first, *rest = unstack(c)
    y = y + first
    for a in rest:
        y = y * at + a
    return y


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Num[Array, " n"]:
    """The sum of two polynomials.

    Example:
        >>> fnp.polyadd([1.0, 2.0], [9.0, 5.0, 4.0])
        Array([9., 6., 6.], dtype=float64)
    """
    p, q = _coefficients(a1), _coefficients(a2)
    return _padded(p, q.size) + _padded(q, p.size)


def polysub(a1: ArrayLike, a2: ArrayLike) -> Num[Array, " n"]:
    """The difference of two polynomials.

    Example:
        >>> fnp.polysub([1.0, 2.0], [9.0, 5.0, 4.0])
        Array([-9., -4., -2.], dtype=float64)
    """
    p, q = _coefficients(a1), _coefficients(a2)
    return _padded(p, q.size) - _padded(q, p.size)


def polymul(a1: ArrayLike, a2: ArrayLike, *, trim_leading_zeros: bool = False) -> Num[Array, " n"]:
    """The product of two polynomials.

    Leading zeros stay, as in JAX. NumPy drops them, but then the derivative with respect to such a coefficient would be
    lost.

    Arguments:
        a1, a2: the coefficients.
        trim_leading_zeros: whether to drop leading zeros of the factors, which needs their values.

    Example:
        >>> fnp.polymul([1.0, 2.0], [1.0, 3.0])
        Array([1., 5., 6.], dtype=float64)
    """
    p, q = _coefficients(a1), _coefficients(a2)
    if trim_leading_zeros:
        p, q = _trimmed(p, "polymul(x, y)"), _trimmed(q, "polymul(x, y)")
    return convolve(p, q)


def _trimmed(p: Any, action: str) -> Any:
    """Coefficients without leading zeros; one at least stays."""
    places = np.flatnonzero(np.asarray(p._concrete(action)))
    return p[min(int(places[0]), p.size - 1) :] if places.size else p[-1:]


def polydiv(
    u: ArrayLike, v: ArrayLike, *, trim_leading_zeros: bool = False
) -> tuple[Num[Array, " n"], Num[Array, " m"]]:
    """The quotient and the remainder of two polynomials.

    Arguments:
        u: the dividend.
        v: the divisor; its first coefficient must not be zero.
        trim_leading_zeros: whether to drop zeros in front of the remainder, as NumPy does, which needs its values.

    Returns:
        (quotient, remainder). The remainder has one coefficient less than v (and at least one), or is u if v is longer;
        leading zeros stay.

    Example:
        >>> fnp.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])
        (Array([1.5 , 1.75], dtype=float64), Array([0.25], dtype=float64))
    """
    rest, divisor = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    n = divisor.size - 1
    quotient = []
    if rest.size > n:
        scale, tail = 1.0 / divisor[0], divisor[1:]
        while rest.size > n:
            q = scale * rest[0]
            quotient.append(q)
            rest = concatenate([rest[1 : n + 1] - q * tail, rest[n + 1 :]])
        rest = rest if n else zeros(1, rest.dtype)
    else:
        quotient, rest = [0 * (rest[0] + divisor[0])], rest + zeros_like(divisor[:1])
    if trim_leading_zeros:
        small = np.abs(np.asarray(rest._concrete("polydiv(x, y)"))) <= 1e-8
        rest = rest[min(int(np.argmin(small)) if not small.all() else rest.size, rest.size - 1) :]
    return stack(quotient), rest


def polyder(p: ArrayLike, m: int = 1) -> Num[Array, " n"]:
    """The derivative of a polynomial.

    Arguments:
        p: the coefficients.
        m: how often to differentiate.

    Raises:
        ValueError: m is negative.

    Example:
        >>> fnp.polyder([1.0, 1.0, 1.0, 1.0])
        Array([3., 2., 1.], dtype=float64)
    """
    c = _coefficients(p)
    if index(m) < 0:
        raise ValueError(f"polyder: the order must not be negative, got {m}")
    for _ in range(m):
        c = c[:-1] * np.arange(c.size - 1, 0, -1)
    return c


def polyint(p: ArrayLike, m: int = 1, k: ArrayLike | None = None) -> Num[Array, " n"]:
    """The antiderivative of a polynomial.

    Arguments:
        p: the coefficients.
        m: how often to integrate.
        k: the constants of integration, one for each time; a single one serves for all. By default zeros.

    Raises:
        ValueError: m is negative, or the number of constants is not m.

    Example:
        >>> fnp.polyint([6.0, 4.0], k=1.0)
        Array([3., 4., 1.], dtype=float64)
    """
    c = _coefficients(p)
    if index(m) < 0:
        raise ValueError(f"polyint: the order must not be negative, got {m}")
    constants: Any = zeros(m) if k is None else _coefficients(k)
    if constants.size == 1 and m > 1:
        constants = constants * np.ones(m)
    if constants.size < m:
        raise ValueError(f"polyint: k must be one number or one for each of {m} integrations, got {constants.size}")
    for i in range(m):
        c = concatenate([c / np.arange(c.size, 0, -1), constants[i : i + 1]])
    return c


def poly(seq_of_zeros: ArrayLike) -> Num[Array, "..."]:
    """The polynomial with given roots, and first coefficient one.

    Arguments:
        seq_of_zeros: a vector of roots, or a square matrix whose eigenvalues they are.

    Returns:
        The coefficients; real if complex roots come in conjugate pairs. Of complex roots without values, as in jit,
        they stay complex.

    Raises:
        ValueError: neither a vector nor a square matrix.

    Example:
        >>> fnp.poly([2.0, 3.0])  # (x - 2) (x - 3)
        Array([ 1., -5.,  6.], dtype=float64)
    """
    z: Any = atleast_1d(seq_of_zeros)
    if z.ndim == 2 and z.shape[0] == z.shape[1] != 0:
        z = linalg.eigvals(z)
    elif z.ndim != 1:
        raise ValueError(f"poly takes a vector of roots or a square matrix, got shape {z.shape}")
    if z.dtype.kind not in "fc":
        z = astype(z, float)
    p: Any = ones(1, z.dtype)
    one = p
    if z.size == 0:
        return p[0]
    for i in range(z.size):
        p = convolve(p, concatenate([one, -z[i : i + 1]]))
    if z.dtype.kind == "c":
        try:
            values = np.sort(z._concrete("poly(x)"))
        except NoValueError:
            return p
        if np.array_equal(values, np.sort(values.conj())):
            p = real(p)
    return p


def roots(p: ArrayLike, *, strip_zeros: bool = True) -> Num[Array, " n"]:
    """The roots of a polynomial, in the order in which NumPy gives them.

    Arguments:
        p: the coefficients. A root of multiplicity two or more has no finite derivative.
        strip_zeros: whether to look at the values of p: leading zeros are left out then, and the result is real if all
            roots are. With False the result is complex, and ends with a nan for each leading zero; this is for jit
            and make_tape, which know no values.

    Returns:
        The roots.

    Example:
        >>> fnp.roots([1.0, 0.0, -4.0])
        Array([-2.,  2.], dtype=float64)

    Source: numpy.roots (https://numpy.org/doc/stable/reference/generated/numpy.roots.html), strip_zeros from
    jax.numpy.roots. The derivative is that of an implicit function.
    """
    c = _coefficients(p)
    if not strip_zeros:
        return _roots_in_place(c)
    found = polynomial.roots(c)
    if not found._concrete("roots(x)").imag.any():
        found = real(found)
    return found


def _roots_in_place(c: Any) -> Any:
    """One root less than coefficients. Leading zeros are moved to the end, where each makes a root of 0."""
    n = c.size
    if n < 2:
        return zeros(0, np.result_type(c.dtype, np.complex64))
    zero = np.cumsum(np.not_equal(c, 0)) == 0
    moved = c[np.remainder(np.arange(n) + zero.sum(), n)]
    moved = concatenate([np.where(zero.all(), 1, moved[:1]).astype(c.dtype), moved[1:]])
    return wrap(np.where(np.arange(n - 1) < n - 1 - zero.sum(), polynomial.roots(moved), complex(np.nan, np.nan)))


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | Array | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Any:
    """The polynomial that fits points best, in the sense of least squares.

    Arguments:
        x: where the points lie, shape (n,).
        y: their values, shape (n,), or (n, k) for k fits at once.
        deg: the degree.
        rcond: relative size of the singular values that count as zero; by default n times the precision of x.
        full: whether to return more of the solution.
        w: weights of the residuals, shape (n,).
        cov: whether to return the covariance of the coefficients, scaled by the residuals unless "unscaled".

    Returns:
        The coefficients, the highest power first. With full=True also the residuals, the rank, the singular values and
        rcond, as in NumPy; with cov the covariance matrix.

    Raises:
        TypeError: x, y or w has the wrong shape.
        ValueError: deg is negative, or there are too few points to scale the covariance.

    Example:
        >>> fnp.round(fnp.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1), 6)
        Array([2., 1.], dtype=float64)
    """
    order = index(deg) + 1
    px, py = _inexact(x), _inexact(y)
    if deg < 0:
        raise ValueError(f"polyfit: the degree must not be negative, got {deg}")
    if px.ndim != 1 or px.size == 0:
        raise TypeError(f"polyfit: x must be a vector that is not empty, got shape {px.shape}")
    if py.ndim not in (1, 2) or py.shape[0] != px.size:
        raise TypeError(f"polyfit: y must be a vector or matrix with {px.size} rows, like x, got shape {py.shape}")
    if rcond is None:
        rcond = float(px.size * np.finfo(px.dtype).eps)
    lhs: Any = vander(px, order)
    rhs = py if py.ndim == 2 else py[:, None]
    if w is not None:
        weights = _inexact(w)
        if weights.shape != px.shape:
            raise TypeError(f"polyfit: w must be a vector of the length of x, {px.size}, got shape {weights.shape}")
        lhs, rhs = lhs * weights[:, None], rhs * weights[:, None]
    scale: Any = sqrt(sum(lhs * lhs, axis=0))  # columns of length one, for a better condition number
    lhs = lhs / scale
    c, residuals, rank, s = linalg.lstsq(lhs, rhs, rcond)
    c = c / scale[:, None]
    if py.ndim == 1:
        c = c[:, 0]
    if full:
        return c, residuals, rank, s, rcond
    if not isinstance(rank, Tracer) and rank != order:  # in jit there is no rank to look at
        warnings.warn("Polyfit may be poorly conditioned", np.exceptions.RankWarning, stacklevel=2)
    if not cov:
        return c
    base = linalg.inv(lhs.T @ lhs) / outer(scale, scale)
    if cov != "unscaled":
        if px.size <= order:
            raise ValueError(f"polyfit: to scale the covariance there must be more than {order} points, got {px.size}")
        return c, (base if py.ndim == 1 else base[:, :, None]) * (residuals / (px.size - order))
    return c, base if py.ndim == 1 else base[:, :, None]


def _inexact(x: ArrayLike) -> Any:
    found: Any = asarray(x)
    return found + 0.0
