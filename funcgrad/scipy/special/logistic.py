"""The logistic function, its logarithm and its inverse."""

from __future__ import annotations

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy import log, log1p, logaddexp
from funcgrad.numpy.convert import real_floats
from funcgrad.ops.logistic import logistic

__all__ = ["expit", "log_expit", "logit"]


def expit(x: ArrayLike) -> Float[Array, "..."]:
    """The logistic function 1 / (1 + exp(-x)), elementwise.

    Example:
        >>> from funcgrad.scipy.special import expit
        >>> expit(0.0)
        Array(0.5, dtype=float64)
    """
    return logistic(real_floats(x, "expit"))


def log_expit(x: ArrayLike) -> Float[Array, "..."]:
    """The logarithm of the logistic function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import log_expit
        >>> log_expit(-1000.0)
        Array(-1000., dtype=float64)
    """
    return -logaddexp(0, -real_floats(x, "expit"))


def logit(x: ArrayLike) -> Float[Array, "..."]:
    """The inverse of the logistic function, log(x / (1 - x)), elementwise.

    Example:
        >>> from funcgrad.scipy.special import logit
        >>> logit(0.5)
        Array(0., dtype=float64)
    """
    x = real_floats(x, "logit")
    return log(x) - log1p(-x)
