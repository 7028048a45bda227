"""The Box-Muller transform with the roundings of torch's kernels: two uniform numbers become two normal ones.

torch has three: one in double precision that makes a pair at a time, and two that turn blocks of sixteen uniforms into
sixteen normals, in double precision with the C library's functions and in single precision with vector instructions.
The vector kernel evaluates the polynomials of the Cephes library, and its compiler contracts a product and the sum that
follows into one operation that rounds once, so the order of the roundings below is part of the result.

Source: G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958);
Cephes Mathematical Library, logf and sinf (https://www.netlib.org/cephes/).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

TWO_PI = 2.0 * math.pi
BLOCK = 16
_TILE = 4096  # blocks whose intermediate results stay in the cache
_SPLITTER = 2.0**27 + 1.0  # cuts a double into two halves whose products are exact,
_SPLITTABLE = 1e-250, 1e250  # if it is not so small or large that they would leave the range


def _single(*values: float) -> tuple[float, ...]:
    """The values as single precision knows them."""
    return tuple(float(np.float32(v)) for v in values)


_TWO_PI, _FOUR_OVER_PI, _SQRT_HALF = _single(TWO_PI, 4.0 / math.pi, math.sqrt(0.5))
_LOG = _single(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LOG2_LOW, _LOG2_HIGH = _single(-2.12194440e-4, 0.693359375)  # log 2 in two parts
_QUARTER_PI = _single(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)  # -pi / 4 in three parts
_SIN = _single(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _single(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)


_quiet = np.errstate(over="ignore", invalid="ignore")  # an overflow is no news to torch


# Single precision. The arrays are of float64 and hold float32 values, so that a product of two is exact.


def _round(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float32).astype(np.float64)


def _fma(a: Any, b: Any, c: Any) -> np.ndarray:
    """a * b + c, rounded once to single precision."""
    x = a * b
    x += c
    return _round(x)


def _polynomial(x: np.ndarray, coefficients: tuple[float, ...]) -> np.ndarray:
    y: Any = coefficients[0]
    for c in coefficients[1:]:
        y = _fma(y, x, c)
    return y


def _log32(x: np.ndarray) -> np.ndarray:
    m, e = np.frexp(x)
    low = m < _SQRT_HALF
    e = e - low.astype(np.float64)
    x = m - 1.0 + m * low
    z = _round(x * x)
    y = _round(_polynomial(x, _LOG) * x)
    y = _fma(y, z, _round(e * _LOG2_LOW))
    y = _fma(z, -0.5, y)
    return _fma(e, _LOG2_HIGH, _round(x + y))


def _sincos32(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    octant = (_round(x * _FOUR_OVER_PI).astype(np.int64) + 1) & ~1
    j = octant.astype(np.float64)
    for part in _QUARTER_PI:
        x = _fma(j, part, x)
    z = _round(x * x)
    c = _round(_fma(_round(_polynomial(z, _COS) * z), z, -0.5 * z) + 1.0)
    s = _fma(_round(_polynomial(z, _SIN) * z), x, x)
    straight = (octant & 2) == 0
    sine, cosine = np.where(straight, s, c), np.where(straight, c, s)
    np.negative(sine, out=sine, where=(octant & 4) != 0)
    np.negative(cosine, out=cosine, where=((octant - 2) & 4) == 0)
    return sine, cosine


@_quiet
def _blocks32(u: np.ndarray, mean: float, std: float) -> np.ndarray:
    mean, std = _single(mean, std)
    out = np.empty(u.shape, np.float32)
    for start in range(0, len(u), _TILE):
        tile = u[start : start + _TILE].astype(np.float64)
        radius = _round(np.sqrt(-2.0 * _log32(1.0 - tile[:, 0])))
        sine, cosine = _sincos32(_round(tile[:, 1] * _TWO_PI))
        out[start : start + _TILE, 0] = _round(radius * cosine) * std + mean
        out[start : start + _TILE, 1] = _round(radius * sine) * std + mean
    return out


# Double precision


def libm(function: Callable[[float], float], x: np.ndarray) -> np.ndarray:
    """The C library's function of every element: NumPy's own vectorised versions differ in the last place."""
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def log(x: np.ndarray) -> np.ndarray:
    """The C library's logarithm of numbers that are not negative."""
    zero = x == 0.0
    if not zero.any():
        return libm(math.log, x)
    return np.where(zero, -np.inf, libm(math.log, np.where(zero, 1.0, x)))


@_quiet
def exp(x: np.ndarray) -> np.ndarray:
    """The C library's exponential, which NumPy calls for complex numbers."""
    return np.exp(x.astype(np.complex128)).real


def _cis(theta: np.ndarray) -> np.ndarray:
    """cos + i sin, from the C library."""
    z = np.zeros(theta.shape, np.complex128)
    z.imag = theta
    return np.exp(z, out=z)


def _split(x: Any) -> tuple[Any, Any]:
    t = _SPLITTER * x
    high = t - (t - x)
    return high, x - high


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@_quiet
def fma(a: np.ndarray, b: float, c: float | np.ndarray) -> np.ndarray:
    """a * b + c, rounded once to double precision.

    Source: S. Boldo and G. Melquiond, Emulation of a FMA and correctly rounded sums (2008).
    """
    if b == 1.0 or not _SPLITTABLE[0] < abs(b) < _SPLITTABLE[1]:
        return a * b + c
    if not isinstance(c, np.ndarray) and (c == 0.0 or not math.isfinite(c)):
        return a * b + c
    high = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    low = ((ah * bh - high) + ah * bl + al * bh) + al * bl
    th, tl = _two_sum(low, c)
    vh, vl = _two_sum(high, th)
    # The rest is rounded to odd, so that the last addition rounds the exact sum.
    z, error = _two_sum(tl, vl)
    even = (z.view(np.int64) & 1) == 0
    z = np.where((error != 0.0) & even, np.nextafter(z, np.copysign(np.inf, error)), z)
    return vh + z


@_quiet
def _blocks64(u: np.ndarray, mean: float, std: float) -> np.ndarray:
    radius = np.sqrt(-2.0 * log(1.0 - u[:, 0]))
    circle = _cis(TWO_PI * u[:, 1])
    out = np.empty(u.shape)
    out[:, 0] = fma(radius * circle.real, std, mean)
    out[:, 1] = fma(radius * circle.imag, std, mean)
    return out


def blocks(u: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Normal numbers from uniform ones in [0, 1), sixteen at a time.

    Arguments:
        u: a flat array of float32 or float64, its length a multiple of sixteen. In each sixteen the first eight are
            the radii and the last eight are the angles.

    Returns:
        An array of the same length and dtype.
    """
    transform = _blocks32 if u.dtype == np.float32 else _blocks64
    return transform(u.reshape(-1, 2, BLOCK // 2), mean, std).reshape(-1)


def pairs(angle: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Standard normal numbers in double precision from pairs of uniform ones, the two of a pair side by side."""
    r = np.sqrt(-2.0 * libm(math.log1p, -radius))
    z = _cis(TWO_PI * angle)
    out = np.empty((len(r), 2))
    out[:, 0] = r * z.real
    out[:, 1] = r * z.imag
    return out.reshape(-1)
