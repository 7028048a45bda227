"""The error function and the normal distribution."""

from __future__ import annotations

import math

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.numpy.convert import real_floats
from funcgrad.ops import error_functions
from funcgrad.scipy.special.declare import public

erf = public(error_functions.erf, "erf", "x", "The error function, elementwise.", "1.0", "0.84270079")
erfc = public(error_functions.erfc, "erfc", "x", "One minus the error function, elementwise.", "1.0", "0.15729921")
erfcx = public(error_functions.erfcx, "erfcx", "x", "exp(x²) erfc(x), elementwise.", "1.0", "0.42758358")
erfinv = public(
    error_functions.erfinv, "erfinv", "x", "The inverse of the error function, elementwise.", "0.5", "0.47693628"
)
ndtri = public(
    error_functions.ndtri, "ndtri", "p", "The quantile of the normal distribution, elementwise.", "0.5", "0."
)
log_ndtr = public(
    error_functions.log_ndtr,
    "log_ndtr",
    "x",
    "The logarithm of the distribution function of the normal distribution, elementwise.",
    "0.0",
    "-0.69314718",
)


def erfcinv(x: ArrayLike) -> Float[Array, "..."]:
    """The inverse of erfc, elementwise.

    Example:
        >>> from funcgrad.scipy.special import erfcinv
        >>> erfcinv(0.5)
        Array(0.47693628, dtype=float64)

    Source: scipy.special.erfcinv.
    """
    return ndtri(real_floats(x, "erfcinv") / 2) * (-math.sqrt(0.5))


def ndtr(x: ArrayLike) -> Float[Array, "..."]:
    """The distribution function of the normal distribution, elementwise.

    Example:
        >>> from funcgrad.scipy.special import ndtr
        >>> ndtr(0.0)
        Array(0.5, dtype=float64)

    Source: scipy.special.ndtr.
    """
    return erfc(real_floats(x, "ndtr") * (-math.sqrt(0.5))) / 2
