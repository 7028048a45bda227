"""Primitives around the gamma function: its logarithm and the derivatives of that, zeta, the incomplete functions.

`polygamma`, `zeta`, `gamma_density` and `gammainc_order` are families: the order is a parameter, and a derivative is
the family at the next order. So all derivatives exist, by every operand.
"""

from __future__ import annotations

from typing import Any

from funcgrad.core.primitive import Draw, Primitive, Sample, elementwise
from funcgrad.core.samples import samples_in
from funcgrad.ops import incomplete_gamma as incomplete
from funcgrad.ops import special_functions as values
from funcgrad.ops.error_functions import in_double, smooth
from funcgrad.ops.scipy_kernels import scipy_function

lgamma = smooth(values.lgamma, lambda g, x: g * digamma(x), 0.5, 3)
digamma: Primitive = smooth(values.digamma, lambda g, x: g * polygamma(x, n=1), 0.5, 3)


polygamma: Primitive = elementwise(
    in_double(values.polygamma),
    lambda g, x, n: g * polygamma(x, n=n + 1),
    samples=lambda draw: [Sample(draw(3, low=0.8, high=3), n=1), Sample(draw(2, 2, low=1, high=3), n=2)],
    preserves=True,
)


def _zeta_by_place(g: Any, x: Any, y: Any, order: int) -> Any:
    """∂ζ/∂y is -x ζ(x + 1, y), of which this is the derivative by x of the order."""
    slope = -x * zeta(x + 1, y, order=order)
    return g * (slope - order * zeta(x + 1, y, order=order - 1) if order else slope)


zeta: Primitive = elementwise(
    in_double(values.zeta),
    lambda g, x, y, order: g * zeta(x, y, order=order + 1),
    _zeta_by_place,
    name="zeta",
    operands="x y",
    samples=lambda draw: [
        Sample(draw(3, low=1.5, high=4), draw(2, 1, low=0.8, high=3), order=0),
        Sample(draw(low=2, high=4), draw(3, low=0.8, high=3), order=0),
        Sample(3, draw(2, 2, low=1, high=3), order=0),
        Sample(draw(2, low=2, high=4), draw(2, low=0.8, high=3), order=1),
    ],
)
riemann_zeta_slope: Primitive = elementwise(
    in_double(values.riemann_zeta_slope),
    lambda g, x, order: g * riemann_zeta_slope(x, order=order + 1),
    name="riemann_zeta_slope",
    samples=samples_in((1.5, 4), order=1),
)
zetac = scipy_function("zetac", lambda g, x: g * riemann_zeta_slope(x, order=1), samples=samples_in((1.5, 4)))


# The incomplete gamma functions.


def _density_by_place(g: Any, x: Any, y: Any, out: Any, order: int) -> Any:
    """The density p obeys ∂p/∂y = p(x - 1, y) - p(x, y) = p (x - 1 - y) / y, of which this is the derivative by x."""
    if not order:
        return g * (gamma_density(x - 1, y, order=0) - out)
    return g * (out * ((x - 1 - y) / y) + order * gamma_density(x, y, order=order - 1) / y)


def _order_samples(draw: Draw, first: int = 0) -> list[Sample]:
    return [
        Sample(draw(3, low=1.5, high=3), draw(2, 1, low=0.8, high=3), order=first),
        Sample(draw(low=1.5, high=3), draw(3, low=0.8, high=3), order=first),
        Sample(3, draw(2, 2, low=1, high=3), order=first),
        Sample(draw(2, low=1.5, high=3), draw(2, low=0.8, high=3), order=first + 1),
    ]


gamma_density: Primitive = elementwise(
    in_double(incomplete.gamma_density),
    lambda g, x, y, order: g * gamma_density(x, y, order=order + 1),
    _density_by_place,
    name="gamma_density",
    operands="x y",
    samples=_order_samples,
)
gammainc_order: Primitive = elementwise(
    in_double(incomplete.gammainc_order),
    lambda g, x, y, order: g * gammainc_order(x, y, order=order + 1),
    lambda g, x, y, order: g * gamma_density(x, y, order=order),
    name="gammainc_order",
    operands="x y",
    samples=lambda draw: _order_samples(draw, 1),
)


def _incomplete(f: Any, sign: int) -> Primitive:
    """The lower function (sign 1), or the upper one (sign -1), which is one minus that."""
    return elementwise(
        in_double(f),
        lambda g, x, y: g * (sign * gammainc_order(x, y, order=1)),
        lambda g, x, y: g * (sign * gamma_density(x, y, order=0)),
        name=f.__name__,
        operands="x y",
        samples=lambda draw: [
            Sample(draw(low=1, high=3), draw(3, low=0.8, high=3)),
            Sample(draw(2, low=16, high=20), draw(2, 2, low=14, high=24)),
            Sample(3, draw(2, 2, low=1, high=3)),
            Sample(draw(2, low=1, high=3), 1.5),
        ],
    )


def _inverse(name: str, sign: int) -> Primitive:
    """The y at which the lower function, or the upper one, is p: P(x, y) = p says what its derivatives are."""
    return scipy_function(
        name,
        lambda g, x, out: -g * gammainc_order(x, out, order=1) / gamma_density(x, out, order=0),
        lambda g, x, out: sign * g / gamma_density(x, out, order=0),
        operands="x p",
        samples=samples_in((1, 3), (0.2, 0.8)),
    )


gammainc, gammaincc = _incomplete(incomplete.gammainc, 1), _incomplete(incomplete.gammaincc, -1)
gammaincinv, gammainccinv = _inverse("gammaincinv", 1), _inverse("gammainccinv", -1)
