"""The distributions, each by the formulas of its standard member."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.numpy import absolute, arctan, clip, exp, expm1, log, log1p, sign, tan, where
from funcgrad.scipy.special import (
    betaln,
    expit,
    gammainc,
    gammaincc,
    gammaln,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    xlog1py,
    xlogy,
)
from funcgrad.scipy.stats.families import Continuous, Discrete

_LOG_2PI, _LOG_PI, _LOG_2 = math.log(2 * math.pi), math.log(math.pi), math.log(2)

norm = Continuous(
    "norm",
    logpdf=lambda z: -(z * z + _LOG_2PI) / 2,
    cdf=ndtr,
    sf=lambda z: ndtr(-z),
    logcdf=log_ndtr,
    ppf=ndtri,
)


def _within(z: Array, *shapes: Any) -> Array:
    return (z >= 0) & (z <= 1)


def _positive(z: Array, *shapes: Any) -> Array:
    return z >= 0


uniform = Continuous(
    "uniform",
    logpdf=lambda z: 0 * z,
    support=_within,
    cdf=lambda z: clip(z, 0, 1),
    ppf=lambda q: where(_within(q), q, np.nan),
)

expon = Continuous(
    "expon",
    logpdf=lambda z: -z,
    support=_positive,
    cdf=lambda z: -expm1(-clip(z, 0, None)),
    sf=lambda z: exp(-clip(z, 0, None)),
    ppf=lambda q: -log1p(-q),
)


def _laplace_cdf(z: Array) -> Array:
    tail = exp(-absolute(z)) / 2
    return where(z < 0, tail, 1 - tail)


laplace = Continuous(
    "laplace",
    logpdf=lambda z: -absolute(z) - _LOG_2,
    cdf=_laplace_cdf,
    ppf=lambda q: -sign(q - 0.5) * log1p(-2 * absolute(q - 0.5)),
)

logistic = Continuous(
    "logistic",
    logpdf=lambda z: log_expit(z) + log_expit(-z),
    cdf=expit,
    sf=lambda z: expit(-z),
    logcdf=log_expit,
    ppf=logit,
)

cauchy = Continuous(
    "cauchy",
    logpdf=lambda z: -_LOG_PI - log1p(z * z),
    cdf=lambda z: 0.5 + arctan(z) / math.pi,
    ppf=lambda q: tan(math.pi * (q - 0.5)),
)

gamma = Continuous(
    "gamma",
    shapes=("a",),
    logpdf=lambda z, a: xlogy(a - 1, z) - z - gammaln(a),
    support=_positive,
    cdf=lambda z, a: gammainc(a, clip(z, 0, None)),
    sf=lambda z, a: gammaincc(a, clip(z, 0, None)),
)

chi2 = Continuous(
    "chi2",
    shapes=("df",),
    logpdf=lambda z, df: xlogy(df / 2 - 1, z) - z / 2 - gammaln(df / 2) - df * (_LOG_2 / 2),
    support=_positive,
    cdf=lambda z, df: gammainc(df / 2, clip(z, 0, None) / 2),
    sf=lambda z, df: gammaincc(df / 2, clip(z, 0, None) / 2),
)

beta = Continuous(
    "beta",
    shapes=("a", "b"),
    logpdf=lambda z, a, b: xlogy(a - 1, z) + xlog1py(b - 1, -z) - betaln(a, b),
    support=_within,
)

t = Continuous(
    "t",
    shapes=("df",),
    logpdf=lambda z, df: (
        gammaln((df + 1) / 2) - gammaln(df / 2) - (log(df) + _LOG_PI) / 2 - (df + 1) / 2 * log1p(z * z / df)
    ),
)

bernoulli = Discrete(
    "bernoulli",
    shapes=("p",),
    logpmf=lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
    support=lambda k: (k >= 0) & (k <= 1),
)

poisson = Discrete(
    "poisson", shapes=("mu",), logpmf=lambda k, mu: xlogy(k, mu) - gammaln(k + 1) - mu, support=lambda k: k >= 0
)
