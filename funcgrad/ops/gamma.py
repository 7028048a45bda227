"""Primitives around the gamma function: its logarithm and the derivatives of that, zeta, the incomplete functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import NotDifferentiable, Primitive, Sample, primitive, same_shape, ufunc_shape
from funcgrad.ops import special_functions as values
from funcgrad.ops.error_functions import in_double, smooth

_NO_FORMULA = NotDifferentiable("no formula is known")

lgamma = smooth(values.lgamma, lambda g, x: g * digamma(x), 0.5, 3)
digamma: Primitive = smooth(values.digamma, lambda g, x: g * polygamma(x, n=1), 0.5, 3)


def _polygamma_rule(g: Any, x: Any, n: int) -> Any:
    return g * polygamma(x, n=n + 1)


polygamma: Primitive = primitive(
    in_double(values.polygamma),
    name="polygamma",
    shape=same_shape,
    vjp=_polygamma_rule,
    jvp=_polygamma_rule,
    batch=batching.elementwise,
    samples=lambda draw: [Sample(draw(3, low=0.8, high=3), n=1), Sample(draw(2, 2, low=1, high=3), n=2)],
    dtypes="fd",
    preserves=True,
)


_zeta_rules = (_NO_FORMULA, lambda g, x, y: g * -x * zeta(x + 1, y))
zeta: Primitive = primitive(
    in_double(values.zeta),
    name="zeta",
    operands="x y",
    shape=ufunc_shape(np.add),
    vjp=_zeta_rules,
    jvp=_zeta_rules,
    batch=batching.elementwise,
    samples=lambda draw: [Sample(2.5, draw(3, low=0.8, high=3)), Sample(3, draw(2, 2, low=1, high=3))],
    dtypes="fd",
)


def _density(x: Any, y: Any) -> Any:
    return np.exp((x - 1) * np.log(y) - y - lgamma(x))


def _below(g: Any, x: Any, y: Any) -> Any:
    return g * _density(x, y)


def _above(g: Any, x: Any, y: Any) -> Any:
    return -g * _density(x, y)


def _incomplete(f: Any, rule: Any) -> Primitive:
    return primitive(
        in_double(f),
        name=f.__name__,
        operands="x y",
        shape=ufunc_shape(np.add),
        vjp=(_NO_FORMULA, rule),
        jvp=(_NO_FORMULA, rule),
        batch=batching.elementwise,
        samples=lambda draw: [Sample(1.5, draw(3, low=0.8, high=3)), Sample(3, draw(2, 2, low=1, high=3))],
        dtypes="fd",
    )


gammainc = _incomplete(values.gammainc, _below)
gammaincc = _incomplete(values.gammaincc, _above)
