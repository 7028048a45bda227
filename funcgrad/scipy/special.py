"""Special functions under SciPy's names: around the error function, the gamma function, Bessel functions, entropies.

They are primitives of ops, or a few words over them. Integers become float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.primitive import Primitive
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError
from funcgrad.numpy import absolute, copysign, exp, floor, isfinite, isinf, isnan, log, log1p, logaddexp, where
from funcgrad.numpy import logsumexp as logsumexp
from funcgrad.numpy.convert import real_floats, wrap
from funcgrad.ops import bessel_functions, entropy, error_functions
from funcgrad.ops import gamma as gamma_functions
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = [
    "beta",
    "betaln",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "expit",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "kl_div",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "poch",
    "polygamma",
    "psi",
    "rel_entr",
    "softmax",
    "xlog1py",
    "xlogy",
    "zeta",
]


def _unary(primitive: Primitive, name: str, summary: str, x: float, value: str) -> Callable[[ArrayLike], Any]:
    """The function of one array that a primitive is. x and value are its example."""

    def function(z: ArrayLike) -> Float[Array, "..."]:
        return wrap(primitive(real_floats(z, name)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{summary}

    Example:
        >>> from funcgrad.scipy.special import {name}
        >>> {name}({x})
        Array({value}, dtype=float64)

    Source: scipy.special.{name} (https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.{name}.html).
    """
    return function


erf = _unary(error_functions.erf, "erf", "The error function, elementwise.", 1.0, "0.84270079")
erfc = _unary(error_functions.erfc, "erfc", "One minus the error function, elementwise.", 1.0, "0.15729921")
erfcx = _unary(error_functions.erfcx, "erfcx", "exp(x²) erfc(x), elementwise.", 1.0, "0.42758358")
erfinv = _unary(error_functions.erfinv, "erfinv", "The inverse of the error function, elementwise.", 0.5, "0.47693628")
ndtri = _unary(error_functions.ndtri, "ndtri", "The quantile of the normal distribution, elementwise.", 0.5, "0.")
log_ndtr = _unary(
    error_functions.log_ndtr,
    "log_ndtr",
    "The logarithm of the distribution function of the normal distribution, elementwise.",
    0.0,
    "-0.69314718",
)
gammaln = _unary(
    gamma_functions.lgamma,
    "gammaln",
    "The logarithm of the absolute value of the gamma function, elementwise.",
    5.0,
    "3.17805383",
)
digamma = _unary(
    gamma_functions.digamma, "digamma", "The logarithmic derivative of the gamma function.", 1.0, "-0.57721566"
)
psi = digamma
i0 = _unary(bessel_functions.i0, "i0", "The modified Bessel function of order 0, elementwise.", 1.0, "1.26606588")
i0e = _unary(bessel_functions.i0e, "i0e", "exp(-|x|) i0(x), elementwise.", 1.0, "0.46575961")
i1 = _unary(bessel_functions.i1, "i1", "The modified Bessel function of order 1, elementwise.", 1.0, "0.5651591")
i1e = _unary(bessel_functions.i1e, "i1e", "exp(-|x|) i1(x), elementwise.", 1.0, "0.20791042")
entr = _unary(entropy.entr, "entr", "The term of an entropy, -x log(x), elementwise.", 0.5, "0.34657359")


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


def gamma(x: ArrayLike) -> Float[Array, "..."]:
    """The gamma function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import gamma
        >>> gamma(-1.5)
        Array(2.3632718, dtype=float64)

    Source: scipy.special.gamma.
    """
    x = real_floats(x, "gamma")
    with np.errstate(over="ignore"):  # infinity is the answer
        return _gamma_sign(x) * exp(gammaln(x))


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


def polygamma(n: int, x: ArrayLike) -> Float[Array, "..."]:
    """The derivative of order n of digamma, elementwise.

    Arguments:
        n: the order, an int that is not negative.
        x: an array.

    Example:
        >>> from funcgrad.scipy.special import polygamma
        >>> polygamma(1, 1.0)
        Array(1.64493407, dtype=float64)

    Source: scipy.special.polygamma.
    """
    if not isinstance(n, int | np.integer) or n < 0:
        raise ArgumentError(f"polygamma: n must be an int that is not negative, got {n!r}")
    return digamma(x) if n == 0 else wrap(gamma_functions.polygamma(real_floats(x, "polygamma"), n=int(n)))


def zeta(x: ArrayLike, q: ArrayLike = 1.0) -> Float[Array, "..."]:
    """The sum of 1/(k + q)**x over k = 0, 1, …: Riemann's zeta function for q = 1.

    Example:
        >>> from funcgrad.scipy.special import zeta
        >>> zeta(2.0)
        Array(1.64493407, dtype=float64)

    Source: scipy.special.zeta.
    """
    return wrap(gamma_functions.zeta(real_floats(x, "zeta"), real_floats(q, "zeta")))


def gammainc(a: ArrayLike, x: ArrayLike) -> Float[Array, "..."]:
    """The regularized lower incomplete gamma function, differentiable in both operands.

    Example:
        >>> from funcgrad.scipy.special import gammainc
        >>> gammainc(1.0, 1.0)
        Array(0.63212056, dtype=float64)

    Source: scipy.special.gammainc.
    """
    return wrap(gamma_functions.gammainc(real_floats(a, "gammainc"), real_floats(x, "gammainc")))


def gammaincc(a: ArrayLike, x: ArrayLike) -> Float[Array, "..."]:
    """The regularized upper incomplete gamma function, differentiable in both operands.

    Example:
        >>> from funcgrad.scipy.special import gammaincc
        >>> gammaincc(1.0, 1.0)
        Array(0.36787944, dtype=float64)

    Source: scipy.special.gammaincc.
    """
    return wrap(gamma_functions.gammaincc(real_floats(a, "gammaincc"), real_floats(x, "gammaincc")))


def multigammaln(a: ArrayLike, d: int) -> Float[Array, "..."]:
    """The logarithm of the gamma function of d variables, elementwise.

    Example:
        >>> from funcgrad.scipy.special import multigammaln
        >>> multigammaln(2.0, 1)
        Array(0., dtype=float64)

    Source: scipy.special.multigammaln.
    """
    a = real_floats(a, "multigammaln")
    return d * (d - 1) / 4 * math.log(math.pi) + sum([gammaln(a - j / 2) for j in range(d)])


def betaln(a: ArrayLike, b: ArrayLike) -> Float[Array, "..."]:
    """The logarithm of the absolute value of the beta function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import betaln
        >>> betaln(2.0, 3.0)
        Array(-2.48490665, dtype=float64)

    Source: scipy.special.betaln.
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

    Source: scipy.special.beta.
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

    Source: scipy.special.poch.
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


def expit(x: ArrayLike) -> Float[Array, "..."]:
    """The logistic function 1 / (1 + exp(-x)), elementwise.

    Example:
        >>> from funcgrad.scipy.special import expit
        >>> expit(0.0)
        Array(0.5, dtype=float64)

    Source: scipy.special.expit.
    """
    return exp(log_expit(x))


def log_expit(x: ArrayLike) -> Float[Array, "..."]:
    """The logarithm of the logistic function, elementwise.

    Example:
        >>> from funcgrad.scipy.special import log_expit
        >>> log_expit(-1000.0)
        Array(-1000., dtype=float64)

    Source: scipy.special.log_expit.
    """
    return -logaddexp(0, -real_floats(x, "expit"))


def logit(x: ArrayLike) -> Float[Array, "..."]:
    """The inverse of the logistic function, log(x / (1 - x)), elementwise.

    Example:
        >>> from funcgrad.scipy.special import logit
        >>> logit(0.5)
        Array(0., dtype=float64)

    Source: scipy.special.logit.
    """
    x = real_floats(x, "logit")
    return log(x) - log1p(-x)


def xlogy(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """x log(y), and 0 where x is 0, elementwise.

    Example:
        >>> from funcgrad.scipy.special import xlogy
        >>> xlogy(0.0, 0.0)
        Array(0., dtype=float64)

    Source: scipy.special.xlogy.
    """
    return _quietly(entropy.x_log_y, real_floats(x, "xlogy"), real_floats(y, "xlogy"))


def xlog1py(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """x log(1 + y), and 0 where x is 0, elementwise.

    Example:
        >>> from funcgrad.scipy.special import xlog1py
        >>> xlog1py(0.0, -1.0)
        Array(0., dtype=float64)

    Source: scipy.special.xlog1py.
    """
    return _quietly(entropy.x_log1p_y, real_floats(x, "xlog1py"), real_floats(y, "xlog1py"))


def _quietly(primitive: Primitive, x: Array, y: Array) -> Array:
    """The product, whose logarithm may be infinite where it is not used."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return wrap(primitive(x, y))


def rel_entr(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """The term of a relative entropy: x log(x / y); 0 where x is 0 and y is not negative, otherwise infinite.

    Example:
        >>> from funcgrad.scipy.special import rel_entr
        >>> rel_entr(1.0, 2.0)
        Array(-0.69314718, dtype=float64)

    Source: scipy.special.rel_entr.
    """
    x, y = real_floats(x, "rel_entr"), real_floats(y, "rel_entr")
    inside = (x > 0) & (y > 0)
    a, b = where(inside, x, 1), where(inside, y, 1)
    outside = where(isnan(x) | isnan(y), np.nan, where((x == 0) & (y >= 0), 0, np.inf))
    return where(inside, a * (log(a) - log(b)), outside.astype(a.dtype))


def kl_div(x: ArrayLike, y: ArrayLike) -> Float[Array, "..."]:
    """The term of a Kullback-Leibler divergence, x log(x / y) - x + y.

    Example:
        >>> from funcgrad.scipy.special import kl_div
        >>> kl_div(1.0, 2.0)
        Array(0.30685282, dtype=float64)

    Source: scipy.special.kl_div.
    """
    x, y = real_floats(x, "kl_div"), real_floats(y, "kl_div")
    entropy = rel_entr(x, y)
    return where(entropy == np.inf, entropy, entropy - x + where(y == -np.inf, 0, y))


def softmax(x: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Float[Array, "..."]:
    """exp(x) over its sum along an axis, or several; by default along all.

    Example:
        >>> from funcgrad.scipy.special import softmax
        >>> softmax([0.0, 0.0])
        Array([0.5, 0.5], dtype=float64)

    Source: scipy.special.softmax.
    """
    return exp(log_softmax(x, axis))


def log_softmax(x: ArrayLike, axis: int | tuple[int, ...] | None = None) -> Float[Array, "..."]:
    """The logarithm of softmax.

    Example:
        >>> from funcgrad.scipy.special import log_softmax
        >>> log_softmax([0.0, 1000.0])
        Array([-1000.,     0.], dtype=float64)

    Source: scipy.special.log_softmax.
    """
    x = real_floats(x, "log_softmax")
    return x - logsumexp(x, axis=axis, keepdims=True)
