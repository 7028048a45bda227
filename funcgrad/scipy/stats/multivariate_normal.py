"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ShapeError, UnsupportedError
from funcgrad.numpy import absolute, diagonal, exp, eye, log, matmul, swapaxes, where
from funcgrad.numpy.linalg import cholesky, eigh
from funcgrad.scipy.linalg import solve_triangular
from funcgrad.scipy.stats.families import real
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["cdf", "entropy", "logcdf", "logpdf", "pdf"]

_LOG_2PI = math.log(2 * math.pi)


def logpdf(
    x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0, allow_singular: bool = False
) -> Float[Array, "..."]:
    """The logarithm of the density.

    Arguments:
        x: the point, or points along the axes before the last.
        mean: the mean: a vector, or a number for all elements.
        cov: the covariance matrix; a vector, the diagonal of one; or a number, for that times the identity. If it and
            the mean are numbers, the distribution is one of numbers, and each element of x is a point.
        allow_singular: whether cov may be singular. The density is then one on the space that it spans, minus infinity
            elsewhere, and derivatives by cov are those by its part in that space.

    Raises:
        ShapeError: the shapes do not fit.

    Example:
        >>> from funcgrad.scipy.stats import multivariate_normal
        >>> multivariate_normal.logpdf([1.0, 0.0], [0.0, 0.0], [[2.0, 0.0], [0.0, 2.0]])
        Array(-2.78102425, dtype=float64)

    Source: scipy.stats.multivariate_normal.
    """
    x, mean, cov = real(x, "x"), real(mean, "mean"), real(cov, "cov")
    if not mean.ndim and not cov.ndim:
        return -((x - mean) ** 2 / cov + _LOG_2PI + log(cov)) / 2
    cov = _matrix(mean, cov)
    n = cov.shape[-1]
    if cov.shape[-2:] != (n, n) or (x.ndim and x.shape[-1] != n) or (mean.ndim and mean.shape[-1] != n):
        raise ShapeError(
            f"multivariate_normal: x, mean and cov must have the same number of elements in their last axes, got "
            f"shapes {x.shape}, {mean.shape} and {cov.shape}"
        )
    away = (x - mean) * np.ones(n, x.dtype)
    rank: Any = n
    outside = None
    if allow_singular:
        cov, away, rank, outside = _spanned(cov, away)
    factor = cholesky(cov)
    z = solve_triangular(factor, away[..., None], lower=True)[..., 0]
    out = -((z * z).sum(axis=-1) + rank * _LOG_2PI) / 2 - _half_log_volume(factor)
    return out if outside is None else where(outside, -np.inf, out)


def pdf(x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0, allow_singular: bool = False) -> Float[Array, "..."]:
    """The density. Arguments as for `logpdf`.

    Source: scipy.stats.multivariate_normal.
    """
    return exp(logpdf(x, mean, cov, allow_singular))


def entropy(mean: ArrayLike = 0.0, cov: ArrayLike = 1.0) -> Float[Array, "..."]:
    """The differential entropy, which the mean does not move.

    Example:
        >>> from funcgrad.scipy.stats import multivariate_normal
        >>> multivariate_normal.entropy([0.0, 0.0], [[2.0, 0.0], [0.0, 2.0]])
        Array(3.53102425, dtype=float64)

    Source: scipy.stats.multivariate_normal.
    """
    mean, cov = real(mean, "mean"), real(cov, "cov")
    if not mean.ndim and not cov.ndim:
        return (_LOG_2PI + 1 + log(cov)) / 2
    cov = _matrix(mean, cov)
    return cov.shape[-1] * (_LOG_2PI + 1) / 2 + _half_log_volume(cholesky(cov))


def cdf(x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0) -> NoReturn:
    """Refused: SciPy estimates it by random points, and that estimate has no useful derivative.

    Raises:
        UnsupportedError: always.

    Example:
        >>> from funcgrad.scipy.stats import multivariate_normal
        >>> multivariate_normal.cdf([1.0, 0.0], [0.0, 0.0])  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        funcgrad.errors.UnsupportedError: ...

    Source: scipy.stats.multivariate_normal.
    """
    raise UnsupportedError(
        "funcgrad.scipy.stats.multivariate_normal has no cdf and no logcdf: SciPy integrates the density at random "
        "points. Of one variable use norm.cdf; otherwise give scipy.stats.multivariate_normal.cdf a derivative with "
        "custom_jvp"
    )


logcdf = cdf


def _matrix(mean: Array, cov: Array) -> Array:
    """The covariance matrix that a number or a vector stands for."""
    if cov.ndim > 1:
        return cov
    return cov * eye(cov.shape[0] if cov.ndim else mean.shape[-1], dtype=cov.dtype)


def _half_log_volume(factor: Array) -> Array:
    return log(diagonal(factor, axis1=-2, axis2=-1)).sum(axis=-1)


def _spanned(cov: Array, away: Array) -> tuple[Array, Array, Array, Array]:
    """A covariance matrix and points in the space that it spans, its rank, and which points lie outside.

    In the basis of its eigenvectors, which is held fixed; for the others it has ones on the diagonal.
    """
    values, basis = eigh(stop_gradient(cov))
    scale = 1e6 if cov.dtype == np.float64 else 1e3
    least = scale * np.finfo(cov.dtype).eps * absolute(values).max(axis=-1, keepdims=True)  # as SciPy sets it
    spanned = values > least
    kept = basis * spanned[..., None, :]
    part = matmul(swapaxes(kept, -1, -2), matmul(cov, kept)) + eye(cov.shape[-1]) * ~spanned[..., None, :]
    rest = matmul(away[..., None, :], basis * ~spanned[..., None, :])[..., 0, :]
    outside = (rest * rest).sum(axis=-1) >= (1e3 * least[..., 0]) ** 2
    return part, matmul(away[..., None, :], kept)[..., 0, :], spanned.sum(axis=-1), outside


publish(__name__)
