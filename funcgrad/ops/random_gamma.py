"""`random_gamma`: numbers of the gamma distribution, differentiable in its parameter.

The sampler proposes and rejects, each number with a key of its own, so it is a primitive that loops in NumPy over what
is not accepted yet. Its derivative is not that of the loop, which jumps from one proposal to another. It is that of the
quantile: a sample y is where the distribution function P(a, y) has a certain value, and stays there when a moves, so
dy/da = -(∂P/∂a) / (∂P/∂y).

Source: Marsaglia, Tsang, "A simple method for generating gamma variables", 2000; for the derivative Figurnov, Mohamed,
Mnih, "Implicit reparameterization gradients", 2018.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, Zero, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops import special_functions as values
from funcgrad.ops.random_bits import fold, standard_normal, threefry2x32, unit_interval

__all__ = ["quantile_slope", "random_gamma"]


# Numbers from keys: one from each.


def _child(key: Any, i: int) -> Any:
    """The i-th of the keys that a key is split into."""
    return threefry2x32(key, np.uint64(i))


def _uniform(key: Any, dtype: np.dtype) -> Any:
    return unit_interval(fold(_child(key, 0), 8 * dtype.itemsize), dtype)


# The sampler.


def _random_gamma(key: Any, a: Any, *, log_space: bool) -> Any:
    key, a = np.broadcast_arrays(key, a)
    dtype, shape = a.dtype, a.shape
    key, a = key.ravel(), a.ravel()
    one = dtype.type(1)
    with np.errstate(all="ignore"):
        large = a >= 1
        shifted = np.where(large, a, a + one)  # a sample for a + 1, times u^(1/a), is one for a
        d = shifted - dtype.type(1 / 3)
        cube = _accepted(_child(key, 0), d)
        last = _child(key, 1)
        u = _uniform(last, dtype)
        if log_space:
            log_u = np.log1p(-u)
            boost = np.where(large | (log_u == 0), 0, log_u * (one / a))
            out = np.log(d) + np.log(cube) + boost
        else:
            out = d * cube * np.where(large, one, np.power(one - u, one / a))
    return np.where(a < 0, dtype.type(math.nan), out).reshape(shape)[()]


def _accepted(key: Any, d: Any) -> Any:
    """For each key v = (1 + c x)³, x normal, such that d v is of the gamma distribution with parameter d + 1/3."""
    dtype = d.dtype
    c = dtype.type(1 / 3) / np.sqrt(d)
    v = np.ones_like(d)
    (rest,) = np.nonzero(np.isfinite(d) & (d > 0))
    key = key[rest]
    while rest.size:
        x, root = _positive(_child(key, 1), c[rest])
        square, cube = x * x, root * root * root
        u = _uniform(_child(key, 2), dtype)
        v[rest] = cube
        again = (u >= 1 - dtype.type(0.0331) * (square * square)) & (
            np.log(u) >= square * dtype.type(0.5) + d[rest] * (1 - cube + np.log(cube))
        )
        rest, key = rest[again], _child(key[again], 0)
    return v


def _positive(key: Any, c: Any) -> tuple[Any, Any]:
    """For each key the first normal number x for which 1 + c x is positive, and that."""
    x, root = np.empty_like(c), np.empty_like(c)
    rest = np.arange(c.size)
    while rest.size:
        x[rest] = standard_normal(_uniform(_child(key, 1), c.dtype), c.dtype)
        root[rest] = 1 + x[rest] * c[rest]
        again = root[rest] <= 0
        rest, key = rest[again], _child(key[again], 0)
    return x, root


def _gamma_samples(draw: Draw) -> list[Sample]:
    def keys(*shape: int) -> np.ndarray:
        return threefry2x32(np.uint64(1), np.arange(np.prod(shape, dtype=int), dtype=np.uint64).reshape(shape))

    def some(*shape: int) -> np.ndarray:
        return draw(*shape, low=0.5, high=3)

    return [
        Sample(keys(), some(), log_space=False),
        Sample(keys(3), some(2, 3), log_space=True),
        Sample(keys(2, 1), some(3), log_space=False),
        Sample(keys(0), some(0), log_space=True),
    ]


def _gamma_shape(x: Any, y: Any, *, log_space: bool) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(np.broadcast_shapes(shape_of(x), shape_of(y)), dtype_of(y))


def _gamma_rule(g: Any, out: Any, y: Any, log_space: bool) -> Any:
    if log_space:
        return g * quantile_slope(out, y)
    return g * out * quantile_slope(np.log(np.maximum(out, np.finfo(out.dtype).tiny)), y)


# The samples are drawn in half precision, in which nothing is compared with finite differences: at a fixed key
# a sample jumps. tests/random compares the derivative with that of the quantile.
random_gamma: Primitive = primitive(
    _random_gamma,
    operands="x y",  # the key, and the parameter a
    shape=_gamma_shape,
    vjp=(Zero("integer operand"), _gamma_rule),
    jvp=(Zero("integer operand"), _gamma_rule),
    batch=batching.elementwise,
    samples=_gamma_samples,
    dtypes="e",
)


# The slope of the quantile, on a logarithmic scale: d(log x)/da, where x keeps the value of P(a, x).
#
# ∂P/∂a is an integral of t^(a-1) e^-t (log t - ψ(a)) over t < x, or with the opposite sign over t > x. With t = x e^-s
# or x e^s its weight is e^-φ(s), a smooth function that only decays, for which a quadrature does at every a. Where a is
# small it decays too slowly, and the power series is quick.

_DEPTH = 40.0  # e^-40 is less than the last digit
_NODES = 64


def _quantile_slope(x: Any, y: Any) -> Any:
    kind, shape = np.result_type(x, y), np.broadcast_shapes(np.shape(x), np.shape(y))
    log_x, a = [np.broadcast_to(np.asarray(v, np.float64), shape).ravel() for v in (x, y)]
    out = np.full(log_x.shape, np.nan)
    with np.errstate(all="ignore"):
        x = np.exp(log_x)
        series = (a > 0) & ((x <= 1) | ((x < a) & (a < 15)))
        above = (a > 0) & ~series & (x > a)
        below = (a > 0) & ~series & (x <= a)
        for where, slope in ((series, _by_series), (above, _by_part_above), (below, _by_part_below)):
            if where.any():
                out[where] = slope(a[where], x[where], log_x[where])
    return out.astype(kind).reshape(shape)[()]


def _by_series(a: Any, x: Any, log_x: Any) -> Any:
    """From P = x^a e^-x / Γ(a + 1) · Σ tₙ with tₙ = tₙ₋₁ x / (a + n)."""
    term, total, moved = np.ones_like(a), np.ones_like(a), np.zeros_like(a)
    harmonic = np.zeros_like(a)
    for n in range(1, 200):
        term = term * x / (a + n)
        harmonic += 1 / (a + n)
        total += term
        moved -= term * harmonic
        if np.all(term * harmonic <= 1e-17 * total):
            break
    return (total * (values.digamma(a + 1) - log_x) - moved) / a


def _by_part_below(a: Any, x: Any, log_x: Any) -> Any:
    end = np.minimum((_DEPTH + x) / a, _DEPTH / np.maximum(a - x, 1e-300))
    end = np.minimum(end, np.where(x > 3 * _DEPTH, np.sqrt(3 * _DEPTH / x), np.inf))  # there φ ≥ 40
    return _quadrature(lambda s: x * -np.expm1(-s) - a * s, values.digamma(a) - log_x, end)


def _by_part_above(a: Any, x: Any, log_x: Any) -> Any:
    end = np.minimum(_DEPTH / np.maximum(x - a, 1e-300), np.sqrt(2 * _DEPTH / x))
    end = np.minimum(end, np.log1p((_DEPTH + a * end) / x))
    return _quadrature(lambda s: a * s - x * np.expm1(s), log_x - values.digamma(a), end)


def _quadrature(exponent: Any, offset: Any, end: Any) -> Any:
    """The integral of exp(exponent(s)) (offset + s) from 0 to end, by Gauss and Legendre."""
    total = np.zeros_like(end)
    for node, weight in zip(*np.polynomial.legendre.leggauss(_NODES), strict=True):
        s = end * (0.5 + 0.5 * node)
        total += weight * np.exp(exponent(s)) * (offset + s)
    return total * end * 0.5


def _slope_shape(x: Any, y: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(np.broadcast_shapes(shape_of(x), shape_of(y)), np.result_type(dtype_of(x), dtype_of(y)))


quantile_slope: Primitive = primitive(
    _quantile_slope,
    name="gamma_quantile_slope",
    operands="x y",  # the logarithm of the quantile, and the parameter a
    shape=_slope_shape,
    vjp=NotDifferentiable("the derivative of a gamma sample has itself none in closed form"),
    batch=batching.elementwise,
    samples=lambda draw: [
        Sample(draw(), draw(low=0.5, high=3)),
        Sample(draw(3), draw(2, 3, low=0.5, high=3)),
        Sample(draw(2), draw(2, low=16, high=30)),
        Sample(draw(0), draw(0)),
    ],
    dtypes="fd",
)
