"""The normal distribution of vectors."""

from __future__ import annotations

import math

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ShapeError
from funcgrad.numpy import diagonal, exp, eye, log
from funcgrad.numpy.linalg import cholesky
from funcgrad.scipy.linalg import solve_triangular
from funcgrad.scipy.stats.families import real

__all__ = ["logpdf", "pdf"]


def logpdf(x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0) -> Float[Array, "..."]:
    """The logarithm of the density.

    Arguments:
        x: the point, or points along the axes before the last.
        mean: the mean: a vector, or a number for all elements.
        cov: the covariance matrix, or a number for that times the identity.

    Raises:
        ShapeError: the shapes do not fit.

    Example:
        >>> from funcgrad.scipy.stats import multivariate_normal
        >>> multivariate_normal.logpdf([1.0, 0.0], [0.0, 0.0], [[2.0, 0.0], [0.0, 2.0]])
        Array(-2.78102425, dtype=float64)

    Source: scipy.stats.multivariate_normal.
    """
    x, mean, cov = real(x, "x"), real(mean, "mean"), real(cov, "cov")
    n = max([a.shape[-1] for a in (x, mean, cov) if a.ndim] or [1])
    if cov.ndim == 0:
        cov = cov * eye(n, dtype=cov.dtype)
    if cov.shape[-2:] != (n, n) or (x.ndim and x.shape[-1] != n) or (mean.ndim and mean.shape[-1] != n):
        raise ShapeError(
            f"multivariate_normal: x, mean and cov must have the same number of elements in their last axes, got "
            f"shapes {x.shape}, {mean.shape} and {cov.shape}"
        )
    factor = cholesky(cov)
    away = (x - mean) * np.ones(n, x.dtype)
    z = solve_triangular(factor, away[..., None], lower=True)[..., 0]
    volume = log(diagonal(factor, axis1=-2, axis2=-1)).sum(axis=-1)
    return -(z * z).sum(axis=-1) / 2 - n / 2 * math.log(2 * math.pi) - volume


def pdf(x: ArrayLike, mean: ArrayLike = 0.0, cov: ArrayLike = 1.0) -> Float[Array, "..."]:
    """The density. Arguments as for `logpdf`.

    Source: scipy.stats.multivariate_normal.
    """
    return exp(logpdf(x, mean, cov))
