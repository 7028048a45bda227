"""Elementwise primitives: every NumPy ufunc, with one formula for each operand that serves both modes.

The Jacobian of an elementwise operation is diagonal, so `g` times a partial derivative is both the pullback of a
cotangent and the pushforward of a tangent. In the rules x and y are the first and the second operand. Of equal formulas
the one that neither cancels nor overflows is taken, and of those the one that keeps least.

The implementation of each primitive here is the ufunc itself, which is how `np.sin(x)` finds `sin`.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import (
    Draw,
    Primitive,
    Sample,
    Zero,
    elements_shape,
    elementwise,
    joint,
    linear,
    primitive,
    ufunc_shape,
)
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.ops.logistic import logistic

_LN2, _LN10 = math.log(2), math.log(10)
_DEGREE = math.pi / 180
_SCALARS: Any = (int, float, complex, np.generic)
_CONSTANT = Zero("piecewise constant")


# Arithmetic.

add = elementwise(np.add, lambda g: g, lambda g: g, infix=operator.add)
subtract = elementwise(np.subtract, lambda g: g, lambda g: -g, infix=operator.sub)
square = elementwise(np.square, lambda g, x: g * (2 * x))
multiply = elementwise(np.multiply, lambda g, y: g * y, lambda g, x: g * x, infix=operator.mul, of_same=square)
divide = elementwise(np.divide, lambda g, y: g / y, lambda g, out, y: -g * out / y, low=0.5, infix=operator.truediv)
negative = elementwise(np.negative, lambda g: -g)
positive = elementwise(np.positive, lambda g: g)
reciprocal = elementwise(np.reciprocal, lambda g, out: -g * out * out, low=0.5)
sqrt = elementwise(np.sqrt, lambda g, out: 0.5 * g / out, low=0.5)
cbrt = elementwise(np.cbrt, lambda g, out: g / (3 * out * out), low=0.5)


def division_samples(draw: Draw) -> list[Sample]:
    """Quotients between 2 and 3 in absolute value: no step within reach of a finite difference."""

    def x(*shape: int) -> np.ndarray:
        return draw(*shape, low=2.2, high=2.4)

    def y(*shape: int) -> np.ndarray:
        return draw(*shape, low=0.85, high=1.05)

    return [
        Sample(x(), y()),
        Sample(-x(3), y(2, 1)),
        Sample(x(2, 3)[::-1], -y(3)),
        Sample(x(0, 2), y(2)),
        Sample(-x(3), -0.9),
        Sample(2.3, y(2)),
    ]


floor_divide = elementwise(np.floor_divide, _CONSTANT, _CONSTANT, samples=division_samples)
# The quotient is the integer that belongs to the computed remainder: x / y may round to the next one.
remainder = elementwise(np.remainder, lambda g: g, lambda g, x, y: -g * np.floor_divide(x, y), samples=division_samples)
fmod = elementwise(np.fmod, lambda g: g, lambda g, out, x, y: -g * np.rint((x - out) / y), samples=division_samples)


# Powers. x ** 0 has derivative 0 with respect to x, 0 ** y has derivative 0 with respect to y, and a negative base has
# derivative nan with respect to a real exponent.


def _power_of_base(power: Callable) -> Callable:
    def rule(g: Any, x: Any, y: Any) -> Any:
        if isinstance(y, _SCALARS):
            if y == 2:
                return g * (2 * x)
            return g * (y * power(x, y - 1)) if y != 0 else np.zeros(g.shape, g.dtype)
        if y.dtype.kind in "biu":  # y - 1 would wrap around for an unsigned 0
            return g * (y * power(x, np.where(y == 0, 0, y - 1)))
        # 0 * 0 ** -1 should be 0. It is the base that gives way, so that the derivative by y at y = 0 stays right.
        return g * (y * power(np.where((x == 0) & (y == 0), 1, x), y - 1))

    return rule


def _log_of_base(x: Any) -> Any:
    """log(x), and 0 for x = 0. A Python number stays one, so that single precision stays single."""
    if type(x) is int or type(x) is float:
        return math.log(x) if x > 0 else 0.0 if x == 0 else math.nan
    if type(x) is complex:
        return cmath.log(x) if x else 0.0
    return np.log(np.where(x == 0, 1, x))


def _power_of_exponent(g: Any, out: Any, x: Any) -> Any:
    return g * (out * _log_of_base(x))


power = elementwise(np.power, _power_of_base(operator.pow), _power_of_exponent, low=0.5)
float_power = elementwise(np.float_power, _power_of_base(np.float_power), _power_of_exponent, low=0.5)


# Exponentials and logarithms.

exp = elementwise(np.exp, lambda g, out: g * out)
exp2 = elementwise(np.exp2, lambda g, out: g * (_LN2 * out))
expm1 = elementwise(np.expm1, lambda g, out: g * (out + 1))
log = elementwise(np.log, lambda g, x: g / x, low=0.5)
log2 = elementwise(np.log2, lambda g, x: g / (_LN2 * x), low=0.5)
log10 = elementwise(np.log10, lambda g, x: g / (_LN10 * x), low=0.5)
log1p = elementwise(np.log1p, lambda g, x: g / (1 + x), low=-0.5)
# The weight of x in log(e^x + e^y) is 1 / (1 + e^(y - x)), written so that nothing overflows, nor in its derivatives.
logaddexp = elementwise(np.logaddexp, lambda g, x, y: g * logistic(x - y), lambda g, x, y: g * logistic(y - x))
logaddexp2 = elementwise(
    np.logaddexp2,
    lambda g, x, y: g * np.exp2(-np.logaddexp2(0.0, y - x)),
    lambda g, x, y: g * np.exp2(-np.logaddexp2(0.0, x - y)),
)


# Trigonometric and hyperbolic functions.

sin = elementwise(np.sin, lambda g, x: g * np.cos(x))
cos = elementwise(np.cos, lambda g, x: g * -np.sin(x))
tan = elementwise(np.tan, lambda g, out: g * (1 + out * out), low=-1, high=1)
sinh = elementwise(np.sinh, lambda g, x: g * np.cosh(x))
cosh = elementwise(np.cosh, lambda g, x: g * np.sinh(x))
tanh = elementwise(np.tanh, lambda g, out: g * (1 - out * out), low=-1, high=1)

# (1 - x)(1 + x) is exact where 1 - x² has cancelled.
arcsin = elementwise(np.arcsin, lambda g, x: g / np.sqrt((1 - x) * (1 + x)), low=-0.8, high=0.8)
arccos = elementwise(np.arccos, lambda g, x: -g / np.sqrt((1 - x) * (1 + x)), low=-0.8, high=0.8)
arctan = elementwise(np.arctan, lambda g, x: g / (1 + x * x), low=-0.8, high=0.8)
arctanh = elementwise(np.arctanh, lambda g, x: g / ((1 - x) * (1 + x)), low=-0.8, high=0.8)
# Two roots, for in the left half of the complex plane the root of the product has the other sign.
arccosh = elementwise(np.arccosh, lambda g, x: g / (np.sqrt(x - 1) * np.sqrt(x + 1)), low=1.2, high=3)


def _arcsinh(g: Any, x: Any) -> Any:
    return g / (np.hypot(1.0, x) if x.dtype.kind != "c" else np.sqrt(x * x + 1))


arcsinh = elementwise(np.arcsinh, _arcsinh, low=-0.8, high=0.8)


def _arctan2(g: Any, x: Any, y: Any) -> Any:
    """g * y / (x² + y²) without overflow: y, x are the legs that belong to the operand and to the other."""
    h = np.hypot(x, y)
    return g * (y / h / h)


arctan2 = elementwise(np.arctan2, _arctan2, lambda g, x, y: -_arctan2(g, y, x), low=0.3)


def _hypot(g: Any, out: Any, leg: Any) -> Any:
    return g * (leg / np.where(out == 0, np.inf, out))  # at the origin 0, the least of the subgradients


hypot = elementwise(np.hypot, lambda g, out, x: _hypot(g, out, x), lambda g, out, y: _hypot(g, out, y), low=0.3)

deg2rad = elementwise(np.deg2rad, lambda g: g * _DEGREE)
radians = elementwise(np.radians, lambda g: g * _DEGREE)
rad2deg = elementwise(np.rad2deg, lambda g: g / _DEGREE)
degrees = elementwise(np.degrees, lambda g: g / _DEGREE)


# Complex parts. The vjp is the plain transpose, without conjugation: a map t -> a t + b conj(t) has the transpose
# g -> a g + conj(b g).


def _real(x: Any) -> Any:
    return x.real


def _imag(x: Any) -> Any:
    return x.imag


def _complex_samples(draw: Draw) -> list[Sample]:
    return [Sample(draw()), Sample(draw(3)), Sample(draw(0, 2)), Sample(draw.strided(2, 3))]


real = linear(
    _real, transpose=lambda g: g, shape=elements_shape(_real), batch=batching.elementwise, samples=_complex_samples
)
imag = linear(
    _imag,
    transpose=lambda g: g * -1j,
    shape=elements_shape(_imag),
    batch=batching.elementwise,
    samples=_complex_samples,
)
conjugate = elementwise(np.conjugate, lambda g: np.conjugate(g) if g.dtype.kind == "c" else g)


# Absolute value and sign. Like JAX, |x| has derivative 1 at a real 0 and 0 at a complex one.


def _side(x: Any) -> Any:
    return np.sign(x) + (x == 0)


def _absolute(g: Any, x: Any) -> Any:
    return g * _side(x) if x.dtype.kind != "c" else g * np.conjugate(np.sign(x))


def off_zero(draw: Draw) -> list[Sample]:
    """Samples of one operand on both sides of a kink at zero, which no finite difference comes near."""
    return [Sample(s * a) for sample in draw.elementwise(1, 0.3, 2.0) for a in sample.args for s in (1, -1)]


absolute = elementwise(np.absolute, _absolute, samples=off_zero, preserves=False)
fabs = elementwise(np.fabs, lambda g, x: g * _side(x), samples=off_zero)


def _sign_pushforward(t: Any, x: Any) -> Any:
    if x.dtype.kind != "c":
        return np.zeros(x.shape, x.dtype)
    s = np.sign(x)
    return 1j * s * (imag(np.conjugate(s) * t) / np.abs(x))


def _sign_pullback(g: Any, x: Any) -> Any:
    if x.dtype.kind != "c":
        return np.zeros(x.shape, x.dtype)
    s = np.sign(x)
    return 1j * np.conjugate(s) * (imag(g * s) / np.abs(x))


# The sign of a real number is piecewise constant; that of a complex one is x / |x|, which turns with x.
sign = primitive(
    np.sign,
    shape=ufunc_shape(np.sign),
    vjp=_sign_pullback,
    jvp=_sign_pushforward,
    batch=batching.elementwise,
    samples=off_zero,
    preserves=True,
)
copysign = elementwise(
    np.copysign,
    lambda g, x, y: g * np.where(np.signbit(y), -_side(x), _side(x)),  # not copysign(1.0, y): y may be a number
    _CONSTANT,
)
heaviside = elementwise(np.heaviside, _CONSTANT, lambda g, x: g * (x == 0))


# The larger and the smaller. Like JAX, maximum and minimum split a tie evenly and give nothing to a nan, while fmax and
# fmin are a choice: x where it is the better one or y is nan, otherwise y.


def _wins(g: Any, better: Any, tie: Any) -> Any:
    return np.where(tie, 0.5 * g, g * better)


maximum = elementwise(np.maximum, lambda g, x, y: _wins(g, x > y, x == y), lambda g, x, y: _wins(g, y > x, x == y))
minimum = elementwise(np.minimum, lambda g, x, y: _wins(g, x < y, x == y), lambda g, x, y: _wins(g, y < x, x == y))
fmax = elementwise(
    np.fmax,
    lambda g, x, y: g * ((x > y) | np.isnan(y)),
    lambda g, x, y: g * np.logical_not((x > y) | np.isnan(y)),
)
fmin = elementwise(
    np.fmin,
    lambda g, x, y: g * ((x < y) | np.isnan(y)),
    lambda g, x, y: g * np.logical_not((x < y) | np.isnan(y)),
)


# Rounding, and the parts of floating-point numbers.

floor = elementwise(np.floor, _CONSTANT)
ceil = elementwise(np.ceil, _CONSTANT)
trunc = elementwise(np.trunc, _CONSTANT)
rint = elementwise(np.rint, _CONSTANT)
spacing = elementwise(np.spacing, _CONSTANT)
nextafter = elementwise(np.nextafter, lambda g: g, _CONSTANT)


def _round(x: Any, *, decimals: int) -> Any:
    return np.round(x, decimals)


round = elementwise(
    _round,
    _CONSTANT,
    shape=elements_shape(_round),
    dtypes="fdFD",
    samples=lambda draw: [Sample(draw(3), decimals=0), Sample(draw(2, 3), decimals=1), Sample(draw(), decimals=-1)],
)


def with_integers(draw: Draw) -> list[Sample]:
    """Samples of two operands, the second of which holds integers."""
    return [
        Sample(draw(3), np.array([2, -1, 0])),
        Sample(draw(), np.array([[1], [3]])),
        Sample(draw.strided(2, 3), 2),
        Sample(draw(0), np.array(1)),
    ]


ldexp = elementwise(np.ldexp, lambda g, y: np.ldexp(g, y), Zero("integer operand"), samples=with_integers, dtypes="fd")
modf = primitive(
    np.modf,
    shape=ufunc_shape(np.modf),
    vjp=lambda g: g[0],
    jvp=lambda t: (t, None),
    batch=batching.elementwise,
    samples=lambda draw: draw.elementwise(1, -2.0, 2.0),
    dtypes="fd",
    multiple=True,
)
frexp = primitive(
    np.frexp,
    shape=ufunc_shape(np.frexp),
    vjp=lambda g, out: np.ldexp(g[0], -out[1]),
    jvp=lambda t, out: (np.ldexp(t, -out[1]), None),
    batch=batching.elementwise,
    samples=lambda draw: draw.elementwise(1, 0.6, 0.9),
    dtypes="fd",
    multiple=True,
)


def _divmod_pushforward(tangents: tuple, out: tuple) -> tuple:
    tx, ty = tangents
    if ty is None:
        return None, tx
    return None, -out[0] * ty if tx is None else tx - out[0] * ty


divmod = primitive(
    np.divmod,
    operands="x y",
    shape=ufunc_shape(np.divmod),
    vjp=(lambda g: g[1], lambda g, out: -g[1] * out[0]),
    jvp=joint(_divmod_pushforward),
    batch=batching.elementwise,
    samples=division_samples,
    dtypes="fd",
    multiple=True,
)


# Questions, comparisons and logic: the result is boolean.


def _boolean(ufunc: np.ufunc) -> Primitive:
    return elementwise(ufunc, *[Zero("boolean result")] * ufunc.nin)


equal = _boolean(np.equal)
not_equal = _boolean(np.not_equal)
less = _boolean(np.less)
less_equal = _boolean(np.less_equal)
greater = _boolean(np.greater)
greater_equal = _boolean(np.greater_equal)
logical_and = _boolean(np.logical_and)
logical_or = _boolean(np.logical_or)
logical_xor = _boolean(np.logical_xor)
logical_not = _boolean(np.logical_not)
isfinite = _boolean(np.isfinite)
isinf = _boolean(np.isinf)
isnan = _boolean(np.isnan)
signbit = _boolean(np.signbit)


def _question(
    impl: Callable,
    operands: str,
    batch: Callable,
    samples: Callable,
    dtypes: str = "fdFD",
    shape: Callable | None = None,
) -> Primitive:
    return primitive(
        impl,
        operands=operands,
        shape=shape or elements_shape(impl),
        vjp=Zero("boolean result"),
        batch=batch,
        samples=samples,
        dtypes=dtypes,
    )


_ANSWER = ShapeDtypeStruct((), np.bool_)


def _one_answer_for_all(*xs: Any, equal_nan: bool) -> ShapeDtypeStruct:
    np.broadcast_shapes(*map(shape_of, xs))
    return _ANSWER


def _isclose(x: Any, y: Any, rtol: Any, atol: Any, *, equal_nan: bool) -> Any:
    return np.isclose(x, y, rtol, atol, equal_nan)


def _allclose(x: Any, y: Any, rtol: Any, atol: Any, *, equal_nan: bool) -> Any:
    return np.bool_(np.allclose(x, y, rtol, atol, equal_nan))


def _array_equal(x: Any, y: Any, *, equal_nan: bool) -> Any:
    return np.bool_(np.array_equal(x, y, equal_nan))


def _array_equiv(x: Any, y: Any) -> Any:
    return np.bool_(np.array_equiv(x, y))


def _close_samples(draw: Draw) -> list[Sample]:
    x = draw(3)
    return [
        Sample(x, x + 1e-9, 1e-5, 1e-8, equal_nan=False),
        Sample(draw(2, 1), draw(3), 0.0, np.ones(3), equal_nan=True),
    ]


def _pair_samples(draw: Draw, **params: Any) -> list[Sample]:
    x = draw(3)
    return [Sample(x, x.copy(), **params), Sample(x, draw(3), **params), Sample(x, draw(2, 2), **params)]


def _all(x: Any) -> Any:
    """Whether each example is true throughout."""
    return np.logical_and.reduce(x, axis=tuple(range(1, x.ndim)))


def _allclose_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    return _all(isclose(*batching.aligned(args, mask), **params))


def _array_equal_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    x, y = batching.everywhere(args, mask, size)
    if x.shape != y.shape:
        return np.zeros(size, bool)
    equal = np.equal(x, y)
    return _all(equal | (np.isnan(x) & np.isnan(y)) if params["equal_nan"] else equal)


def _array_equiv_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    try:
        np.broadcast_shapes(*[shape_of(a)[m:] for a, m in zip(args, mask, strict=True)])
    except ValueError:
        return np.zeros(size, bool)
    return _all(np.equal(*batching.aligned(args, mask)))


isclose = _question(_isclose, "x y rtol atol", batching.elementwise, _close_samples)
allclose = _question(_allclose, "x y rtol atol", _allclose_batch, _close_samples, shape=_one_answer_for_all)
array_equal = _question(
    _array_equal,
    "x y",
    _array_equal_batch,
    lambda draw: _pair_samples(draw, equal_nan=False),
    shape=lambda x, y, equal_nan: _ANSWER,
)
array_equiv = _question(_array_equiv, "x y", _array_equiv_batch, _pair_samples, shape=lambda x, y: _ANSWER)
isposinf = _question(np.isposinf, "x", batching.elementwise, lambda draw: draw.elementwise(1, -2.0, 2.0), "fd")
isneginf = _question(np.isneginf, "x", batching.elementwise, lambda draw: draw.elementwise(1, -2.0, 2.0), "fd")


# Integers.


def _integers(draw: Draw) -> list[Sample]:
    def some(*shape: int) -> np.ndarray:
        return draw(*shape, low=0, high=7)

    return [
        Sample(some(), some()),
        Sample(some(3), some(2, 3)),
        Sample(some(0, 2), some(2)),
        Sample(some(2, 2)[::-1], 3),
    ]


def _integer(ufunc: np.ufunc, dtypes: str) -> Primitive:
    samples = _integers if ufunc.nin == 2 else lambda draw: [Sample(*s.args[:1]) for s in _integers(draw)]
    return elementwise(ufunc, *[Zero("integer result")] * ufunc.nin, samples=samples, dtypes=dtypes, preserves=False)


bitwise_and = _integer(np.bitwise_and, "lB")
bitwise_or = _integer(np.bitwise_or, "lB")
bitwise_xor = _integer(np.bitwise_xor, "lB")
invert = _integer(np.invert, "?lB")
left_shift = _integer(np.left_shift, "lB")
right_shift = _integer(np.right_shift, "lB")
bitwise_count = _integer(np.bitwise_count, "lB")
gcd = _integer(np.gcd, "lB")
lcm = _integer(np.lcm, "lB")
