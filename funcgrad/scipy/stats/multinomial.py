"""The multinomial distribution, of counts that sum to n."""

from __future__ import annotations

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy import exp, floor, where
from funcgrad.scipy.special import gammaln, xlogy
from funcgrad.scipy.stats.families import quiet, real

__all__ = ["logpmf", "pmf"]


@quiet
def logpmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Float[Array, "..."]:
    """The logarithm of the probability; minus infinity where x are no counts that sum to n.

    Arguments:
        x: the counts along the last axis.
        n: their sum.
        p: the probabilities along the last axis, which should sum to one; derivatives are by each of them. If one is
            not between 0 and 1, the result is NaN.

    Example:
        >>> from funcgrad.scipy.stats import multinomial
        >>> multinomial.logpmf([1, 2], 3, [0.25, 0.75])
        Array(-0.86304622, dtype=float64)

    Source: scipy.stats.multinomial.
    """
    x, n, p = real(x, "x"), real(n, "n"), real(p, "p")
    inside = ((x >= 0) & (floor(x) == x)).all(axis=-1) & (x.sum(axis=-1) == n)
    fine = ((p >= 0) & (p <= 1)).all(axis=-1)
    counts = where(x >= 0, x, 0.0)
    out = gammaln(n + 1) + (xlogy(counts, p) - gammaln(counts + 1)).sum(axis=-1)
    return where(inside, out, -np.inf) * where(fine, 1.0, np.nan).astype(out.dtype)


def pmf(x: ArrayLike, n: ArrayLike, p: ArrayLike) -> Float[Array, "..."]:
    """The probability. Arguments as for `logpmf`.

    Source: scipy.stats.multinomial.
    """
    return exp(logpmf(x, n, p))


publish(__name__)
