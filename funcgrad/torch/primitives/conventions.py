"""Elementwise primitives whose derivative PyTorch defines in another way than `funcgrad.ops.elementwise`.

Two things differ, beside the sign of a zero here and there, and both can be seen from Python, so each primitive here
stands beside one of the functional face:

- the derivative at a kink or a singular point (`absolute` at 0, `maximum` of a tie, `arcsin` at 1), which is a matter
  of choice: the functional face chooses as JAX does;
- what a rule keeps (`divide` its operands, not its result): writing into a tensor that a node of the graph saved is an
  error in PyTorch, writing into another one is not.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import (
    Draw,
    NotDifferentiable,
    Primitive,
    Sample,
    Zero,
    elementwise,
    primitive,
    same_shape,
    ufunc_shape,
)
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.elementwise import division_samples, imag, off_zero, with_integers

# The sign of nan is 0, and |x| has derivative 0 at 0.


def _sign(x: Any) -> Any:
    return (x > 0).astype(x.dtype) - (x < 0) if x.dtype.kind != "c" else np.sign(x)


def _absolute(g: Any, x: Any) -> Any:
    if x.dtype.kind != "c":
        return g * sign(x)
    return g * np.conjugate(np.sign(x)) if g.dtype.kind == "c" else np.conjugate(g * np.sign(x))


def _turned_back(g: Any, x: Any, out: Any) -> Any:
    if x.dtype.kind != "c":
        return g * 0
    size = np.abs(x)
    return np.where(size == 0, 0, 1j * np.conjugate(out) * (imag(g * out) / np.where(size == 0, 1, size)))


def _turned(t: Any, x: Any, out: Any) -> Any:
    if x.dtype.kind != "c":
        return t * 0
    size = np.abs(x)
    return np.where(size == 0, 0, 1j * out * (imag(np.conjugate(out) * t) / np.where(size == 0, 1, size)))


sign: Primitive = primitive(
    _sign,
    name="sign_of",
    shape=same_shape,
    vjp=_turned_back,
    jvp=_turned,
    samples=off_zero,
    preserves=True,
    batch=batching.elementwise,
)
absolute = elementwise(np.absolute, _absolute, name="absolute_centred", samples=off_zero, preserves=False)

# Quotients keep both operands, and not the result.
divide = elementwise(np.divide, lambda g, y: g / y, lambda g, x, y: -g * (x / y / y), name="divide_kept", low=0.5)
fmod = elementwise(
    np.fmod, lambda g: g, lambda g, x, y: -g * np.trunc(x / y), name="fmod_kept", samples=division_samples
)


def _remainder(x: Any, y: Any) -> Any:
    rest = np.remainder(x, y)
    if rest.all():
        return rest
    if not isinstance(rest, np.ndarray):
        return np.copysign(rest, x)
    return np.copysign(rest, x, out=rest, where=rest == 0)


remainder = elementwise(
    _remainder,
    lambda g: g,
    lambda g, x, y: -g * np.floor_divide(x, y),
    name="remainder_of_fmod",
    shape=ufunc_shape(np.remainder),
    samples=division_samples,
    preserves=True,
)
"""A remainder of zero has the sign of the dividend."""


# The larger and the smaller. Of two zeros the first operand is taken, as small tensors do it in torch. A tie is split
# evenly, and a nan among the operands hands the whole cotangent to both.


def _chosen(ufunc: np.ufunc, name: str, *rules: Any) -> Primitive:
    return elementwise(lambda x, y: ufunc(y, x), *rules, name=name, preserves=True)  # NumPy takes the second


def _larger(g: Any, x: Any, y: Any) -> Any:
    return np.where(x == y, g / 2, np.where(x < y, 0, g))


maximum = _chosen(np.maximum, "maximum_halved", lambda g, x, y: _larger(g, x, y), lambda g, x, y: _larger(g, y, x))
minimum = _chosen(np.minimum, "minimum_halved", lambda g, x, y: _larger(g, y, x), lambda g, x, y: _larger(g, x, y))

# Of a tie the first operand has all.
fmax = _chosen(
    np.fmax,
    "fmax_first",
    lambda g, x, y: np.where((x >= y) | np.isnan(y), g, 0),
    lambda g, x, y: np.where((x >= y) | np.isnan(y), 0, g),
)
fmin = _chosen(
    np.fmin,
    "fmin_first",
    lambda g, x, y: np.where((x <= y) | np.isnan(y), g, 0),
    lambda g, x, y: np.where((x <= y) | np.isnan(y), 0, g),
)


# At the origin the angle has derivative 0, and the hypotenuse 0 / 0.


def _angle(g: Any, x: Any, y: Any) -> Any:
    squares = x * x + y * y
    return g * (y / np.where(squares == 0, 1, squares))


arctan2 = elementwise(np.arctan2, _angle, lambda g, x, y: -_angle(g, y, x), name="arctan2_flat", low=0.3)
hypot = elementwise(
    np.hypot, lambda g, x, out: g * (x / out), lambda g, y, out: g * (y / out), name="hypot_singular", low=0.3
)
nextafter = elementwise(
    np.nextafter,
    lambda g, x, y: np.where(x == y, 0, g),
    lambda g: g * 0,
    name="nextafter_choice",
)
ldexp = elementwise(
    np.ldexp,
    lambda g, out, y: np.ldexp(g, y),
    Zero("integer operand"),
    name="ldexp_kept",
    samples=with_integers,
    dtypes="fd",
)


def _scale(x: Any, y: Any) -> Any:
    return x * (np.exp2(y) if hasattr(y, "dtype") else 2.0**y)


ldexp_real = elementwise(_scale, lambda g, y: _scale(g, y), lambda g, out: g * out * math.log(2), name="ldexp_real")
tanh = elementwise(np.tanh, lambda g, out: tanh_backward(g, out), name="tanh_kept", low=-1, high=1)


def _tanh_backward(x: Any, y: Any) -> Any:
    return x * (1 - y * y)


tanh_backward: Primitive = elementwise(
    _tanh_backward,
    lambda g, y: tanh_backward(g, y),
    lambda g, x, y: g * (-2 * x * y),
    low=-1,
    high=1,
    dtypes="fdFD",
)
copysign = elementwise(
    np.copysign,
    lambda g, x, out: g * np.where(x == 0, 0, out / np.where(x == 0, 1, x)),
    lambda g: g * 0,
    name="copysign_flat",
    samples=lambda draw: [Sample(draw(3, low=0.5), -draw(2, 1, low=0.5)), Sample(draw(low=0.5), draw(low=0.5))],
)


# Powers with a number for exponent. Small ones are multiplied out, which is also quicker.


def _power_number(x: Any, y: Any) -> Any:
    if y == 1:
        return np.positive(x)  # not x itself, into which somebody may write
    if y == 2:
        return x * x
    if y == 3:
        return x * x * x
    if x.dtype.kind in "fc":
        if y == 0.5:
            return np.sqrt(x)
        if y == -0.5:
            return 1 / np.sqrt(x)
        if y == -1:
            return 1 / x
        if y == -2:
            return 1 / (x * x)
    return np.power(x, y)


def _power_number_shape(x: Any, y: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(x), np.result_type(dtype_of(x), y))


_NUMBER = NotDifferentiable("it is a number, not an array")
power_number: Primitive = elementwise(
    _power_number,
    lambda g, x, y: g * 0 if y == 0 else g * (y * power_number(x, y - 1)),
    _NUMBER,
    shape=_power_number_shape,
    samples=lambda draw: [Sample(draw(3, low=0.5), y) for y in (0, 1, 2, 3, 4, 0.5, -0.5, -1, -2, 1.5)],
    dtypes="fdFD",
    preserves=True,
)


# Powers of two arrays. x ** 0 has derivative 0 with respect to x, and 0 ** y, for y not negative, with respect to y.


def _of_base(g: Any, x: Any, y: Any) -> Any:
    return g * np.where(y == 0, 0, y * np.power(x, np.where(y == 0, 1, y - 1)))


def _of_exponent(g: Any, out: Any, x: Any, y: Any) -> Any:
    if isinstance(x, complex) or (isinstance(x, (int, float)) and x < 0 and out.dtype.kind == "c"):
        log: Any = cmath.log(x) if x else -math.inf
    elif isinstance(x, (int, float)):
        log = math.log(x) if x > 0 else math.nan if x < 0 else -math.inf
    else:
        log = np.log(x)
    return g * np.where((x == 0) & (np.real(y) >= 0), 0, out * log)


power = elementwise(np.power, _of_base, _of_exponent, name="power_limits", low=0.5)


def _of_number(x: Any, y: Any) -> Any:
    return np.power(y, x)


def _reversed_samples(draw: Draw) -> list[Sample]:
    return [Sample(draw(3), 2.5), Sample(draw(), 1), Sample(draw(2, 2), 3)]


power_of_number = elementwise(
    _of_number,
    lambda g, out, x, y: _of_exponent(g, out, y, x),
    _NUMBER,
    name="power_of_number",
    shape=_power_number_shape,
    samples=_reversed_samples,
    dtypes="fdFD",
    preserves=True,
)


def _subtract_from(x: Any, y: Any) -> Any:
    return y - x


subtract_from = elementwise(
    _subtract_from,
    lambda g: -g,
    _NUMBER,
    shape=_power_number_shape,
    samples=_reversed_samples,
    dtypes="fdFD",
    preserves=True,
)


def _rsqrt(x: Any) -> Any:
    return 1 / np.sqrt(x)


rsqrt = elementwise(_rsqrt, lambda g, out: -0.5 * g * (out * out * out), low=0.5, dtypes="fdFD", preserves=True)


# Inverse functions. 1 - x * x, unlike (1 - x) * (1 + x), has infinite derivatives at 1 and -1, not nan.

arcsin = elementwise(np.arcsin, lambda g, x: g * rsqrt(1 - x * x), name="arcsin_infinite", low=-0.8, high=0.8)
arccos = elementwise(np.arccos, lambda g, x: -g * rsqrt(1 - x * x), name="arccos_infinite", low=-0.8, high=0.8)
arctanh = elementwise(np.arctanh, lambda g, x: g / (1 - x * x), name="arctanh_infinite", low=-0.8, high=0.8)
arccosh = elementwise(
    np.arccosh,
    lambda g, x: g * (rsqrt(x * x - 1) if x.dtype.kind != "c" else rsqrt(x - 1) * rsqrt(x + 1)),
    name="arccosh_even",
    low=1.2,
    high=3,
)


def _frac(x: Any) -> Any:
    return x - np.trunc(x)


frac = elementwise(_frac, lambda g: g, low=0.2, high=0.8, preserves=True)
"""A fraction moves with its number."""


# Bounds belong to the interval.


def _clamp(x: Any, *, min: Any, max: Any) -> Any:
    if min is not None:
        x = np.maximum(min, x)
    return x if max is None else np.minimum(max, x)


def _inside(g: Any, x: Any, min: Any, max: Any) -> Any:
    if min is None:
        return np.where(x <= max, g, 0)
    return np.where(x >= min if max is None else (x >= min) & (x <= max), g, 0)


clamp = elementwise(
    _clamp,
    _inside,
    samples=lambda draw: [
        Sample(draw(3), min=-0.5, max=0.5),
        Sample(draw(2, 3), min=0.1, max=None),
        Sample(draw(), min=None, max=0.1),
        Sample(draw(0), min=0.0, max=1.0),
    ],
    preserves=True,
)


# A choice whose condition comes last, so that the operands with derivatives are the first two.


def _choose(x: Any, y: Any, condition: Any) -> Any:
    return np.where(condition, x, y)


def _choose_shape(x: Any, y: Any, condition: Any) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(np.broadcast_shapes(*map(shape_of, (x, y, condition))), dtype_of(x))


choose = elementwise(
    _choose,
    lambda g, condition: np.where(condition, g, 0),
    lambda g, condition: np.where(condition, 0, g),
    Zero("piecewise constant"),
    name="choose_by",
    operands="x y condition",
    shape=_choose_shape,
    dtypes="fdFD",
    samples=lambda draw: [
        Sample(draw(3), draw(3), np.array([True, False, True])),
        Sample(draw(3), draw(2, 1), np.array([[True], [False]])),
        Sample(draw(), draw(), np.array(False)),
        Sample(draw(2), draw(0, 1), np.zeros((0, 2), bool)),
    ],
)
