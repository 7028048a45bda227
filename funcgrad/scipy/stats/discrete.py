"""The distributions on integers, each by the formulas of the one of location 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.errors import UnsupportedError
from funcgrad.numpy import arange, exp, expm1, floor, log, log1p, where
from funcgrad.scipy.special import betainc, betaincc, betaln, entr, gammainc, gammaincc, gammaln, xlog1py, xlogy
from funcgrad.scipy.stats.families import Discrete

__all__ = ["bernoulli", "betabinom", "binom", "geom", "nbinom", "poisson"]


bernoulli = Discrete(
    "bernoulli",
    shapes={"p": 0.5},
    valid=lambda p: (p >= 0) & (p <= 1),
    support=(0.0, 1.0),
    logpmf=lambda k, p: xlogy(k, p) + xlog1py(1 - k, -p),
    cdf=lambda k, p: 1 - p + 0 * k,
    sf=lambda k, p: p + 0 * k,
    logcdf=lambda k, p: log1p(-p) + 0 * k,
    logsf=lambda k, p: log(p) + 0 * k,
    ppf=lambda q, p: where(q <= 1 - p, 0.0, 1.0),
    isf=lambda q, p: where(p <= q, 0.0, 1.0),
    entropy=lambda p: entr(p) + entr(1 - p),
)


def _poisson_entropy(mu: Array) -> Array:
    """Summed up to a mean of 100, as far as there are probabilities; beyond that the series in 1 / mu."""
    small = mu < 100
    near, far = where(small, mu, 1.0)[..., None], where(small, 100.0, mu)
    logs = _poisson_logpmf(np.arange(0.0, 250.0), near)
    series = 1 / 12 + (1 / 24 + 19 / 360 / far) / far
    parts = exp(logs) * where(logs > -np.inf, logs, 0.0)
    return where(small, -parts.sum(axis=-1), (math.log(2 * math.pi) + 1 + log(far)) / 2 - series / far)


def _poisson_logpmf(k: Any, mu: Array) -> Array:
    return xlogy(k, mu) - gammaln(k + 1) - mu


poisson = Discrete(
    "poisson",
    shapes={"mu": 1.0},
    valid=lambda mu: mu >= 0,
    support=(0.0, np.inf),
    logpmf=_poisson_logpmf,
    cdf=lambda k, mu: gammaincc(k + 1, mu),
    sf=lambda k, mu: gammainc(k + 1, mu),
    entropy=_poisson_entropy,
)

geom = Discrete(
    "geom",
    shapes={"p": 0.5},
    valid=lambda p: (p > 0) & (p <= 1),
    support=(1.0, np.inf),
    logpmf=lambda k, p: xlog1py(k - 1, -p) + log(p),
    cdf=lambda k, p: -expm1(k * log1p(-p)),
    logsf=lambda k, p: k * log1p(-p),
)


def _log_binomial(n: Array, k: Array) -> Array:
    """The logarithm of a binomial coefficient."""
    return -log(n + 1) - betaln(n - k + 1, k + 1)


def _below(k: Array, n: Array) -> Array:
    """The integers above k up to n, counted; where there are none the function is not asked."""
    return where(n > k, n - k, 1.0)


def _up_to(n: Array, p: Array) -> Any:
    return (n >= 0) & (floor(n) == n) & (p >= 0) & (p <= 1)


binom = Discrete(
    "binom",
    shapes={"n": 1.0, "p": 0.5},
    valid=_up_to,
    support=(0.0, lambda n, p: n),
    logpmf=lambda k, n, p: _log_binomial(n, k) + xlogy(k, p) + xlog1py(n - k, -p),
    cdf=lambda k, n, p: betaincc(k + 1, _below(k, n), p),
    sf=lambda k, n, p: betainc(k + 1, _below(k, n), p),
)

nbinom = Discrete(
    "nbinom",
    shapes={"n": 1.0, "p": 0.5},
    valid=lambda n, p: (n > 0) & (p > 0) & (p <= 1),
    support=(0.0, np.inf),
    logpmf=lambda k, n, p: -log(n + k) - betaln(n, k + 1) + n * log(p) + xlog1py(k, -p),
    cdf=lambda k, n, p: betainc(n, k + 1, p),
    sf=lambda k, n, p: betaincc(n, k + 1, p),
)


def _betabinom_logpmf(k: Any, n: Array, a: Array, b: Array) -> Array:
    return _log_binomial(n, k) + betaln(k + a, n - k + b) - betaln(a, b)


def _betabinom_cdf(k: Array, n: Array, a: Array, b: Array) -> Array:
    """The sum of probabilities up to k, of as many as the largest n asks for."""
    largest = known(n)
    if largest is None:
        raise UnsupportedError(
            "betabinom.cdf sums as many probabilities as n says, so n must be known: under jit and vmap give it as a "
            "number that is no argument (static_argnums, functools.partial)"
        )
    j = arange(np.max(largest, initial=0.0) + 1)
    k, n, a, b = (v[..., None] for v in (k, n, a, b))
    there = j <= k
    return where(there, exp(_betabinom_logpmf(where(j <= n, j, 0.0), n, a, b)), 0.0).sum(axis=-1)


betabinom = Discrete(
    "betabinom",
    shapes={"n": 1.0, "a": 1.0, "b": 1.0},
    valid=lambda n, a, b: (n >= 0) & (floor(n) == n) & (a > 0) & (b > 0),
    support=(0.0, lambda n, a, b: n),
    logpmf=_betabinom_logpmf,
    cdf=_betabinom_cdf,
    sf=lambda k, n, a, b: _betabinom_cdf(n - k - 1, n, b, a),
)
