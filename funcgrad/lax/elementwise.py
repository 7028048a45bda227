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

add = binary(fnp.add, "iufc")
sub = binary(fnp.subtract, "iufc", "sub")
mul = binary(fnp.multiply, "iufc", "mul")
max = binary(fnp.maximum, "biuf", "max")
min = binary(fnp.minimum, "biuf", "min")
rem = binary(fnp.fmod, "iuf", "rem")
atan2 = binary(fnp.arctan2, "fc", "atan2")
nextafter = binary(fnp.nextafter, "f")


def _quotient(x: Any, y: Any) -> Array:
    if dtype_of(x).kind in "iu":
        return fnp.floor_divide(fnp.subtract(x, fnp.fmod(x, y)), y)
    return fnp.divide(x, y)


div = binary(_quotient, "iufc", "div", "x / y; of integers, rounded towards zero.", "-7, 2", "-3", "int64")

neg = unary(fnp.negative, "iufc", "neg")
abs = unary(fnp.absolute, "iufc", "abs")
sign = unary(fnp.sign, "iufc")
square = unary(fnp.square, "iufc")
reciprocal = unary(fnp.reciprocal, "fc")
floor = unary(fnp.floor, "f")
ceil = unary(fnp.ceil, "f")
is_finite = unary(fnp.isfinite, "f", "is_finite")


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


_power = binary(fnp.power, "fc", "pow")


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

exp = unary(fnp.exp, "fc")
exp2 = unary(fnp.exp2, "fc")
expm1 = unary(fnp.expm1, "fc")
log = unary(fnp.log, "fc")
log1p = unary(fnp.log1p, "fc")
sqrt = unary(fnp.sqrt, "fc")
rsqrt = unary(lambda x: 1 / fnp.sqrt(x), "fc", "rsqrt", "1 / √x.", "4.0", "0.5")
cbrt = unary(fnp.cbrt, "f")


def _logistic(x: Any) -> Array:
    if fnp.iscomplexobj(x):
        return 1 / (1 + fnp.exp(-x))
    e = fnp.exp(-fnp.abs(x))  # which does not overflow
    return fnp.where(fnp.greater_equal(x, 0), 1, e) / (1 + e)


logistic = unary(_logistic, "fc", "logistic", "1 / (1 + exp(-x)).", "0.0", "0.5")

# Trigonometric and hyperbolic functions.

sin = unary(fnp.sin, "fc")
cos = unary(fnp.cos, "fc")
tan = unary(fnp.tan, "fc")
asin = unary(fnp.arcsin, "fc", "asin")
acos = unary(fnp.arccos, "fc", "acos")
atan = unary(fnp.arctan, "fc", "atan")
sinh = unary(fnp.sinh, "fc")
cosh = unary(fnp.cosh, "fc")
tanh = unary(fnp.tanh, "fc")
asinh = unary(fnp.arcsinh, "fc", "asinh")
acosh = unary(fnp.arccosh, "fc", "acosh")
atanh = unary(fnp.arctanh, "fc", "atanh")

# Complex numbers.

real = unary(fnp.real, "c", "real", "The real part.", "1 + 2j", "1.")
imag = unary(fnp.imag, "c", "imag", "The imaginary part.", "1 + 2j", "2.")


def _conjugate(x: Any) -> Array:
    return fnp.conjugate(as_array(x, "conj").astype(np.result_type(dtype_of(x), np.complex64)))


conj = unary(_conjugate, "fc", "conj", "The complex conjugate, as a complex number.", "1 + 2j", "1.-2.j", "complex128")
complex = binary(
    lambda x, y: wrap(complex_parts.complex_of(fnp.asarray(x), fnp.asarray(y))),
    "f",
    "complex",
    "x + iy.",
    "1.0, 2.0",
    "1.+2.j",
    "complex128",
)
