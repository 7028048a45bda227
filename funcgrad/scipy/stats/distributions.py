"""The continuous distributions, each by the formulas of its standard member."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.numpy import (
    absolute,
    arccos,
    arctan,
    arctan2,
    cos,
    exp,
    expm1,
    isinf,
    log,
    log1p,
    minimum,
    round,
    sin,
    sqrt,
    tan,
    where,
)
from funcgrad.scipy.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    digamma,
    erf,
    erfc,
    erfcx,
    erfinv,
    expit,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    i0e,
    i1e,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    xlog1py,
    xlogy,
)
from funcgrad.scipy.stats.families import Continuous, Formula
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = [
    "beta",
    "cauchy",
    "chi2",
    "expon",
    "exponweib",
    "f",
    "gamma",
    "genextreme",
    "gennorm",
    "gumbel_l",
    "gumbel_r",
    "halfcauchy",
    "halfnorm",
    "invgamma",
    "invgauss",
    "laplace",
    "logistic",
    "lognorm",
    "norm",
    "pareto",
    "rayleigh",
    "t",
    "truncnorm",
    "uniform",
    "vonmises",
    "weibull_max",
    "weibull_min",
    "wrapcauchy",
]


_LOG_2PI, _LOG_PI, _LOG_2, _EULER = math.log(2 * math.pi), math.log(math.pi), math.log(2), 0.5772156649015329
_SQRT_2 = math.sqrt(2)
_FROM_ZERO, _FROM_ONE, _UNIT = (0.0, np.inf), (1.0, np.inf), (0.0, 1.0)


def _off_zero(z: Array) -> Array:
    """z, and instead of 0 a number next to it, with the derivative of z: for what has 0 · inf at 0, and a limit."""
    return z + stop_gradient(where(z == 0, 1e-30, 0.0).astype(z.dtype))


def _mirrored(
    logpdf: Formula,
    cdf: Formula | None = None,
    sf: Formula | None = None,
    logcdf: Formula | None = None,
    logsf: Formula | None = None,
    ppf: Formula | None = None,
    isf: Formula | None = None,
) -> dict[str, Any]:
    """The formulas of the distribution of -z from those of the distribution of z."""
    mirror = {"logpdf": logpdf, "cdf": sf, "sf": cdf, "logcdf": logsf, "logsf": logcdf}
    found = {k: (lambda z, *s, f=f: f(-z, *s)) for k, f in mirror.items() if f}
    inverse = {"ppf": isf, "isf": ppf}
    return found | {k: (lambda q, *s, f=f: -f(q, *s)) for k, f in inverse.items() if f}


def _log1mexp(w: Array) -> Array:
    """log(1 - exp(-w)) for a positive w."""
    return where(w < _LOG_2, log(-expm1(-w)), log1p(-exp(-w)))


norm = Continuous(
    "norm",
    logpdf=lambda z: -(z * z + _LOG_2PI) / 2,
    cdf=ndtr,
    sf=lambda z: ndtr(-z),
    logcdf=log_ndtr,
    logsf=lambda z: log_ndtr(-z),
    ppf=ndtri,
    isf=lambda q: -ndtri(q),
    entropy=lambda: (_LOG_2PI + 1) / 2,
)

uniform = Continuous(
    "uniform",
    logpdf=lambda z: 0 * z,
    support=_UNIT,
    cdf=lambda z: z,
    sf=lambda z: 1 - z,
    ppf=lambda q: q,
    isf=lambda q: 1 - q,
    entropy=lambda: 0.0,
)

expon = Continuous(
    "expon",
    logpdf=lambda z: -z,
    support=_FROM_ZERO,
    cdf=lambda z: -expm1(-z),
    logcdf=_log1mexp,
    logsf=lambda z: -z,
    ppf=lambda q: -log1p(-q),
    isf=lambda q: -log(q),
    entropy=lambda: 1.0,
)


def _laplace_cdf(z: Array) -> Array:
    tail = exp(where(z < 0, z, -z)) / 2
    return where(z < 0, tail, 1 - tail)


def _laplace_logcdf(z: Array) -> Array:
    toward = where(z < 0, z, -z)
    return where(z < 0, toward - _LOG_2, log1p(-exp(toward) / 2))


def _laplace_ppf(q: Array) -> Array:
    return where(q > 0.5, -log(2 * (1 - q)), log(2 * q))


laplace = Continuous(
    "laplace",
    logpdf=lambda z: -absolute(z) - _LOG_2,
    cdf=_laplace_cdf,
    sf=lambda z: _laplace_cdf(-z),
    logcdf=_laplace_logcdf,
    logsf=lambda z: _laplace_logcdf(-z),
    ppf=_laplace_ppf,
    isf=lambda q: -_laplace_ppf(q),
    entropy=lambda: _LOG_2 + 1,
)

logistic = Continuous(
    "logistic",
    logpdf=lambda z: log_expit(z) + log_expit(-z),
    cdf=expit,
    sf=lambda z: expit(-z),
    logcdf=log_expit,
    logsf=lambda z: log_expit(-z),
    ppf=logit,
    isf=lambda q: -logit(q),
    entropy=lambda: 2.0,
)


def _log1p_square(z: Array) -> Array:
    """log(1 + z²), without overflow."""
    far = absolute(z) > 1
    near = where(far, 1 / where(far, z, 1.0), z)
    return log1p(near * near) + where(far, 2 * log(absolute(where(far, z, 1.0))), 0.0)


def _cauchy_ppf(q: Array) -> Array:
    middle = absolute(q - 0.5) < 0.25
    below, above = where(q < 0.5, q, 0.5), where(q > 0.5, 1 - q, 0.5)
    outer = where(q < 0.5, -1 / tan(math.pi * below), 1 / tan(math.pi * above))
    return where(middle, tan(math.pi * (q - 0.5)), outer)


cauchy = Continuous(
    "cauchy",
    logpdf=lambda z: -_LOG_PI - _log1p_square(z),
    cdf=lambda z: arctan2(1.0, -z) / math.pi,
    sf=lambda z: arctan2(1.0, z) / math.pi,
    ppf=_cauchy_ppf,
    isf=lambda q: -_cauchy_ppf(q),
    entropy=lambda: _LOG_2PI + _LOG_2,
)

halfcauchy = Continuous(
    "halfcauchy",
    logpdf=lambda z: _LOG_2 - _LOG_PI - _log1p_square(z),
    support=_FROM_ZERO,
    cdf=lambda z: (2 / math.pi) * arctan(z),
    sf=lambda z: (2 / math.pi) * arctan2(1.0, z),
    ppf=lambda q: tan((math.pi / 2) * q),
    isf=lambda q: 1 / tan((math.pi / 2) * q),
    entropy=lambda: _LOG_2PI,
)

halfnorm = Continuous(
    "halfnorm",
    logpdf=lambda z: -(z * z + _LOG_PI - _LOG_2) / 2,
    support=_FROM_ZERO,
    cdf=lambda z: erf(z / _SQRT_2),
    sf=lambda z: erfc(z / _SQRT_2),
    logsf=lambda z: where(z < 1, log1p(-erf(z / _SQRT_2)), _LOG_2 + log_ndtr(-z)),
    ppf=lambda q: _SQRT_2 * erfinv(q),
    isf=lambda q: -ndtri(q / 2),
    entropy=lambda: (_LOG_PI - _LOG_2 + 1) / 2,
)

lognorm = Continuous(
    "lognorm",
    shapes={"s": 1.0},
    logpdf=lambda z, s: -((log(z) / s) ** 2 + _LOG_2PI) / 2 - log(s * z),
    support=_FROM_ZERO,
    closed=False,
    cdf=lambda z, s: ndtr(log(z) / s),
    sf=lambda z, s: ndtr(-log(z) / s),
    logcdf=lambda z, s: log_ndtr(log(z) / s),
    logsf=lambda z, s: log_ndtr(-log(z) / s),
    ppf=lambda q, s: exp(s * ndtri(q)),
    isf=lambda q, s: exp(-s * ndtri(q)),
    entropy=lambda s: (_LOG_2PI + 1) / 2 + log(s),
)

rayleigh = Continuous(
    "rayleigh",
    logpdf=lambda z: log(z) - z * z / 2,
    support=_FROM_ZERO,
    closed=False,
    cdf=lambda z: -expm1(-z * z / 2),
    logcdf=lambda z: _log1mexp(z * z / 2),
    logsf=lambda z: -z * z / 2,
    ppf=lambda q: sqrt(-2 * log1p(-q)),
    isf=lambda q: sqrt(-2 * log(q)),
    entropy=lambda: _EULER / 2 + 1 - _LOG_2 / 2,
)

gamma = Continuous(
    "gamma",
    shapes={"a": 1.0},
    logpdf=lambda z, a: xlogy(a - 1, z) - z - gammaln(a),
    support=_FROM_ZERO,
    cdf=lambda z, a: gammainc(a, z),
    sf=lambda z, a: gammaincc(a, z),
    ppf=lambda q, a: gammaincinv(a, q),
    isf=lambda q, a: gammainccinv(a, q),
    entropy=lambda a: a + gammaln(a) + (1 - a) * digamma(a),
)

chi2 = Continuous(
    "chi2",
    shapes={"df": 1.0},
    logpdf=lambda z, df: xlogy(df / 2 - 1, z) - z / 2 - gammaln(df / 2) - df * (_LOG_2 / 2),
    support=_FROM_ZERO,
    cdf=lambda z, df: gammainc(df / 2, z / 2),
    sf=lambda z, df: gammaincc(df / 2, z / 2),
    ppf=lambda q, df: 2 * gammaincinv(df / 2, q),
    isf=lambda q, df: 2 * gammainccinv(df / 2, q),
    entropy=lambda df: df / 2 + _LOG_2 + gammaln(df / 2) + (1 - df / 2) * digamma(df / 2),
)

invgamma = Continuous(
    "invgamma",
    shapes={"a": 1.0},
    logpdf=lambda z, a: -(a + 1) * log(z) - gammaln(a) - 1 / z,
    support=_FROM_ZERO,
    closed=False,
    cdf=lambda z, a: gammaincc(a, 1 / z),
    sf=lambda z, a: gammainc(a, 1 / z),
    ppf=lambda q, a: 1 / gammainccinv(a, q),
    isf=lambda q, a: 1 / gammaincinv(a, q),
    entropy=lambda a: a - (a + 1) * digamma(a) + gammaln(a),
)


def _gennorm_logpdf(z: Array, beta: Array) -> Array:
    return log(beta / 2) - gammaln(1 / beta) - absolute(z) ** beta


def _gennorm_cdf(z: Array, beta: Array) -> Array:
    tail = gammaincc(1 / beta, absolute(_off_zero(z)) ** beta) / 2
    return where(z < 0, tail, 1 - tail)


gennorm = Continuous(
    "gennorm",
    shapes={"beta": 1.0},
    logpdf=_gennorm_logpdf,
    cdf=_gennorm_cdf,
    sf=lambda z, beta: _gennorm_cdf(-z, beta),
    entropy=lambda beta: 1 / beta - log(beta / 2) + gammaln(1 / beta),
)

beta = Continuous(
    "beta",
    shapes={"a": 1.0, "b": 1.0},
    logpdf=lambda z, a, b: xlogy(a - 1, z) + xlog1py(b - 1, -z) - betaln(a, b),
    support=_UNIT,
    cdf=lambda z, a, b: betainc(a, b, z),
    sf=lambda z, a, b: betaincc(a, b, z),
    ppf=lambda q, a, b: betaincinv(a, b, q),
    isf=lambda q, a, b: betainccinv(a, b, q),
    entropy=lambda a, b: betaln(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (a + b - 2) * digamma(a + b),
)


def _t_logpdf(z: Array, df: Array) -> Array:
    far = isinf(df)
    n = where(far, 1.0, df)
    student = gammaln((n + 1) / 2) - gammaln(n / 2) - (log(n) + _LOG_PI) / 2 - (n + 1) / 2 * log1p(z * z / n)
    return where(far, -(z * z + _LOG_2PI) / 2, student)


def _t_cdf(z: Array, df: Array) -> Array:
    far = isinf(df)
    n, z = where(far, 1.0, df), _off_zero(z)
    inner = z * z < n  # the smaller of the two parts of one is the accurate one
    part = where(inner, z * z, n) / (n + z * z)
    tail = where(inner, betaincc(0.5, n / 2, part), betainc(n / 2, 0.5, part)) / 2
    return where(far, ndtr(z), where(z < 0, tail, 1 - tail))


def _t_entropy(df: Array) -> Array:
    far = isinf(df)
    n = where(far, 1.0, df)
    student = (n + 1) / 2 * (digamma((n + 1) / 2) - digamma(n / 2)) + log(n) / 2 + betaln(n / 2, 0.5)
    return where(far, (_LOG_2PI + 1) / 2, student)


t = Continuous(
    "t",
    shapes={"df": 1.0},
    logpdf=_t_logpdf,
    cdf=_t_cdf,
    sf=lambda z, df: _t_cdf(-z, df),
    entropy=_t_entropy,
)


def _f_logpdf(z: Array, dfn: Array, dfd: Array) -> Array:
    ratio = dfn / dfd
    return dfn / 2 * log(ratio) + xlogy(dfn / 2 - 1, z) - (dfn + dfd) / 2 * log1p(ratio * z) - betaln(dfn / 2, dfd / 2)


f = Continuous(
    "f",
    shapes={"dfn": 1.0, "dfd": 1.0},
    logpdf=_f_logpdf,
    support=_FROM_ZERO,
    cdf=lambda z, dfn, dfd: betainc(dfn / 2, dfd / 2, dfn * z / (dfd + dfn * z)),
    sf=lambda z, dfn, dfd: betainc(dfd / 2, dfn / 2, dfd / (dfd + dfn * z)),
    ppf=lambda q, dfn, dfd: dfd * betaincinv(dfn / 2, dfd / 2, q) / (dfn * betainccinv(dfd / 2, dfn / 2, q)),
    isf=lambda q, dfn, dfd: dfd * betainccinv(dfn / 2, dfd / 2, q) / (dfn * betaincinv(dfd / 2, dfn / 2, q)),
    entropy=lambda dfn, dfd: (
        log(dfd)
        - log(dfn)
        + betaln(dfn / 2, dfd / 2)
        + (1 - dfn / 2) * digamma(dfn / 2)
        - (1 + dfd / 2) * digamma(dfd / 2)
        + (dfn + dfd) / 2 * digamma((dfn + dfd) / 2)
    ),
)

pareto = Continuous(
    "pareto",
    shapes={"b": 1.0},
    logpdf=lambda z, b: log(b) - (b + 1) * log(z),
    support=_FROM_ONE,
    cdf=lambda z, b: -expm1(-b * log(z)),
    logcdf=lambda z, b: _log1mexp(b * log(z)),
    logsf=lambda z, b: -b * log(z),
    ppf=lambda q, b: exp(-log1p(-q) / b),
    isf=lambda q, b: exp(-log(q) / b),
    entropy=lambda b: 1 + 1 / b - log(b),
)

_gumbel: dict[str, Any] = {
    "logpdf": lambda z: -z - exp(-z),
    "logcdf": lambda z: -exp(-z),
    "cdf": lambda z: exp(-exp(-z)),
    "sf": lambda z: -expm1(-exp(-z)),
    "logsf": lambda z: _log1mexp(exp(-z)),
    "ppf": lambda q: -log(-log(q)),
    "isf": lambda q: -log(-log1p(-q)),
}
gumbel_r = Continuous("gumbel_r", **_gumbel, entropy=lambda: _EULER + 1)
gumbel_l = Continuous("gumbel_l", **_mirrored(**_gumbel), entropy=lambda: _EULER + 1)

_weibull: dict[str, Any] = {
    "logpdf": lambda z, c: log(c) + xlogy(c - 1, z) - z**c,
    "cdf": lambda z, c: -expm1(-(z**c)),
    "sf": lambda z, c: exp(-(z**c)),
    "logcdf": lambda z, c: _log1mexp(z**c),
    "logsf": lambda z, c: -(z**c),
    "ppf": lambda q, c: (-log1p(-q)) ** (1 / c),
    "isf": lambda q, c: (-log(q)) ** (1 / c),
}


def _weibull_entropy(c: Array) -> Array:
    return -_EULER / c - log(c) + _EULER + 1


weibull_min = Continuous("weibull_min", support=_FROM_ZERO, shapes={"c": 1.0}, **_weibull, entropy=_weibull_entropy)
weibull_max = Continuous(
    "weibull_max", support=(-np.inf, 0.0), shapes={"c": 1.0}, **_mirrored(**_weibull), entropy=_weibull_entropy
)


def _exponweib_logcdf(z: Array, a: Array, c: Array) -> Array:
    return a * _log1mexp(z**c)


exponweib = Continuous(
    "exponweib",
    shapes={"a": 1.0, "c": 1.0},
    logpdf=lambda z, a, c: log(a) + log(c) + xlogy(a - 1, -expm1(-(z**c))) - z**c + xlogy(c - 1, z),
    support=_FROM_ZERO,
    logcdf=_exponweib_logcdf,
    sf=lambda z, a, c: -expm1(_exponweib_logcdf(z, a, c)),
    ppf=lambda q, a, c: (-log1p(-(q ** (1 / a)))) ** (1 / c),
    isf=lambda q, a, c: (-log(-expm1(log1p(-q) / a))) ** (1 / c),
)


def _smooth_quotient(f: Formula, u: Array, series: list[float]) -> Array:
    """f(u) / u, by the series of it where u is small."""
    small = absolute(u) < 0.03
    near, total = where(small, u, 0.0), 0 * u
    for term in reversed(series):
        total = total * near + term
    far = where(small, 1.0, u)
    return where(small, total, f(far) / far)


_LOG1P_SERIES = [(-1) ** k / (k + 1) for k in range(12)]
_EXPM1_SERIES = [1 / math.factorial(k + 1) for k in range(12)]


def _genextreme_log_rate(z: Array, c: Array) -> Array:
    """log(1 - c z) / c, and -z where c is 0."""
    safe = where(c * z < 1, c * z, 0.0)
    return -z * _smooth_quotient(log1p, -safe, _LOG1P_SERIES)


def _genextreme_quantile(x: Array, c: Array) -> Array:
    """The point from that of the Gumbel distribution, (1 - exp(-c x)) / c."""
    return x * _smooth_quotient(expm1, -c * x, _EXPM1_SERIES)


genextreme = Continuous(
    "genextreme",
    shapes={"c": 0.0},
    valid=lambda c: absolute(c) < np.inf,
    logpdf=lambda z, c: -exp(_genextreme_log_rate(z, c)) + _genextreme_log_rate(z, c) - log1p(-c * z),
    support=(
        lambda c: where(c < 0, 1 / where(c < 0, c, -1.0), -np.inf),
        lambda c: where(c > 0, 1 / where(c > 0, c, 1.0), np.inf),
    ),
    closed=False,
    cdf=lambda z, c: exp(-exp(_genextreme_log_rate(z, c))),
    logcdf=lambda z, c: -exp(_genextreme_log_rate(z, c)),
    sf=lambda z, c: -expm1(-exp(_genextreme_log_rate(z, c))),
    logsf=lambda z, c: _log1mexp(exp(_genextreme_log_rate(z, c))),
    ppf=lambda q, c: _genextreme_quantile(-log(-log(q)), c),
    isf=lambda q, c: _genextreme_quantile(-log(-log1p(-q)), c),
    entropy=lambda c: _EULER * (1 - c) + 1,
)


def _invgauss_logs(z: Array, mu: Array) -> tuple[Array, Array]:
    """The logarithms of both probabilities.

    They are those of the normal distribution at a, plus or minus exp(2 / mu) times that at b. As a² = b² - 4 / mu, all
    have the factor exp(-a² / 2), which is taken out on the side where it is small.
    """
    a, b = (z / mu - 1) / sqrt(z), (z / mu + 1) / sqrt(z)
    below = a < 0
    tail = erfcx(where(below, -a, a) / _SQRT_2) + where(below, 1, -1) * erfcx(b / _SQRT_2)
    small = log(tail) - _LOG_2 - a * a / 2
    large = log1p(-exp(small))
    return where(below, small, large), where(below, large, small)


invgauss = Continuous(
    "invgauss",
    shapes={"mu": 1.0},
    logpdf=lambda z, mu: -_LOG_2PI / 2 - 1.5 * log(z) - (z / mu - 1) ** 2 / (2 * z),
    support=_FROM_ZERO,
    closed=False,
    logcdf=lambda z, mu: _invgauss_logs(z, mu)[0],
    logsf=lambda z, mu: _invgauss_logs(z, mu)[1],
)


def _vonmises_logpdf(z: Array, kappa: Array) -> Array:
    return -2 * kappa * sin(z / 2) ** 2 - _LOG_2PI - log(i0e(_off_zero(kappa)))  # which has a kink at 0


_NODES, _WEIGHTS = (0.5 * v for v in np.polynomial.legendre.leggauss(64))


def _vonmises_cdf(z: Array, kappa: Array) -> Array:
    """By Gauss and Legendre from the point away from the peak, up to where the density is less than the last digit."""
    turns = round(z / (2 * math.pi))
    rest = z - 2 * math.pi * turns
    size = where(rest < 0, -rest, rest)
    depth = 40 / where(kappa > 1, kappa, 1.0)
    low = cos(size) - depth
    short = low > -1
    length = where(short, arccos(where(short, low, 0.0)), math.pi) - size
    at = size[..., None] + length[..., None] * (0.5 + _NODES)
    tail = length * (_WEIGHTS * exp(_vonmises_logpdf(at, kappa[..., None]))).sum(axis=-1)
    return turns + where(rest < 0, tail, 1 - tail)


vonmises = Continuous(
    "vonmises",
    shapes={"kappa": 1.0},
    valid=lambda kappa: kappa >= 0,
    logpdf=_vonmises_logpdf,
    cdf=_vonmises_cdf,
    sf=lambda z, kappa: _vonmises_cdf(-z, kappa),
    quantiles=lambda shapes: (-math.pi, math.pi),
    entropy=lambda kappa: -kappa * i1e(kappa) / i0e(kappa) + _LOG_2PI + log(i0e(kappa)) + kappa,
)


def _wrapcauchy_cdf(z: Array, c: Array) -> Array:
    sharpness = (1 + c) / (1 - c)
    half = where(z < math.pi, z, 2 * math.pi - z) / 2
    part = arctan2(sharpness * sin(half), cos(half)) / math.pi
    return where(z < math.pi, part, 1 - part)


def _wrapcauchy_ppf(q: Array, c: Array) -> Array:
    half = math.pi * where(q < 0.5, q, 1 - q)
    point = 2 * arctan2((1 - c) * sin(half), (1 + c) * cos(half))
    return where(q < 0.5, point, 2 * math.pi - point)


wrapcauchy = Continuous(
    "wrapcauchy",
    shapes={"c": 0.5},
    valid=lambda c: (c > 0) & (c < 1),
    logpdf=lambda z, c: log1p(-c * c) - _LOG_2PI - log((1 - c) ** 2 + 4 * c * sin(z / 2) ** 2),
    support=(0.0, 2 * math.pi),
    cdf=_wrapcauchy_cdf,
    sf=lambda z, c: _wrapcauchy_cdf(2 * math.pi - z, c),
    ppf=_wrapcauchy_ppf,
    isf=lambda q, c: 2 * math.pi - _wrapcauchy_ppf(q, c),
    entropy=lambda c: _LOG_2PI + log1p(-c * c),
)


def _log_ndtr(x: Array) -> Array:
    """As log_ndtr; at minus infinity with the derivative zero, which the limit of what it is used in has."""
    finite = x > -np.inf
    return where(finite, log_ndtr(where(finite, x, 0.0)), -np.inf)


def _log_normal_mass(a: Array, b: Array) -> Array:
    """The logarithm of the normal probability of the interval from a to b, on the side where both are accurate."""
    central = (a <= 0) & (b > 0)
    right = a > 0
    low, high = where(right, -b, a), where(right, -a, b)
    low, high = where(central, -1.0, low), where(central, 0.0, high)
    upper = _log_ndtr(high)
    tail = upper + _log1mexp(upper - _log_ndtr(low))
    return where(central, _log_central_mass(where(central, a, -1.0), where(central, b, 1.0)), tail)


def _log_central_mass(a: Array, b: Array) -> Array:
    """The same for an interval around zero."""
    mass = (erf(b / _SQRT_2) - erf(a / _SQRT_2)) / 2
    small = mass < 0.5
    return where(small, log(where(small, mass, 0.5)), log1p(-ndtr(a) - ndtr(-b)))


def _truncnorm_logcdf(z: Array, a: Array, b: Array) -> Array:
    whole = _log_normal_mass(a, b)
    part, rest = minimum(_log_normal_mass(a, z) - whole, 0.0), minimum(_log_normal_mass(z, b) - whole, 0.0)
    near = part > -0.1  # where the difference has lost its digits, and that of the other side has not
    return where(near, log1p(-exp(where(near, rest, -1.0))), part)


def _truncnorm_logsf(z: Array, a: Array, b: Array) -> Array:
    return _truncnorm_logcdf(-z, -b, -a)


truncnorm = Continuous(
    "truncnorm",
    shapes={"a": -1.0, "b": 1.0},
    valid=lambda a, b: a < b,
    logpdf=lambda z, a, b: -(z * z + _LOG_2PI) / 2 - _log_normal_mass(a, b),
    support=(lambda a, b: a, lambda a, b: b),
    logcdf=_truncnorm_logcdf,
    logsf=_truncnorm_logsf,
)
