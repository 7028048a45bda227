"""Primitives: hypergeometric functions. 1F1 and 2F1 are families, whose parameters are the orders of the derivatives by
theirs.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, elementwise
from funcgrad.core.samples import samples_in
from funcgrad.ops import hypergeometric_series as series
from funcgrad.ops.error_functions import in_double
from funcgrad.ops.scipy_kernels import kernel, scipy_function

_NO_FORMULA = NotDifferentiable("the derivative by a parameter of this hypergeometric function has no formula here")


def _by_place(made: Any, uppers: tuple, lowers: tuple, x: Any, by_upper: tuple, by_lower: tuple) -> Any:
    """The derivative by x, which is Π u / Π l times the function of parameters greater by 1, differentiated by them."""
    total: Any = 0.0
    for ups in itertools.product(*[range(min(i, 1) + 1) for i in by_upper]):
        for downs in itertools.product(*[range(i + 1) for i in by_lower]):
            factor: Any = 1.0
            for u, i, p in zip(uppers, by_upper, ups, strict=True):
                factor = factor * (i if p else u)
            for low, i, q in zip(lowers, by_lower, downs, strict=True):
                factor = factor * (math.comb(i, q) * math.factorial(q) * (-1) ** q) / low ** (q + 1)
            rest = [i - p for i, p in zip(by_upper + by_lower, ups + downs, strict=True)]
            total = total + factor * made([u + 1 for u in uppers], [low + 1 for low in lowers], x, rest)
    return total


_hyp1f1, _hyp2f1 = kernel("hyp1f1"), kernel("hyp2f1")
_hyp1f1_series, _hyp2f1_series = in_double(series.hyp1f1), in_double(series.hyp2f1)


def _hyp1f1_values(a: Any, b: Any, x: Any, *, by_a: int, by_b: int) -> Any:
    return _hyp1f1_series(a, b, x, by_a=by_a, by_b=by_b) if by_a or by_b else _hyp1f1(a, b, x)


def _hyp1f1_by_place(g: Any, a: Any, b: Any, x: Any, by_a: int, by_b: int) -> Any:
    def made(uppers: Any, lowers: Any, x: Any, orders: Any) -> Any:
        return hyp1f1(*uppers, *lowers, x, by_a=orders[0], by_b=orders[1])

    return g * _by_place(made, (a,), (b,), x, (by_a,), (by_b,))


def _hyp1f1_samples(draw: Draw) -> list[Sample]:
    near = samples_in((0.5, 3), (0.7, 4), (-2, 3), by_a=0, by_b=0)(draw)
    return [*near, Sample(draw(2, low=0.5, high=3), 1.5, draw(2, low=-2, high=2), by_a=1, by_b=1)]


hyp1f1: Primitive = elementwise(
    _hyp1f1_values,
    lambda g, a, b, x, by_a, by_b: g * hyp1f1(a, b, x, by_a=by_a + 1, by_b=by_b),
    lambda g, a, b, x, by_a, by_b: g * hyp1f1(a, b, x, by_a=by_a, by_b=by_b + 1),
    _hyp1f1_by_place,
    name="scipy_hyp1f1",
    operands="a b x",
    samples=_hyp1f1_samples,
)


def _hyp2f1_values(a: Any, b: Any, c: Any, x: Any, *, by_a: int, by_b: int, by_c: int) -> Any:
    if by_a or by_b or by_c:
        return _hyp2f1_series(a, b, c, x, by_a=by_a, by_b=by_b, by_c=by_c)
    return _hyp2f1(a, b, c, x)


def _hyp2f1_by_place(g: Any, a: Any, b: Any, c: Any, x: Any, by_a: int, by_b: int, by_c: int) -> Any:
    def made(uppers: Any, lowers: Any, x: Any, orders: Any) -> Any:
        return hyp2f1(*uppers, *lowers, x, by_a=orders[0], by_b=orders[1], by_c=orders[2])

    return g * _by_place(made, (a, b), (c,), x, (by_a, by_b), (by_c,))


def _hyp2f1_samples(draw: Draw) -> list[Sample]:
    near = samples_in((0.5, 2), (0.5, 2), (1, 3), (-0.8, 0.6), by_a=0, by_b=0, by_c=0)(draw)
    return [*near, Sample(draw(2, low=0.5, high=2), 1.5, 2.5, draw(2, low=-0.5, high=0.5), by_a=1, by_b=0, by_c=1)]


hyp2f1: Primitive = elementwise(
    _hyp2f1_values,
    lambda g, a, b, c, x, by_a, by_b, by_c: g * hyp2f1(a, b, c, x, by_a=by_a + 1, by_b=by_b, by_c=by_c),
    lambda g, a, b, c, x, by_a, by_b, by_c: g * hyp2f1(a, b, c, x, by_a=by_a, by_b=by_b + 1, by_c=by_c),
    lambda g, a, b, c, x, by_a, by_b, by_c: g * hyp2f1(a, b, c, x, by_a=by_a, by_b=by_b, by_c=by_c + 1),
    _hyp2f1_by_place,
    name="scipy_hyp2f1",
    operands="a b c x",
    samples=_hyp2f1_samples,
)


# Functions whose parameters are not differentiated. In samples these are integers.


def _parameters(*numbers: int, low: float, high: float) -> Any:
    return lambda draw: [Sample(*numbers, draw(*shape, low=low, high=high)) for shape in ((3,), (2, 2), ())]


complex_hyp1f1: Primitive = scipy_function(
    "hyp1f1",
    _NO_FORMULA,
    _NO_FORMULA,
    lambda g, a, b, x: g * (a / b * complex_hyp1f1(a + 1, b + 1, x)),
    operands="a b x",
    label="complex_hyp1f1",
    samples=_parameters(1, 2, low=-1, high=1),
    dtypes="FD",
)
complex_hyp2f1: Primitive = scipy_function(
    "hyp2f1",
    _NO_FORMULA,
    _NO_FORMULA,
    _NO_FORMULA,
    lambda g, a, b, c, x: g * (a * b / c * complex_hyp2f1(a + 1, b + 1, c + 1, x)),
    operands="a b c x",
    label="complex_hyp2f1",
    samples=_parameters(1, 2, 3, low=-0.5, high=0.5),
    dtypes="FD",
)
hyp0f1: Primitive = scipy_function(
    "hyp0f1",
    _NO_FORMULA,
    lambda g, b, x: g * (hyp0f1(b + 1, x) / b),
    operands="b x",
    samples=_parameters(2, low=-2, high=2),
    dtypes="fdFD",
)
hyperu: Primitive = scipy_function(
    "hyperu",
    _NO_FORMULA,
    _NO_FORMULA,
    lambda g, a, b, x: g * (-a * hyperu(a + 1, b + 1, x)),
    operands="a b x",
    samples=_parameters(1, 2, low=0.5, high=3),
)
