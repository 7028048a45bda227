"""How random numbers move with the parameters of their distribution, where no formula draws them.

A number x drawn with parameter a stays the same quantile when a moves, so dx/da = -(∂F/∂a) / (∂F/∂x), with F the
distribution function. Neither the gamma nor the beta distribution has a simple one, and PyTorch approximates this
quotient, in each region by another formula. These are the same formulas, for the same numbers.

Source: Figurnov, Mohamed, Mnih, "Implicit reparameterization gradients", 2018; S. O. Rice, "Uniform asymptotic
expansions for saddle point integrals", 1968; the coefficients of the rational functions are PyTorch's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, Zero, elementwise
from funcgrad.core.trace import bind
from funcgrad.ops.gamma import digamma
from funcgrad.torch.declare.checks import Undifferentiable
from funcgrad.torch.tensor.graph_tracer import in_graph


def _piecewise(conditions: list[Any], formulas: list[Any], *operands: Any) -> Any:
    """Where a condition is the first to hold its formula; the last formula where none does."""
    operands = np.broadcast_arrays(*operands)
    out, rest = np.empty(operands[0].shape), np.ones(operands[0].shape, bool)
    for condition, formula in zip([*conditions, True], formulas, strict=True):
        here = rest & condition
        if here.any():
            out[here] = formula(*[x[here] for x in operands])
            rest &= ~here
    return out


# Gamma.


def _gamma_slope(alpha: Any, x: Any) -> Any:
    """dx/dα of numbers x of the gamma distribution with parameter α; computed in double precision."""
    kind = np.result_type(alpha, x)
    a, x = np.asarray(alpha, np.float64), np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        near = (0.9 * a <= x) & (x <= 1.1 * a)
        formulas = [_gamma_by_series, _gamma_at_mean, _gamma_by_saddle_point, _gamma_by_fraction]
        return _piecewise([x < 0.8, (a > 8) & near, a > 8], formulas, a, x).astype(kind)


def _gamma_by_series(a: Any, x: Any) -> Any:
    """Taylor's series, for small x."""
    term = np.ones_like(x)
    first, second = term / a, term / (a * a)
    for i in range(1, 6):
        term = term * (-x / i)
        first = first + term / (a + i)
        second = second + term / (a + i) ** 2
    power = x**a
    by_alpha = (np.log(x) - digamma(a)) * power * first - power * second
    return np.nan_to_num(-by_alpha / (x ** (a - 1) * np.exp(-x)), nan=0.0, posinf=np.inf, neginf=-np.inf)


def _gamma_at_mean(a: Any, x: Any) -> Any:
    """The expansion for large α where its singularity at x = α is taken out."""
    polynomial = 1440 * a * a + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return (1 + 24 * a * (1 + 12 * a)) * polynomial / (1244160 * a**4)


def _gamma_by_saddle_point(a: Any, x: Any) -> Any:
    """Rice's expansion for large α."""
    scale, log_ratio = np.sqrt(8 * a), np.log(x / a)
    tail = (x - a - a * log_ratio) ** -1.5
    terms = log_ratio * (scale / (a - x) + np.where(x < a, -tail, tail))
    terms = terms - np.sqrt(2 / a) * (a + x) / (a - x) ** 2
    return -(1 + 1 / (12 * a) * (1 + 1 / (24 * a))) * x * terms / scale


_GAMMA_FRACTION = np.array([
    [[0.16009398, -0.094634809, 0.025146376, -0.0030648343], [1, 0.32668115, 0.10406089, 0.0014179084]],
    [[0.53487893, 0.1298071, 0.065735949, -0.0015649758],
     [0.16639465, 0.020070113, -0.0035938915, -0.00058392623]],
    [[0.040121004, -0.0065914022, -0.0026286047, -0.0013441777],
     [0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07]],
])  # fmt: skip
"""By power of u = log(x/α), numerator or denominator, power of v = log α."""


def _gamma_by_fraction(a: Any, x: Any) -> Any:
    """The exponential of a rational function of log(x/α) and log α."""
    u, v = np.broadcast_arrays(np.log(x / a), np.log(a))
    p, q = np.polynomial.polynomial.polyval2d(u, v, np.moveaxis(_GAMMA_FRACTION, 1, -1))
    return np.exp(p / q)


# Beta, and so Dirichlet, whose components are beta numbers.


def _dirichlet_slope(x: Any, alpha: Any, total: Any) -> Any:
    """dx/dα / (1 - x) of numbers x of the beta distribution with parameters α and total - α, in double precision."""
    kind = np.result_type(x, alpha, total)
    x, a, total = [np.asarray(v, np.float64) for v in (x, alpha, total)]
    with np.errstate(all="ignore"):
        b, spread = total - a, total * x * (1 - x)
        conditions = [(x <= 0.5) & (spread < 2.5), (x >= 0.5) & (spread < 0.75), (a > 6) & (b > 6)]
        formulas = [_beta_at_zero, _beta_at_one, _beta_by_saddle_point, _beta_by_fraction]
        return _piecewise(conditions, formulas, x, a, b).astype(kind)


def _beta_at_zero(x: Any, a: Any, b: Any) -> Any:
    """By the first parameter, with Taylor's series."""
    factor = digamma(a) - digamma(a + b) - np.log(x)
    term = np.ones_like(x)
    series = term / a * (factor + 1 / a)
    for i in range(1, 11):
        term = term * ((i - b) * x / i)
        series = series + term / (a + i) * (factor + 1 / (a + i))
    found = x * (1 - x) ** -b * series
    return np.where(np.isnan(found), 0.0, found)


def _beta_at_one(x: Any, a: Any, b: Any) -> Any:
    return -_beta_at_zero_by_other(1 - x, b, a)


def _beta_at_zero_by_other(x: Any, a: Any, b: Any) -> Any:
    """By the second parameter."""
    factor = digamma(a + b) - digamma(b)
    term, product, slope, series = 1.0, 1.0, 0.0, factor / a
    for i in range(1, 9):
        term = term * (-x / i)
        slope = slope * (b - i) + product
        product = product * (b - i)
        series = series + term / (a + i) * (slope + factor * product)
    found = -((1 - x) ** (1 - b)) * series
    return np.where(np.isnan(found), 0.0, found)


def _beta_by_saddle_point(x: Any, a: Any, b: Any) -> Any:
    """Rice's expansion, for large parameters."""
    total = a + b
    mean = a / total
    width = 0.1 * np.sqrt(a * b / (total + 1)) / total
    return np.where(abs(x - mean) <= width, _beta_at_mean(x, a, b), _beta_off_mean(x, a, b, mean))


def _beta_at_mean(x: Any, a: Any, b: Any) -> Any:
    """Where its singularity at the mean is taken out."""
    total = a + b
    polynomial = 8 * (1 - x) * (135 * b - 11)
    polynomial = (453 + 1620 * b * (1 - x) - 455 * x) * b + a * polynomial
    polynomial = 3 * (59 + 180 * b - 90 * x) * b**2 + a * polynomial
    polynomial = 47 * x * b**4 + a * ((43 + 20 * (16 + 27 * b) * x) * b**3 + a * polynomial)
    scale = (1 + 12 * a) * (1 + 12 * b) / total**2 / (1 - x)
    return scale * polynomial / (12960 * a**3 * b**2 * (1 + 12 * total))


def _beta_off_mean(x: Any, a: Any, b: Any, mean: Any) -> Any:
    total = a + b
    distance = a * (x - 1) + b * x
    first = 2 * a**2 * (x - 1) + a * b * (x - 1) - x * b**2
    first = first / (np.sqrt(2 * a / b) * total**1.5 * distance**2)
    log_ratio = np.log(a / (total * x))
    tail = (b * np.log(b / (total * (1 - x))) + a * log_ratio) ** -1.5
    second = 0.5 * log_ratio * (np.sqrt(8 * a * b / total) / distance + np.where(x < mean, tail, -tail))
    corrections = _stirling(a) * _stirling(b) / _stirling(total)
    return corrections * -x / np.sqrt(2 * a * b / total) * (first + second)


def _stirling(a: Any) -> Any:
    return 1 + 1 / (12 * a) + 1 / (288 * a * a)


_BETA_FRACTION = np.array([
    [[[1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
      [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
      [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013]],
     [[0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
      [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
      [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05]],
     [[-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
      [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
      [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05]]],
    [[[1, -0.02924021934, -0.04438342661, 0.007285809825],
      [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
      [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149]],
     [[0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
      [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
      [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05]],
     [[0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
      [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
      [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06]]],
])  # fmt: skip
"""Numerator or denominator, by power of u = log x, of v = log(α/x), of w = log(total) - v."""


def _beta_by_fraction(x: Any, a: Any, b: Any) -> Any:
    """An approximation, corrected by a rational function of logarithms."""
    total = a + b
    u = np.log(x)
    v = np.log(a) - u
    u, v, w = np.broadcast_arrays(u, v, np.log(total) - v)
    p, q = np.polynomial.polynomial.polyval3d(u, v, w, np.moveaxis(_BETA_FRACTION, 0, -1))
    return p / q * x * (digamma(total) - digamma(a)) / b


# The primitives. Samples are in half precision, in which nothing is compared with finite differences.


def _shapes(draw: Draw) -> list[Sample]:
    return [Sample(draw(3, low=0.5, high=3), draw(3, low=0.5, high=3)), Sample(draw(0), draw(0))]


_UNKNOWN = NotDifferentiable("PyTorch does not define it")
gamma_slope: Primitive = elementwise(_gamma_slope, _UNKNOWN, _UNKNOWN, samples=_shapes, dtypes="e")
dirichlet_slope: Primitive = elementwise(
    _dirichlet_slope,
    _UNKNOWN,
    _UNKNOWN,
    _UNKNOWN,
    samples=lambda draw: [Sample(draw(3, low=0.1, high=0.9), draw(3, low=0.5, high=3), draw(3, low=4, high=6))],
    dtypes="e",
)


def _standard_gamma_grad(alpha: Any, x: Any) -> Any:
    return gamma_slope(alpha, x)


def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    return dirichlet_slope(x, alpha, total)


GAMMA_SLOPE = Undifferentiable(_standard_gamma_grad, "_standard_gamma_grad", "_standard_gamma_grad")
DIRICHLET_SLOPE = Undifferentiable(_dirichlet_grad, "aten::_dirichlet_grad")


def _gamma_drawn(alpha: Any, x: Any) -> Any:
    return np.broadcast_to(x, np.broadcast_shapes(np.shape(alpha), np.shape(x)))


def _by_parameter(g: Any, x: Any, out: Any) -> Any:
    if in_graph((x, out)):  # where tensors record it, and refuse a second derivative
        return g * bind(GAMMA_SLOPE, (x, out), {})
    return g * GAMMA_SLOPE(x, out)


gamma_drawn: Primitive = elementwise(
    _gamma_drawn,
    _by_parameter,
    Zero("numbers that were drawn"),
    samples=_shapes,
    dtypes="e",
)
"""Numbers that were drawn, the second operand, as what they are of the parameter, the first one."""
