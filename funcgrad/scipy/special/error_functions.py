"""The error function and the normal distribution."""

from __future__ import annotations

import math

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Complex, Float, Inexact
from funcgrad.numpy import real, where
from funcgrad.numpy.convert import real_floats, wrap
from funcgrad.ops import error_functions, faddeeva
from funcgrad.scipy.special.declare import as_complex, floats, public

__all__ = [
    "dawsn",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "fresnel",
    "log_ndtr",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "owens_t",
    "voigt_profile",
    "wofz",
]


erf = public(
    error_functions.erf,
    "erf",
    "x",
    "The error function, elementwise.",
    "1.0",
    "0.84270079",
    on_complex=faddeeva.complex_erf,
)
erfc = public(
    error_functions.erfc,
    "erfc",
    "x",
    "One minus the error function, elementwise.",
    "1.0",
    "0.15729921",
    on_complex=faddeeva.complex_erfc,
)
erfcx = public(
    error_functions.erfcx,
    "erfcx",
    "x",
    "exp(x²) erfc(x), elementwise.",
    "1.0",
    "0.42758358",
    on_complex=faddeeva.complex_erfcx,
)
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
    """
    return ndtri(real_floats(x, "erfcinv") / 2) * (-math.sqrt(0.5))


def ndtr(x: ArrayLike) -> Float[Array, "..."]:
    """The distribution function of the normal distribution, elementwise.

    Example:
        >>> from funcgrad.scipy.special import ndtr
        >>> ndtr(0.0)
        Array(0.5, dtype=float64)
    """
    return erfc(real_floats(x, "ndtr") * (-math.sqrt(0.5))) / 2


erfi = public(faddeeva.erfi, "erfi", "x", "-i erf(i x), elementwise.", "1.0", "1.65042576", on_complex=faddeeva.erfi)
dawsn = public(
    faddeeva.dawsn,
    "dawsn",
    "x",
    "Dawson's integral, exp(-x²) times the integral of exp(t²) from 0 to x.",
    "1.0",
    "0.53807951",
    on_complex=faddeeva.dawsn,
)
owens_t = public(faddeeva.owens_t, "owens_t", "h a", "Owen's T function, elementwise.", "1.0, 0.5", "0.04306469")
ndtri_exp = public(
    faddeeva.ndtri_exp,
    "ndtri_exp",
    "y",
    "The quantile of the normal distribution at exp(y), elementwise.",
    "-2.0",
    "-1.10151963",
)


def wofz(z: ArrayLike) -> Complex[Array, "..."]:
    """Faddeeva's function exp(-z²) erfc(-i z), elementwise.

    Example:
        >>> from funcgrad.scipy.special import wofz
        >>> wofz(1j)
        Array(0.42758358+0.j, dtype=complex128)
    """
    return wrap(faddeeva.wofz(*as_complex("wofz", z)))


def fresnel(z: ArrayLike) -> tuple[Inexact[Array, "..."], Inexact[Array, "..."]]:
    """Fresnel's integrals of sin(πt²/2) and cos(πt²/2) from 0 to z, elementwise.

    Example:
        >>> from funcgrad.scipy.special import fresnel
        >>> fresnel(1.0)
        (Array(0.43825915, dtype=float64), Array(0.7798934, dtype=float64))
    """
    (z,) = floats("fresnel", (z,), complex_too=True)
    return wrap(faddeeva.fresnel_s(z)), wrap(faddeeva.fresnel_c(z))


def voigt_profile(x: ArrayLike, sigma: ArrayLike, gamma: ArrayLike) -> Float[Array, "..."]:
    """The density of the sum of a normal and a Cauchy variable, elementwise.

    Arguments:
        x: where.
        sigma: the standard deviation of the normal variable.
        gamma: the half-width of the Cauchy variable.

    Example:
        >>> from funcgrad.scipy.special import voigt_profile
        >>> voigt_profile(1.0, 1.0, 0.5)
        Array(0.20017964, dtype=float64)
    """
    x, sigma, gamma = floats("voigt_profile", (x, sigma, gamma))
    none = sigma == 0  # Cauchy's density is left, or all at one point
    spread = where(none, 1.0, sigma)
    profile = real(wofz((x + 1j * gamma) / (spread * math.sqrt(2)))) / (spread * math.sqrt(2 * math.pi))
    square = x * x + gamma * gamma
    point = none & (square == 0)
    cauchy = gamma / math.pi / where(none & ~point, square, 1.0)
    return where(point, math.inf, where(none, cauchy, profile))
