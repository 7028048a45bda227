"""Elementwise arithmetic and functions by the names of `jax.lax`, strict about dtypes and shapes."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array, wrap
from funcgrad.errors import ArgumentError
from funcgrad.lax.strict import accept, as_array, binary, broadcastable, dtype_of, unary
from funcgrad.ops import complex_parts

__all__ = [
    "RoundingMethod",
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "complex",
    "conj",
    "cos",
    "cosh",
    "div",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "imag",
    "integer_pow",
    "is_finite",
    "log",
    "log1p",
    "logistic",
    "max",
    "min",
    "mul",
    "neg",
    "nextafter",
    "pow",
    "real",
    "reciprocal",
    "rem",
    "round",
    "rsqrt",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "tan",
    "tanh",
]


# Arithmetic.

add = binary(fnp.add, "add", "iufc", "x + y.", "fnp.array([1.0, 2.0]), 3.0", "[4., 5.]")
sub = binary(fnp.subtract, "sub", "iufc", "x - y.", "fnp.array([1.0, 2.0]), 3.0", "[-2., -1.]")
mul = binary(fnp.multiply, "mul", "iufc", "x · y.", "fnp.array([1.0, 2.0]), 3.0", "[3., 6.]")
max = binary(fnp.maximum, "max", "biuf", "The larger of x and y.", "fnp.array([1.0, 5.0]), 3.0", "[3., 5.]")
min = binary(fnp.minimum, "min", "biuf", "The smaller of x and y.", "fnp.array([1.0, 5.0]), 3.0", "[1., 3.]")
rem = binary(fnp.fmod, "rem", "iuf", "What division rounded towards zero leaves: of the sign of x.", "-7.0, 4.0", "-3.")
atan2 = binary(fnp.arctan2, "atan2", "fc", "The angle of the point with ordinate x and abscissa y.", "0.0, 1.0", "0.")
nextafter = binary(
    fnp.nextafter, "nextafter", "f", "The floating-point number next to x in the direction of y.", "1.0, 1.0", "1."
)


def _quotient(x: Any, y: Any) -> Array:
    if dtype_of(x).kind in "iu":
        return fnp.floor_divide(fnp.subtract(x, fnp.fmod(x, y)), y)
    return fnp.divide(x, y)


div = binary(_quotient, "div", "iufc", "x / y; of integers, rounded towards zero.", "-7, 2", "-3", "int64")

neg = unary(fnp.negative, "neg", "iufc", "-x.", "2.0", "-2.")
abs = unary(fnp.absolute, "abs", "iufc", "The absolute value.", "-3.0", "3.")
sign = unary(fnp.sign, "sign", "iufc", "-1, 0 or 1 by the sign of a real x; x / |x| of a complex one.", "-3.0", "-1.")
square = unary(fnp.square, "square", "iufc", "x².", "-3.0", "9.")
reciprocal = unary(fnp.reciprocal, "reciprocal", "fc", "1 / x.", "4.0", "0.25")
floor = unary(fnp.floor, "floor", "f", "The largest integer not above x.", "-1.2", "-2.")
ceil = unary(fnp.ceil, "ceil", "f", "The smallest integer not below x.", "1.2", "2.")
is_finite = unary(fnp.isfinite, "is_finite", "f", "Whether x is no infinity and no nan.", "1.0", "True", "bool")


def pow(x: Any, y: Any) -> Array:
    """x to the power y.

    Arguments:
        x: a floating or complex array.
        y: an array of the same dtype, or of integers; the shapes agree, or one is a scalar.

    Raises:
        ArgumentError: other dtypes or shapes.

    Example:
        >>> fg.lax.pow(fnp.array([2.0, 3.0]), 2)
        Array([4., 9.], dtype=float64)
    """
    accept(x, "pow", "fc")
    if dtype_of(accept(y, "pow", "iufc")).kind not in "iu":
        return _power(x, y)
    broadcastable("pow", x, y)
    return fnp.power(x, as_array(y, "pow").astype(dtype_of(x)) if hasattr(y, "dtype") else y)


_power = binary(fnp.power, "pow", "fc", "x to the power y.", "2.0, 3.0", "8.")


def integer_pow(x: Any, y: int) -> Array:
    """x to the power of a Python integer.

    Arguments:
        x: an array of numbers.
        y: the exponent; not negative, if x holds integers.

    Raises:
        ArgumentError: y is no Python integer.

    Example:
        >>> fg.lax.integer_pow(2.0, -2)
        Array(0.25, dtype=float64)
    """
    if not isinstance(y, int):
        raise ArgumentError(f"integer_pow: the exponent must be a Python int, got {y!r}; lax.pow takes others")
    return fnp.power(accept(x, "integer_pow", "iufc"), y)


class RoundingMethod(enum.IntEnum):
    """What `round` does with halves."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def round(x: Any, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Array:
    """x rounded to the nearest integer. The derivative is zero.

    Arguments:
        x: a floating array.
        rounding_method: what to do with halves.

    Raises:
        ArgumentError: x is not floating.

    Example:
        >>> fg.lax.round(fnp.array([0.5, 1.5, -2.5]))
        Array([ 1.,  2., -3.], dtype=float64)
    """
    accept(x, "round", "f")
    if rounding_method == RoundingMethod.TO_NEAREST_EVEN:
        return fnp.rint(x)
    whole = fnp.trunc(x)
    return fnp.where(fnp.abs(x - whole) >= 0.5, whole + fnp.sign(x), whole)


# Exponentials and logarithms.

exp = unary(fnp.exp, "exp", "fc", "e to the power x.", "0.0", "1.")
exp2 = unary(fnp.exp2, "exp2", "fc", "2 to the power x.", "3.0", "8.")
expm1 = unary(fnp.expm1, "expm1", "fc", "exp(x) - 1, accurate for small x.", "0.0", "0.")
log = unary(fnp.log, "log", "fc", "The natural logarithm.", "1.0", "0.")
log1p = unary(fnp.log1p, "log1p", "fc", "log(1 + x), accurate for small x.", "0.0", "0.")
sqrt = unary(fnp.sqrt, "sqrt", "fc", "The square root.", "9.0", "3.")
rsqrt = unary(lambda x: 1 / fnp.sqrt(x), "rsqrt", "fc", "1 / √x.", "4.0", "0.5")
cbrt = unary(fnp.cbrt, "cbrt", "f", "The cube root.", "-8.0", "-2.")


def _logistic(x: Any) -> Array:
    if fnp.iscomplexobj(x):
        return 1 / (1 + fnp.exp(-x))
    e = fnp.exp(-fnp.abs(x))  # which does not overflow
    return fnp.where(fnp.greater_equal(x, 0), 1, e) / (1 + e)


logistic = unary(_logistic, "logistic", "fc", "1 / (1 + exp(-x)).", "0.0", "0.5")

# Trigonometric and hyperbolic functions.

sin = unary(fnp.sin, "sin", "fc", "The sine.", "0.0", "0.")
cos = unary(fnp.cos, "cos", "fc", "The cosine.", "0.0", "1.")
tan = unary(fnp.tan, "tan", "fc", "The tangent.", "0.0", "0.")
asin = unary(fnp.arcsin, "asin", "fc", "The angle whose sine is x.", "0.0", "0.")
acos = unary(fnp.arccos, "acos", "fc", "The angle whose cosine is x.", "1.0", "0.")
atan = unary(fnp.arctan, "atan", "fc", "The angle whose tangent is x.", "0.0", "0.")
sinh = unary(fnp.sinh, "sinh", "fc", "The hyperbolic sine.", "0.0", "0.")
cosh = unary(fnp.cosh, "cosh", "fc", "The hyperbolic cosine.", "0.0", "1.")
tanh = unary(fnp.tanh, "tanh", "fc", "The hyperbolic tangent.", "0.0", "0.")
asinh = unary(fnp.arcsinh, "asinh", "fc", "The inverse of sinh.", "0.0", "0.")
acosh = unary(fnp.arccosh, "acosh", "fc", "The inverse of cosh.", "1.0", "0.")
atanh = unary(fnp.arctanh, "atanh", "fc", "The inverse of tanh.", "0.0", "0.")

# Complex numbers.

real = unary(fnp.real, "real", "c", "The real part.", "1 + 2j", "1.")
imag = unary(fnp.imag, "imag", "c", "The imaginary part.", "1 + 2j", "2.")


def _conjugate(x: Any) -> Array:
    return fnp.conjugate(as_array(x, "conj").astype(np.result_type(dtype_of(x), np.complex64)))


conj = unary(_conjugate, "conj", "fc", "The complex conjugate, as a complex number.", "1 + 2j", "1.-2.j", "complex128")
complex = binary(
    lambda x, y: wrap(complex_parts.complex_of(fnp.asarray(x), fnp.asarray(y))),
    "complex",
    "f",
    "x + iy.",
    "1.0, 2.0",
    "1.+2.j",
    "complex128",
)
