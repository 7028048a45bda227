"""Primitives: Bessel functions.

Those of orders 0 and 1 have values of their own and need no SciPy. For the others the order is an operand, in which
they are not differentiated. The suffix e means scaled by the exponential that they grow or decay with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, Primitive, Sample
from funcgrad.ops import bessel as values
from funcgrad.ops.error_functions import smooth
from funcgrad.ops.scipy_kernels import IN_ORDER, scipy_function
from funcgrad.ops.series import near_zero

# Orders 0 and 1, modified. I1(x) / x and J1(x) / x have a series at zero.


def _quotient(x: Any, out: Any, sign: int) -> Any:
    """The function of order 1 over x: Σ (± x²/4)^k / (2 k! (k + 1)!), without its exponential near zero."""
    return near_zero(
        x, 0.02, (0.5, 0, sign / 16, 0, 1 / 768, 0, sign / 73728), lambda far: np.where(np.abs(x) < 0.02, 0, out) / far
    )


def _scaled_quotient(x: Any, out: Any) -> Any:
    """I1(x) exp(-|x|) / x."""
    return near_zero(
        x, 0.02, (0.5, 0, 1 / 16, 0, 1 / 768, 0, 1 / 73728), lambda far: np.where(np.abs(x) < 0.02, 0, out) / far
    ) * np.exp(-np.where(np.abs(x) < 0.02, x * np.sign(x), 0))  # whose derivative at 0 is 0, that of abs is not


i0 = smooth(values.i0, lambda g, x: g * i1(x), -2, 2)
i1: Primitive = smooth(values.i1, lambda g, x, out: g * (i0(x) - _quotient(x, out, 1)), 0.3, 2)
i0e = smooth(values.i0e, lambda g, x, out: g * (i1e(x) - np.sign(x) * out), 0.3, 2)
i1e: Primitive = smooth(
    values.i1e, lambda g, x, out: g * (i0e(x) - np.sign(x) * out - _scaled_quotient(x, out)), 0.3, 2
)
k0 = smooth(values.k0, lambda g, x: g * -k1(x), 0.3, 2, name="bessel_k0")
k1: Primitive = smooth(values.k1, lambda g, x, out: g * (-k0(x) - out / x), 0.3, 2, name="bessel_k1")
k0e = smooth(values.k0e, lambda g, x, out: g * (out - k1e(x)), 0.3, 2, name="bessel_k0e")
k1e: Primitive = smooth(values.k1e, lambda g, x, out: g * (out - k0e(x) - out / x), 0.3, 2, name="bessel_k1e")


# Orders 0 and 1, oscillating.

j0 = smooth(values.j0, lambda g, x: g * -j1(x), -2, 2, name="bessel_j0")
j1: Primitive = smooth(values.j1, lambda g, x, out: g * (j0(x) - _quotient(x, out, -1)), -2, 2, name="bessel_j1")
y0 = smooth(values.y0, lambda g, x: g * -y1(x), 0.5, 3, name="bessel_y0")
y1: Primitive = smooth(values.y1, lambda g, x, out: g * (y0(x) - out / x), 0.5, 3, name="bessel_y1")


# Any order. The derivative is made of the functions of the orders next to it (DLMF 10.6.1, 10.29.1).


def _samples(draw: Draw) -> list[Sample]:
    return [
        Sample(1, draw(3, low=0.5, high=3)),
        Sample(np.array([[2], [3]]), draw(2, low=0.5, high=3)),
        Sample(0, draw(low=0.5, high=3)),
        Sample(2, draw(0, low=0.5, high=3)),
    ]


def _of_order(name: str, below: float, above: float, own: Callable | None = None, dtypes: str = "fdFD") -> Primitive:
    """A function whose derivative is `below` times that of the order below, and so on.

    Arguments:
        name: of the ufunc.
        below, above: the factors.
        own: the factor of the function itself, for what scales it: from x.
        dtypes: of x.
    """

    def rule(g: Any, v: Any, x: Any, out: Any) -> Any:
        slope = below * made(v - 1, x) + above * made(v + 1, x)
        return g * (slope if own is None else slope + own(x) * out)

    made = scipy_function(name, IN_ORDER, rule, operands="v x", samples=_samples, dtypes=dtypes)
    return made


jv = _of_order("jv", 0.5, -0.5)
yv = _of_order("yv", 0.5, -0.5)
iv = _of_order("iv", 0.5, 0.5)
kv = _of_order("kv", -0.5, -0.5)
jve = _of_order("jve", 0.5, -0.5, dtypes="fd")  # scaled by exp(-|Im x|), so a real x leaves them as they are
yve = _of_order("yve", 0.5, -0.5, dtypes="fd")
ive = _of_order("ive", 0.5, 0.5, lambda x: -np.sign(x), dtypes="fd")
kve = _of_order("kve", -0.5, -0.5, lambda x: 1)
hankel1 = _of_order("hankel1", 0.5, -0.5, dtypes="FD")
hankel2 = _of_order("hankel2", 0.5, -0.5, dtypes="FD")
hankel1e = _of_order("hankel1e", 0.5, -0.5, lambda x: -1j, dtypes="FD")
hankel2e = _of_order("hankel2e", 0.5, -0.5, lambda x: 1j, dtypes="FD")


# Airy's functions, Ai'' = x Ai and Bi'' = x Bi.


def _airy(part: int, slope: Callable) -> Primitive:
    return scipy_function(
        "airy",
        slope,
        part=part,
        label=("airy_ai", "airy_ai_slope", "airy_bi", "airy_bi_slope")[part],
        samples=lambda draw: [Sample(draw(3)), Sample(draw(2, 2)), Sample(draw())],
        dtypes="fdFD",
    )


airy_ai = _airy(0, lambda g, x: g * airy_ai_slope(x))
airy_ai_slope: Primitive = _airy(1, lambda g, x: g * x * airy_ai(x))
airy_bi = _airy(2, lambda g, x: g * airy_bi_slope(x))
airy_bi_slope: Primitive = _airy(3, lambda g, x: g * x * airy_bi(x))
