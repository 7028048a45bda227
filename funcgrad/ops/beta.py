"""Primitives: the incomplete beta functions and their inverses, differentiable in all operands.

`beta_density` and `betainc_order` are families: the orders of the derivatives by a and by b are parameters. What an
inverse y solves, I(a, b, y) = p, gives its derivatives.
"""

from __future__ import annotations

from typing import Any

from funcgrad.core.primitive import Draw, Primitive, Sample, elementwise
from funcgrad.core.samples import samples_in
from funcgrad.ops import incomplete_beta as values
from funcgrad.ops.error_functions import in_double
from funcgrad.ops.scipy_kernels import scipy_function

_SHAPES = ((0.8, 3.0), (0.7, 2.5))  # of a and b in samples


def _density_by_place(g: Any, a: Any, b: Any, x: Any, out: Any, by_a: int, by_b: int) -> Any:
    """The density p obeys ∂p/∂x = p ((a - 1) / x - (b - 1) / (1 - x)), of which this is the derivative by a and b."""
    slope = out * ((a - 1) / x - (b - 1) / (1 - x))
    if by_a:
        slope = slope + by_a * beta_density(a, b, x, by_a=by_a - 1, by_b=by_b) / x
    if by_b:
        slope = slope - by_b * beta_density(a, b, x, by_a=by_a, by_b=by_b - 1) / (1 - x)
    return g * slope


def _samples(*orders: tuple[int, int]) -> Any:
    def samples(draw: Draw) -> list[Sample]:
        return [
            sample
            for by_a, by_b in orders
            for sample in samples_in(*_SHAPES, (0.2, 0.8), by_a=by_a, by_b=by_b)(draw)[:: 1 if by_a + by_b < 2 else 3]
        ]

    return samples


beta_density: Primitive = elementwise(
    in_double(values.beta_density),
    lambda g, a, b, x, by_a, by_b: g * beta_density(a, b, x, by_a=by_a + 1, by_b=by_b),
    lambda g, a, b, x, by_a, by_b: g * beta_density(a, b, x, by_a=by_a, by_b=by_b + 1),
    _density_by_place,
    name="beta_density",
    operands="a b x",
    samples=_samples((0, 0), (1, 1)),
)
betainc_order: Primitive = elementwise(
    in_double(values.betainc_order),
    lambda g, a, b, x, by_a, by_b: g * betainc_order(a, b, x, by_a=by_a + 1, by_b=by_b),
    lambda g, a, b, x, by_a, by_b: g * betainc_order(a, b, x, by_a=by_a, by_b=by_b + 1),
    lambda g, a, b, x, by_a, by_b: g * beta_density(a, b, x, by_a=by_a, by_b=by_b),
    name="betainc_order",
    operands="a b x",
    samples=_samples((1, 0), (0, 2)),
)


def _incomplete(name: str, sign: int) -> Primitive:
    """The lower function (sign 1), or the upper one (sign -1), which is one minus that."""
    return scipy_function(
        name,
        lambda g, a, b, x: g * (sign * betainc_order(a, b, x, by_a=1, by_b=0)),
        lambda g, a, b, x: g * (sign * betainc_order(a, b, x, by_a=0, by_b=1)),
        lambda g, a, b, x: g * (sign * beta_density(a, b, x, by_a=0, by_b=0)),
        operands="a b x",
        samples=samples_in(*_SHAPES, (0.2, 0.8)),
    )


def _inverse(name: str, sign: int) -> Primitive:
    """The y at which the lower function, or the upper one, is p."""

    def by_shape(by_a: int, by_b: int) -> Any:
        return lambda g, a, b, out: (
            -g * betainc_order(a, b, out, by_a=by_a, by_b=by_b) / beta_density(a, b, out, by_a=0, by_b=0)
        )

    return scipy_function(
        name,
        by_shape(1, 0),
        by_shape(0, 1),
        lambda g, a, b, out: sign * g / beta_density(a, b, out, by_a=0, by_b=0),
        operands="a b p",
        samples=samples_in(*_SHAPES, (0.2, 0.8)),
    )


betainc, betaincc = _incomplete("betainc", 1), _incomplete("betaincc", -1)
betaincinv, betainccinv = _inverse("betaincinv", 1), _inverse("betainccinv", -1)
