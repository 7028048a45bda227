"""torch's distributions that are drawn by rejection: element by element, each taking as many numbers as it happens to.

Source: W. Hörmann, The transformed rejection method for generating Poisson random variables (1993) and The generation
of binomial random variates (1993); G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables (2000).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base import box_muller
from funcgrad.torch.base.generator import Generator
from funcgrad.torch.base.sampling import cast, is_floating, refuse, title
from funcgrad.torch.texts import randomness as texts

Uniform = Callable[[], float]


# Poisson


def poisson(generator: Generator, rate: np.ndarray) -> np.ndarray:
    """Numbers of events, for every mean in `rate`; of the same dtype."""
    if not is_floating(rate.dtype):
        raise refuse("poisson_cpu", rate.dtype)
    with generator.one_by_one() as uniform:
        out = [_poisson(x, uniform) for x in rate.astype(np.float64).ravel().tolist()]
    return cast(np.array(out, np.int64), rate.dtype).reshape(rate.shape)


def _poisson(rate: float, uniform: Uniform) -> int:
    if not rate >= 0.0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate == 0.0:
        return 0
    if rate >= 10.0:
        return _poisson_rejection(rate, uniform)
    limit, product, k = math.exp(-rate), uniform(), 0
    while product > limit:
        product *= uniform()
        k += 1
    return k


def _poisson_rejection(rate: float, uniform: Uniform) -> int:
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    log_inverse_alpha = math.log(1.1239 + 1.1328 / (b - 3.4))
    squeeze = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u = uniform() - 0.5
        v = uniform()
        s = 0.5 - abs(u)
        if s == 0.0:
            continue
        k = math.floor((2.0 * a / s + b) * u + rate + 0.43)
        if s >= 0.07 and v <= squeeze:
            return k
        if k < 0 or (s < 0.013 and v > s):
            continue
        accepted = -rate + k * log_rate - math.lgamma(k + 1.0)
        if v == 0.0 or math.log(v) + log_inverse_alpha - math.log(a / (s * s) + b) <= accepted:
            return k


# Binomial


def binomial(generator: Generator, count: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Numbers of successes in `count` trials of probability `p`; the operands broadcast."""
    for operand, name in ((count, "count"), (p, "prob")):
        if not is_floating(operand.dtype):
            raise ValueError(texts.BINOMIAL_DTYPE.format(name=name, dtype=title(operand.dtype)))
    if count.dtype != p.dtype:
        raise RuntimeError(f"Found dtype {title(p.dtype)} but expected {title(count.dtype)}")
    dtype = count.dtype
    if dtype not in (np.float32, np.float64):
        raise refuse("binomial_cpu", dtype)
    count, p = np.broadcast_arrays(count, p)
    out = np.empty(count.shape)
    with generator.one_by_one() as uniform, np.errstate(invalid="ignore"):
        out.ravel()[:] = [_binomial(n, x, dtype.type, uniform) for n, x in zip(count.flat, p.flat, strict=True)]
    return out.astype(dtype)


def _binomial(count: Any, p: Any, real: type, uniform: Uniform) -> float:
    """count and p are scalars of the type `real`: torch computes partly in it, and partly in double precision."""
    if count <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return float(count)
    if p != p:
        return math.nan
    q = p if p <= 0.5 else real(1.0 - float(p))
    draw = _binomial_rejection if count * q >= 10 else _binomial_inversion
    successes = draw(count, q, real, uniform)
    return successes if q is p else float(count) - successes


def _binomial_inversion(count: Any, p: Any, real: type, uniform: Uniform) -> float:
    log_failure = float(np.log1p(-p))
    trials, successes, limit = 0.0, 0, float(count)
    while True:
        u = uniform()
        trials += math.ceil(math.log(u) / log_failure) if u else math.inf
        if trials > limit:
            return float(successes)
        successes += 1


def _binomial_rejection(count: Any, p: Any, real: type, uniform: Uniform) -> float:
    n, q = float(count), real(1) - p
    deviation = float(np.sqrt(count * p * q))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    c = float(count * p) + 0.5
    squeeze = 0.92 - 4.2 / b
    odds = float(p / q)
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((count + real(1)) * p)
    while True:
        u = uniform() - 0.5
        v = uniform()
        s = 0.5 - abs(u)
        if s == 0.0:
            continue
        k = math.floor((2.0 * a / s + b) * u + c)
        if not 0 <= k <= n:
            continue
        if s >= 0.07 and v <= squeeze:
            return float(k)
        bound = (
            (m + 0.5) * math.log((m + 1.0) / (odds * (n - m + 1.0)))
            + (n + 1.0) * math.log((n - m + 1.0) / (n - k + 1.0))
            + (k + 0.5) * math.log(odds * (n - k + 1.0) / (k + 1.0))
            + (_stirling_tail(m) + _stirling_tail(n - m) - _stirling_tail(k) - _stirling_tail(n - k))
        )
        if v == 0.0 or math.log(v * alpha / (a / (s * s) + b)) <= bound:
            return float(k)


_STIRLING_TAILS = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _stirling_tail(k: float) -> float:
    """What Stirling's formula leaves of the logarithm of k!."""
    if k < len(_STIRLING_TAILS):
        return _STIRLING_TAILS[int(k)]
    square = (k + 1.0) * (k + 1.0)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1.0)


# Gamma


def standard_gamma(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """Gamma numbers of unit scale, for every shape parameter in `alpha`; of the same dtype."""
    if alpha.dtype not in (np.float32, np.float64):
        raise refuse("gamma_cpu", alpha.dtype)
    return _gammas(generator, alpha)


def _gammas(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    real = alpha.dtype.type
    with generator.one_by_one() as uniform:
        out = [_gamma(a, real, uniform, lambda: _one_normal(generator, uniform)) for a in alpha.ravel()]
    return np.fmax(np.finfo(real).tiny, np.array(out).astype(alpha.dtype)).reshape(alpha.shape)


def _one_normal(generator: Generator, uniform: Uniform) -> float:
    if generator.spare is not None:
        x, generator.spare = generator.spare, None
        return x
    angle = box_muller.TWO_PI * uniform()
    radius = math.sqrt(-2.0 * math.log1p(-uniform()))
    generator.spare = radius * math.sin(angle)
    return radius * math.cos(angle)


_THIRD, _SQUEEZE = float(np.float32(1.0) / np.float32(3.0)), float(np.float32(0.0331))


def _gamma(alpha: Any, real: type, uniform: Uniform, normal: Uniform) -> float:
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = math.pow(1.0 - uniform(), float(real(1) / alpha))
        alpha = alpha + real(1)
    d = float(alpha - real(_THIRD))
    c = 1.0 / math.sqrt(9.0 * d) if d > 0 else math.nan  # of a parameter that is none: then all of it is nan
    while True:
        x = normal()
        y = 1.0 + c * x
        while y <= 0.0:
            x = normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - uniform()
        xx = x * x
        if u < 1.0 - _SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def dirichlet(generator: Generator, alpha: np.ndarray) -> np.ndarray:
    """Points of the simplex, for every row of concentrations in `alpha`; of the same dtype."""
    if alpha.dtype not in (np.float32, np.float64):
        raise refuse("dirichlet", alpha.dtype)
    gammas = _gammas(generator, alpha.astype(np.float64))
    points = (gammas / gammas.sum(axis=-1, keepdims=True)).astype(alpha.dtype)
    real = alpha.dtype.type
    return np.clip(points, np.finfo(real).tiny, np.nextafter(real(1), real(0)))
