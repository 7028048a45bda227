"""The Dirichlet distribution, of parts of one."""

from __future__ import annotations

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ShapeError
from funcgrad.numpy import absolute, concatenate, exp, where
from funcgrad.scipy.special import gammaln, xlogy
from funcgrad.scipy.stats.families import quiet, real

__all__ = ["logpdf", "pdf"]


@quiet
def logpdf(x: ArrayLike, alpha: ArrayLike) -> Float[Array, "..."]:
    """The logarithm of the density; minus infinity where x are no parts of one.

    Arguments:
        x: the parts along the first axis: all, or all but the last, which is what they leave.
        alpha: a vector with a positive number for each part. If one is not positive, the result is NaN.

    Raises:
        ShapeError: the shapes do not fit.

    Example:
        >>> from funcgrad.scipy.stats import dirichlet
        >>> dirichlet.logpdf([0.2, 0.3, 0.5], [1.0, 2.0, 3.0])
        Array(1.5040774, dtype=float64)

    Source: scipy.stats.dirichlet.
    """
    x, alpha = real(x, "x"), real(alpha, "alpha")
    if alpha.ndim != 1 or not x.ndim or x.shape[0] not in (alpha.shape[0], alpha.shape[0] - 1):
        raise ShapeError(
            f"dirichlet: alpha must be a vector, and x have as many elements in its first axis or one less, got shapes "
            f"{x.shape} and {alpha.shape}"
        )
    if x.shape[0] != alpha.shape[0]:
        x = concatenate([x, 1 - x.sum(axis=0, keepdims=True)])
    inside = (x >= 0).all(axis=0) & (absolute(x.sum(axis=0) - 1) < 1e-6)
    fine = (alpha > 0).all()
    powers = xlogy(alpha.reshape(-1, *[1] * (x.ndim - 1)) - 1, where(inside, x, 0.5)).sum(axis=0)
    volume = gammaln(alpha).sum() - gammaln(alpha.sum())
    return where(inside, powers - volume, -np.inf) * where(fine, 1.0, np.nan).astype(x.dtype)


def pdf(x: ArrayLike, alpha: ArrayLike) -> Float[Array, "..."]:
    """The density. Arguments as for `logpdf`.

    Source: scipy.stats.dirichlet.
    """
    return exp(logpdf(x, alpha))


publish(__name__)
