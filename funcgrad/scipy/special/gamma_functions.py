"""The gamma function, its logarithm and derivatives, and what is made of quotients of it."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Float, Inexact
from funcgrad.errors import ArgumentError
from funcgrad.numpy import absolute, copysign, exp, floor, isfinite, isinf, log, where
from funcgrad.numpy.convert import asarray, real_floats, wrap
from funcgrad.ops import complex_gamma
from funcgrad.ops import gamma as gamma_functions
from funcgrad.scipy.special.declare import floats, public
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = [
    "beta",
    "betaln",
    "digamma",
    "gamma",
    "gammaln",
    "gammasgn",
    "loggamma",
    "multigammaln",
    "poch",
    "polygamma",
    "psi",
    "rgamma",
    "zeta",
    "zetac",
]


_rgamma = functools.partial(complex_gamma.rgamma, order=0)
_complex_digamma = functools.partial(complex_gamma.complex_polygamma, n=0)

gammaln = public(
    gamma_functions.lgamma,
    "gammaln",
    "x",
    "The logarithm of the absolute value of the gamma function, elementwise.",
    "5.0",
    "3.17805383",
)
digamma = psi = public(
    gamma_functions.digamma,
    "digamma",
    "x",
    "The logarithmic derivative of the gamma function.",
    "1.0",
    "-0.57721566",
    on_complex=_complex_digamma,
)
loggamma = public(
    complex_gamma.loggamma,
    "loggamma",
    "z",
    "The logarithm of the gamma function, on its principal branch; nan for negative real numbers.",
    "5.0",
    "3.17805383",
    on_complex=complex_gamma.complex_loggamma,
)
rgamma = public(
    _rgamma,
    "rgamma",
    "z",
    "One over the gamma function, elementwise.",
    "5.0",
    "0.04166667",
    on_complex=complex_gamma.complex_rgamma,
)
zetac = public(
    gamma_functions.zetac,
    "zetac",
    "x",
    "Riemann's zeta function less 1, elementwise; the derivative is nan for x < -4.",
    "2.0",
    "0.64493407",
)


def gamma(x: ArrayLike) -> Inexact[Array, "..."]:
    """The gamma function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import gamma
        >>> gamma(-1.5)
        Array(2.3632718, dtype=float64)
    """
    (x,) = floats("gamma", (x,), complex_too=True)
    if x.dtype.kind == "c":
        return wrap(complex_gamma.complex_gamma(x))
    with np.errstate(over="ignore"):  # infinity is the answer
        return _gamma_sign(x) * exp(gammaln(x))


def gammasgn(x: ArrayLike) -> Float[Array, "..."]:
    """The sign of the gamma function, elementwise: at 0 that of the side, and nan at the other poles.

    Example:
        >>> from funcgrad.scipy.special import gammasgn
        >>> gammasgn([-1.5, -0.5, 2.0])
        Array([ 1., -1.,  1.], dtype=float64)
    """
    return _gamma_sign(real_floats(x, "gammasgn"))


def _gamma_sign(x: Array) -> Array:
    """The sign of the gamma function: at 0 that of the side, and nan at the other poles."""
    whole = floor(x)
    odd = where(isfinite(x), 1 - 2 * (whole % 2), np.nan)
    sign = where(x > 0, 1, where(x == 0, copysign(1.0, x), where(whole == x, np.nan, odd)))
    return sign.astype(x.dtype)


def _is_pole(x: Array) -> Array:
    """Where the gamma function has a pole: at 0, -1, -2 ..."""
    return (x <= 0) & (floor(x) == x) & isfinite(x)


def _log_quotient(z: Array, m: Array) -> Array:
    """log |gamma(z + m) / gamma(z)|; by its series for a large z, where the logarithms would cancel."""
    far = (z > 1e6) & (z > 1e6 * absolute(m))
    large, near = where(far, z, 1.0), where(far, 1.0, z)
    n = m * (1 - m) / large
    series = m * log(large) - n / 2 - n * (1 - 2 * m) / large / 12
    return where(far, series, gammaln(near + m) - gammaln(near))


def polygamma(n: ArrayLike, x: ArrayLike) -> Float[Array, "..."]:
    """The derivative of order n of digamma, elementwise.

    Arguments:
        n: the order, an integer that is not negative, or an array of such.
        x: an array.

    Raises:
        ArgumentError: an order is negative, or no integer.

    Example:
        >>> from funcgrad.scipy.special import polygamma
        >>> polygamma(1, 1.0)
        Array(1.64493407, dtype=float64)
    """
    if isinstance(n, (int, np.integer)) and n >= 0:
        return digamma(x) if n == 0 else wrap(gamma_functions.polygamma(real_floats(x, "polygamma"), n=int(n)))
    orders = asarray(n)
    if orders.dtype.kind not in "iub" or (not isinstance(orders, Tracer) and bool((orders < 0).any())):
        raise ArgumentError(f"polygamma: n must be integers that are not negative, got {n!r}")
    x = real_floats(x, "polygamma")
    first = orders == 0
    order = where(first, 1, orders).astype(x.dtype)
    size = gamma(order + 1) * zeta(order + 1, x)
    return where(first, digamma(x), where(orders % 2 == 0, -size, size))


def zeta(x: ArrayLike, q: ArrayLike = 1.0) -> Float[Array, "..."]:
    """The sum of 1/(k + q)**x over k = 0, 1, …: Riemann's zeta function for q = 1.

    Example:
        >>> from funcgrad.scipy.special import zeta
        >>> zeta(2.0)
        Array(1.64493407, dtype=float64)
    """
    return wrap(gamma_functions.zeta(real_floats(x, "zeta"), real_floats(q, "zeta")))


def multigammaln(a: ArrayLike, d: int) -> Float[Array, "..."]:
    """The logarithm of the gamma function of d variables, elementwise.

    Example:
        >>> from funcgrad.scipy.special import multigammaln
        >>> multigammaln(2.0, 1)
        Array(0., dtype=float64)
    """
    a = real_floats(a, "multigammaln")
    return d * (d - 1) / 4 * math.log(math.pi) + sum([gammaln(a - j / 2) for j in range(d)])


def betaln(a: ArrayLike, b: ArrayLike) -> Float[Array, "..."]:
    """The logarithm of the absolute value of the beta function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import betaln
        >>> betaln(2.0, 3.0)
        Array(-2.48490665, dtype=float64)
    """
    a, b = real_floats(a, "betaln"), real_floats(b, "betaln")
    open_ = (_is_pole(a) | _is_pole(b)) & (_is_pole(a + b) | isinf(a + b))
    c, d, cancels = _reflected(a, b)
    small, large = where(c < d, c, d), where(c < d, d, c)
    size = where(open_ & ~cancels, gammaln(a) + gammaln(b), gammaln(small) - _log_quotient(large, small))
    return size + _isolated(cancels, a, b)


def _isolated(points: Any, *xs: Array) -> Array:
    """A term that is 0 everywhere, and whose derivatives by xs are nan at points where no neighbour has a value."""
    there = [where(points, x, 0.0) for x in xs]
    pole = sum(x - stop_gradient(x) for x in there)
    return where(points, exp(-gammaln(where(points, pole, 1.0))), 0.0)


def _reflected(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Operands of beta without poles that cancel, and where they did: beta(-n, m) = (-1)^m beta(1 + n - m, m)."""
    whole = (floor(a) == a) & (floor(b) == b) & (a + b < 1) & isfinite(a + b)
    first, second = whole & (b > 0), whole & (a > 0)
    return where(first, 1 - a - b, a), where(second, 1 - a - b, b), first | second


def beta(a: ArrayLike, b: ArrayLike) -> Float[Array, "..."]:
    """The beta function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import beta
        >>> beta(2.0, 3.0)
        Array(0.08333333, dtype=float64)
    """
    a, b = real_floats(a, "beta"), real_floats(b, "beta")
    c, d, cancels = _reflected(a, b)
    odd = where(cancels, where(a > 0, a, b) % 2, 0)
    sign = _gamma_sign(c) * _gamma_sign(d) * _gamma_sign(where(_is_pole(c + d), 1, c + d)) * (1 - 2 * odd)
    no_side = (_is_pole(c) & ((c != 0) | _is_pole(d))) | (_is_pole(d) & (d != 0))
    with np.errstate(over="ignore"):  # infinity is the answer
        return where(no_side, 1.0, sign) * exp(betaln(a, b))


def poch(z: ArrayLike, m: ArrayLike) -> Float[Array, "..."]:
    """Pochhammer's symbol gamma(z + m) / gamma(z), elementwise.

    Example:
        >>> from funcgrad.scipy.special import poch
        >>> poch(2.0, 3.0)
        Array(24., dtype=float64)
    """
    z, m = real_floats(z, "poch"), real_floats(m, "poch")
    both = (
        _is_pole(z) & _is_pole(z + m) & (floor(m) == m)
    )  # gamma(z + m) / gamma(z) = (-1)^m gamma(1 - z) / gamma(1 - z - m)
    size = _log_quotient(where(both, 1 - z - m, z), m)
    above, below = where(_is_pole(z + m), 1, z + m), where(_is_pole(z), 1, z)
    sign = where(both, 1 - 2 * (m % 2), _gamma_sign(above) * _gamma_sign(below))
    with np.errstate(over="ignore"):  # infinity is the answer
        return sign * exp(size) + _isolated(both, z, m)
