"""`random_gamma`: numbers of the gamma distribution, differentiable in its parameter.

The sampler proposes and rejects, each number with a key of its own, so it is a primitive that loops in NumPy over what
is not accepted yet. Its derivative is not that of the loop, which jumps from one proposal to another. It is that of the
quantile: a sample y is where the distribution function P(a, y) has a certain value, and stays there when a moves, so
dy/da = -(∂P/∂a) / (∂P/∂y). That again has derivatives of every order.

Source: Marsaglia, Tsang, "A simple method for generating gamma variables", 2000; for the derivative Figurnov, Mohamed,
Mnih, "Implicit reparameterization gradients", 2018.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample, Zero, elementwise
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.gamma import digamma, polygamma
from funcgrad.ops.incomplete_gamma import bell, order_in_prefactors
from funcgrad.ops.random_bits import fold, standard_normal, threefry2x32, unit_interval

__all__ = ["gamma_ratio", "random_gamma"]


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
        return -g * gamma_ratio(out, y, order=1)
    return -g * out * gamma_ratio(np.log(np.maximum(out, np.finfo(out.dtype).tiny)), y, order=1)


# The samples are drawn in half precision, in which nothing is compared with finite differences: at a fixed key
# a sample jumps. tests/random compares the derivative with that of the quantile.
random_gamma: Primitive = elementwise(
    _random_gamma,  # of the key, and the parameter a
    Zero("integer operand"),
    _gamma_rule,
    shape=_gamma_shape,
    samples=_gamma_samples,
    dtypes="e",
)


# How P moves with a, over how it moves with u = log x: (∂ⁿP/∂aⁿ) / h, where h = x^a e^-x / Γ(a). For n = 1 it is minus
# the slope of the quantile, d(log x)/da, where x keeps the value of P(a, x). Where h underflows the quotient does not.


def _gamma_ratio(x: Any, y: Any, *, order: int) -> Any:
    kind, shape = np.result_type(x, y), np.broadcast_shapes(np.shape(x), np.shape(y))
    log_x, a = [np.broadcast_to(np.asarray(v, np.float64), shape).ravel() for v in (x, y)]
    with np.errstate(all="ignore"):
        found = order_in_prefactors(a, np.exp(log_x), log_x, log_x - np.log(a), order) / a
    return np.where(a > 0, found, np.nan).astype(kind).reshape(shape)[()]


def _ratio_by_log(g: Any, x: Any, y: Any, out: Any, order: int) -> Any:
    """P moves with u by h, and h by h (a - x)."""
    logs = [x - digamma(y), *[-polygamma(y, n=k) for k in range(1, order)]]
    return g * (bell(logs, order) - out * (y - np.exp(x)))


def _ratio_by_order(g: Any, x: Any, y: Any, out: Any, order: int) -> Any:
    return g * (gamma_ratio(x, y, order=order + 1) - out * (x - digamma(y)))


gamma_ratio: Primitive = elementwise(
    _gamma_ratio,  # of the logarithm of the quantile, and the parameter a
    _ratio_by_log,
    _ratio_by_order,
    samples=lambda draw: [
        Sample(draw(), draw(low=0.5, high=3), order=1),
        Sample(draw(3), draw(2, 3, low=0.5, high=3), order=1),
        Sample(draw(2, low=2.8, high=3.2), draw(2, low=16, high=30), order=2),
        Sample(draw(0), draw(0), order=1),
    ],
)
