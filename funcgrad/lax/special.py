"""Special functions by the names of `jax.lax`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import bind
from funcgrad.lax.strict import as_array, binary, unary
from funcgrad.ops import error_functions, gamma

__all__ = ["digamma", "erf", "erf_inv", "erfc", "igamma", "igammac", "lgamma", "zeta"]


def _of(primitive: Any) -> Callable:
    def f(*xs: Any) -> Array:
        return wrap(bind(primitive, tuple([as_array(x, primitive.name) for x in xs]), {}))

    return f


erf = unary(_of(error_functions.erf), "f", "erf", "The error function.", "0.0", "0.")
erfc = unary(_of(error_functions.erfc), "f", "erfc", "1 - erf(x), accurate for large x.", "0.0", "1.")
erf_inv = unary(_of(error_functions.erfinv), "f", "erf_inv", "The inverse of erf.", "0.0", "0.")
lgamma = unary(_of(gamma.lgamma), "f", "lgamma", "The logarithm of |Γ(x)|.", "1.0", "0.")
digamma = unary(_of(gamma.digamma), "f", "digamma", "The derivative of lgamma.", "1.0", "-0.57721566")
igamma = binary(
    _of(gamma.gammainc), "f", "igamma", "The regularized lower incomplete gamma function of y.", "1.0, 0.0", "0."
)
igammac = binary(
    _of(gamma.gammaincc), "f", "igammac", "The regularized upper incomplete gamma function of y.", "1.0, 0.0", "1."
)
zeta = binary(
    _of(gamma.zeta), "f", "zeta", "The Hurwitz zeta function: the sum of (y + k)⁻ˣ.", "2.0, 1.0", "1.64493407"
)
