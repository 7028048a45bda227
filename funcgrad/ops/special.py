"""Elementwise functions of NumPy that are no ufuncs: sinc, i0, nan_to_num, unwrap.

`sinc` and `bessel_i` are families: the order is a parameter, and a derivative is the family at the next order. So all
derivatives exist, and they are accurate at zero too, where the textbook formulas cancel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, elements_shape, elementwise, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def _sinc(x: Any, *, order: int) -> Any:
    """The derivative of this order of sin(πx) / (πx).

    With u = πx, the derivatives s_n of sin(u) / u obey u s_n + n s_{n-1} = sin(u + nπ/2). Near zero this recurrence
    cancels, and the power series is summed.
    """
    if order == 0:
        return np.sinc(x)
    u = np.pi * np.asarray(x)
    near = np.abs(u) < 2.5 + 0.5 * order
    small, large = np.where(near, u, 0), np.where(near, 1, u)
    series, square = 0 * small, small * small
    term = np.ones_like(small)  # (±) small^m / m! for m = order % 2, order % 2 + 2, …
    parity = order % 2
    if parity:
        term = small
    if (order + parity) // 2 % 2:
        term = -term
    for m in range(parity, 32 + 4 * order, 2):
        series = series + term / (m + order + 1)
        term = -term * square / ((m + 1) * (m + 2))
    waves = (np.sin(large), np.cos(large), -np.sin(large), -np.cos(large))
    far = waves[0] / large
    for n in range(1, order + 1):
        far = (waves[n % 4] - n * far) / large
    return (np.pi**order * np.where(near, series, far))[()]


def _inexact_shape(x: Any, **params: Any) -> ShapeDtypeStruct:
    dtype = dtype_of(x)
    return ShapeDtypeStruct(shape_of(x), dtype if dtype.kind in "fc" else np.float64)


sinc: Primitive = elementwise(
    _sinc,
    lambda g, x, order: g * sinc(x, order=order + 1),
    shape=_inexact_shape,
    dtypes="fdFD",
    samples=lambda draw: [
        Sample(draw(), order=0),
        Sample(draw(2, 3), order=0),
        Sample(draw.strided(4), order=1),
        Sample(0.1 * draw(3), order=2),
        Sample(draw(0), order=0),
    ],
    preserves=True,
)


def _bessel_i(x: Any, *, order: int) -> Any:
    """The modified Bessel function I_n, for integer n.

    I_n = I_0 · r_1 ⋯ r_n with the ratios r_k = I_k / I_{k-1} of a continued fraction, r_k = x / (2k + x r_{k+1}). Its
    terms are positive, so nothing cancels; it is started where the ratios no longer matter.
    """
    product = np.i0(x)[()]
    if order == 0:
        return product
    x = np.asarray(x)
    start = order + 20 + int(8 * np.sqrt(np.max(np.abs(x), initial=0.0, where=np.isfinite(x))))
    r = 0 * x
    for k in range(start, 0, -1):
        r = x / (2 * k + x * r)
        if k <= order:
            product = product * r
    return product


def _bessel_i_derivative(g: Any, x: Any, order: int) -> Any:
    if order == 0:
        return g * bessel_i(x, order=1)
    return g * (0.5 * (bessel_i(x, order=order - 1) + bessel_i(x, order=order + 1)))


bessel_i = elementwise(
    _bessel_i,
    _bessel_i_derivative,
    shape=_inexact_shape,
    samples=lambda draw: [
        Sample(draw(), order=0),
        Sample(draw(2, 3), order=0),
        Sample(draw.strided(3), order=1),
        Sample(draw(3), order=2),
        Sample(draw(0), order=0),
    ],
    preserves=True,
)


def _nan_to_num(x: Any, *, nan: float, posinf: float | None, neginf: float | None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


nan_to_num = elementwise(
    _nan_to_num,
    lambda g, x: g * np.isfinite(x),
    samples=lambda draw: [
        Sample(draw(), nan=0.0, posinf=None, neginf=None),
        Sample(draw(2, 3), nan=0.0, posinf=1.0, neginf=-1.0),
        Sample(draw.strided(3), nan=1.0, posinf=None, neginf=None),
    ],
    preserves=True,
)


def _unwrap(x: Any, *, discont: float | None, axis: int, period: float) -> Any:
    return np.unwrap(x, discont, axis, period=period)


def _unwrap_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(5 * draw(5), discont=None, axis=-1, period=2 * np.pi),
        Sample(5 * draw(3, 2), discont=None, axis=0, period=3.0),
        Sample(5 * draw(2, 3), discont=4.0, axis=1, period=2 * np.pi),
        Sample(draw(0), discont=None, axis=-1, period=2 * np.pi),
    ]


# What unwrap adds is piecewise constant.
unwrap = primitive(
    _unwrap,
    shape=lambda x, discont, axis, period: elements_shape(np.add)(x, period),
    vjp=lambda g: g,
    jvp=lambda t: t,
    batch=batching.shifted("axis"),
    samples=_unwrap_samples,
    dtypes="fd",
)
